// SPDX-License-Identifier: MIT
#include "calibrate_commands.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/depth.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "beam_inputs.hpp"
#include "calibrate.hpp"
#include "calibrate_chain.hpp"
#include "option_values.hpp"
#include "score.hpp"
#include "wall_command.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kCalibrateHelp = R"(
The help of each command has more.

Examples:
  fathom simulate examples/14_flat_wall/wall.yaml --out out/wall
  fathom calibrate wall out/wall/camera --camera 190,190,159.5,99.5,0.05 --max-range 10 --max-returns 20000
      --out out/wall_fit
  fathom calibrate distance pairs.csv
  fathom calibrate energy pixels.csv --normalization threshold)";

constexpr const char* kChainHelp = R"(
In the examples mycamera stands for a folder of depth images of your own, and table_top.yaml for a scene of the place.

Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/frames
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.07}}, {dropout: {probability: 0.01}}]'
  fathom calibrate chain examples/06_stereo/stereo.yaml --measured out/frames --free 'sensors.stereo.noise.*'
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.2}}, {dropout: {probability: 0.1}}]' --out out/chain
  fathom calibrate chain examples/12_table_top/table_top.yaml --measured mycamera --free disparity.stddev_px
      --set 'sensors.camera.noise=[{disparity: {stddev_px: 0.2}}, {dropout: {probability: 0.1}}]' --free 'dropout.*'

SCENE has the sensor, where it was in each frame, and the chain from which learning begins; the rest of it stays. DIR
is a run of that scene with the output npy: {channels: [range]} (or depth), or a folder of depth images, 16-bit PNG
(0: a hole) or NPY, or clouds, PCD or PLY, in whose names stands the number of the frame. LOG is CARMEN text or
fathom's own scans.csv, whose poses take the place of the scene's. --free 'MODEL.rings.*' learns a model for each ring
of a lidar. Of a chain with angular_ray, about one axis and without a matching_window, the scene is cast for a grid of
angles, too: what turned rays meet at edges tells them. Points tell angular_hit: clouds, or a run with npy: {channels:
[range, hit_sensor]}. --out gets noise.yaml, report.html and fit.json.
docs/calibrate.md tells what can be learned, and what the errors mean.)";

constexpr const char* kScoreFramesHelp = R"(
Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/scored
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.07}}]'
  fathom score examples/06_stereo/stereo.yaml --measured out/scored
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.1}}]'

SCENE, DIR and LOG are as for `fathom calibrate chain`. The larger, the better the chain describes the frames; a return
that it holds for impossible counts -60. --compare takes another scene, or the noise.yaml of a fit. Errors take frames
as independent, or stretches of the way where the sensor moved.)";

constexpr const char* kDistanceHelp = R"(
Examples:
  fathom calibrate distance pairs.csv
  fathom simulate examples/house/house.yaml --out out/house
  fathom calibrate distance out/house --sensor laser
  fathom calibrate distance --bag drive.mcap --scan /laser/scan --frame world --map examples/house/maps/map.yaml

CSV: the columns range_m and expected_m, what was read and what was due, and scan, its number, where it is known. A run
needs the output npy: {channels: [range, clean_range]}, and no noise but `distance` that changes ranges.
Of a bag or log, readings count that are near (--gate) what the map or scene expects at the pose of each beam.
Errors take stretches of the way as independent (--clusters); of a CSV without scans each pair.)";

constexpr const char* kEnergyHelp = R"(
Examples:
  fathom calibrate energy pixels.csv
  fathom simulate examples/06_stereo/stereo.yaml --out out/pixels
      --set 'sensors.stereo.noise=[{stereo_energy: {min_energy: 0.18, pow: 14, normalization: threshold}}]'
  fathom calibrate energy out/pixels --normalization threshold

CSV: the columns energy and lost (0 or 1), a pixel a line. A run needs the output npy: {channels: [energy, reason]}
and one stereo_energy, of this normalization and the same for all entities. Errors take pixels as independent, which
losses with a correlation are not.)";

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
  add_clusters(c, o.distance.stretches);
}

/// A table, a log or a bag has no sensors.
void refuse_sensor_without_run(const CalibrateOptions& o) {
  std::error_code error;
  if (o.sensor.empty() || std::filesystem::is_directory(o.data, error)) return;
  throw fathom::InputError("--sensor is of the folder of a run, and " +
                           (o.data.empty() ? "scans of a log or bag are of one laser" : o.data.string() + " is none"));
}

/// One source, and a world where it needs one.
void check_sources(const CLI::App& c, const CalibrateOptions& o) {
  const bool scans = !o.log.log.empty() || !o.log.bag.empty(), world = !o.world.map.empty() || !o.world.scene.empty();
  if (!o.data.empty() && (scans || world)) {
    throw fathom::InputError(
        "DATA has its expected ranges: --log, --bag, --map and --scene are for scans without them");
  }
  for (const char* option : {"--gate", "--max-range"}) {
    if (!o.data.empty() && c.count(option) > 0) {
      throw fathom::InputError(fmt::format("DATA has its expected ranges: {} is for scans of a log or bag", option));
    }
  }
  refuse_sensor_without_run(o);
  refuse_height_without_scene(c);
  if (o.data.empty() && !scans) throw fathom::InputError("DATA, --log or --bag is required");
  if (scans && !world) throw fathom::InputError("--map or --scene is required with --log and --bag");
}

