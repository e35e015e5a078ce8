// SPDX-License-Identifier: MIT
#pragma once
// By what angles the points of measured frames lie beside their rays, about the axes of a chain's angular_hit.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/turned_rays.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

class HitFrames {
 public:
  /// For a chain, and another one under which the frames will be scored, or an empty one.
  HitFrames(const NoiseChain& chain, const NoiseChain& other);

  /// Takes the points of a frame, [rows, cols, 3] m; none: they are not known.
  void take(const RayPattern& rays, std::span<const float> point_m);
  /// Why points that were taken tell no angles; empty: they do, or nothing turns them.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Appends those of ray i of the frame taken last to what is known of so many returns; is_there: it came back.
  void add(std::size_t i, bool is_there, std::size_t returns, HitTurns& out);
  /// Points of returns whose rays no turn about these axes brings there.
  [[nodiscard]] std::size_t askew() const { return askew_; }

 private:
  std::vector<Axis> axes_;
  bool are_turned_ = false;
  std::string why_not_;
  const RayPattern* rays_ = nullptr;
  std::span<const float> point_m_;
  std::size_t askew_ = 0;
};

}  // namespace fathom
