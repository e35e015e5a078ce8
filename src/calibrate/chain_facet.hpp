// SPDX-License-Identifier: MIT
#pragma once
// A surface that turned rays of one return meet, and the law of a reading on it: what the files of chain_density share.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibrate/chain_density.hpp"

namespace fathom {

/// The law of a reading on one surface, and of the angles once it is known.
struct ChainDensity::WideLaw {
  MeasuredRangeLaw law;
  double own_variance = 0.0, variance = 0.0;  ///< of the error alone, and with the angles; px of a disparity, else m
  double center = 0.0;                        ///< of the same
  std::array<double, 2> covariance = {0.0, 0.0};  ///< of the reading and the angles of the ray itself

  [[nodiscard]] AngleLaw given(double reading_m, const AngleLaw& before) const {
    if (!(variance > 0.0)) return before;
    double seen = reading_m;
    if (law.from_disparity) {
      const double before_m = (reading_m - law.bias_m) / law.gain;
      if (!(before_m > 0.0)) return before;
      seen = law.unit_px_m / before_m;
    }
    AngleLaw after = before;
    std::array<double, 2> gain = {};
    for (std::size_t k = 0; k < 2; ++k) {
      gain[k] = covariance[k] / variance;
      after.mean[k] += gain[k] * (seen - center);
      after.variance[k] = std::max(0.0, before.variance[k] - gain[k] * gain[k] * variance);
    }
    after.covariance = -gain[0] * gain[1] * variance;
    return after;
  }
};

/// A surface that turned rays of one return meet, and where.
struct ChainDensity::Facet {
  TurnedSurface surface;
  std::array<double, 2> at = {0.0, 0.0};  ///< angles at which it is linearised
  TurnedHit hit;
  WideLaw wide;
  double weight = 1.0;                               ///< probability that the ray meets it
  std::array<double, 2> weight_rate = {0.0, 0.0};    ///< its derivatives by the mean angles
  const std::uint8_t* met = nullptr;                 ///< of all nodes; null: it is met at all angles
  std::uint8_t number = 0;                           ///< its own among them
  double kept = 1.0;                                 ///< probability that models which do not jump keep its return
  std::vector<double> kept_by_node = {};             ///< that the others keep it; empty: they do
  const std::array<AngleNodes, 2>* nodes = nullptr;  ///< of these; null: those of the rays

  [[nodiscard]] double kept_weight(const RayTurns& turns) const {
    return kept_by_node.empty() ? weight * kept : expected(turns, turns.law());
  }
  /// What a reading tells of the angles is taken as linear in it where these have so small a share of its variance, and
  /// it moves their mean by so small a share of their deviation.
  static constexpr double kSteep = 2.5e-3, kLittle = 0.02;
  static constexpr double kNoise =
      1e-12;  ///< shares are differences of numbers near 1, and below this only their noise
  /// E[met kept], once the reading is known.
  [[nodiscard]] double expected_given(const RayTurns& turns, double reading_m) const {
    if (met == nullptr && kept_by_node.empty()) return kept;
    const AngleLaw given = wide.given(reading_m, turns.law());
    bool is_linear = kept_by_node.empty() && wide.variance - wide.own_variance < kSteep * wide.own_variance;
    double sum = weight;
    for (std::size_t k = 0; k < 2; ++k) {
      const double shift = given.mean[k] - turns.law().mean[k];
      is_linear = is_linear && std::abs(shift) <= kLittle * turns.deviation()[k];
      sum += weight_rate[k] * shift;
    }
    const double share = is_linear ? kept * std::max(0.0, sum) : expected(turns, given);
    return share > kNoise ? share : 0.0;
  }
  /// E[met kept] under a law of the angles.
  [[nodiscard]] double expected(const RayTurns& turns, const AngleLaw& law) const {
    const AngleNodes &first = nodes != nullptr ? (*nodes)[0] : turns.nodes(0),
                     &second = nodes != nullptr ? (*nodes)[1] : turns.nodes(1);
    const std::size_t n = first.size();
    if (!kept_by_node.empty()) {
      return kept *
             expected_over(first, second, law, [&](std::size_t a, std::size_t b) { return kept_by_node[b * n + a]; });
    }
    if (met == nullptr) return kept;
    return kept * expected_over(first, second, law,
                                [&](std::size_t a, std::size_t b) { return met[b * n + a] == number ? 1.0 : 0.0; });
  }
};

}  // namespace fathom
