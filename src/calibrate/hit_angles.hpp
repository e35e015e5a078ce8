// SPDX-License-Identifier: MIT
#pragma once
// The angles about the axes of a chain's angular_hit by which a point lies beside its ray.
//
//   p = R(second, b) R(first, a) d,   d and p of length 1
//
// About one axis, a is the angle between the parts of d and p across it. About two, q = R(first, a) d keeps d's part
// along the first axis, and p = R(second, b) q keeps q's along the second: with the length 1 both parts and p tell q
// but for a sign, which is that of d, since angles of a quarter turn are not errors of reading.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/calibrate/hit_turns.hpp>
#include <fathom/noise/chain.hpp>

namespace fathom {

struct HitAngles {
  double first_rad = 0.0, second_rad = 0.0;
  double off_rad = 0.0;  ///< by which no turn about these axes brings the ray to the point
};

/// Of a point in direction `point` whose ray is along `ray`, both of length 1; nothing: too near an axis to tell.
std::optional<HitAngles> hit_angles(const Vec3& ray, const Vec3& point, std::span<const Axis> axes);

/// Axes of the models angular_hit of a chain, in their order.
std::vector<Axis> hit_axes(const NoiseChain& chain);

/// Why points do not tell the angles of such a chain; empty: they do, or it has none.
std::string why_hits_are_not_told(const NoiseChain& chain);

}  // namespace fathom
