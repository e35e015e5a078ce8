// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/names.hpp>
#include <fathom/simulate/run.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "simulate.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kCheckHelp = R"(
Examples:
  fathom check examples/house/house.yaml
  fathom check examples/house/house.yaml --frames 100 --set sensors.lidar.columns=512 --json

Reads all that `fathom simulate` would read and refuses what it would refuse; casts nothing and writes nothing.)";

using Json = nlohmann::ordered_json;

/// `fathom check SCENE [--json | --quiet] ...`
struct CheckOptions {
  SimulateOptions run;
  bool json = false;
};

std::string sensors_table(const fathom::RunPlan& plan) {
  std::vector<std::vector<std::string>> rows = {{"sensor", "kind", "preset", "rows x columns", "rays per frame"}};
  for (const fathom::RunPlan::Sensor& s : plan.sensors) {
    rows.push_back({s.name, s.kind, s.preset.empty() ? "-" : s.preset, fmt::format("{} x {}", s.rows, s.cols),
                    s.returns == 1 ? group_digits(s.rays())
                                   : fmt::format("{}, {} returns each", group_digits(s.rays()), s.returns)});
  }
  return align_columns(rows, {4});
}

std::string files_table(const fathom::RunPlan& plan) {
  std::vector<std::vector<std::string>> rows = {{"output", "files", "at most"}};
  for (const fathom::RunPlan::Sensor& sensor : plan.sensors) {
    for (const fathom::RunPlan::Sensor::Output& output : sensor.outputs) {
      rows.push_back({output.first_file, group_digits(output.files), bytes_text(output.bytes_at_most)});
    }
  }
  return align_columns(rows, {1, 2});
}

std::string text_of(const fathom::RunPlan& plan, const fathom::SceneSetup& setup) {
  return fmt::format(
      "{}: {}, {}, {}{}\n\n{}\n{}\n{} in {} of at most {}; about {} of memory. Nothing was cast or written.\n",
      fathom::printable(setup.file.string()), counted(plan.entities, "entity"), counted(plan.meshes, "mesh"),
      counted(plan.triangles, "triangle"), plan.ranges > 0 ? ", " + counted(plan.ranges, "range") : "",
      sensors_table(plan), files_table(plan), counted(plan.frames, "frame"), counted(plan.files(), "file"),
      bytes_text(plan.bytes_at_most()), bytes_text(plan.memory_bytes));
}

/// What many runs add up to; nothing for a single one.
std::string runs_text(const fathom::RunPlan& plan, std::uint64_t runs) {
  if (runs == 1) return "";
  const std::uint64_t files = runs * (plan.files() + 1) + 1;  // each has a unit.json, and all a dataset.json
  return fmt::format("In all, {}: {} of at most {}.\n", counted(runs, "run"), counted(files, "file"),
                     bytes_text(runs * plan.bytes_at_most()));
}

Json json_of(const fathom::RunPlan& plan, const fathom::SceneSetup& setup, std::uint64_t runs) {
  Json sensors = Json::array();
  for (const fathom::RunPlan::Sensor& s : plan.sensors) {
    Json outputs = Json::array();
    for (const fathom::RunPlan::Sensor::Output& o : s.outputs) {
      outputs.push_back({{"first_file", o.first_file}, {"files", o.files}, {"bytes_at_most", o.bytes_at_most}});
    }
    sensors.push_back({{"name", s.name},
                       {"kind", s.kind},
                       {"preset", s.preset.empty() ? Json(nullptr) : Json(s.preset)},
                       {"rows", s.rows},
                       {"cols", s.cols},
                       {"rays_per_frame", s.rays()},
                       {"frames", s.frames},
                       {"returns", s.returns},
                       {"outputs", outputs}});
  }
  return {{"scene", setup.file.string()}, {"runs", runs},
          {"frames", plan.frames},        {"entities", plan.entities},
          {"meshes", plan.meshes},        {"triangles", plan.triangles},
          {"ranges", plan.ranges},        {"memory_bytes", plan.memory_bytes},
          {"files", plan.files()},        {"bytes_at_most", plan.bytes_at_most()},
          {"sensors", sensors},           {"warnings", setup.notes}};
}

void check_scene(const CheckOptions& options) {
  const StopSignals signals(Patience::kNone);
  const fathom::SceneSetup setup = fathom::read_scene_file(options.run.scene, options.run.set);
  const fathom::RunPlan plan = fathom::plan_run(setup, run_options(options.run));
  const std::uint64_t runs = count_runs(setup, options.run);
  if (options.run.quiet && !options.json) return;
  print(options.json ? json_of(plan, setup, runs).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                     : text_of(plan, setup) + runs_text(plan, runs));
  if (!options.json) print_warnings(setup.notes);
}

}  // namespace

void add_check(CLI::App& app) {
  const auto o = std::make_shared<CheckOptions>();
  CLI::App& c = *app.add_subcommand("check", "Read a scene file with all it names, and say what a run of it would do");
  add_run_options(c, o->run);
  begin_section(c, Section::kOutput);
  add_json(c, o->json);
  c.add_flag("--quiet", o->run.quiet, "say nothing but what is wrong");
  c.footer(kCheckHelp);
  c.final_callback([o] { check_scene(*o); });
}

}  // namespace fathom_cli
