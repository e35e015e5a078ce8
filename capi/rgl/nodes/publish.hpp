// SPDX-License-Identifier: MIT
#pragma once
// Publishes the packed points of a format node as PointCloud2.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/node.hpp"
#include "nodes/points.hpp"
#include "topics/topic_module.hpp"

namespace rgl {

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
  std::uint64_t stamp_ns_ = 0;  ///< of the run in progress
  std::vector<std::byte> packed_;
};

}  // namespace rgl
