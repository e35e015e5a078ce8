// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "graph/node.hpp"
#include "nodes/field_store.hpp"

namespace rgl {

/// The settings of rgl_node_raytrace_configure_*; they act from the next run on.
struct RaytraceSettings {
  fathom::SensorMotion motion;
  bool distort = false;
  bool in_motion = false;  ///< the call that made the node gave the two above: rgl_node_raytrace ends them
  float near_miss = std::numeric_limits<float>::infinity(), far_miss = std::numeric_limits<float>::infinity();
  std::vector<std::int8_t> mask;  ///< empty: none
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
  std::vector<rgl_field_t> fields_;    ///< XYZ, and what nodes below ask for
  std::vector<rgl_field_t> computed_;  ///< the same in the run in progress, or the last
  RaytraceSettings active_;            ///< likewise
  const fathom::RayCaster* caster_ = nullptr;
  double step_s_ = 0.0;
  std::size_t count_ = 0;
  FieldStore store_;
  // Of the run in progress.
  std::vector<float> offsets_s_;
  std::vector<fathom::ReturnChoice> choices_;
  std::optional<fathom::Tracer> tracer_;
};

}  // namespace rgl
