// SPDX-License-Identifier: MIT
#include "simulate.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/dataset/dataset.hpp>
#include <fathom/dataset/estimate.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/run.hpp>

#include "dataset_command.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr auto kHit = static_cast<std::size_t>(fathom::Reason::kHit);

/// "miss 1 204, dropout 96": every reason but `hit` that occurred.
std::string losses_text(const fathom::SensorResult& sensor) {
  std::string text;
  for (std::size_t i = 0; i < sensor.reasons.size(); ++i) {
    if (i == kHit || sensor.reasons[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", fathom::kReasonNames[i], group_digits(sensor.reasons[i]));
  }
  return text.empty() ? "none" : text;
}

std::string sensors_table(const std::vector<fathom::SensorResult>& sensors) {
  std::vector<std::vector<std::string>> rows = {{"sensor", "rays", "hits", "speed", "lost"}};
  for (const fathom::SensorResult& sensor : sensors) {
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

void print_estimate(const fathom::DatasetEstimate& estimate, const fathom::Shard& shard) {
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

/// The units that the options ask for, as `fathom simulate` renders them.
fathom::DatasetOptions dataset_options(const fathom::SceneSetup& setup, const SimulateOptions& options) {
  fathom::DatasetOptions dataset;
  dataset.run = run_options(options);
  dataset.environments = options.environments.value_or(one(options.environment.value_or(setup.environment)));
  dataset.episodes = options.episodes.value_or(one(options.episode.value_or(setup.episode)));
  dataset.block = options.block.value_or(0);
  if (options.shard) dataset.shard = fathom::parse_shard(*options.shard);
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
    how.on_progress = [&display](const fathom::Progress& progress) { display.show(progress); };
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

void simulate(const SimulateOptions& options) {
  const StopSignals signals(Patience::kASecond);
  const fathom::SceneSetup setup = fathom::read_scene_file(options.scene, options.set);
  if (makes_dataset(options)) return simulate_dataset(setup, options);
  run_and_report(options, [&](const fathom::RunOptions& how) { return fathom::run_scene(setup, how); });
}

}  // namespace fathom_cli
