// SPDX-License-Identifier: MIT
#pragma once
// Nodes of points.

#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include <rgl/api/core.h>

#include <fathom/files/clouds.hpp>
#include <fathom/noise/noise.hpp>

#include "fields.hpp"
#include "graph/graph.hpp"
#include "parts/clouds.hpp"

namespace rgl {

/// Base of nodes that replace some of the input's fields point by point. Other fields pass through.
class ReplacingNode : public PointsNode {
 public:
  [[nodiscard]] bool runs_in_strips() const override { return true; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override {
    return own_.has(field) ? own_.data(field) : input().data(field);
  }

 protected:
  mutable FieldStore own_;  // mutable: a node may fill it on request
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

/// Packs points on request, directly into the caller's memory.
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
  /// `points` are packed as by a format node. The last of repeated fields counts.
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

/// A noise model on points. If its only child is another noise node, the child applies the models of both to each block
/// of points. Then this node makes its arrays only on request.
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
  // Of the current or last run.
  fathom::Noise active_;
  bool hands_on_ = false;                   ///< leaves its model to its child
  const PointsNode* source_ = nullptr;      ///< the input of the first model
  std::vector<fathom::PointNoise> models_;  ///< models of the nodes above that hand on, and its own
  fathom::Isa isa_ = fathom::Isa::kBase;
  fathom::Executor* executor_ = nullptr;
  fathom::Affine sensor_from_world_;
  bool keeps_misses_ = false, has_distance_ = false;
  mutable std::mutex mutex_;  // callers may request results while other nodes still run
  mutable float *xyz_ = nullptr, *distance_m_ = nullptr;
};

/// Turns hit points about an axis of the sensor. Their distance becomes the distance from the sensor.
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

/// Snow between the sensor and points. A point whose surface returns less light than a flake moves to the flake.
class SnowNode final : public ReplacingNode {
 public:
  void set(const fathom::Noise& snow, const fathom::PointLight& light) { snow_ = snow, light_ = light; }
  [[nodiscard]] std::string_view name() const override { return "SimulateSnowPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override {
    return {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32, RGL_FIELD_INTENSITY_F32};
  }
  [[nodiscard]] std::vector<rgl_field_t> read() const override {
    std::vector<rgl_field_t> fields = required();
    fields.push_back(RGL_FIELD_IS_HIT_I32);
    return fields;
  }
  void begin(const RunContext& context) override;
  void run_strip(std::size_t number, Strip points) override;

 private:
  template <class T>
  void fill(rgl_field_t field, T of_flakes, Strip points, const std::uint8_t* is_flake);

  fathom::Noise snow_ = fathom::Snow{};
  fathom::PointLight light_;
  // Of the run in progress.
  fathom::PointLight active_;
  fathom::NoiseKey key_;
  fathom::Isa isa_ = fathom::Isa::kBase;
  fathom::Affine sensor_from_world_;
};

/// Base of nodes that keep some of their input's points. Fields are gathered on request.
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
  /// Discards the gathered fields of an earlier run.
  void forget(const RunContext& context);

  std::span<const std::uint32_t> indices_;  ///< into the input's points; the derived node owns them
  FieldStore own_;                          ///< the node's own fields, [indices_]

 private:
  mutable std::mutex mutex_;  // callers may request results while other nodes still run
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
  Buffer kept_;  ///< each strip writes at its own place; finish() closes the gaps
  std::mutex found_mutex_;
  std::map<std::size_t, std::size_t> found_;  ///< number of kept points by the begin of their strip
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

/// The points of all parents, parent by parent.
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

// fathom's models without upper limits of their parameters, as in RGL.

fathom::Axis to_axis(rgl_axis_t axis);

fathom::Noise angular_ray_noise(float mean_rad, float stddev_rad, fathom::Axis axis);
fathom::Noise angular_hit_noise(float mean_rad, float stddev_rad, fathom::Axis axis);
fathom::Noise distance_noise(float mean_m, float stddev_m, float stddev_per_m);

}  // namespace rgl
