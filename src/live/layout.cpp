// SPDX-License-Identifier: MIT
#include "live/layout.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace fathom {

namespace {

using LayoutJson = nlohmann::ordered_json;

/// Panels side by side or above each other, each half of what the one before left.
LayoutJson split_panels(const std::vector<std::string>& panels, std::size_t first, const char* direction) {
  if (first + 1 == panels.size()) return panels[first];
  return {{"first", panels[first]},
          {"second", split_panels(panels, first + 1, "column")},
          {"direction", direction},
          {"splitPercentage", first == 0 ? 70 : 50}};
}

}  // namespace

std::string layout_text(std::span<const LiveTopic> topics) {
  LayoutJson clouds = LayoutJson::object();
  LayoutJson panels = LayoutJson::object();
  std::vector<std::string> order = {"3D!fathom", "Parameters!fathom"};
  for (const LiveTopic& topic : topics) {
    if (topic.schema_name == "sensor_msgs/msg/PointCloud2" && !topic.name.ends_with("/rays")) {
      clouds[topic.name] = {
          {"visible", true}, {"colorField", "clean_range"}, {"colorMode", "colormap"}, {"colorMap", "turbo"}};
    } else if (topic.schema_name == "sensor_msgs/msg/Image") {
      const std::string panel = "Image!" + topic.name.substr(1);
      const std::string camera = topic.name.substr(0, topic.name.rfind('/'));
      panels[panel] = {{"imageMode", {{"imageTopic", topic.name}, {"calibrationTopic", camera + "/camera_info"}}}};
      order.push_back(panel);
    }
  }
  panels["3D!fathom"] = {{"topics", clouds}, {"followTf", "world"}, {"scene", {{"enableStats", false}}}};
  panels["Parameters!fathom"] = LayoutJson::object();
  const LayoutJson layout = {{"configById", panels},
                             {"globalVariables", LayoutJson::object()},
                             {"userNodes", LayoutJson::object()},
                             {"playbackConfig", {{"speed", 1}}},
                             {"layout", split_panels(order, 0, "row")}};
  return layout.dump(2, ' ', false, LayoutJson::error_handler_t::replace) + "\n";
}

}  // namespace fathom
