// SPDX-License-Identifier: MIT
#include "simulate.hpp"

#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/run.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kSimulateHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/house
  fathom simulate examples/house/house.yaml --out out/noisy --frames 2 --seed 7
      --set sensors.lidar.noise.distance.stddev_m=0.05
  fathom simulate examples/house/house.yaml --out out/many --frames 1 --environments 0:2 --episodes 0:2
  fathom simulate examples/house/house.yaml --out out/set --frames 2 --environments 0:4 --shard 1/2 --resume

Files appear whole or not at all. docs/scene-format.md describes SCENE, docs/output-formats.md what is written.)";

constexpr auto kHit = static_cast<std::size_t>(fathom::Reason::kHit);

/// "miss 1 204, dropout 96": every reason but `hit` that occurred.
std::string losses_text(const fathom::RunResult::Sensor& sensor) {
  std::string text;
  for (std::size_t i = 0; i < sensor.reasons.size(); ++i) {
    if (i == kHit || sensor.reasons[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", fathom::kReasonNames[i], group_digits(sensor.reasons[i]));
  }
  return text.empty() ? "none" : text;
}

std::string sensors_table(const std::vector<fathom::RunResult::Sensor>& sensors) {
  std::vector<std::vector<std::string>> rows = {{"sensor", "rays", "hits", "speed", "lost"}};
  for (const fathom::RunResult::Sensor& sensor : sensors) {
    rows.push_back({sensor.name, group_digits(sensor.rays), group_digits(sensor.reasons[kHit]),
                    rate_text(sensor.rays_per_second()), losses_text(sensor)});
  }
  return align_columns(rows, {1, 2, 3});
}

void report(const fathom::RunResult& result, const SimulateOptions& options) {
  print(fmt::format("{}\n{}, {} in {} (see {})\n", sensors_table(result.sensors),
                    counted(result.progress.frames_done, "frame"), counted(result.files.size(), "file"),
                    fathom::printable(options.out.string()), fathom::printable(result.files.back().string())));
}

void report(const fathom::DatasetResult& result, const SimulateOptions& options) {
  const std::string skipped =
      result.skipped == 0 ? "" : fmt::format(", {} complete before", group_digits(result.skipped));
  print(fmt::format("{}\n{} of {} rendered{}, {}, {} in {}\n", sensors_table(result.sensors),
                    group_digits(result.rendered), counted(result.units, "unit"), skipped,
                    counted(result.progress.frames_done, "frame"), counted(result.files, "file"),
                    fathom::printable(options.out.string())));
}

/// The numbers that the scene file or an option gives where a range is not asked for.
fathom::NumberRange one(std::uint32_t number) { return {number, number + 1}; }

fathom::DatasetFiles dataset_files(const SimulateOptions& options) {
  using fathom::DatasetFormat;
  fathom::DatasetFiles files;
  files.format = options.format.value_or(DatasetFormat::kFolders);
  if (options.units_per_file && files.format == DatasetFormat::kFolders) {
    throw fathom::InputError("--units-per-file is of --format hdf5 and webdataset");
  }
  if (options.compression && files.format != DatasetFormat::kHdf5) {
    throw fathom::InputError("--compression is of --format hdf5");
  }
  files.units_per_file = options.units_per_file.value_or(0);
  files.compression = static_cast<int>(options.compression.value_or(1));
  return files;
}

/// "3.2 hours", "41 s"
std::string hours_text(double seconds) {
  constexpr double kMinute = 60.0, kHour = 3600.0, kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.3g} minutes", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.3g} hours", seconds / kHour);
  return fmt::format("{:.4g} days ({:.0f} hours)", seconds / kDay, seconds / kHour);
}

void print_estimate(const fathom::DatasetEstimate& estimate, const fathom::DatasetOptions::Shard& shard) {
  if (estimate.complete_units > 0) {
    print(fmt::format("{} complete before; there remain\n", counted(estimate.complete_units, "unit")));
  }
  print(fmt::format("{}, {}, {} rays\nabout {}, {}, {} on this computer\n", counted(estimate.units, "unit"),
                    counted(estimate.frames, "frame"), group_digits(estimate.rays), counted(estimate.files, "file"),
                    bytes_text(estimate.bytes), hours_text(estimate.seconds)));
  if (shard.count > 1) {
    print(fmt::format("of them in shard {}/{}: {}, about {}\n", shard.index, shard.count,
                      counted(estimate.shard_units, "unit"), hours_text(estimate.shard_seconds)));
  }
  print(fmt::format("measured: {} in {}; nothing was kept\n", counted(estimate.sample_frames, "frame"),
                    hours_text(estimate.sample_seconds)));
}

