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
  kMasked = 11,           ///< excluded by the user
  kEdgeLoss = 12,         ///< beside a jump in depth, lost by the probability of the edge law
  kEdge = 13,             ///< the matching window holds no surface that is large or sure enough
  kSpeckle = 14,          ///< part of a region too small to be believed
  kLowTexture = 15,       ///< too little texture and projected pattern, lost by the probability of the texture law
  kNoFurtherReturn = 16,  ///< the ray met fewer surfaces than the sensor reports returns
};

inline constexpr std::array<std::string_view, 17> kReasonNames = {
    "hit",          "miss",        "below_min_range", "above_max_range", "loss_angle",       "hidden_left",
    "hidden_right", "hidden_both", "low_energy",      "random_loss",     "dropout",          "masked",
    "edge_loss",    "edge",        "speckle",         "low_texture",     "no_further_return"};

constexpr std::string_view to_string(Reason reason) { return kReasonNames[static_cast<std::size_t>(reason)]; }

}  // namespace fathom
