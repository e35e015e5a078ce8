// SPDX-License-Identifier: MIT
#include "simulate.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/simulate/run.hpp>

#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

/// "miss 1 204, dropout 96": every reason but `hit` that occurred.
std::string losses_text(const nlohmann::ordered_json& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons.items()) {
    if (reason == "hit" || count == 0U) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, group_digits(count.get<std::uint64_t>()));
  }
  return text.empty() ? "none" : text;
}

/// The sensors of summary.json, as a table.
std::string sensors_table(const nlohmann::ordered_json& summary) {
  std::vector<std::vector<std::string>> rows = {{"sensor", "rays", "hits", "speed", "lost"}};
  for (const auto& sensor : summary["sensors"]) {
    const auto name = sensor["name"].get<std::string>();
    rows.push_back({name, group_digits(sensor["rays"].get<std::uint64_t>()),
                    group_digits(sensor["reasons"]["hit"].get<std::uint64_t>()),
                    rate_text(summary["run"]["sensors"][name]["rays_per_second"].get<double>()),
                    losses_text(sensor["reasons"])});
  }
  return align_columns(rows, {1, 2, 3});
}

void report(const fathom::RunResult& result, const SimulateOptions& options) {
  std::ifstream file(result.files.back());
  const auto summary = nlohmann::ordered_json::parse(file);
  print(fmt::format("{}\n{}, {} in {} (see {})\n", sensors_table(summary),
                    counted(summary["frames"].get<std::uint64_t>(), "frame"), counted(result.files.size(), "file"),
                    fathom::printable(options.out.string()), fathom::printable(result.files.back().string())));
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
  run.compute.threads = options.threads;
  if (options.isa) run.compute.isa = *options.isa;
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
  if (options.quiet) return;  // summary.json has the warnings too
  report(result, options);
  for (const std::string& warning : result.warnings) {
    std::fputs(fmt::format("fathom: warning: {}\n", fathom::printable(warning)).c_str(), stderr);
  }
}

}  // namespace fathom_cli
