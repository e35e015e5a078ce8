// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "parts/trace_job.hpp"

namespace fathom {

/// The arrays of a trace that need the triangle that was struck.
class SurfaceArrays {
 public:
  explicit SurfaceArrays(const TraceJob& job) : job_(job) {}

  /// Whether any of them is wanted.
  [[nodiscard]] bool wanted() const;
  /// Fills place `at` of each wanted array.
  void store(std::size_t at, const RayEnd& end) const;
  [[nodiscard]] float intensity_of(const RayEnd& end) const;

 private:
  [[nodiscard]] bool wants_velocity() const;
  [[nodiscard]] const CastInstance& instance_of(const RayEnd& end) const { return job_.instance(end.instance); }
  [[nodiscard]] Vec3 normal_of(const RayEnd& end) const;
  void store_normal(std::size_t at, const RayEnd& end) const;
  void store_velocity(std::size_t at, const RayEnd& end) const;

  const TraceJob& job_;
};

}  // namespace fathom
