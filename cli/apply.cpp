// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/fit/reports.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kApplyHelp = R"(
In the examples renders stands for a folder of your own.

Examples:
  fathom apply D435 renders --camera 383,383,320,240,0.05 --out noisy
  fathom apply examples/12_table_top/table_top.yaml:camera renders --seed 9 --out noisy --force

SENSOR is a preset of `fathom sensors`, or FILE:NAME, a sensor of a scene file. DIR holds depth images, 16-bit PNG (0:
nothing was met) or NPY (floats in m, or uint16): clean depths along the optical axis. Each gets its noise, its losses
and the same name under --out: PNG stays PNG, with 0 for a lost pixel, and NPY has floats in m, with NaN. Image k is
frame k of the sensor. docs/given-frames.md describes what is derived from the image.)";

/// `fathom apply SENSOR DIR ...`
struct ApplyOptions {
  std::string sensor;
  fs::path folder, out;
  std::string files;
  std::optional<fathom::WallCamera> camera;
  double levels_per_m = 1000.0;
  double far_m = std::numeric_limits<double>::infinity();
  std::optional<std::uint64_t> seed;
  bool reasons = false, force = false, quiet = false;
  int threads = 0;
};

/// A sensor, and the seed and the clock of its scene.
struct ChosenSensor {
  fathom::Sensor sensor;
  std::uint64_t seed = 0;
  double rate_hz = 10.0, start_s = 0.0;
};

/// Throws InputError for what images and options do not say.
void check_chosen(const fathom::SensorSetup& setup) {
  const std::string& name = setup.sensor.name;
  if (!setup.ranges.empty()) {
    throw fathom::InputError(fmt::format("sensor '{}': a number of it is a range: give a number", name));
  }
  for (const fathom::ChainEntry& entry : setup.sensor.noise) {
    if (entry.by_entity.empty()) continue;
    throw fathom::InputError(
        fmt::format("sensor '{}': {} differs by entity, and images have no entities", name, entry.noise.slug()));
  }
}

ChosenSensor choose_sensor(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {fathom::preset_sensor("sensor", text)};
  const std::string name = text.substr(colon + 1);
  const fathom::SceneSetup setup = fathom::read_scene_file(text.substr(0, colon));
  std::vector<std::string_view> names;
  for (const fathom::SensorSetup& s : setup.sensors) names.push_back(s.sensor.name);
  const std::optional<std::size_t> found = find_typed(name, names);
  if (!found) {
    throw fathom::InputError(
        fmt::format("{}: has no sensor '{}'{}", text.substr(0, colon), name, nearest_text(name, names)));
  }
  check_chosen(setup.sensors[*found]);
  return {setup.sensors[*found].sensor, setup.seed, setup.rate_hz, setup.start_s};
}

/// Gives a depth or stereo camera the size of the images and these numbers.
void set_camera(const fathom::WallCamera& numbers, const fathom::DepthImage& image, fathom::SensorModel& model) {
  auto* const stereo = std::get_if<fathom::StereoCamera>(&model);
  fathom::DepthCamera* const camera = stereo != nullptr ? stereo : std::get_if<fathom::DepthCamera>(&model);
  if (camera == nullptr) throw fathom::InputError("--camera is of depth and stereo cameras alone");
  camera->width = image.cols, camera->height = image.rows;
  camera->fx = numbers.fx_px, camera->fy = numbers.fy_px;
  camera->principal_point_px = {numbers.cx_px, numbers.cy_px};
  camera->horizontal_fov_rad = 0.0;
  camera->focal_length_mm = camera->horizontal_aperture_mm = camera->vertical_aperture_mm = 0.0;
  if (numbers.baseline_m == 0.0) return;
  if (stereo == nullptr) throw fathom::InputError("--camera: BASELINE is of stereo cameras alone");
  stereo->baseline_m = numbers.baseline_m;
  stereo->left_camera.reset(), stereo->right_camera.reset();
}

void fit_camera(const ApplyOptions& options, const fathom::DepthImage& image, fathom::Sensor& sensor) {
  if (options.camera) return set_camera(*options.camera, image, sensor.model);
  const fathom::PatternShape shape = fathom::pattern_shape(sensor.model);
  if (shape.rows == image.rows && shape.cols == image.cols) return;
  throw fathom::InputError(fmt::format("the images have {} x {} pixels, and sensor '{}' {} x {}: give --camera",
                                       image.cols, image.rows, options.sensor, shape.cols, shape.rows));
}

/// The files that are written for one image: it, and its reasons.
std::vector<fs::path> targets(const ApplyOptions& options, const fs::path& image) {
  std::vector<fs::path> files = {options.out / image.filename()};
  if (options.reasons) files.push_back(options.out / ("reason_" + image.stem().string() + ".npy"));
  return files;
}

