// SPDX-License-Identifier: MIT
#include <limits>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/ros/publish.hpp>

#include "commands.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "simulate.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kPublishHelp = R"(
Examples:
  fathom publish examples/house/house.yaml
  fathom publish examples/house/house.yaml --rate 2x --sensor-data --domain 7
  fathom publish examples/03_pipeline/pipeline.yaml --wait --frames 10

Topics are those that `fathom simulate --bag` writes. It publishes until Ctrl-C, unless --frames says how many, and to
this computer alone, unless --interface says where. docs/topics.md describes topics and their QoS.)";

constexpr double kMegabyte = 1e6;
constexpr NumberLimits kRateLimits = {0.001, 1000, "x"};

/// `fathom publish SCENE ...`
struct PublishArguments {
  SimulateOptions run;  ///< the run; its outputs and bag are ignored
  fathom::TopicDomain domain;
  std::string rate = "1x";  ///< "2x" or "max"
  bool sensor_data = false, wait = false;
};

/// "2x" or "2" as 2, "max" as infinity.
double speed_of(std::string rate) {
  if (rate == "max") return std::numeric_limits<double>::infinity();
  if (rate.size() > 1 && rate.back() == 'x') rate.pop_back();
  return parse_number("--rate", rate, kRateLimits);
}

std::string sent_text(const fathom::PublishResult& result) {
  return fmt::format("{}, {}, {:.1f} MB in {:.1f} s", counted(result.frames, "frame"),
                     counted(result.messages, "message"), static_cast<double>(result.bytes) / kMegabyte,
                     result.seconds);
}

/// Runs until it is done or a signal stops it, which is no error, and prints a summary.
void publish(const PublishArguments& arguments) {
  const StopSignals signals(Patience::kASecond);
  fathom::PublishOptions options;
  options.domain = arguments.domain;
  options.speed = speed_of(arguments.rate);
  options.sensor_data = arguments.sensor_data;
  options.wait = arguments.wait;
  options.run = run_options(arguments.run);
  options.run.should_stop = &StopSignals::received;
  fathom::PublishResult result;
  {
    TaskDisplay display("publishing", arguments.run.quiet);
    options.on_progress = [&display](const fathom::PublishResult& now) { display.show_text(sent_text(now)); };
    result = fathom::publish_scene(fathom::read_scene_file(arguments.run.scene, arguments.run.set), options);
  }
  if (arguments.run.quiet) return;
  print(fmt::format("{}: cast {:.1f} s, sent {:.1f} s\n", sent_text(result), result.cast_seconds, result.send_seconds));
  if (result.late > 0) {
    print_warnings(std::vector{fmt::format("{} came too late, as casting takes longer than their time; lower --rate",
                                           counted(result.late, "frame"))});
  }
}

}  // namespace

void add_publish(CLI::App& app) {
  const auto o = std::make_shared<PublishArguments>();
  CLI::App& c = *app.add_subcommand("publish", "Publish what the sensors of a scene measure as topics of ROS 2");
  add_scene_file(c, o->run.scene);
  c.add_option("--rate", o->rate, "times real time, as 2x; max: as fast as it can")
      ->type_name("RATE")
      ->default_str(o->rate);
  add_whole(c, {"--frames", "N", "number of frames; without: until Ctrl-C"}, {1, fathom::kMaxFrames}, o->run.frames);
  c.add_flag("--sensor-data", o->sensor_data, "QoS of sensor data (best effort, keep last 5) instead of the default");
  c.add_flag("--wait", o->wait, "begin when every topic of a sensor has a subscriber");
  add_domain(c, o->domain);
  add_seed(c, o->run.seed);
  add_set(c, o->run.set);
  add_threads(c, o->run.threads);
  add_quiet(c, o->run.quiet);
  c.footer(kPublishHelp);
  c.final_callback([o] { publish(*o); });
}

}  // namespace fathom_cli
