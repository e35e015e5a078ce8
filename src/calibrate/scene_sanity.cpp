// SPDX-License-Identifier: MIT
#include "calibrate/scene_sanity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr double kMostScenePart = 0.06, kMostSharedError = 0.5;
/// Readings that do not count on either side, and beyond how many deviations of a normal so many lie.
struct Outer {
  double share, deviations;
};
constexpr Outer kTenth = {0.1, 1.2815515655446004}, kQuarter = {0.25, 0.6744897501960817};
constexpr double kAlikePart = 0.1;  // neighbours whose clean ranges differ by more see different things
constexpr std::size_t kLeastToJudge = 500;

double quantile_of(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Readings with their errors, in the order of rays.
struct SceneErrors {
  std::vector<double> clean_m, error_m;
  std::vector<std::uint32_t> frame;

  explicit SceneErrors(const ChainReturns& returns) {
    for (std::size_t i = 0; i < returns.size(); ++i) {
      if (std::isnan(returns.range_m[i])) continue;
      clean_m.push_back(double{returns.clean_range_m[i]});
      error_m.push_back(double{returns.range_m[i]} - clean_m.back());
      frame.push_back(returns.frame[i]);
    }
  }
  [[nodiscard]] std::size_t size() const { return error_m.size(); }

  /// Takes bias and gain out, by least squares over what is not cut off at either end.
  void take_line(double low_m, double high_m) {
    double n = 0.0, z = 0.0, zz = 0.0, e = 0.0, ze = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (error_m[i] < low_m || error_m[i] > high_m) continue;
      n += 1.0, z += clean_m[i], zz += clean_m[i] * clean_m[i], e += error_m[i], ze += clean_m[i] * error_m[i];
    }
    const double square = zz - z * z / n, gain = square > 1e-9 * zz ? (ze - z * e / n) / square : 0.0;
    const double bias = (e - gain * z) / n;
    for (std::size_t i = 0; i < size(); ++i) error_m[i] -= bias + gain * clean_m[i];
  }

  /// The correlation of the errors of readings that follow each other in a frame, cut off at either end.
  [[nodiscard]] double shared(double low_m, double high_m) const {
    double product = 0.0, square = 0.0;
    for (std::size_t i = 1; i < size(); ++i) {
      if (frame[i] != frame[i - 1] || std::abs(clean_m[i] - clean_m[i - 1]) > kAlikePart * clean_m[i]) continue;
      const double middle = 0.5 * (low_m + high_m);
      const double a = std::clamp(error_m[i - 1], low_m, high_m) - middle,
                   b = std::clamp(error_m[i], low_m, high_m) - middle;
      product += a * b, square += 0.5 * (a * a + b * b);
    }
    return square > 0.0 ? product / square : 0.0;
  }
};

}  // namespace

std::string scene_note(const ChainReturns& returns, bool has_mixture) {
  const Outer outer = has_mixture ? kQuarter : kTenth;
  SceneErrors errors(returns);
  if (errors.size() < kLeastToJudge) return {};
  errors.take_line(quantile_of(errors.error_m, outer.share), quantile_of(errors.error_m, 1.0 - outer.share));
  const double low_m = quantile_of(errors.error_m, outer.share),
               high_m = quantile_of(errors.error_m, 1.0 - outer.share);
  const double spread_m = (high_m - low_m) / (2.0 * outer.deviations);
  const double part = spread_m / quantile_of(errors.clean_m, 0.5), shared = errors.shared(low_m, high_m);
  if (!(part > kMostScenePart && shared > kMostSharedError)) return {};
  return fmt::format(
      "readings deviate from the scene by {:.2g} m, {:.0f} % of the median range, and neighbours by much the same "
      "(correlation {:.2f}): the scene is of another place or size, lies elsewhere than poses say, or lacks what stood "
      "there; what is learned describes that, and not the sensor",
      spread_m, 100.0 * part, shared);
}

}  // namespace fathom
