// SPDX-License-Identifier: MIT
#pragma once
// Nodes that keep some of their input's points. Fields are gathered when they are requested.

#include <map>
#include <mutex>
#include <span>
#include <vector>

#include <fathom/parts/clouds.hpp>

#include "buffer.hpp"
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
  [[nodiscard]] bool selects() const override { return true; }

 protected:
  /// From now on, gathered fields belong to an earlier run.
  void forget(const RunContext& context);

  std::span<const std::uint32_t> indices_;  ///< into the input's points; kept by the node itself
  FieldStore own_;                          ///< fields that are not the input's, [indices_]

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
  [[nodiscard]] bool runs_in_strips() const override { return true; }
  void begin(const RunContext& context) override;
  void run_strip(std::size_t number, Strip points) override;
  void finish() override;

 private:
  rgl_field_t field_ = RGL_FIELD_IS_HIT_I32;
  Buffer kept_;  ///< every strip writes at its own place; then they move together
  std::mutex found_mutex_;
  std::map<std::size_t, std::size_t> found_;  ///< how many by the begin of their strip
};

/// One of the returns of each ray.
class ReturnSwitchNode final : public SelectNode {
 public:
  void set(rgl_return_type_t type) { type_ = type; }
  [[nodiscard]] std::string_view name() const override { return "MultiReturnSwitchNode"; }
  [[nodiscard]] bool is_dense() const override { return input().is_dense(); }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {&type_, 1}; }
  void run(const RunContext& context) override;

 private:
  rgl_return_type_t type_ = RGL_RETURN_TYPE_FIRST;
  std::vector<std::uint32_t> kept_;
};

class DownsampleNode final : public SelectNode {
 public:
  void set(const fathom::Vec3& leaf_m) { leaf_m_ = leaf_m; }
  [[nodiscard]] std::string_view name() const override { return "DownSamplePointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return {RGL_FIELD_XYZ_VEC3_F32}; }
  void run(const RunContext& context) override;

 private:
  fathom::Vec3 leaf_m_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace rgl
