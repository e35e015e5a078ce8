// SPDX-License-Identifier: MIT
#pragma once
// Clean depth images and the sensor that they get the noise of, for `fathom apply` and `fathom serve --given`.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <fathom/fit/reports.hpp>
#include <fathom/fit/wall.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom_cli {

struct ImageOptions {
  std::string sensor;  ///< a preset, or FILE:NAME
  std::optional<fathom::WallSensor::Camera> camera;
  double levels_per_m = 1000.0;
  double far_m = std::numeric_limits<double>::infinity();
};

/// All but the sensor.
std::vector<CLI::Option*> add_image_options(CLI::App& c, ImageOptions& o);

/// A sensor, and the seed and the clock of its scene.
struct ChosenSensor {
  fathom::Sensor sensor;
  std::filesystem::path file = {};  ///< of the scene; empty: a preset
  std::uint64_t seed = 0;
  double rate_hz = 10.0, start_s = 0.0;
};

/// Throws InputError for an unknown preset or sensor, and for a sensor that images cannot serve.
ChosenSensor choose_sensor(const std::string& text);
/// Gives the sensor the camera of the options. Throws InputError if the image does not fit it.
void fit_camera(const ImageOptions& options, const fathom::DepthImage& image, fathom::Sensor& sensor);
/// 0 where nothing was met; an image may be all 0.
fathom::DepthImage read_clean(const std::filesystem::path& file, const ImageOptions& options);

}  // namespace fathom_cli
