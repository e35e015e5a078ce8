// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include <fathom/files/clouds.hpp>

#include "graph/node.hpp"
#include "nodes/field_store.hpp"

namespace rgl {

/// The points of all parents, one parent after another.
class SpatialMergeNode final : public PointsNode {
 public:
  void set(const std::vector<rgl_field_t>& fields) { fields_ = real_fields(fields); }
  [[nodiscard]] std::string_view name() const override { return "SpatialMergePointsNode"; }
  [[nodiscard]] Input input_kind() const override { return Input::kManyPoints; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return fields_; }
  void bind() override { inputs_ = points_parents(*this); }
  void validate(const World& world) override;
  void run(const RunContext& context) override;

  [[nodiscard]] bool has(rgl_field_t field) const override;
  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] bool is_dense() const override;
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {}; }
  [[nodiscard]] fathom::Affine sensor_from_world() const override { return {}; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override { return merged_.data(field); }

 private:
  std::vector<rgl_field_t> fields_;
  std::vector<PointsNode*> inputs_;
  FieldStore merged_;
  std::size_t count_ = 0;
};

/// The points of all runs since the fields were last set.
class TemporalMergeNode : public PointsNode {
 public:
  void set(const std::vector<rgl_field_t>& fields);
  [[nodiscard]] std::string_view name() const override { return "TemporalMergePointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return fields_; }
  void run(const RunContext& context) override;

  [[nodiscard]] bool has(rgl_field_t field) const override { return merged_.contains(field); }
  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {}; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override { return merged_.at(field).data(); }

 private:
  std::vector<rgl_field_t> fields_;
  std::map<rgl_field_t, std::vector<std::byte>> merged_;
  std::size_t count_ = 0;
};

/// The positions of the points of all runs. close() writes them to a file.
class WritePcdNode final : public TemporalMergeNode {
 public:
  WritePcdNode() { TemporalMergeNode::set({RGL_FIELD_XYZ_VEC3_F32}); }
  void set(std::filesystem::path file) { file_ = std::move(file); }
  [[nodiscard]] std::string_view name() const override { return "WritePCDFilePointsNode"; }
  void close() override;

 private:
  std::filesystem::path file_;
};

/// Throws INVALID_FILE_PATH.
void save_pcd(const std::filesystem::path& file, std::span<const fathom::CloudProperty> properties, std::size_t points);

}  // namespace rgl
