// SPDX-License-Identifier: MIT
#pragma once
// Nodes that make, change and trace rays. They store no changed rays: the raytrace node loads them block by block.

#include <limits>
#include <optional>
#include <vector>

#include "fields.hpp"
#include "graph/graph.hpp"

namespace rgl {

class RaysFromMatrices final : public RaysNode {
 public:
  void set(std::span<const fathom::Matrix34> rays) { rays_ = fathom::PosedRayTable(rays); }

  [[nodiscard]] std::string_view name() const override { return "FromMat3x4fRaysNode"; }
  [[nodiscard]] Input input_kind() const override { return Input::kNothing; }
  void validate(const World& world) override;
  void load(fathom::PosedRayBlock& block) const override { rays_.load(block); }
  [[nodiscard]] std::uint32_t ray_count() const override { return rays_.size(); }
  [[nodiscard]] fathom::RayGrid grid() const override { return rays_.grid(); }
  [[nodiscard]] std::span<const std::int32_t> rings() const override { return {}; }
  [[nodiscard]] std::span<const std::array<float, 2>> ranges() const override { return {}; }
  [[nodiscard]] std::span<const float> time_offsets_ms() const override { return {}; }
  [[nodiscard]] const fathom::Affine& world_from_sensor() const override { return identity_; }
  void prepare_rays(const RunContext&) override {}

 private:
  fathom::PosedRayTable rays_;
  fathom::Affine identity_;
};

class RaysRingIds final : public RaysNode {
 public:
  void set(std::vector<std::int32_t> rings) { rings_ = std::move(rings); }
  [[nodiscard]] std::string_view name() const override { return "SetRingIdsRaysNode"; }
  void validate(const World& world) override;
  [[nodiscard]] std::span<const std::int32_t> rings() const override { return rings_; }

 private:
  std::vector<std::int32_t> rings_;  ///< repeated over all rays
};

class RaysRange final : public RaysNode {
 public:
  void set(std::vector<std::array<float, 2>> ranges) { ranges_ = std::move(ranges); }
  [[nodiscard]] std::string_view name() const override { return "SetRangeRaysNode"; }
  void validate(const World& world) override;
  [[nodiscard]] std::span<const std::array<float, 2>> ranges() const override { return ranges_; }

 private:
  std::vector<std::array<float, 2>> ranges_;  ///< one for all, or one for each ray
};

class RaysTimeOffsets final : public RaysNode {
 public:
  void set(std::vector<float> offsets_ms) { offsets_ms_ = std::move(offsets_ms); }
  [[nodiscard]] std::string_view name() const override { return "SetTimeOffsetsRaysNode"; }
  void validate(const World& world) override;
  [[nodiscard]] std::span<const float> time_offsets_ms() const override { return offsets_ms_; }

 private:
  std::vector<float> offsets_ms_;
};

/// Moves the sensor. In its frame the rays stay the same.
class RaysTransform final : public RaysNode {
 public:
  void set(const fathom::Affine& transform) { transform_ = transform; }
  [[nodiscard]] std::string_view name() const override { return "TransformRaysNode"; }
  [[nodiscard]] const fathom::Affine& world_from_sensor() const override { return cumulative_; }
  void prepare(World& world) override;

 private:
  fathom::Affine transform_, cumulative_;
};

/// Turns rays about an axis of the sensor.
class RaysAngularNoise final : public RaysNode {
 public:
  void set(const fathom::Noise& noise) { noise_ = noise; }
  [[nodiscard]] std::string_view name() const override { return "GaussianNoiseAngularRaysNode"; }
  void prepare_rays(const RunContext& context) override;
  void load(fathom::PosedRayBlock& block) const override;

 private:
  fathom::Noise noise_ = fathom::AngularRay{};
  fathom::NoiseKey key_;
  fathom::Isa isa_ = fathom::Isa::kBase;
};

/// The settings of rgl_node_raytrace_configure_*. They take effect at the next run.
struct RaytraceSettings {
  fathom::SensorMotion motion;
  bool distort = false;
  bool in_motion = false;  ///< the call that made the node set the two above: rgl_node_raytrace resets them
  float near_miss = std::numeric_limits<float>::infinity(), far_miss = std::numeric_limits<float>::infinity();
  std::vector<std::int8_t> mask;  ///< empty: no mask
  float divergence_h_rad = 0.0F, divergence_v_rad = 0.0F;
  float default_intensity = 0.0F;
  float reflectivity_alpha = 0.1F;
  std::vector<rgl_return_type_t> returns = {RGL_RETURN_TYPE_FIRST};
  std::int32_t sensor_id = RGL_SENSOR_ID_DEFAULT;
};

class RaytraceNode final : public PointsNode {
 public:
  RaytraceSettings settings;

  [[nodiscard]] std::string_view name() const override { return "RaytraceNode"; }
  [[nodiscard]] Input input_kind() const override { return Input::kRays; }
  void bind() override { rays_ = &only_rays_parent(*this); }
  void validate(const World& world) override;
  void prepare(World& world) override;
  [[nodiscard]] bool uses_stale_scene(const World& world) const override;

  [[nodiscard]] bool runs_in_strips() const override { return true; }
  void begin(const RunContext& context) override;
  [[nodiscard]] std::size_t strips() const override;
  [[nodiscard]] Strip strip(std::size_t number) const override;
  void run_strip(std::size_t number, Strip points) override;
  void finish() override { tracer_.reset(); }

  [[nodiscard]] bool has(rgl_field_t field) const override;
  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] bool is_dense() const override { return false; }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return active_.returns; }
  [[nodiscard]] fathom::Affine sensor_from_world() const override;
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override;

 private:
  [[nodiscard]] bool computes(rgl_field_t field) const;
  [[nodiscard]] fathom::TraceArrays allocate();
  void fill_from_rays(Strip points);
  void fill_from_arrays(Strip points);

  RaysNode* rays_ = nullptr;
  std::vector<rgl_field_t> fields_;    ///< XYZ, and the fields that nodes below need
  std::vector<rgl_field_t> computed_;  ///< fields of the current or last run
  RaytraceSettings active_;            ///< settings of the current or last run
  const fathom::RayCaster* caster_ = nullptr;
  double step_s_ = 0.0;
  std::size_t count_ = 0;
  FieldStore store_;
  // Of the current run.
  std::vector<float> offsets_s_;
  std::vector<fathom::ReturnChoice> choices_;
  std::optional<fathom::Tracer> tracer_;
};

}  // namespace rgl
