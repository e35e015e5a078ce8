// SPDX-License-Identifier: MIT
#include "beam_inputs.hpp"

#include "option_values.hpp"

namespace fathom_cli {

void add_height(CLI::App& c, double& height_m) {
  constexpr double kMost = fathom::World::kMostHeightM;
  add_number(c, {"--height", "M", "of the sensor above the x-y plane of the scene, m"}, {-kMost, kMost, "m"}, height_m);
}

void add_world(CLI::App& c, BeamWorldOptions& o, bool optional) {
  CLI::Option_group& world = *c.add_option_group("World", "what the rays should measure");
  world.add_option("--map", o.map, "map_server YAML file")->type_name("YAML");
  world.add_option("--scene", o.scene, "scene file: its meshes in place of a map")->type_name("YAML");
  world.require_option(optional ? 0 : 1, 1);
  add_height(c, o.height_m);
}

void add_log(CLI::App& c, BeamLogOptions& o, const LogChoices& choices) {
  CLI::Option_group& log = *c.add_option_group("Log", "what was measured, and where");
  CLI::Option* typed = log.add_option("--log", o.log, "scan log, or the folder of a run")->type_name("LOG");
  CLI::Option* bag = log.add_option("--bag", o.bag, "bag of ROS 2 with scans and transforms")->type_name("BAG");
  CLI::Option* scan = c.add_option(choices.topic, o.in_bag.scan_topic, "topic of scans; default: the only one");
  CLI::Option* frame = c.add_option("--frame", o.in_bag.map_frame, "frame in which the map stands");
  scan->type_name("TOPIC");
  frame->type_name("FRAME")->capture_default_str();
  if (choices.live == nullptr) {
    scan->needs(bag), frame->needs(bag);
  } else {
    log.add_flag("--live", *choices.live, "scans and transforms from topics of ROS 2, as they come");
    scan->excludes(typed), frame->excludes(typed);
  }
  log.require_option(choices.optional ? 0 : 1, 1);
}

}  // namespace fathom_cli
