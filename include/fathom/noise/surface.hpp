// SPDX-License-Identifier: MIT
#pragma once
// Facts about a return besides its place: the angles of the surface to the emitter and the cameras, whether the
// cameras see it, and the camera's optics. A model that needs them takes a Surface as an argument before its draws,
//   apply(params, Return, Surface, Draws)
// and lists in kNeeds what the renderer has to prepare.
//
// n is the unit normal of the surface, turned towards the emitter; e, l, r are the unit directions from the hit point
// to the emitter, the left and the right camera. A sensor without cameras of its own looks from its emitter: l = r = e.

#include <cstdint>

namespace fathom {

/// The camera that a sensor's rays belong to; the same for all rays. 0: the sensor has no such thing.
struct Optics {
  float fx_px = 0.0F;       ///< focal length, horizontal
  float cx_px = 0.0F;       ///< principal point, from the centre of the leftmost pixel
  float baseline_m = 0.0F;  ///< distance of the two cameras
};

inline constexpr std::uint32_t kHiddenFromLeft = 1, kHiddenFromRight = 2;

struct Surface {
  float cos_emitter = 1.0F;       ///< n . e: cosine of the incidence angle
  float cos_left = 1.0F;          ///< n . l; negative when the camera is behind the surface
  float cos_right = 1.0F;         ///< n . r
  float left_to_emitter = 1.0F;   ///< l . e
  float right_to_emitter = 1.0F;  ///< r . e
  float edge_rad = 0.0F;  ///< angle at the hit between the ways to the camera and to the neighbour that steps back most
  std::uint32_t hidden = 0;  ///< kHiddenFromLeft | kHiddenFromRight
  Optics optics;
  /// By how much of itself the range of a neighbour exceeds the one at which its ray meets the tangent plane at the
  /// hit, for the neighbour where that is most; and the angle at the hit between the ways to the camera and to it.
  float jump = -1.0F, jump_rad = 0.0F;
  float energy_gain = 1.0F;  ///< of the chain's energy, besides its angles; see EnergyGain in noise/energy.hpp
};

/// The parts of its Surface that a model needs; a sensor that cannot give them refuses the model.
struct SurfaceNeeds {
  bool angles = false;      ///< the cosines
  bool sight = false;       ///< hidden: costs a ray from each camera. Needs two cameras apart.
  bool neighbours = false;  ///< edge_rad, jump and jump_rad: only in stage kEdgeLoss. Needs rays from one point.
  bool camera = false;      ///< optics.fx_px and cx_px: the sensor is a camera
  bool baseline = false;    ///< optics.baseline_m > 0: two cameras apart
};

/// What of the neighbours a model with these parameters reads: the rest is not found.
struct EdgeReads {
  bool angles = true;  ///< edge_rad
  bool jumps = true;   ///< jump and jump_rad
};

}  // namespace fathom
