// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fathom {

/// Why a return is there or missing: one value per return, the only validity mask. Values are stable and appear in
/// files.
enum class Reason : std::uint8_t {
  kHit = 0,               ///< a valid return
  kMiss = 1,              ///< the ray met nothing
  kBelowMinRange = 2,     ///< the surface is nearer than the sensor can measure
  kAboveMaxRange = 3,     ///< the surface is farther than the sensor can measure
  kLossAngle = 4,         ///< incidence too oblique
  kHiddenLeft = 5,        ///< the left camera does not see the hit point
  kHiddenRight = 6,       ///< the right camera does not see the hit point
  kHiddenBoth = 7,        ///< neither camera sees the hit point
  kLowEnergy = 8,         ///< too little light came back
  kRandomLoss = 9,        ///< enough light came back, and it was lost by the probability of the energy law
  kDropout = 10,          ///< lost at random, whatever was hit
  kMasked = 11,           ///< excluded by the user, or no depth pixel lies on a pixel of Sensor::aligned_to
  kEdgeLoss = 12,         ///< beside a jump in depth, lost by the probability of the edge law
  kEdge = 13,             ///< the matching window holds no surface that is large or sure enough
  kSpeckle = 14,          ///< part of a region too small to be believed
  kLowTexture = 15,       ///< too little texture and projected pattern, lost by the probability of the texture law
  kNoFurtherReturn = 16,  ///< the ray met fewer surfaces than the sensor reports returns
  kLowPower = 17,         ///< the return is weaker than the sensor can detect
  kSpecular = 18,         ///< glass, mirrors or water let all light leave
};

inline constexpr std::array<std::string_view, 19> kReasonNames = {
    "hit",         "miss",        "below_min_range",   "above_max_range", "loss_angle", "hidden_left", "hidden_right",
    "hidden_both", "low_energy",  "random_loss",       "dropout",         "masked",     "edge_loss",   "edge",
    "speckle",     "low_texture", "no_further_return", "low_power",       "specular"};

/// How many returns or points have each reason.
using ReasonCounts = std::array<std::uint64_t, kReasonNames.size()>;

/// The colour of each reason in pictures, 0xRRGGBB.
inline constexpr std::array<std::uint32_t, kReasonNames.size()> kReasonColors = {
    0x78c878, 0x22242e, 0xf0e442, 0x0072b2, 0xe69f00, 0x56b4e9, 0x009e73, 0x3c5a6e, 0x9467bd, 0xcc79a7,
    0xd55e00, 0x6e6e6e, 0xb2182b, 0xffb6c1, 0x7fffd4, 0x8b5a2b, 0x4a3e5c, 0x820082, 0xb4dcff};

constexpr std::string_view to_string(Reason reason) { return kReasonNames[static_cast<std::size_t>(reason)]; }

}  // namespace fathom
