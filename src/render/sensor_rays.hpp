// SPDX-License-Identifier: MIT
#pragma once
// The rays of a sensor and the plan of their casting.

#include <cstdint>

#include <fathom/sensor/model.hpp>

#include "render/plan.hpp"

namespace fathom {

/// Whether all is the same but the memory.
bool same_rays(const RayPattern& a, const RayPattern& b);

class SensorRays {
 public:
  /// Makes the rays of frame 0 of a model that validate() accepts, and their plan, in the memory of those before. Where
  /// no ray changes, the plan stays. `rolling`: rays are cast at their own times.
  void set_model(const SensorModel& model, bool rolling);
  /// From now on these are the rays of this frame of the model set last. In steady state nothing is allocated.
  void set_frame(const SensorModel& model, bool rolling, std::uint32_t index);

  [[nodiscard]] const RayPattern& pattern() const { return pattern_; }
  [[nodiscard]] const CastPlan& plan() const { return plan_; }

 private:
  RayPattern pattern_;
  CastPlan plan_;
  std::uint32_t frame_ = 0;
};

}  // namespace fathom
