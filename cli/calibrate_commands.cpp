// SPDX-License-Identifier: MIT
#include "calibrate_commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/noise/distance.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "calibrate.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kCalibrateHelp = R"(
Examples:
  fathom calibrate distance pairs.csv
  fathom calibrate energy pixels.csv --normalization threshold)";

constexpr const char* kDistanceHelp = R"(
Examples:
  fathom calibrate distance pairs.csv
  fathom simulate examples/house/house.yaml --out out/house
  fathom calibrate distance out/house --sensor laser

CSV: the columns range_m and expected_m, what was read and what was due. A run needs the output
npy: {channels: [range, clean_range]}, and no noise but `distance` that changes ranges.)";

constexpr const char* kEnergyHelp = R"(
Examples:
  fathom calibrate energy pixels.csv
  fathom simulate examples/06_stereo/stereo.yaml --out out/pixels
      --set 'sensors.stereo.noise=[{stereo_energy: {min_energy: 0.18, pow: 14, normalization: threshold}}]'
  fathom calibrate energy out/pixels --normalization threshold

CSV: the columns energy and lost (0 or 1), a pixel a line. A run needs the output npy: {channels: [energy, reason]}
and one stereo_energy, of this normalization and the same for all entities.)";

std::shared_ptr<CalibrateOptions> add_data(CLI::App& c) {
  auto o = std::make_shared<CalibrateOptions>();
  c.add_option("DATA", o->data, "CSV of pairs, or the folder of a run")->required();
  c.add_option("--sensor", o->sensor, "of a run; default: the only one that wrote what is needed")->type_name("NAME");
  c.add_flag("--json", o->json, "as JSON");
  add_quiet(c, o->quiet);
  return o;
}

}  // namespace

void add_calibrate_commands(CLI::App& app) {
  CLI::App& calibrate = *app.add_subcommand("calibrate", "Learn the noise of a sensor from what it measured");
  calibrate.require_subcommand(1);
  calibrate.footer(kCalibrateHelp);
  CLI::App& distance = *calibrate.add_subcommand(
      "distance", fmt::format("Mean and deviation of the noise model {}", fathom::DistanceNoise::kSlug));
  const auto o = add_data(distance);
  distance.footer(kDistanceHelp);
  distance.final_callback([o] { calibrate_distance(*o); });

  CLI::App& energy = *calibrate.add_subcommand(
      "energy", fmt::format("Threshold and power of the loss law {}", fathom::StereoEnergy::kSlug));
  const auto e = add_data(energy);
  add_choice(energy, fmt::format("--{}", fathom::StereoEnergy::kNormalization),
             doc_of<fathom::StereoEnergy>(fathom::StereoEnergy::kNormalization), e->normalization);
  energy.footer(kEnergyHelp);
  energy.final_callback([e] { calibrate_energy(*e); });
}

}  // namespace fathom_cli
