// SPDX-License-Identifier: MIT
#include "simulate.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/run.hpp>

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

std::string sensors_table(const fathom::RunResult& result) {
  std::vector<std::vector<std::string>> rows = {{"sensor", "rays", "hits", "speed", "lost"}};
  for (const fathom::SensorResult& sensor : result.sensors) {
    rows.push_back({sensor.name, group_digits(sensor.rays), group_digits(sensor.reasons[kHit]),
                    rate_text(sensor.rays_per_second()), losses_text(sensor)});
  }
  return align_columns(rows, {1, 2, 3});
}

void report(const fathom::RunResult& result, const SimulateOptions& options) {
  print(fmt::format("{}\n{}, {} in {} (see {})\n", sensors_table(result), counted(result.progress.frames_done, "frame"),
                    counted(result.files.size(), "file"), fathom::printable(options.out.string()),
                    fathom::printable(result.files.back().string())));
}

void print_digests(const fathom::RunResult& result) {
  for (const fathom::SensorResult& sensor : result.sensors) print(fmt::format("{} {}\n", sensor.name, sensor.digest));
}

}  // namespace

fathom::RunOptions run_options(const SimulateOptions& options) {
  fathom::RunOptions run;
  run.out = options.out;
  run.force = options.force;
  run.frames = options.frames;
  run.seed = options.seed;
  run.environment = options.environment;
  run.episode = options.episode;
  run.digest = options.digest;
  run.compute.threads = options.threads;
  if (options.isa) run.compute.isa = *options.isa;
  if (options.caster) run.compute.caster = *options.caster;
  return run;
}

void simulate(const SimulateOptions& options) {
  const StopSignals signals(Patience::kASecond);
  const fathom::SceneSetup setup = fathom::read_scene_file(options.scene, options.set);
  fathom::RunResult result;
  {
    ProgressDisplay display(options.quiet);
    fathom::RunOptions run = run_options(options);
    run.on_progress = [&display](const fathom::Progress& progress) { display.show(progress); };
    run.should_stop = &StopSignals::received;
    result = fathom::run_scene(setup, run);
  }
  if (!options.quiet) report(result, options);
  if (options.digest) print_digests(result);
  if (!options.quiet) print_warnings(result.warnings);  // summary.json has them too
}

}  // namespace fathom_cli
