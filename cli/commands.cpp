// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <cstdint>
#include <filesystem>

#include <CLI/CLI.hpp>

namespace fathom_cli {
namespace {

constexpr const char* kAbout =
    R"(fathom: honest noise for range sensors: simulate them, score their readings, learn their parameters)";

constexpr const char* kMainHelp = R"(
Example:
  fathom simulate examples/house/house.yaml --out out/house

`fathom help COMMAND` or `fathom COMMAND --help` tells more. Exit codes: 0 done, 1 the system failed (disk, memory),
2 bad input or usage, 130 interrupted. Where fathom is installed, the files that help names, docs/... and examples/...,
are in share/doc/fathom.)";

constexpr const char* kDatasetHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/units --frames 1 --environments 0:2 --shard 0/1
  fathom dataset info out/units
  fathom dataset verify out/units

docs/scale.md describes datasets, from one computer to many.)";

constexpr const char* kBagHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/bag --bag house.mcap
  fathom bag info house.mcap

docs/bags.md describes what is written into bags and read of them.)";

constexpr const char* kMeasureHelp = R"(
In the example mycamera stands for a folder of your own.

Example:
  fathom measure depth mycamera --camera 385,385,320,240,0.05)";

constexpr const char* kFitHelp = R"(
The help of each command has more. In the examples office.yaml, office.log.gz and pairs.csv stand for your own map, log
and table.

Examples:
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom fit pairs pairs.csv --model distance
  fathom simulate examples/14_flat_wall/wall.yaml --out out/wall
  fathom fit wall out/wall/camera --camera 190,190,159.5,99.5,0.05 --max-range 10 --max-returns 20000
      --out out/wall_fit

docs/beam-model.md describes the models of scans, docs/calibrate.md chains of noise.)";

constexpr const char* kScoreHelp = R"(
In the example office.yaml and office.log.gz stand for your own map and log.

Examples:
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom score beam --map office.yaml --log office.log.gz --parameters out/fit/parameters.yaml

The larger, the better a model describes the readings. `fathom compare` tells two models apart.)";

constexpr const char* kCompareHelp = R"(
In the example office.yaml and office.log.gz stand for your own map and log.

Examples:
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --hit student_t --out out/fit_student
  fathom compare beam out/fit/parameters.yaml out/fit_student/parameters.yaml --map office.yaml --log office.log.gz

A model is better where the difference is several standard errors above 0, on readings that neither was learned from.)";

constexpr const char* kBeamHelp = R"(
`fathom fit beam` learns the parameters, `fathom score beam` scores scans. docs/beam-model.md defines the model and its
files. In the example the names of files stand for your own.

Example:
  fathom beam sample --parameters parameters.yaml --expected expected.csv > readings.csv)";

CLI::App& add_group(CLI::App& app, const char* name, const char* doc, const char* help) {
  CLI::App& group = *app.add_subcommand(name, doc);
  group.require_subcommand(1);
  group.footer(help);
  return group;
}

void add_learning(CLI::App& app) {
  CLI::App& fit = add_group(app, "fit", "Learn the noise of a sensor from what it measured", kFitHelp);
  add_fit_beam(fit), add_fit_field(fit), add_fit_chain(fit), add_fit_wall(fit), add_fit_pairs(fit);
  CLI::App& score = add_group(app, "score", "Say how well a model describes what a sensor measured", kScoreHelp);
  add_score_beam(score), add_score_field(score), add_score_chain(score);
  CLI::App& compare = add_group(app, "compare", "Say which of two models is better, in nats", kCompareHelp);
  add_compare_beam(compare), add_compare_field(compare), add_compare_chain(compare);
  CLI::App& beam =
      add_group(app, "beam", "Use models of scans: sample readings, find where a scan was made", kBeamHelp);
  add_beam_sample(beam), add_beam_heatmap(beam);
}

/// Hidden: for the build.
void add_generate(CLI::App& app) {
  const auto folder = std::make_shared<std::filesystem::path>();
  CLI::App& c = *app.add_subcommand("generate", "Write manual pages and completions")->group("");
  c.add_option("DIR", *folder, "folder for them")->required()->type_name("");
  c.final_callback([&app, folder] { generate_share(app, *folder); });
}

/// Texts begin in the line after their quotation mark.
void begin_footers(CLI::App& command) {
  const std::string footer = command.get_footer();
  if (footer.starts_with('\n')) command.footer(footer.substr(1));
  for (CLI::App* below : command.get_subcommands({})) begin_footers(*below);
}

}  // namespace

std::unique_ptr<CLI::App> make_commands() {
  auto app = std::make_unique<CLI::App>(kAbout, "fathom");
  app->footer(kMainHelp);
  app->set_help_flag("-h,--help", "show this help and exit");
  app->set_help_all_flag("--help-all", "show rare options, too");
  app->add_flag(
      "--version", [](std::int64_t) {}, "show the version and exit");
  app->require_subcommand(1);
  add_simulate(*app), add_apply(*app), add_serve(*app), add_view(*app), add_check(*app);
  add_sensors(*app), add_noise(*app), add_outputs(*app), add_channels(*app);
  CLI::App& dataset = add_group(*app, "dataset", "Look into datasets and check them", kDatasetHelp);
  add_dataset_info(dataset), add_dataset_verify(dataset);
  add_bag_info(add_group(*app, "bag", "Look into bags of ROS 2", kBagHelp));
  add_publish(*app);
  add_measure_depth(add_group(*app, "measure", "Measure what a sensor does in its own frames", kMeasureHelp));
  add_learning(*app);
  add_generate(*app);
  begin_footers(*app);
  return app;
}

}  // namespace fathom_cli
