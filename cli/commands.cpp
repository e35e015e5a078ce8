// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include <CLI/CLI.hpp>

#include <fathom/dataset/unit.hpp>
#include <fathom/simulate/run.hpp>

#include "bag.hpp"
#include "beam_commands.hpp"
#include "calibrate_commands.hpp"
#include "check.hpp"
#include "dataset_commands.hpp"
#include "generate.hpp"
#include "lists.hpp"
#include "measure_commands.hpp"
#include "noise.hpp"
#include "option_values.hpp"
#include "sensors.hpp"
#include "serve.hpp"
#include "simulate.hpp"
#include "topics.hpp"

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

constexpr const char* kSimulateHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/house
  fathom simulate examples/house/house.yaml --out out/noisy --frames 2 --seed 7
      --set sensors.lidar.noise.distance.stddev_m=0.05
  fathom simulate examples/house/house.yaml --out out/many --frames 1 --environments 0:2 --episodes 0:2
  fathom simulate examples/house/house.yaml --out out/set --frames 2 --environments 0:4 --shard 1/2 --resume

Files appear whole or not at all. docs/scene-format.md describes SCENE, docs/output-formats.md what is written.)";

constexpr const char* kViewHelp = R"(
Examples:
  fathom view drive
  fathom view drive/laser/cloud_000000.pcd

docs/live.md says what is shown of each.)";

constexpr const char* kServeHelp = R"(
Examples:
  fathom serve examples/house/house.yaml
  fathom serve examples/house/house.yaml --out out/saved --paused
      --set sensors.lidar.noise.distance.stddev_m=0.05

A browser shows the page, Lichtblick and Foxglove connect to ws://127.0.0.1:8765. docs/live.md describes both.)";

constexpr const char* kBagHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/bag --bag house.mcap
  fathom bag info house.mcap

docs/bags.md describes what is written into bags and read of them.)";

constexpr const char* kPublishHelp = R"(
Examples:
  fathom publish examples/house/house.yaml
  fathom publish examples/house/house.yaml --rate 2x --sensor-data --domain 7
  fathom publish examples/03_pipeline/pipeline.yaml --wait --frames 10

Topics are those that `fathom simulate --bag` writes. It publishes until Ctrl-C, unless --frames says how many, and to this
computer alone, unless --interface says where. docs/topics.md describes topics and their QoS.)";

constexpr const char* kCheckHelp = R"(
Examples:
  fathom check examples/house/house.yaml
  fathom check examples/house/house.yaml --frames 100 --set sensors.lidar.columns=512 --json

Reads all that `fathom simulate` would read and refuses what it would refuse; casts nothing and writes nothing.)";

constexpr const char* kOutputsHelp = R"(
Examples:
  fathom outputs
  fathom outputs npy
  fathom outputs --json

docs/output-formats.md describes the files to the byte.)";

constexpr const char* kChannelsHelp = R"(
Examples:
  fathom channels
  fathom channels clean_range
  fathom channels --json)";

constexpr const char* kNoiseHelp = R"(
Examples:
  fathom noise
  fathom noise distance
  fathom noise --json)";

constexpr const char* kSensorsHelp = R"(
Examples:
  fathom sensors
  fathom sensors OS1-64
  fathom sensors spinning_lidar
  fathom sensors --json)";

