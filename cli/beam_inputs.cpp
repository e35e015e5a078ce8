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

void add_log(CLI::App& c, BeamLogOptions& o, const std::string& topic, bool optional) {
  CLI::Option_group& log = *c.add_option_group("Log", "what was measured, and where");
  log.add_option("--log", o.log, "scan log, or the folder of a run")->type_name("LOG");
  CLI::Option* bag = log.add_option("--bag", o.bag, "bag of ROS 2 with scans and transforms")->type_name("BAG");
  log.require_option(optional ? 0 : 1, 1);
  c.add_option(topic, o.in_bag.scan_topic, "topic of the bag's scans; default: the only one")
      ->type_name("TOPIC")
      ->needs(bag);
  c.add_option("--frame", o.in_bag.map_frame, "frame of the bag in which the map stands")
      ->type_name("FRAME")
      ->needs(bag)
      ->capture_default_str();
}

}  // namespace fathom_cli
