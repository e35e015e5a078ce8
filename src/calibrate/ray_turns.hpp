// SPDX-License-Identifier: MIT
#pragma once
// The angles by which the angular_rays of a chain turn a ray, what the nodes of TurnedRays weigh under them, and what a
// matching window shows of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fathom/calibrate/turned_rays.hpp>
#include <fathom/noise/chain.hpp>

namespace fathom {

/// The law of the angles about two axes: normals, which may be correlated once a range is known.
struct AngleLaw {
  std::array<double, 2> mean = {0.0, 0.0}, variance = {0.0, 0.0};
  double covariance = 0.0;
};

/// E[(angle - x)+] of a normal angle.
double mean_excess(double x, double mean, double deviation);

/// Nodes of one axis, ascending. Of an axis that is not there one node at 0, whose weight is 1.
struct AngleNodes {
  static constexpr std::size_t kMost = TurnedRays::kMostNodesOfAxis;
  std::vector<double> at;

  [[nodiscard]] std::size_t size() const { return at.size(); }
  /// Weights of all nodes under a normal angle: E of hats that are 1 at their node and 0 at the next ones.
  void weigh(double mean, double deviation, double* weights) const;
  /// Derivatives of these by the mean.
  void slope(double mean, double deviation, double* slopes) const;
  /// Where within the hat of node k the angle is on average, nearly.
  [[nodiscard]] double within(std::size_t k, double mean, double deviation) const;
};

/// E of what interpolates values(k1, k2) between the nodes.
template <class F>
double expected_over(const AngleNodes& first, const AngleNodes& second, const AngleLaw& law, F values) {
  std::array<double, AngleNodes::kMost> weights;
  const double second_deviation = __builtin_sqrt(law.variance[1]);
  second.weigh(law.mean[1], second_deviation, weights.data());
  const double slope = law.variance[1] > 0.0 ? law.covariance / law.variance[1] : 0.0;
  const double rest = law.variance[0] - slope * law.covariance, deviation = __builtin_sqrt(rest > 0.0 ? rest : 0.0);
  double sum = 0.0;
  for (std::size_t k2 = 0; k2 < second.size(); ++k2) {
    if (!(weights[k2] > 0.0)) continue;
    const double mean = law.mean[0] + slope * (second.within(k2, law.mean[1], second_deviation) - law.mean[1]);
    double before = values(std::size_t{0}, k2), row = before;
    for (std::size_t k1 = 1; k1 < first.size(); ++k1) {
      const double value = values(k1, k2);
      if (value != before) {
        // It changes from node to node as the share of the step that lies below the angle.
        const double low = first.at[k1 - 1], high = first.at[k1];
        const double share = mean_excess(low, mean, deviation) - mean_excess(high, mean, deviation);
        row += (value - before) * share / (high - low);
      }
      before = value;
    }
    sum += weights[k2] * row;
  }
  return sum > 0.0 ? sum : 0.0;
}

/// What the mean over the rays of a window shows of an angle, as shares of the variance that the angle of one ray has.
struct WindowShares {
  double mean = 1.0;  ///< variance of the mean
  double own = 1.0;   ///< covariance of the mean and the angle of the middle ray
};
/// Of angles whose draws are so alike in a window of (2 radius + 1) x (2 radius + 1) pixels.
WindowShares window_shares(const Correlation& correlation, std::int32_t radius_px);

/// Of the matching window of a chain; 0: it has none.
std::int32_t window_radius(const NoiseChain& chain);

/// What a reading shows of the angles: they themselves, or behind a window the mean of those of its rays.
struct ShownAngles {
  std::array<double, 2> variance = {0.0, 0.0}, covariance = {0.0, 0.0};  ///< covariance: with those of the ray itself
};

class RayTurns {
 public:
  /// Throws InputError for a chain that turns rays about three axes, about one axis before and after another, or about
  /// one of which the rays know nothing.
  RayTurns(const NoiseChain& chain, const TurnedRays& rays);

  /// About the axes of the rays; independent.
  [[nodiscard]] const AngleLaw& law() const { return law_; }
  [[nodiscard]] const std::array<double, 2>& deviation() const { return deviation_; }
  [[nodiscard]] const ShownAngles& shown() const { return shown_; }
  [[nodiscard]] const AngleNodes& nodes(std::size_t axis) const { return nodes_[axis]; }
  [[nodiscard]] const std::vector<double>& weights(std::size_t axis) const { return weights_[axis]; }
  /// Their derivatives by the mean.
  [[nodiscard]] const std::vector<double>& slopes(std::size_t axis) const { return slopes_[axis]; }
  /// Sums over the nodes of the first axis before node k, [nodes + 1]: of weights, of these times places, of slopes.
  struct Before {
    double weight = 0.0, place = 0.0, slope = 0.0;
  };
  [[nodiscard]] const std::vector<Before>& before() const { return before_; }
  /// Of each node: where the angles are that count for it.
  [[nodiscard]] const std::vector<double>& places(std::size_t axis) const { return places_[axis]; }

 private:
  AngleLaw law_;
  std::array<double, 2> deviation_ = {0.0, 0.0};
  ShownAngles shown_;
  std::array<AngleNodes, 2> nodes_;
  std::array<std::vector<double>, 2> weights_, slopes_, places_;
  std::vector<Before> before_;
};

/// Whether a chain has models that turn rays, also such that turn them by nothing.
bool turns_rays(const NoiseChain& chain);

/// Mean and deviation of the rotation about each axis, in the order in which the chain turns rays. Throws InputError as
/// RayTurns does.
struct AxisTurn {
  Axis axis;
  double mean_rad = 0.0, stddev_rad = 0.0;
  double shown_variance = 0.0,
         shown_covariance = 0.0;  ///< of ShownAngles, behind the window of the chain if it has one
};
std::vector<AxisTurn> axis_turns(const NoiseChain& chain);
/// A noise that is an angular_ray as such.
AngularRay angular_ray_of(const Noise& noise);

}  // namespace fathom
