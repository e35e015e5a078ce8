// SPDX-License-Identifier: MIT
#pragma once
// Nodes that pass points on, change some of their fields, or pack them.

#include <mutex>
#include <vector>

#include <fathom/parts/clouds.hpp>

#include "graph/node.hpp"
#include "nodes/field_store.hpp"

namespace rgl {

/// Base of nodes that replace some of the input's fields, point by point, and pass the others through.
class ReplacingNode : public PointsNode {
 public:
  [[nodiscard]] bool runs_in_strips() const override { return true; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override {
    return own_.has(field) ? own_.data(field) : input().data(field);
  }

 protected:
  mutable FieldStore own_;  // a node may fill it when it is asked
};

class TransformNode final : public ReplacingNode {
 public:
  void set(const fathom::Affine& transform) { transform_ = transform; }
  [[nodiscard]] std::string_view name() const override { return "TransformPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return {RGL_FIELD_XYZ_VEC3_F32}; }
  [[nodiscard]] fathom::Affine sensor_from_world() const override;
  void begin(const RunContext& context) override;
  void run_strip(std::size_t number, Strip points) override;

 private:
  fathom::Affine transform_;
  float* xyz_ = nullptr;  ///< of the run in progress
};

/// Points are packed when they are requested, right into the caller's memory.
class FormatNode final : public PointsNode {
 public:
  void set(std::vector<rgl_field_t> fields) { fields_ = std::move(fields); }
  [[nodiscard]] const std::vector<rgl_field_t>& fields() const { return fields_; }
  [[nodiscard]] std::string_view name() const override { return "FormatPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return real_fields(fields_); }
  [[nodiscard]] bool has(rgl_field_t field) const override;
  [[nodiscard]] std::size_t packed_size() const override { return packed_size_; }
  void run(const RunContext& context) override;
  void copy(rgl_field_t field, std::byte* out) const override;

 private:
  std::vector<rgl_field_t> fields_;
  // Of the last run.
  std::vector<fathom::PackedProperty> properties_;
  std::size_t packed_size_ = 0;
  fathom::Executor* executor_ = nullptr;
};

class YieldNode final : public PointsNode {
 public:
  void set(std::vector<rgl_field_t> fields) { fields_ = std::move(fields); }
  [[nodiscard]] std::string_view name() const override { return "YieldPointsNode"; }
  [[nodiscard]] bool runs_in_strips() const override { return true; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return real_fields(fields_); }

 private:
  std::vector<rgl_field_t> fields_;
};

class FromArrayNode final : public PointsNode {
 public:
  /// `points` are packed as a format node does; where a field comes twice, the last counts.
  void set(const std::byte* points, std::size_t count, const std::vector<rgl_field_t>& fields);
  [[nodiscard]] std::string_view name() const override { return "FromArrayPointsNode"; }
  [[nodiscard]] Input input_kind() const override { return Input::kNothing; }
  void validate(const World& world) override;
  [[nodiscard]] bool has(rgl_field_t field) const override { return own_.has(field); }
  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] bool is_dense() const override { return !own_.has(RGL_FIELD_IS_HIT_I32); }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {}; }
  [[nodiscard]] fathom::Affine sensor_from_world() const override { return {}; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override { return own_.data(field); }

 private:
  FieldStore own_;
  std::size_t count_ = 0;
};

class FilterGroundNode final : public ReplacingNode {
 public:
  void set(const fathom::Vec3& up, float threshold_rad) { up_ = up, threshold_rad_ = threshold_rad; }
  [[nodiscard]] std::string_view name() const override { return "FilterGroundPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override {
    return {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_NORMAL_VEC3_F32};
  }
  [[nodiscard]] bool has(rgl_field_t field) const override {
    return field == RGL_FIELD_IS_GROUND_I32 || input().has(field);
  }
  void begin(const RunContext& context) override;
  void run_strip(std::size_t number, Strip points) override;

 private:
  fathom::Vec3 up_;
  float threshold_rad_ = 0.0F;
  std::int32_t* is_ground_ = nullptr;  ///< of the run in progress
};

/// A noise model on points. Where its points go to another noise node alone, that one applies the models of both to
/// each block of points, and these arrays are made when somebody asks for them.
class PointsNoise : public ReplacingNode {
 public:
  void set(const fathom::Noise& noise) { noise_ = noise; }
  void begin(const RunContext& context) override;
  void run_strip(std::size_t number, Strip points) override;
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override;

 protected:
  PointsNoise(const fathom::Noise& noise, bool distance_from_origin)
      : noise_(noise), distance_from_origin_(distance_from_origin), active_(noise) {}

 private:
  [[nodiscard]] bool only_child_is_noise() const;
  void allocate() const;
  void apply(Strip points) const;
  void make_up() const;

  fathom::Noise noise_;
  bool distance_from_origin_;
  // Of the run in progress, or the last.
  fathom::Noise active_;
  bool hands_on_ = false;
  const PointsNode* source_ = nullptr;      ///< whose points go through the models
  std::vector<fathom::PointNoise> models_;  ///< those of the nodes above that hand on, and its own
  fathom::Isa isa_ = fathom::Isa::kSse2;
  fathom::Executor* executor_ = nullptr;
  fathom::Affine sensor_from_world_;
  bool keeps_misses_ = false, has_distance_ = false;
  mutable std::mutex mutex_;  // results may be asked for while other nodes still run
  mutable float *xyz_ = nullptr, *distance_m_ = nullptr;
};

/// Turns hit points about an axis of the sensor; their distance is then that from the sensor.
class HitPointNoise final : public PointsNoise {
 public:
  HitPointNoise() : PointsNoise(fathom::AngularHit{}, true) {}
  [[nodiscard]] std::string_view name() const override { return "GaussianNoiseAngularHitpointNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override { return {RGL_FIELD_XYZ_VEC3_F32}; }
};

/// Moves points along their lines from the sensor.
class RangeNoise final : public PointsNoise {
 public:
  RangeNoise() : PointsNoise(fathom::DistanceNoise{}, false) {}
  [[nodiscard]] std::string_view name() const override { return "GaussianNoiseDistanceNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override {
    return {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32};
  }
};

}  // namespace rgl