void add_set(CLI::App& c, std::vector<std::string>& set) {
  c.add_option("--set", set, "replace one value of the scene; may be given again")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

/// The options that choose the run of a scene.
void add_run_options(CLI::App& c, SimulateOptions& o) {
  c.add_option("SCENE", o.scene, "scene file (YAML)")->required()->type_name("YAML");
  add_whole(c, {"--frames", "N", "number of frames, instead of the scene's"}, {1, fathom::kMaxFrames}, o.frames);
  add_whole(c, {"--seed", "S", "seed of all noise, instead of the scene's"}, kAnySeed, o.seed);
  CLI::Option& environment = add_whole(
      c, {"--environment", "E", "number of the environment whose parameters are drawn"}, kAnyIndex, o.environment);
  CLI::Option& episode =
      add_whole(c, {"--episode", "K", "number of the episode whose parameters are drawn"}, kAnyIndex, o.episode);
  add_range(c, "--environments", "a dataset: a folder for each, below units/; END is not part", o.environments)
      .excludes(&environment);
  add_range(c, "--episodes", "a dataset: a folder for each, of every environment", o.episodes).excludes(&episode);
  add_set(c, o.set);
}

/// With any of them, and with ranges of numbers, `fathom simulate` renders a dataset.
void add_dataset_options(CLI::App& c, SimulateOptions& o) {
  add_whole(c, {"--block", "FRAMES", "a dataset: frames of a unit; without: all of an episode"},
            {1, fathom::kMaxFrames}, o.block);
  c.add_option("--shard", o.shard, "a dataset: the units i, i + n, i + 2n, ... alone")->type_name("i/n");
  c.add_flag("--resume", o.resume, "a dataset: skip units that are complete and the same, render the others");
  add_choice(c, "--format", "a dataset: a folder for each unit, or many units in a file", o.format,
             fathom::kChoiceWords<fathom::DatasetFormat>);
  add_whole(c, {"--units-per-file", "N", "units in a file of hdf5 or webdataset; without: 64 MiB of arrays"},
            {1, fathom::kMaxUnits}, o.units_per_file);
  add_whole(c, {"--compression", "LEVEL", "of hdf5: 0 for none, 1 for the fastest (used without), 9 for the smallest"},
            {0, 9}, o.compression);
  c.add_flag("--dry-run", o.dry_run, "a dataset: say how many files, bytes and hours it takes, and write nothing");
}

void add_simulate(CLI::App& app) {
  const auto o = std::make_shared<SimulateOptions>();
  CLI::App& c = *app.add_subcommand("simulate", "Cast the sensors of a scene file and write what they measure");
  c.add_option("--out", o->out, "folder to make for the results")->required()->type_name("DIR");
  c.add_option("--bag", o->bag, "a bag for ROS 2 (MCAP) of what the sensors measure, besides the files in DIR")
      ->type_name("FILE");
  add_run_options(c, *o);
  add_dataset_options(c, *o);
  add_threads(c, o->threads);
  add_force(c, o->force, "replace the folder of an earlier run");
  add_quiet(c, o->quiet);
  c.add_flag("--digest", o->digest, "print 16 digits for each sensor: equal digits, equal frames, on any computer");
  add_choice(c, "--isa", "use at most this instruction set: the same frames to the bit", o->isa, fathom::kIsaWords);
  c.add_option("--device", o->device, "what renders: cpu, cuda (a GPU), cuda:1, auto; the same frames to the bit")
      ->type_name("DEVICE");
  c.footer(kSimulateHelp);
  c.final_callback([o] { simulate(*o); });
}

/// The options of every live page.
void add_live_options(CLI::App& c, ServeOptions& o) {
  constexpr WholeLimits kPorts = {0, 65535};
  add_whole(c, {"--port", "N", "port to serve at; 0: any that is free"}, kPorts, o.live.port);
  c.add_option("--listen", o.live.listen, "number address to listen on: whoever reaches it may turn the knobs")
      ->type_name("ADDRESS")
      ->capture_default_str();
  c.add_option("--origin", o.live.origins, "another page that may connect: https://app.example; may be given again")
      ->type_name("ORIGIN")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c.add_flag("--paused", o.live.paused, "begin paused");
  add_quiet(c, o.quiet);
}

void add_serve(CLI::App& app) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& c = *app.add_subcommand("serve", "Simulate a scene file as a live page, whose noise one can turn");
  c.add_option("SCENE", o->path, "scene file (YAML)")->required()->type_name("YAML");
  c.add_option("--out", o->live.out, "folder for what is saved from the page; without it nothing is")->type_name("DIR");
  add_live_options(c, *o);
  add_whole(c, {"--seed", "S", "seed of all noise, instead of the scene's"}, kAnySeed, o->live.seed);
  add_threads(c, o->live.compute.threads);
  c.add_option("--set", o->live.overrides, "replace one value of the scene; may be given again")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c.footer(kServeHelp);
  c.final_callback([o] { serve(*o); });
}

void add_view(CLI::App& app) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& c = *app.add_subcommand("view", "Show a run or a cloud as a live page");
  c.add_option("PATH", o->path, "folder of a run, or a cloud (PCD, PLY, PointCloud2, NPY)")->required();
  add_live_options(c, *o);
  c.footer(kViewHelp);
  c.final_callback([o] { view(*o); });
}

void add_domain(CLI::App& c, fathom::TopicDomain& domain) {
  add_whole(c, {"--domain", "N", "as ROS_DOMAIN_ID"}, {0, fathom::kMaxDomain}, domain.domain);
  c.add_option("--interface", domain.interface, "network interface or address; without: this computer alone")
      ->type_name("NAME");
}

