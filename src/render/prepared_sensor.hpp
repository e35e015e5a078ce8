// SPDX-License-Identifier: MIT
#pragma once
// A checked sensor with everything made from it once: its view, its rays and the plan of their casting, its chain.

#include <cstdint>
#include <span>
#include <variant>

#include <fathom/core/geometry.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

#include "render/chain.hpp"
#include "render/image_filters.hpp"
#include "render/plan.hpp"
#include "render/surface_math.hpp"
#include "scene/poses.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

/// How the rays of a checked sensor diverge.
const Divergence& divergence_of(const Sensor& sensor, const SensorView& view);
/// The full angle of the round cone that is as wide; 0 for lines.
float beam_angle(const Divergence& divergence);

/// RenderJob::falloff_m.
inline float falloff_of(const Sensor& sensor, const SensorView& view) {
  return sensor.falloff.law == FalloffLaw::kNone ? view.falloff_m : sensor.falloff.reference_m;
}

class PreparedSensor {
 public:
  /// `entities`: of the scene. Throws InputError "sensor 'name': ..." when anything about the sensor is
  /// invalid, or its rays would not fit in memory.
  PreparedSensor(Sensor sensor, std::span<const Entity> entities, CastOrder order = CastOrder::kTiles);

  /// Replaces the chain. Throws InputError as the constructor does for a chain, and then changes nothing.
  void set_noise(NoiseChain noise, std::span<const Entity> entities);
  /// Becomes another sensor of that name, with parameters drawn for an episode. If no ray changes, rays and plan stay.
  /// Throws InputError as the constructor does, and for another number of rays; then nothing changes.
  void replace(Sensor sensor, std::span<const Entity> entities);
  /// Throws InputError, without the sensor's name in front, when the chain does not suit the sensor.
  void check_noise(const NoiseChain& noise, std::span<const Entity> entities) const;
  /// A chain that check_noise() accepts, sorted by stage with the streams and the range policy of this sensor.
  [[nodiscard]] StagedChain staged_chain(NoiseChain noise, std::span<const Entity> entities) const;

  /// Makes rays() and plan() of this frame. In steady state nothing is allocated.
  void set_frame(std::uint32_t index);

  [[nodiscard]] const Sensor& sensor() const { return sensor_; }
  [[nodiscard]] const SensorView& view() const { return view_; }
  [[nodiscard]] const RayPattern& rays() const { return rays_.pattern(); }
  [[nodiscard]] const CastPlan& plan() const { return rays_.plan(); }
  [[nodiscard]] const StagedChain& chain() const { return chain_; }
  /// Rows and columns of its frames: image_shape(), which checks the model each time.
  [[nodiscard]] RayPattern::Shape shape() const {
    return sensor_.aligned_to ? RayPattern::Shape{sensor_.aligned_to->height, sensor_.aligned_to->width}
                              : RayPattern::Shape{plan().rows, plan().cols};
  }
  /// Null if its rays are lines.
  [[nodiscard]] const SamplePlan* samples() const {
    return divergence_of(sensor_, view_).diverges() ? &samples_ : nullptr;
  }
  /// RenderJob::echoes; null for height grids, which are no light.
  [[nodiscard]] const SamplePlan* echoes() const {
    return std::holds_alternative<GridScanner>(sensor_.model) ? nullptr : &samples_;
  }
  [[nodiscard]] std::uint32_t returns() const { return static_cast<std::uint32_t>(sensor_.returns.size()); }
  /// RenderJob::filters. `view`: of the sensor, perhaps with drawn parameters.
  [[nodiscard]] ImageFilters filters(const SensorView& view, FilterMemory& memory, std::uint32_t environment,
                                     std::uint32_t frame) const {
    if (!chain_.is_filtered) return {};
    return {&memory,   sensor_.filters, sensor_.aligned_to ? &*sensor_.aligned_to : nullptr,
            view.lens, environment,     frame};
  }

 private:
  Sensor sensor_;
  SensorView view_;
  SensorRays rays_;
  StagedChain chain_;
  SamplePlan samples_;
};

/// The intrinsics of the images of a sensor, in pixels; empty for other kinds than cameras.
std::optional<Intrinsics> image_lens(const Sensor& sensor);

/// The pose relative to `origin`, in single precision.
Rigid narrow(const Pose& pose, const Vec3& origin);
RigidSpeed narrow(const Twist& twist);

/// RenderJob::places at a time. `cast_origin_m`: of the caster's coordinates.
void find_places(const StagedChain& chain, const Scene& scene, double stamp_s, const Vec3& cast_origin_m,
                 std::vector<Rigid>& places);

/// The cameras of a sensor with this pose in the caster's coordinates.
RigView view_rig(const SensorView& view, const Rigid& cast_from_sensor);

}  // namespace fathom
