// SPDX-License-Identifier: MIT
#pragma once
// The distribution of a measured range, given the clean one, under the range models of a chain. The act() of each model
// changes the law so far. After the last one the law has a density, a cdf and the probability of an interval, so that
// measured ranges can be scored and the parameters learned.
//
//   range = mean + s N + U + t,   N ~ normal(0, 1),   U ~ uniform[low, high),   t ~ scale t(nu)
//
// Sums of normals are in closed form, and so is a normal with a uniform. A t is a normal whose variance is drawn,
// t = N / sqrt(u) with u ~ gamma(nu / 2, nu / 2): a law with a t is a sum over nodes of u.
//
// With a disparity (noise/disparity.hpp) the law is that of d', a normal rounded to levels. Two of them in a row have
// the sum of their errors, if only the second one rounds. Models before and after them may only stretch the range. A
// deviation that grows with the range is taken at the mean of the range so far: exact if nothing random comes before
// it, else with a relative error of growth^2.
//
// With a beam_mixture (noise/beam_mixture.hpp) the law is that of its readings, which have a return with a probability
// below 1. The range so far may have a normal error e: hits are normal about its mean with both variances, cut to
// [0, Z], and shorts reach to z* + e. Exact except for ranges within a few deviations of e from 0 or Z.

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>

namespace fathom {

/// Nodes of a t distribution as a mixture of normals: t = sum of normals of deviation scale[k] with weight[k].
/// Trapezoids in log u; densities and cdfs have a relative error below 1e-8.
class StudentNodes {
 public:
  /// nu > 0.
  FATHOM_API explicit StudentNodes(double nu);

  [[nodiscard]] double nu() const { return nu_; }
  [[nodiscard]] double peak() const { return peak_; }  ///< density at 0
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] const std::vector<double>& scales() const { return scales_; }

 private:
  double nu_, peak_ = 0.0;
  std::vector<double> weights_, scales_;
};

struct MeasuredRangeLaw {
  double mean_m = 0.0;               ///< without U
  double normal_m = 0.0;             ///< s
  double low_m = 0.0, high_m = 0.0;  ///< of U; low <= high
  double student_m = 0.0, nu = 1.0;  ///< scale and degrees of freedom of t
  double focal_baseline_px_m = 0.0;  ///< of the camera; 0: it has no disparity
  double ray_per_depth = 1.0;        ///< range / distance to the image plane, along the ray
  bool from_disparity = false;       ///< range = unit / d', stretched; of the members above only mean_m is then used
  double unit_px_m = 0.0;            ///< range times disparity
  double disparity_px = 0.0, deviation_px = 0.0, steps_per_px = 0.0;  ///< of d'; steps 0: not rounded
  double gain = 1.0, bias_m = 0.0;                                    ///< of the models after a disparity
  double limit_m = 0.0;                                               ///< Z, how far the ray measures; 0: unknown
  bool is_mixture = false;  ///< of readings of a beam_mixture, by the weights of those with a return
  double hits = 1.0, shorts = 0.0, randoms = 0.0;
  double hit_m = 0.0, short_rate_per_m = 0.0;  ///< deviation of hits from the range so far; rate of shorts
  std::string_view unknown = {};               ///< why the chain has no such law; empty if it has one

  /// A clean range, before any noise.
  static MeasuredRangeLaw of_clean(double range_m) { return {.mean_m = range_m}; }
  /// Of a camera: with the distance to its image plane, and focal length times baseline (0: it has no baseline).
  static MeasuredRangeLaw of_clean(double range_m, double depth_m, double focal_baseline_px_m) {
    return {.mean_m = range_m, .focal_baseline_px_m = focal_baseline_px_m, .ray_per_depth = range_m / depth_m};
  }

  [[nodiscard]] bool is_random() const { return normal_m > 0.0 || high_m > low_m || student_m > 0.0 || is_mixture; }
  /// Whether single ranges have a probability, not a density.
  [[nodiscard]] bool is_discrete() const {
    return from_disparity ? steps_per_px > 0.0 || !(deviation_px > 0.0) : !is_random();
  }

  // The errors that models add.