void add_range_to(std::string& command, std::string_view option, const std::optional<fathom::NumberRange>& range) {
  if (range) command += fmt::format(" {} {}:{}", option, range->first, range->end);
}

template <class T>
void add_number_to(std::string& command, std::string_view option, const std::optional<T>& value) {
  if (value) command += fmt::format(" {} {}", option, *value);
}

/// Whether the options ask for a dataset of units.
bool makes_dataset(const SimulateOptions& options) {
  return options.environments || options.episodes || options.block || options.shard || options.resume ||
         options.format || options.units_per_file || options.compression || options.dry_run;
}

/// The command that makes the whole dataset: without options for a part of it and for speed.
std::string dataset_command(const SimulateOptions& options) {
  std::string command = fmt::format("fathom simulate {}", quoted(options.scene.string()));
  add_number_to(command, "--frames", options.frames);
  add_number_to(command, "--seed", options.seed);
  add_number_to(command, "--environment", options.environment);
  add_number_to(command, "--episode", options.episode);
  add_range_to(command, "--environments", options.environments);
  add_range_to(command, "--episodes", options.episodes);
  add_number_to(command, "--block", options.block);
  if (options.format) command += fmt::format(" --format {}", to_string(*options.format));
  add_number_to(command, "--units-per-file", options.units_per_file);
  add_number_to(command, "--compression", options.compression);
  for (const std::string& entry : options.set) command += " --set " + quoted(entry);
  return command;
}

/// The units that the options ask for, as `fathom simulate` renders them.
fathom::DatasetOptions dataset_options(const fathom::SceneSetup& setup, const SimulateOptions& options) {
  fathom::DatasetOptions dataset;
  dataset.run = run_options(options);
  dataset.environments = options.environments.value_or(one(options.environment.value_or(setup.environment)));
  dataset.episodes = options.episodes.value_or(one(options.episode.value_or(setup.episode)));
  dataset.block = options.block.value_or(0);
  if (options.shard) dataset.shard = fathom::DatasetOptions::Shard::parse(*options.shard);
  dataset.resume = options.resume;
  dataset.command = dataset_command(options);
  dataset.files = dataset_files(options);
  return dataset;
}

/// Runs with progress on stderr, and prints the result of `run`: a RunResult or a DatasetResult.
template <class Run>
void run_and_report(const SimulateOptions& options, Run run) {
  decltype(run(fathom::RunOptions())) result;
  {
    ProgressDisplay display(options.quiet);
    fathom::RunOptions how = run_options(options);
    how.on_progress = [&display](const fathom::RunOptions::Progress& progress) { display.show(progress); };
    how.should_stop = &StopSignals::received;
    result = run(how);
  }
  if (!options.quiet) report(result, options);
  for (std::size_t i = 0; i < result.sensors.size() && options.digest; ++i) {
    print(fmt::format("{} {}\n", result.sensors[i].name, result.sensors[i].digest));
  }
  if (!options.quiet) print_warnings(result.warnings);  // summary.json has them too
}

void simulate_dataset(const fathom::SceneSetup& setup, const SimulateOptions& options) {
  if (!options.bag.empty()) throw fathom::InputError("--bag is of one run, not of the units of a dataset");
  fathom::DatasetOptions dataset = dataset_options(setup, options);
  if (options.dry_run) {
    dataset.run.should_stop = &StopSignals::received;
    return print_estimate(fathom::estimate_dataset(setup, dataset), dataset.shard);
  }
  if (options.digest && (options.resume || dataset.shard.count > 1)) {
    throw fathom::InputError("--digest needs all units: it takes no --resume and no --shard of several");
  }
  run_and_report(options, [&](const fathom::RunOptions& how) {
    dataset.run = how;
    return fathom::render_dataset(setup, dataset);
  });
}

