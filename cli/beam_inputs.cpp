// SPDX-License-Identifier: MIT
#include "beam_inputs.hpp"

#include <optional>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/beam/fit.hpp>

#include "option_values.hpp"

namespace fathom_cli {

void add_height(CLI::App& c, double& height_m) {
  constexpr double kMost = fathom::World::kMostHeightM;
  add_number(c, {"--height", "M", "of the sensor above the x-y plane of the scene, m"}, {-kMost, kMost, "m"}, height_m);
}

void refuse_height_without_scene(const CLI::App& c) {
  if (c.count("--height") == 0 || c.count("--scene") > 0) return;
  throw fathom::InputError("--height is for --scene: a map says nothing of heights");
}

void add_world(CLI::App& c, BeamWorldOptions& o, bool optional) {
  CLI::Option_group& world = *c.add_option_group("World", "what the rays should measure");
  world.add_option("--map", o.map, "map_server YAML file")->type_name("YAML");
  world.add_option("--scene", o.scene, "scene file: its meshes in place of a map")->type_name("YAML");
  world.require_option(optional ? 0 : 1, 1);
  add_height(c, o.height_m);
}

namespace {

CLI::Option& add_mount(CLI::App& c, std::optional<fathom::PlanarPose>& given) {
  const auto read = [&given](const std::string& text) {
    fathom::PlanarPose& mount = given.emplace();
    const std::size_t first = text.find(','), second = first == std::string::npos ? first : text.find(',', first + 1);
    if (second == std::string::npos) {
      throw fathom::InputError(fmt::format("--mount: '{}' is not X,Y,YAW", fathom::printable(text)));
    }
    mount.x_m = parse_number("--mount", text.substr(0, first), {-1000.0, 1000.0, "m"});
    mount.y_m = parse_number("--mount", text.substr(first + 1, second - first - 1), {-1000.0, 1000.0, "m"});
    mount.yaw_rad = parse_number("--mount", text.substr(second + 1), {-10.0, 10.0, "rad"});
  };
  return *c.add_option_function<std::string>("--mount", read,
                                             "where on the robot a RAWLASERn stands, m and rad; default: 0,0,0")
              ->type_name("X,Y,YAW");
}

}  // namespace

void add_log_text(CLI::App& c, CLI::Option* log, fathom::ScanLogOptions& o) {
  CLI::Option& laser =
      *c.add_option("--laser", o.laser, "which laser of a log of CARMEN: FLASER, ROBOTLASER1, RAWLASER1 ...");
  CLI::Option& angle =
      add_number(c, {"--ray-angle", "DEG", "between two rays of FLASER, where their number does not say it, degrees"},
                 {1e-4, 360.0, "deg"}, o.ray_angle_deg);
  for (CLI::Option* option : {laser.type_name("NAME"), &angle, &add_mount(c, o.mount)}) {
    if (log != nullptr) option->needs(log);
  }
}

void add_clusters(CLI::App& c, std::size_t& stretches) {
  const auto read = [&stretches](const std::string& text) {
    const WholeLimits limits = {1, static_cast<std::uint64_t>(fathom::FitOptions::kMostStretches)};
    stretches = text == "scan" ? 0 : static_cast<std::size_t>(parse_whole("--clusters", text, limits));
  };
  c.add_option_function<std::string>("--clusters", read,
                                     "what has errors in common: N stretches of the way, or each scan")
      ->type_name("N|scan")
      ->default_str(std::to_string(stretches));
}

void add_log(CLI::App& c, BeamLogOptions& o, const LogChoices& choices) {
  CLI::Option_group& log = *c.add_option_group("Log", "what was measured, and where");
  CLI::Option* typed = log.add_option("--log", o.log, "scan log, or the folder of a run")->type_name("LOG");
  CLI::Option* bag = log.add_option("--bag", o.bag, "bag of ROS 2 with scans and transforms")->type_name("BAG");
  CLI::Option* scan = c.add_option(choices.topic, o.in_bag.scan_topic, "topic of scans; default: the only one");
  CLI::Option* frame = c.add_option("--frame", o.in_bag.map_frame, "frame in which the map stands");
  scan->type_name("TOPIC");
  frame->type_name("FRAME")->capture_default_str();
  scan->needs(bag), frame->needs(bag);
  log.require_option(choices.optional ? 0 : 1, 1);
  add_log_text(c, typed, o.in_text);
  add_number(c, {"--ray-time", "S", "from a ray to the next one, for a laser that moved during scans, s"},
             {0.0, 1.0, "s"}, o.in_text.ray_time_s)
      .needs(typed);
}

}  // namespace fathom_cli
