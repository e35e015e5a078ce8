// SPDX-License-Identifier: MIT
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/csv.hpp>
#include <fathom/beam/log.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "signals.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kSampleHelp = R"(
Usage: fathom beam sample --parameters YAML (--expected CSV | --map YAML --poses CSV | --map YAML --log LOG) [OPTIONS]
In the examples the names of files stand for your own.

Examples:
  fathom beam sample --parameters parameters.yaml --expected expected.csv > readings.csv
  fathom beam sample --parameters parameters.yaml --map office.yaml --poses poses.csv --rays 181 --out scans.csv

--expected: CSV with the column expected_m (inf: nothing within reach) and, if you like, scan.
--poses: CSV with the columns x_m, y_m, yaw_rad. The readings are a CSV scan log, which the other commands read.)";

/// `fathom beam sample --parameters P (--expected CSV | --map M (--poses CSV | --log L)) ...`
struct BeamSampleOptions {
  BeamWorldOptions world;
  std::filesystem::path parameters, expected, poses, log;
  std::filesystem::path out;  ///< empty: stdout
  std::uint32_t rays = 361;   ///< of --poses; a log has its own
  double view_deg = 180.0;
  std::uint64_t seed = 0;
  int threads = 0;
  bool force = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
};

/// The CSV, and what a user should know of the log that it was made from.
struct Sampled {
  std::string csv, notes;
};

Sampled sample_in_world(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::World world = open_world(options.world, model.unknown, options.threads);
  refuse_inputs({options.out}, world.inputs());
  fathom::ScanLog from;  // the poses, with the rays of the log that they are from or those that the options ask for
  if (!options.log.empty()) {
    from = fathom::read_scan_log(fathom::find_scan_log(options.log));
  } else {
    from.pose = fathom::read_poses_csv(options.poses);
    from.azimuth_rad = fathom::even_azimuths_rad(options.rays, options.view_deg);
  }
  const fathom::ScanLog log =
      fathom::sample_log(model, world, from.pose, from.azimuth_rad, options.seed, {.threads = options.threads});
  return {fathom::scan_csv(log), notes_text(world.notes()) + notes_text(fathom::log_notes(from), options.names)};
}

Sampled sample_expected(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::ExpectedTable table = fathom::read_expected_csv(options.expected);
  return {fathom::readings_csv(table, fathom::sample_table(model, table, options.seed)), ""};
}

/// Writes synthetic readings: CSV of scan, expected_m and reading_m, or a scan log. Notes on a log that was read go to
/// stderr, or to stdout when the CSV goes to a file.
void sample_beam(const BeamSampleOptions& options) {
  const StopSignals signals(Patience::kNone);
  const bool in_world = options.world.is_given();
  const bool has_poses = !options.poses.empty() || !options.log.empty();
  if (in_world == !options.expected.empty() || in_world != has_poses) {
    throw fathom::InputError("give --expected, or --map or --scene with --poses or --log");
  }
  if (!options.out.empty()) {
    Paths inputs = world_files(options.world);
    inputs.insert(inputs.end(), {options.parameters, options.expected, options.poses});
    if (!options.log.empty()) inputs.push_back(fathom::find_scan_log(options.log));
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const auto [csv, notes] = in_world ? sample_in_world(options, model) : sample_expected(options, model);
  write_csv(options.out, csv, notes, options.quiet);
}

}  // namespace

void add_beam_sample(CLI::App& beam) {
  const auto o = std::make_shared<BeamSampleOptions>();
  CLI::App& c = *beam.add_subcommand("sample", "Draw readings from a beam model");
  begin_section(c, Section::kRequired);
  add_parameters(c, o->parameters);
  c.add_option("--expected", o->expected, "CSV of expected ranges")->type_name("CSV");
  add_world(c, o->world);
  begin_section(c, Section::kRequired);
  CLI::Option* poses = c.add_option("--poses", o->poses, "CSV of poses of the sensor")->type_name("CSV");
  c.add_option("--log", o->log, "scan log whose poses and rays to take")->type_name("LOG")->excludes(poses);
  begin_section(c, Section::kInput);
  add_whole(c, {"--rays", "N", "rays of a scan at --poses"}, {1, fathom::ScanLog::kMostRays}, o->rays);
  add_number(c, {"--view", "DEG", "angle from the first ray to the last, deg"}, {0, 360, "deg"}, o->view_deg);
  add_whole(c, {"--seed", "S", "the same seed gives the same readings"}, kAnySeed, o->seed);
  begin_section(c, Section::kOutput);
  add_out_csv(c, o->out);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.footer(kSampleHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    refuse_height_without_scene(c);
    for (const char* option : {"--rays", "--view"}) {
      if (c.count(option) > 0 && o->poses.empty()) {
        throw fathom::InputError(fmt::format("{} is of scans at --poses, and a log or table has its own rays", option));
      }
    }
    sample_beam(*o);
  });
}

}  // namespace fathom_cli