/// Reads the scene, runs it with progress on stderr, and prints the results.
void simulate(const SimulateOptions& options) {
  const StopSignals signals(Patience::kASecond);
  const fathom::SceneSetup setup = fathom::read_scene_file(options.scene, options.set);
  if (makes_dataset(options)) return simulate_dataset(setup, options);
  run_and_report(options, [&](const fathom::RunOptions& how) { return fathom::run_scene(setup, how); });
}

/// With any of these options, or with ranges of numbers, `fathom simulate` renders a dataset.
void add_dataset_options(CLI::App& c, SimulateOptions& o) {
  begin_section(c, Section::kDataset);
  add_whole(c, {"--block", "FRAMES", "frames of a unit; without: all of an episode"}, {1, fathom::kMaxFrames}, o.block);
  c.add_option("--shard", o.shard, "the units i, i + n, i + 2n, ... alone")->type_name("i/n");
  c.add_flag("--resume", o.resume, "skip units that are complete and the same, render the others");
  add_choice(c, "--format", "a folder for each unit, or many units in a file", o.format);
  add_whole(c, {"--units-per-file", "N", "units in a file of hdf5 or webdataset; without: 64 MiB of arrays"},
            {1, fathom::kMaxUnits}, o.units_per_file);
  add_whole(c, {"--compression", "LEVEL", "of hdf5: 0 for none, 1 for the fastest (used without), 9 for the smallest"},
            {0, 9}, o.compression);
  c.add_flag("--dry-run", o.dry_run, "say how many files, bytes and hours it takes, and write nothing");
}

}  // namespace

fathom::RunOptions run_options(const SimulateOptions& options) {
  fathom::RunOptions run;
  run.out = options.out;
  run.bag = options.bag;
  run.force = options.force;
  run.frames = options.frames;
  run.seed = options.seed;
  run.environment = options.environment;
  run.episode = options.episode;
  run.digest = options.digest;
  run.compute.threads = options.threads;
  if (options.isa) run.compute.isa = *options.isa;
  if (!options.device.empty()) run.device = fathom::device_named(options.device);
  return run;
}

std::uint64_t count_runs(const fathom::SceneSetup& setup, const SimulateOptions& options) {
  return fathom::dataset_units(setup, dataset_options(setup, options)).size();
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

void add_run_options(CLI::App& c, SimulateOptions& o) {
  begin_section(c, Section::kRequired);
  add_scene_file(c, o.scene);
  begin_section(c, Section::kInput);
  add_whole(c, {"--frames", "N", "number of frames, instead of the scene's"}, {1, fathom::kMaxFrames}, o.frames);
  add_seed(c, o.seed);
  CLI::Option& environment = add_whole(
      c, {"--environment", "E", "number of the environment whose parameters are drawn"}, kAnyIndex, o.environment);
  CLI::Option& episode =
      add_whole(c, {"--episode", "K", "number of the episode whose parameters are drawn"}, kAnyIndex, o.episode);
  add_set(c, o.set);
  begin_section(c, Section::kDataset);
  add_range(c, "--environments", "a folder for each, below units/; END is not part", o.environments)
      .excludes(&environment);
  add_range(c, "--episodes", "a folder for each, of every environment", o.episodes).excludes(&episode);
}

void add_simulate(CLI::App& app) {
  const auto o = std::make_shared<SimulateOptions>();
  CLI::App& c = *app.add_subcommand("simulate", "Cast the sensors of a scene file and write what they measure");
  add_run_options(c, *o);
  add_dataset_options(c, *o);
  begin_section(c, Section::kRequired);
  c.add_option("--out", o->out, "folder to make for the results")->required()->type_name("DIR");
  begin_section(c, Section::kOutput);
  c.add_option("--bag", o->bag, "a bag for ROS 2 (MCAP) of what the sensors measure, besides the files in DIR")
      ->type_name("FILE");
  c.add_flag("--digest", o->digest, "print 16 digits for each sensor: equal digits, equal frames, on any computer");
  add_force(c, o->force, "replace the folder of an earlier run");
  add_quiet(c, o->quiet);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.add_option("--device", o->device, "what renders: cpu, cuda (a GPU), cuda:1, auto; the same frames to the bit")
      ->type_name("DEVICE");
  add_choice(c, "--isa", "use at most this instruction set: the same frames to the bit", o->isa, fathom::kIsaWords);
  c.footer(kSimulateHelp);
  c.final_callback([o] { simulate(*o); });
}

}  // namespace fathom_cli
