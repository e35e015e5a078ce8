// SPDX-License-Identifier: MIT
#pragma once
// First and second derivatives of the log-likelihood of a part of the data, in the coordinates of std_errors.cpp: both
// by one pass.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fathom/base/isa.hpp>
#include <fathom/beam/model.hpp>

#include "base/executor.hpp"
#include "beam/evidence.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

inline constexpr std::size_t kWeights = 4;
inline constexpr std::size_t kBookCoordinates = 7;  ///< four weights, log sigma, log lambda, offset
inline constexpr std::size_t kCoordinates = 8;      ///< and log nu or sigma' of an extended law of hits, else 0
static_assert(BeamParameters::fields().size() == kBookCoordinates &&
              BeamParameters::fields()[6].name == "hit_offset_m");  // in this order
using Score = std::array<double, kCoordinates>;
using Matrix = std::array<Score, kCoordinates>;

inline constexpr std::array<double BeamParameters::*, kWeights> kWeightMembers = {
    &BeamParameters::w_hit, &BeamParameters::w_short, &BeamParameters::w_max, &BeamParameters::w_rand};

/// Of a part.
struct Curvature {
  Matrix information = {};            ///< minus the Hessian of the summed log-likelihood
  std::uint64_t first_cluster = 0;    ///< of all
  std::vector<Score> cluster_scores;  ///< [clusters that have scans in the part]
};

/// `first_scan`: how many scans the parts before have. Results do not depend on threads.
Curvature find_curvature(const Evidence& evidence, std::uint64_t first_scan, const TrajectoryBlocks& blocks,
                         const BeamParameters& parameters, const BeamSensor& sensor, Executor& executor, Isa isa);

}  // namespace fathom