  void add_normal(double shift_m, double deviation_m) {
    if (from_disparity) return refuse_after_disparity(deviation_m > 0.0, shift_m);
    mean_m += shift_m;
    normal_m = __builtin_sqrt(normal_m * normal_m + deviation_m * deviation_m);
  }
  void add_uniform(double one_end_m, double other_end_m) {
    const double low = one_end_m < other_end_m ? one_end_m : other_end_m, high = one_end_m + other_end_m - low;
    if (!(high > low)) return add_normal(low, 0.0);
    if (from_disparity) return refuse_after_disparity(true, 0.0);
    if (high_m > low_m) unknown = "two models of uniform errors";
    low_m += low, high_m += high;
  }
  void add_student(double scale_m, double degrees) {
    if (!(scale_m > 0.0)) return;
    if (from_disparity) return refuse_after_disparity(true, 0.0);
    if (student_m > 0.0) unknown = "two models of t errors";
    student_m = scale_m, nu = degrees;
  }
  /// range := factor range + shift.
  void stretch(double factor, double shift_m) {
    if (from_disparity) {
      gain *= factor, bias_m = factor * bias_m + shift_m;
    } else {
      normal_m *= factor, low_m *= factor, high_m *= factor, student_m *= factor;
    }
    mean_m = factor * mean_m + shift_m;
  }
  void measure_disparity(double bias_px, double stddev_px, double steps) {
    if (from_disparity && !(steps_per_px > 0.0) && gain == 1.0 && bias_m == 0.0) {
      disparity_px += bias_px, steps_per_px = steps;
      deviation_px = __builtin_sqrt(deviation_px * deviation_px + stddev_px * stddev_px);
      return;
    }
    if (from_disparity || is_random()) unknown = "a random error before that of the disparity";
    const double depth_m = mean_m / ray_per_depth, exact_px = focal_baseline_px_m / depth_m;
    from_disparity = true;
    unit_px_m = mean_m * exact_px;
    disparity_px = exact_px + bias_px, deviation_px = stddev_px, steps_per_px = steps;
  }
  /// Weights of hits, shorts and random readings; the rest of 1 is the weight of no return.
  void read_by_mixture(const std::array<double, 3>& weights, double offset_m, double deviation_m, double rate_per_m) {
    if (is_mixture) unknown = "two models of readings";
    if (from_disparity || high_m > low_m || student_m > 0.0) unknown = "readings of a range whose error is not normal";
    if (!(limit_m > 0.0)) unknown = "readings, and how far the sensor measures is not known";
    is_mixture = true;
    hits = weights[0], shorts = weights[1], randoms = weights[2];
    add_normal(low_m + offset_m, 0.0);
    low_m = high_m = 0.0;
    hit_m = deviation_m, short_rate_per_m = rate_per_m;
  }

  friend bool operator==(const MeasuredRangeLaw&, const MeasuredRangeLaw&) = default;

 private:
  void refuse_after_disparity(bool random, double shift_m) {
    if (random) unknown = "a random error after that of the disparity";
    stretch(1.0, shift_m);
  }
};

/// Density of a range, 1/m; 0 for a law of single ranges. Of a mixture it integrates to the probability of a return.
/// `nodes`: of the law's nu, for a law with a t; without them they are made, which costs more than the density. Throws
/// InputError if the law is unknown.
FATHOM_API double density(const MeasuredRangeLaw& law, double range_m, const StudentNodes* nodes = nullptr);
/// Probability of a range at or below range_m. Of a disparity: among all returns; a return with a disparity at or below
/// 0 counts as above every range.
FATHOM_API double cdf(const MeasuredRangeLaw& law, double range_m, const StudentNodes* nodes = nullptr);
/// Of a range in (low, high], without cancellation in the tails of normals.
FATHOM_API double probability(const MeasuredRangeLaw& law, double low_m, double high_m,
                              const StudentNodes* nodes = nullptr);
/// Of a mixture, the share of shorts and random readings, which do not show the surface. 0 for other laws.
FATHOM_API double probability_beside_hits(const MeasuredRangeLaw& law, double low_m, double high_m);
/// Logarithm of the density of a measured range. For a law of single ranges: logarithm of the probability of the levels
/// within half_step, or else of the nearest level. half_step > 0: the measured range was rounded to a
/// multiple of 2 half_step, and the density is the mean over that interval.
FATHOM_API double log_density(const MeasuredRangeLaw& law, double range_m, double half_step_m = 0.0,
                              const StudentNodes* nodes = nullptr);

}  // namespace fathom
