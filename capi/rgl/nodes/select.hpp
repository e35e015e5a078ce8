#pragma once
// Nodes that keep some of their input's points. Fields are gathered when somebody asks for them.

#include <mutex>
#include <vector>

#include <fathom/points.hpp>

#include "graph/node.hpp"
#include "nodes/field_store.hpp"

namespace rgl {

class SelectNode : public PointsNode {
 public:
  [[nodiscard]] std::size_t count() const override { return indices_.size(); }
  [[nodiscard]] bool is_dense() const override { return true; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override;
  [[nodiscard]] Indexed indexed(rgl_field_t field) const override {
    if (own_.has(field)) return {own_.data(field), nullptr};
    return {input().data(field), indices_.data()};
  }
  void run(const RunContext& context) final;

 protected:
  /// Finds what to keep, and fills fields of its own.
  virtual void select(const RunContext& context) = 0;

  std::vector<std::uint32_t> indices_;  ///< into the input's points
  FieldStore own_;                      ///< fields that are not the input's, [indices_]

 private:
  mutable std::mutex mutex_;  // results may be asked for while other nodes still run
  mutable FieldStore gathered_;
  mutable std::vector<rgl_field_t> done_;
  fathom::Executor* executor_ = nullptr;
};

class CompactNode final : public SelectNode {
 public:
  void set(rgl_field_t field) { field_ = field; }
  [[nodiscard]] std::string_view name() const override { return "CompactByFieldPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return {field_}; }

 private:
  void select(const RunContext& context) override;

  rgl_field_t field_ = RGL_FIELD_IS_HIT_I32;
};

/// One of the returns of each beam.
class ReturnSwitchNode final : public SelectNode {
 public:
  void set(rgl_return_type_t type) { type_ = type; }
  [[nodiscard]] std::string_view name() const override { return "MultiReturnSwitchNode"; }
  [[nodiscard]] bool is_dense() const override { return input().is_dense(); }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {&type_, 1}; }

 private:
  void select(const RunContext& context) override;

  rgl_return_type_t type_ = RGL_RETURN_TYPE_FIRST;
};

class DownsampleNode final : public SelectNode {
 public:
  void set(const fathom::Vec3& leaf_m) { leaf_m_ = leaf_m; }
  [[nodiscard]] std::string_view name() const override { return "DownSamplePointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return {RGL_FIELD_XYZ_VEC3_F32}; }

 private:
  void select(const RunContext& context) override;

  fathom::Vec3 leaf_m_;
};

}  // namespace rgl
