// SPDX-License-Identifier: MIT
// Clouds as topics of ROS 2: publishes the packed points of a format node as PointCloud2, through the module of
// topics/.
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rgl/api/extensions/ros2.h>

#include "graph/graph.hpp"
#include "library.hpp"
#include "nodes/points.hpp"
#include "status.hpp"
#include "topics/topic_module.hpp"
#include "world.hpp"

namespace rgl {

namespace {

class PublishNode final : public PointsNode {
 public:
  void set(std::shared_ptr<const CloudTopic> topic, std::string frame_id) {
    topic_ = std::move(topic), frame_id_ = std::move(frame_id);
  }
  [[nodiscard]] std::string_view name() const override { return "Ros2PublishPointsNode"; }
  void bind() override;
  /// Throws INVALID_PIPELINE unless its parent packs points.
  void validate(const World& world) override;
  void prepare(World& world) override;
  void run(const RunContext& context) override;
  [[nodiscard]] std::size_t packed_size() const override { return input().packed_size(); }
  void copy(rgl_field_t field, std::byte* out) const override { input().copy(field, out); }

 private:
  std::shared_ptr<const CloudTopic> topic_;
  std::string frame_id_;
  const FormatNode* format_ = nullptr;
  std::uint64_t stamp_ns_ = 0;  ///< of the current run
  std::vector<std::byte> packed_;
};

/// The number of a type in sensor_msgs/msg/PointField.
std::uint8_t point_datatype(char type, std::size_t size) {
  constexpr std::uint8_t kInt8 = 1, kUint8 = 2, kInt16 = 3, kUint16 = 4, kInt32 = 5, kUint32 = 6, kFloat32 = 7,
                         kFloat64 = 8;
  const bool is_signed = type == 'I';
  if (type == 'F') return size == 8 ? kFloat64 : kFloat32;
  if (size == 1) return is_signed ? kInt8 : kUint8;
  if (size == 2) return is_signed ? kInt16 : kUint16;
  return is_signed ? kInt32 : kUint32;
}

/// The named parts of packed points, without paddings.
struct CloudLayout {
  std::vector<std::string> names;
  std::vector<fathom_topic_field> fields;  ///< with names that point into `names`
};

CloudLayout layout_of(const std::vector<rgl_field_t>& fields) {
  CloudLayout layout;
  std::size_t offset = 0;
  for (const rgl_field_t field : fields) {
    const FieldInfo& info = info_of(field);
    const std::size_t first = layout.names.size();
    for (std::string_view rest = is_padding(field) ? "" : info.parts; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      layout.names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const std::size_t parts = layout.names.size() - first;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t size = info.size / parts;
      layout.fields.push_back(
          {nullptr, static_cast<std::uint32_t>(offset + k * size), point_datatype(info.type, size)});
    }
    offset += info.size;
  }
  for (std::size_t i = 0; i < layout.fields.size(); ++i) layout.fields[i].name = layout.names[i].c_str();
  return layout;
}

std::uint64_t system_time_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

void PublishNode::bind() {
  PointsNode::bind();
  format_ = dynamic_cast<const FormatNode*>(&input());
}

void PublishNode::validate(const World& world) {
  PointsNode::validate(world);
  if (format_ == nullptr) fail(RGL_INVALID_PIPELINE, fmt::format("{} requires a FormatPointsNode before it", name()));
}

void PublishNode::prepare(World& world) { stamp_ns_ = world.now().value_or(system_time_ns()); }

void PublishNode::run(const RunContext&) {
  const std::size_t points = count(), step = packed_size();
  if (points * step > std::numeric_limits<std::uint32_t>::max()) {
    fail(RGL_ROS2_ERROR, fmt::format("ROS 2 error: {} points of {} bytes exceed 4 GiB", points, step));
  }
  packed_.resize(points * step);
  input().copy(RGL_FIELD_DYNAMIC_FORMAT, packed_.data());
  const CloudLayout layout = layout_of(format_->fields());
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  fathom_topic_cloud cloud = {};
  cloud.frame_id = frame_id_.c_str();
  cloud.sec = static_cast<std::int32_t>(stamp_ns_ / kSecondNs);
  cloud.nanosec = static_cast<std::uint32_t>(stamp_ns_ % kSecondNs);
  cloud.points = static_cast<std::uint32_t>(points), cloud.point_step = static_cast<std::uint32_t>(step);
  cloud.fields = layout.fields.data(), cloud.field_count = layout.fields.size();
  cloud.data = packed_.data();
  cloud.is_dense = is_dense() ? 1 : 0;
  topic_->publish(cloud);
}

}  // namespace

}  // namespace rgl

using namespace rgl;

namespace {

constexpr std::int32_t kUsualDepth = 10;   // of ROS 2
constexpr std::int32_t kAllDepth = 1'000;  // for KEEP_ALL, because DDS needs a bound

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

/// `recorded`: further arguments of the function, for the tape.
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