void check_targets(const ApplyOptions& options, const std::vector<fs::path>& images) {
  std::error_code unknown;
  std::set<fs::path> taken;
  for (const fs::path& image : images) {
    taken.insert(fs::weakly_canonical(image));
    if (image.extension() == ".png" || image.extension() == ".npy") continue;
    throw fathom::InputError(fmt::format("{}: is neither .png nor .npy", image.string()));
  }
  for (const fs::path& image : images) {
    for (const fs::path& file : targets(options, image)) {
      if (!taken.insert(fs::weakly_canonical(file)).second) {
        throw fathom::InputError(fmt::format("{}: is a clean image, or would be written twice", file.string()));
      }
      if (options.force || !fs::exists(file, unknown)) continue;
      throw fathom::InputError(fmt::format("{}: exists already; --force replaces it", file.string()));
    }
  }
}

/// 0 where nothing was met; an image may show nothing else.
fathom::DepthImage read_clean(const fs::path& file, const ApplyOptions& options) {
  fathom::DepthImage image = fathom::read_depth_image(file, options.levels_per_m);
  std::ranges::replace_if(
      image.depth_m, [](float z) { return std::isnan(z); }, 0.0F);
  return image;
}

void check_shape(const fs::path& file, const fathom::DepthImage& image, const fathom::SensorNoise& noise) {
  if (image.rows == noise.rows() && image.cols == noise.cols()) return;
  throw fathom::InputError(fmt::format("{}: has {} x {} pixels, and the first image {} x {}", file.string(), image.cols,
                                       image.rows, noise.cols(), noise.rows()));
}

void write_image(const ApplyOptions& options, const fs::path& image, const fathom::Frame& frame) {
  const std::vector<fs::path> files = targets(options, image);
  if (image.extension() == ".png") {
    fathom::write_depth_png(files[0], frame, fathom::Channel::kDepth, {fathom::LostValue::kZero, 0.0F},
                            options.levels_per_m, fathom::OffScale::kLost);
  } else {
    fathom::write_npy(files[0], frame, fathom::Channel::kDepth);
  }
  if (options.reasons) fathom::write_npy(files[1], frame, fathom::Channel::kReason);
}

void apply(const ApplyOptions& options) {
  const std::vector<fs::path> images = fathom::depth_images(options.folder, options.files);
  check_targets(options, images);
  ChosenSensor chosen = choose_sensor(options.sensor);
  fit_camera(options, fathom::read_depth_image(images.front(), options.levels_per_m), chosen.sensor);
  const StopSignals signals(Patience::kASecond);
  fathom::SensorNoise noise(std::move(chosen.sensor), {.seed = options.seed.value_or(chosen.seed),
                                                       .compute = {.threads = options.threads},
                                                       .rate_hz = chosen.rate_hz,
                                                       .start_s = chosen.start_s,
                                                       .far_m = options.far_m,
                                                       .should_stop = &StopSignals::received});
  fathom::ChannelSet channels = {fathom::Channel::kDepth};
  if (options.reasons) channels.insert(fathom::Channel::kReason);
  fathom::Frame frame(channels);
  fs::create_directories(options.out);
  TaskDisplay display("applying noise:", options.quiet);
  for (std::size_t k = 0; k < images.size(); ++k) {
    const fathom::DepthImage image = read_clean(images[k], options);
    check_shape(images[k], image, noise);
    try {
      noise.apply(static_cast<std::uint32_t>(k), {.depth_m = image.depth_m}, frame);
    } catch (const fathom::InputError& error) {
      throw fathom::InputError(fmt::format("{}: {}", images[k].string(), error.what()));
    }
    write_image(options, images[k], frame);
    display.show_fraction(static_cast<double>(k + 1) / static_cast<double>(images.size()));
  }
}

}  // namespace

void add_apply(CLI::App& app) {
  const auto o = std::make_shared<ApplyOptions>();
  CLI::App& c = *app.add_subcommand("apply", "Apply the noise of a sensor to depth images of another renderer");
  begin_section(c, Section::kRequired);
  c.add_option("SENSOR", o->sensor, "preset of `fathom sensors`, or FILE:NAME, a sensor of a scene file")
      ->required()
      ->type_name("SENSOR");
  c.add_option("DIR", o->folder, "folder of clean depth images")->required()->type_name("DIR");
  c.add_option("--out", o->out, "folder for the noisy images")->required()->type_name("DIR");
  begin_section(c, Section::kInput);
  add_parsed(c,
             {"--camera", "FX,FY,CX,CY[,BASELINE]",
              "focal lengths and principal point of the images in px, and the baseline in m"},
             [o](const std::string& text) { o->camera = parse_camera(text); });
  c.add_option("--files", o->files, "names to take, with * and ?; default: depth*.npy, else depth*.png, else all")
      ->type_name("PATTERN");
  add_number(c, {"--levels-per-m", "N", "levels per metre of 16-bit images"},
             {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, o->levels_per_m);
  add_number_option(c, {"--far", "M", "far plane of the images: there, nothing was met"}, {1e-6, 1e9, "m"},
                    [o](double far_m) { o->far_m = far_m; });
  begin_section(c, Section::kModel);
  add_seed(c, o->seed);
  begin_section(c, Section::kOutput);
  c.add_flag("--reasons", o->reasons, "write reason_NAME.npy, too: why each return is missing");
  add_force(c, o->force, "replace files of an earlier run");
  add_quiet(c, o->quiet);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.footer(kApplyHelp);
  c.final_callback([o] { apply(*o); });
}

}  // namespace fathom_cli
