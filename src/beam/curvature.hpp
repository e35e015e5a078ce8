// SPDX-License-Identifier: MIT
#pragma once
// First and second derivatives of the log density of a range reading, in coordinates where they are simple: the
// weights, as shares of a softmax, log sigma, log lambda, the offset, and log nu or sigma' of an extended law of hits.

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <fathom/beam/model.hpp>

#include "beam/em.hpp"

namespace fathom {

inline constexpr std::size_t kWeights = 4, kBookCoordinates = 7, kCoordinates = 8;
static_assert(BeamParameters::fields().size() == kBookCoordinates &&
              BeamParameters::fields()[6].name == "hit_offset_m");  // in this order
using Score = Eigen::Vector<double, kCoordinates>;
using Hessian = Eigen::Matrix<double, kCoordinates, kCoordinates>;

inline Eigen::Vector4d weights_of(const BeamParameters& p) { return {p.w_hit, p.w_short, p.w_max, p.w_rand}; }

/// The term that all components have of the weights: -w of a score and w w' - diag(w) of second derivatives.
void add_common_term(const BeamParameters& parameters, double pairs, Score& score, Hessian& hessian);

class ReadingCurvature {
 public:
  ReadingCurvature(const BeamParameters& parameters, const BeamSensor& sensor);

  /// The score of a reading; its second derivatives are added. `missed`: nothing was expected within Z; expected_m is
  /// at most Z.
  Score add(double z_m, double expected_m, bool missed, Hessian& hessian) const;

 private:
  /// A function of three numbers, with its slopes and second derivatives.
  struct Jet {
    double value = 0.0;
    Eigen::Vector3d slope = Eigen::Vector3d::Zero();
    Eigen::Matrix3d bend = Eigen::Matrix3d::Zero();
  };
  /// The log density of a law before it is cut, in deviations u from its centre, and its derivatives by u and nu.
  struct Law {
    double value, by_u, by_u2, by_nu = 0.0, by_nu2 = 0.0, by_both = 0.0;
  };
  [[nodiscard]] StudentTail student_tail(double x) const;
  [[nodiscard]] Law law_at(double u) const;
  void add_end(double x, double side, double sigma, Jet& mass) const;
  [[nodiscard]] Jet log_hit_of_law(double z, double center, double sigma) const;
  [[nodiscard]] Jet log_hit(double z, double center, bool moved) const;
  [[nodiscard]] Jet log_short(double z, double center, bool moved) const;

  BeamParameters p_;
  BeamSensor sensor_;
  bool is_student_;
  double log_peak_ = 0.0, peak_slope_ = 0.0, peak_bend_ = 0.0;
  std::vector<StudentTail> tails_;  // at the edges of panels
};

}  // namespace fathom
