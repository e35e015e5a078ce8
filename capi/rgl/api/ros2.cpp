// SPDX-License-Identifier: MIT
// Clouds as topics of ROS 2, through the module of capi/rgl/topics.

#include <memory>
#include <string>
#include <string_view>

#include <rgl/api/extensions/ros2.h>

#include "api/make_node.hpp"
#include "nodes/publish.hpp"

using namespace rgl;

namespace {

constexpr std::int32_t kUsualDepth = 10;   // of ROS 2
constexpr std::int32_t kAllDepth = 1'000;  // of KEEP_ALL: DDS bounds what waits

bool is_topic_name(std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/';
  };
  char before = '/';
  for (std::size_t i = name.starts_with('/') ? 1 : 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_part(c) || (before == '/' && (c == '/' || (c >= '0' && c <= '9')))) return false;
    before = c;
  }
  return before != '/';
}

/// `recorded`: further arguments of the function, for a tape.
template <class... Quality>
rgl_status_t publish(const char* function, rgl_node_t* node, const char* topic_name, const char* frame_id,
                     rgl_qos_policy_reliability_t qos_reliability, rgl_qos_policy_durability_t qos_durability,
                     rgl_qos_policy_history_t qos_history, std::int32_t qos_history_depth, const Quality&... recorded) {
  return guarded([&](Library& lib) {
    require_topic_module(function);
    RGL_CHECK(node != nullptr);
    RGL_CHECK(topic_name != nullptr);
    RGL_CHECK(topic_name[0] != '\0');
    RGL_CHECK(frame_id != nullptr);
    RGL_CHECK(frame_id[0] != '\0');
    RGL_CHECK(qos_reliability >= QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT);
    RGL_CHECK(qos_reliability <= QOS_POLICY_RELIABILITY_BEST_EFFORT);
    RGL_CHECK(qos_durability >= QOS_POLICY_DURABILITY_SYSTEM_DEFAULT);
    RGL_CHECK(qos_durability <= QOS_POLICY_DURABILITY_VOLATILE);
    RGL_CHECK(qos_history >= QOS_POLICY_HISTORY_SYSTEM_DEFAULT);
    RGL_CHECK(qos_history <= QOS_POLICY_HISTORY_KEEP_ALL);
    RGL_CHECK(qos_history_depth >= 0);
    if (!is_topic_name(topic_name)) {
      fail(RGL_INVALID_ARGUMENT, fmt::format("Invalid argument: topic_name '{}' is no name of a topic", topic_name));
    }
    if (*node != nullptr) static_cast<void>(node_as<PublishNode>(lib, *node, "Node"));
    fathom_topic_quality quality = {};
    quality.is_reliable = qos_reliability == QOS_POLICY_RELIABILITY_BEST_EFFORT ? 0 : 1;
    quality.is_latched = qos_durability == QOS_POLICY_DURABILITY_TRANSIENT_LOCAL ? 1 : 0;
    quality.depth = qos_history == QOS_POLICY_HISTORY_KEEP_ALL ? kAllDepth
                    : qos_history_depth == 0                   ? kUsualDepth
                                                               : qos_history_depth;
    const auto topic = std::make_shared<const CloudTopic>(topic_name, quality);
    const std::string frame = frame_id;
    make_or_change<PublishNode>(lib, node, Dirties::kNode, [&](PublishNode& made) { made.set(topic, frame); });
    lib.tape.record(function, *node, std::string(topic_name), frame, recorded...);
  });
}

}  // namespace

rgl_status_t rgl_node_points_ros2_publish(rgl_node_t* node, const char* topic_name, const char* frame_id) {
  return publish("rgl_node_points_ros2_publish", node, topic_name, frame_id, QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
                 QOS_POLICY_DURABILITY_SYSTEM_DEFAULT, QOS_POLICY_HISTORY_SYSTEM_DEFAULT, kUsualDepth);
}

rgl_status_t rgl_node_points_ros2_publish_with_qos(rgl_node_t* node, const char* topic_name, const char* frame_id,
                                                   rgl_qos_policy_reliability_t qos_reliability,
                                                   rgl_qos_policy_durability_t qos_durability,
                                                   rgl_qos_policy_history_t qos_history, int32_t qos_history_depth) {
  return publish("rgl_node_points_ros2_publish_with_qos", node, topic_name, frame_id, qos_reliability, qos_durability,
                 qos_history, qos_history_depth, qos_reliability, qos_durability, qos_history, qos_history_depth);
}