void add_publish(CLI::App& app) {
  const auto o = std::make_shared<PublishArguments>();
  CLI::App& c = *app.add_subcommand("publish", "Publish what the sensors of a scene measure as topics of ROS 2");
  c.add_option("SCENE", o->run.scene, "scene file (YAML)")->required()->type_name("YAML");
  c.add_option("--rate", o->rate, "times real time, as 2x; max: as fast as it can")
      ->type_name("RATE")
      ->default_str(o->rate);
  add_whole(c, {"--frames", "N", "number of frames; without: until Ctrl-C"}, {1, fathom::kMaxFrames}, o->run.frames);
  c.add_flag("--sensor-data", o->sensor_data, "QoS of sensor data (best effort, keep last 5) in place of the default");
  c.add_flag("--wait", o->wait, "begin when every topic of a sensor has a subscriber");
  add_domain(c, o->domain);
  add_whole(c, {"--seed", "S", "seed of all noise, instead of the scene's"}, kAnySeed, o->run.seed);
  add_set(c, o->run.set);
  add_threads(c, o->run.threads);
  add_quiet(c, o->run.quiet);
  c.footer(kPublishHelp);
  c.final_callback([o] { publish(*o); });
}

void add_check(CLI::App& app) {
  const auto o = std::make_shared<CheckOptions>();
  CLI::App& c = *app.add_subcommand("check", "Read a scene file with all it names, and say what a run of it would do");
  add_run_options(c, o->run);
  c.add_flag("--json", o->json, "as JSON");
  c.add_flag("--quiet", o->run.quiet, "say nothing but what is wrong");
  c.footer(kCheckHelp);
  c.final_callback([o] { check_scene(*o); });
}

/// A command that lists what the library knows.
void add_list(CLI::App& app, const char* command, const char* doc, const char* word, const char* help,
              void (*list)(const ListOptions&)) {
  const auto o = std::make_shared<ListOptions>();
  CLI::App& c = *app.add_subcommand(command, doc);
  c.add_option(word, o->name, "show this one only")->type_name("");
  c.add_flag("--json", o->json, "as JSON");
  c.footer(help);
  c.final_callback([o, list] { list(*o); });
}

void add_noise(CLI::App& app) {
  const auto o = std::make_shared<NoiseOptions>();
  CLI::App& c = *app.add_subcommand("noise", "List the noise models and their parameters");
  c.add_option("MODEL", o->slug, "show this model only")->type_name("");
  CLI::Option* json = c.add_flag("--json", o->json, "as JSON");
  c.add_flag("--markdown", o->markdown, "as the page docs/noise.md")->excludes(json);
  c.footer(kNoiseHelp);
  c.final_callback([o] { list_noise(*o); });
}

void add_sensors(CLI::App& app) {
  const auto o = std::make_shared<SensorsOptions>();
  CLI::App& c = *app.add_subcommand("sensors", "List the sensor presets and kinds and their parameters");
  CLI::Option* name = c.add_option("SENSOR", o->name, "show this preset or kind only")->type_name("");
  CLI::Option* json = c.add_flag("--json", o->json, "as JSON");
  c.add_flag("--markdown", o->markdown, "the kinds as in docs/sensors.md")->excludes(json)->excludes(name);
  c.footer(kSensorsHelp);
  c.final_callback([o] { list_sensors(*o); });
}

void add_bag(CLI::App& app) {
  CLI::App& bag = *app.add_subcommand("bag", "Look into bags of ROS 2");
  bag.require_subcommand(1);
  bag.footer(kBagHelp);
  const auto o = std::make_shared<BagInfoOptions>();
  CLI::App& info = *bag.add_subcommand("info", "List the topics of a bag, and what fathom reads of them");
  info.add_option("BAG", o->bag, "MCAP, .db3, or a folder of rosbag2")->required();
  info.add_flag("--json", o->json, "as JSON");
  info.footer(kBagHelp);
  info.final_callback([o] { print_bag_info(*o); });
}

/// Hidden: for the build.
void add_generate(CLI::App& app) {
  const auto folder = std::make_shared<std::filesystem::path>();
  CLI::App& c = *app.add_subcommand("generate", "Write manual pages and completions")->group("");
  c.add_option("DIR", *folder, "folder for them")->required()->type_name("");
  c.final_callback([&app, folder] { generate_share(app, *folder); });
}

/// Texts begin in the line after their quotation mark, and the help has a blank line before them already.
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
  app->add_flag(
      "--version", [](std::int64_t) {}, "show the version and exit");
  app->require_subcommand(1);
  add_simulate(*app);
  add_serve(*app);
  add_view(*app);
  add_check(*app);
  add_sensors(*app);
  add_noise(*app);
  add_list(*app, "outputs", "List the kinds of output and their keys", "OUTPUT", kOutputsHelp, &list_outputs);
  add_list(*app, "channels", "List the channels of a frame, with types and units", "CHANNEL", kChannelsHelp,
           &list_channels);
  add_dataset_commands(*app);
  add_bag(*app);
  add_publish(*app);
  add_beam_commands(*app);
  add_calibrate_commands(*app);
  add_score_command(*app);
  add_measure_commands(*app);
  add_generate(*app);
  begin_footers(*app);
  return app;
}

}  // namespace fathom_cli