void add_chain_data(CLI::App& c, ChainDataOptions& o) {
  c.add_option("SCENE", o.scene, "scene file (YAML)")->required()->type_name("YAML");
  c.add_option("--measured", o.measured, "run of the scene, folder of depth images or clouds, or log of a laser")
      ->required()
      ->type_name("DIR|LOG");
  c.add_option("--sensor", o.how.frames.sensor, "of the scene; default: the only one")->type_name("NAME");
  c.add_option("--set", o.set, "replace one value of the scene; may be given again")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--files", o.how.files,
               "images or clouds to take, with * and ?; default: depth*.npy, else depth*.png, else all")
      ->type_name("PATTERN");
  add_number(c, {"--scale", "N", "levels per metre of 16-bit images; default: 1000"},
             {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, o.how.levels_per_m);
  add_log_text(c, nullptr, o.how.log);
  c.add_option("--scans", o.how.scans, "of a log: all, odd, even or START:STOP:STEP")
      ->type_name("SELECTION")
      ->capture_default_str();
  add_number(c, {"--max-range", "M", "readings of a log from here on are lost; default: as CARMEN text says"},
             {1e-3, 1e6, "m"}, o.how.max_range_m);
  add_number(c, {"--step", "M", "ranges of a log are multiples of it; 0: they are not rounded"}, {0.0, 1.0, "m"},
             o.how.step_m);
  add_whole(c, {"--max-returns", "N", "of all frames; more are thinned out at random"}, {1000, 1'000'000'000},
            o.how.frames.most_returns);
  const auto read = [&o](const std::string& text) {
    o.stretches =
        text == "frame"
            ? 0
            : static_cast<std::uint32_t>(parse_whole("--clusters", text, {1, fathom::ChainFitOptions::kMostStretches}));
  };
  c.add_option_function<std::string>(
       "--clusters", read,
       fmt::format(
           "what errs together: N stretches of the way, or each frame; default: {} where the sensor moved, else frame",
           fathom::ChainFitOptions::kUsualStretches))
      ->type_name("N|frame");
  add_number(c, {"--angle-scale", "RAD", "of angular_ray: rays may be turned by 4 times this; 0: 1.5 of the deviation"},
             {0.0, 0.25, "rad"}, o.how.frames.angle_scale_rad);
  add_threads(c, o.threads);
}

void add_chain(CLI::App& calibrate) {
  CLI::App& c = *calibrate.add_subcommand("chain", "The whole noise of a sensor at once, from measured frames");
  const auto o = std::make_shared<CalibrateChainOptions>();
  add_chain_data(c, o->data);
  c.add_option("--free", o->free, "parameters to learn, with *; may be given again")
      ->required()
      ->type_name("PATTERN")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  add_whole(c, {"--hold-out", "N", "every so many frames one judges and teaches nothing; 0: none"}, {0, 1'000'000},
            o->fit.hold_out);
  add_whole(c, {"--block-frames", "N", "frames that count as one for the errors, of a sensor that stood"},
            {1, 1'000'000}, o->fit.block_frames);
  c.add_option("--out", o->out, "folder to make for noise.yaml, report.html and fit.json")->type_name("DIR");
  c.add_flag("--json", o->json, "as JSON");
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kChainHelp);
  c.final_callback([o] { calibrate_chain(*o); });
}

}  // namespace

void add_score_command(CLI::App& app) {
  CLI::App& c = *app.add_subcommand("score", "Say how well a noise chain describes measured frames");
  const auto o = std::make_shared<ScoreOptions>();
  add_chain_data(c, o->data);
  c.add_option("--compare", o->compare, "another scene, or the noise.yaml of a fit: the difference, with its error")
      ->type_name("YAML");
  c.add_flag("--json", o->json, "as JSON");
  add_quiet(c, o->quiet);
  c.footer(kScoreFramesHelp);
  c.final_callback([o] { score(*o); });
}

void add_calibrate_commands(CLI::App& app) {
  CLI::App& calibrate = *app.add_subcommand("calibrate", "Learn the noise of a sensor from what it measured");
  calibrate.require_subcommand(1);
  calibrate.footer(kCalibrateHelp);
  CLI::App& distance = *calibrate.add_subcommand(
      "distance", fmt::format("Mean and deviation of the noise model {}", fathom::DistanceNoise::kSlug));
  const auto o = add_data(distance, false);
  add_scans(distance, *o);
  distance.footer(kDistanceHelp);
  distance.final_callback([o, &distance] {
    check_sources(distance, *o);
    o->asks_clusters = distance.count("--clusters") > 0;
    calibrate_distance(*o);
  });

  CLI::App& energy = *calibrate.add_subcommand(
      "energy", fmt::format("Threshold and power of the loss law {}", fathom::StereoEnergy::kSlug));
  const auto e = add_data(energy, true);
  add_choice(energy, fmt::format("--{}", fathom::StereoEnergy::kNormalization),
             doc_of<fathom::StereoEnergy>(fathom::StereoEnergy::kNormalization), e->normalization);
  energy.footer(kEnergyHelp);
  energy.final_callback([e] {
    refuse_sensor_without_run(*e);
    calibrate_energy(*e);
  });
  add_chain(calibrate);
  add_wall_command(calibrate);
}

}  // namespace fathom_cli
