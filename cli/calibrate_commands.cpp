// SPDX-License-Identifier: MIT
#include "calibrate_commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "beam_inputs.hpp"
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
  fathom calibrate distance --bag drive.mcap --scan /laser/scan --frame world --map examples/house/maps/map.yaml

CSV: the columns range_m and expected_m, what was read and what was due. A run needs the output
npy: {channels: [range, clean_range]}, and no noise but `distance` that changes ranges.
Of a bag or log, readings count that are near (--gate) what the map or scene expects at the pose of each beam.)";

constexpr const char* kEnergyHelp = R"(
Examples:
  fathom calibrate energy pixels.csv
  fathom simulate examples/06_stereo/stereo.yaml --out out/pixels
      --set 'sensors.stereo.noise=[{stereo_energy: {min_energy: 0.18, pow: 14, normalization: threshold}}]'
  fathom calibrate energy out/pixels --normalization threshold

CSV: the columns energy and lost (0 or 1), a pixel a line. A run needs the output npy: {channels: [energy, reason]}
and one stereo_energy, of this normalization and the same for all entities.)";

std::shared_ptr<CalibrateOptions> add_data(CLI::App& c, bool required) {
  auto o = std::make_shared<CalibrateOptions>();
  c.add_option("DATA", o->data, "CSV of pairs, or the folder of a run")->required(required);
  c.add_option("--sensor", o->sensor, "of a run; default: the only one that wrote what is needed")->type_name("NAME");
  c.add_flag("--json", o->json, "as JSON");
  add_quiet(c, o->quiet);
  return o;
}

/// --log or --bag in place of DATA, with what the rays should have measured.
void add_scans(CLI::App& c, CalibrateOptions& o) {
  add_log(c, o.log, {.optional = true});
  add_world(c, o.world, true);
  add_number(c, {"--max-range", "M", "how far the laser measures; default: what the log says"}, {0.0, 1e6, "m"},
             o.pairs.max_range_m);
  add_number(c, {"--gate", "M", "readings farther from what is expected are of something else"}, {0.0, 1e6, "m"},
             o.pairs.gate_m);
}

/// One source, and a world where it needs one.
void check_sources(const CalibrateOptions& o) {
  const bool scans = !o.log.log.empty() || !o.log.bag.empty(), world = !o.world.map.empty() || !o.world.scene.empty();
  if (!o.data.empty() && (scans || world)) {
    throw fathom::InputError(
        "DATA has its expected ranges: --log, --bag, --map and --scene are for scans without them");
  }
  if (o.data.empty() && !scans) throw fathom::InputError("DATA, --log or --bag is required");
  if (scans && !world) throw fathom::InputError("--map or --scene is required with --log and --bag");
}

}  // namespace

void add_calibrate_commands(CLI::App& app) {
  CLI::App& calibrate = *app.add_subcommand("calibrate", "Learn the noise of a sensor from what it measured");
  calibrate.require_subcommand(1);
  calibrate.footer(kCalibrateHelp);
  CLI::App& distance = *calibrate.add_subcommand(
      "distance", fmt::format("Mean and deviation of the noise model {}", fathom::DistanceNoise::kSlug));
  const auto o = add_data(distance, false);
  add_scans(distance, *o);
  distance.footer(kDistanceHelp);
  distance.final_callback([o] {
    check_sources(*o);
    calibrate_distance(*o);
  });

  CLI::App& energy = *calibrate.add_subcommand(
      "energy", fmt::format("Threshold and power of the loss law {}", fathom::StereoEnergy::kSlug));
  const auto e = add_data(energy, true);
  add_choice(energy, fmt::format("--{}", fathom::StereoEnergy::kNormalization),
             doc_of<fathom::StereoEnergy>(fathom::StereoEnergy::kNormalization), e->normalization);
  energy.footer(kEnergyHelp);
  energy.final_callback([e] { calibrate_energy(*e); });
}

}  // namespace fathom_cli
