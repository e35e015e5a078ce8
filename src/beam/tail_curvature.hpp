// SPDX-License-Identifier: MIT
#pragma once
// First and second derivatives of the log density of a range reading where hits are of an extended law
// (hit_density.hpp), reading by reading: one pass, after learning.

#include <array>
#include <cstddef>
#include <vector>

#include <fathom/beam/model.hpp>

namespace fathom {

/// Scores that a range reading has: of w_hit, w_short, w_rand, log sigma, log lambda, the offset, and log nu or sigma'.
inline constexpr std::size_t kTailScores = 7;
inline constexpr std::size_t kTailProducts = kTailScores * (kTailScores + 1) / 2;
using TailScore = std::array<double, kTailScores>;

class TailCurvature {
 public:
  TailCurvature(const BeamParameters& parameters, const BeamSensor& sensor);

  /// Of one reading: its scores without the weights' common term. Its second derivatives, of entries (i, k), i <= k,
  /// row after row, are added. `missed`: nothing was expected within Z; expected_m is at most Z.
  TailScore add(double z_m, double expected_m, bool missed, std::array<double, kTailProducts>& hessian) const;

 private:
  using Numbers = std::array<double, 3>;
  using Square = std::array<Numbers, 3>;
  /// log p or p of a component over three numbers, with its slopes and second derivatives.
  struct Jet {
    double value = 0.0;
    Numbers slope = {};
    Square bend = {};
  };
  /// P(T > x) and its derivatives by nu.
  struct Tail {
    double value, by_nu, by_nu2;
  };

  [[nodiscard]] Tail student_tail(double x) const;
  void add_law(double u, Jet& jet) const;
  void add_end(double x, double side, double sigma, Jet& mass) const;
  [[nodiscard]] Jet log_hit(double z, double center, bool moved) const;
  [[nodiscard]] Jet log_short(double z, double center, bool moved) const;

  BeamParameters p_;
  BeamSensor sensor_;
  bool is_student_;
  double log_peak_ = 0.0, peak_slope_ = 0.0, peak_bend_ = 0.0;
  std::vector<Tail> tails_;  // at the edges of panels
};

}  // namespace fathom
