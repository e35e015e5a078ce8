// SPDX-License-Identifier: MIT
#include "fit/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include <boost/math/tools/minima.hpp>

#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr int kMostSimplexSteps = 400, kMostNewtonSteps = 60, kMostTrials = 14;
constexpr double kSimplexGain = 1e-3;  // nats by which a step must still better things
constexpr double kLogOffset = 1e-6;    // so that 0 has a logarithm

/// A parameter as the simplex moves it: steps of all have equal weight.
struct SimplexScale {
  bool in_log;
  Interval limits;
  double unit;

  SimplexScale(const Interval& of, double step)
      : in_log(of.low >= 0.0), limits(of), unit(step > 0.0 ? step : 0.02 * std::min(of.high - of.low, 5.0)) {}
  [[nodiscard]] double of(double value) const {
    return in_log ? std::log(value - limits.low + kLogOffset) : value / unit;
  }
  [[nodiscard]] double value(double x) const {
    return std::clamp(in_log ? std::exp(x) - kLogOffset + limits.low : x * unit, limits.low, limits.high);
  }
};

class Simplex {
 public:
  Simplex(const Objective& objective, std::span<const double> start) : objective_(objective) {
    Eigen::VectorXd origin(start.size());
    for (std::size_t k = 0; k < start.size(); ++k) {
      scales_.emplace_back(objective.limits[k], objective.step.empty() ? 0.0 : objective.step[k]);
      origin[k] = scales_[k].of(start[k]);
    }
    corners_.push_back(corner_at(origin));
    for (std::size_t k = 0; k < start.size(); ++k) {
      Eigen::VectorXd moved = origin;
      moved[k] += scales_[k].in_log ? 0.7 : 1.0;
      corners_.push_back(corner_at(moved));
    }
  }

  std::vector<double> climb() {
    for (int step = 0; step < kMostSimplexSteps; ++step) {
      std::ranges::stable_sort(corners_, std::greater<>(), &Corner::value);
      if (corners_.front().value - corners_.back().value < kSimplexGain) break;
      move_worst();
    }
    return values_of(std::ranges::max_element(corners_, {}, &Corner::value)->at);
  }

 private:
  struct Corner {
    Eigen::VectorXd at;
    double value;
  };
  [[nodiscard]] std::vector<double> values_of(const Eigen::VectorXd& at) const {
    std::vector<double> values(scales_.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = scales_[k].value(at[k]);
    return values;
  }
  [[nodiscard]] Corner corner_at(const Eigen::VectorXd& at) const { return {at, objective_.total(values_of(at))}; }

  void move_worst() {
    const std::size_t n = scales_.size();
    Eigen::VectorXd middle = Eigen::VectorXd::Zero(n);  // of the better corners
    for (std::size_t c = 0; c < n; ++c) middle += corners_[c].at / static_cast<double>(n);
    Corner& worst = corners_.back();
    const auto along = [&](double share) { return corner_at(middle + share * (worst.at - middle)); };
    const Corner mirrored = along(-1.0);
    if (mirrored.value > corners_.front().value) {
      const Corner farther = along(-2.0);
      worst = farther.value > mirrored.value ? farther : mirrored;
    } else if (mirrored.value > corners_[n - 1].value) {
      worst = mirrored;
    } else if (const Corner nearer = along(mirrored.value > worst.value ? -0.5 : 0.5);
               nearer.value > std::max(mirrored.value, worst.value)) {
      worst = nearer;
    } else {
      for (std::size_t c = 1; c <= n; ++c) corners_[c] = corner_at(0.5 * (corners_[c].at + corners_[0].at));
    }
  }

  const Objective& objective_;
  std::vector<SimplexScale> scales_;
  std::vector<Corner> corners_;
};

}  // namespace

std::vector<double> search_coarsely(const Objective& objective, std::vector<double> start) {
  if (start.empty()) return start;
  // A second simplex about the first one's end: one alone may have gone flat on its way.
  return Simplex(objective, Simplex(objective, start).climb()).climb();
}

namespace {

/// Parameters stay that would leave their limits, or that change nothing.
Eigen::VectorXd damped_step(const Objective& objective, const Slope& slope, std::span<const double> at,
                            double damping) {
  std::vector<std::size_t> moving;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const Interval& limits = objective.limits[k];
    const bool leaves =
        (at[k] <= limits.low && slope.gradient[k] < 0.0) || (at[k] >= limits.high && slope.gradient[k] > 0.0);
    if (!leaves && slope.information(k, k) > 0.0) moving.push_back(k);
  }
  Eigen::MatrixXd damped = slope.information;
  damped.diagonal() *= 1.0 + damping;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(slope.gradient.size());
  if (const auto inverse = inverse_of(damped(moving, moving), 1e-14)) step(moving) = *inverse * slope.gradient(moving);
  return step;
}

/// Steps of the differences: a share of the standard error, or of the value.
void set_steps(const Slope& slope, std::span<const double> values, std::vector<double>& steps) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double error = 1.0 / std::sqrt(std::max(slope.information(k, k), 1e-12));
    steps[k] =
        std::max(std::min(0.1 * error, 0.1 * std::max(std::abs(values[k]), 1e-3)), 1e-6 * std::abs(values[k]) + 1e-9);
  }
}

}  // namespace

Maximum climb_newton(const Objective& objective, std::vector<double> start, double least_gain) {
  for (std::size_t k = 0; k < start.size(); ++k) start[k] = objective.nearest(k, start[k]);
  Maximum now = {start, objective.total(start)};
  std::vector<double> steps(start.size());
  for (std::size_t k = 0; k < start.size(); ++k) steps[k] = 1e-3 * std::max(std::abs(start[k]), 1e-3);
  double damping = 1e-3;
  for (int round = 0; round < kMostNewtonSteps; ++round) {
    const Slope slope = objective.slope(now.values, steps);
    bool moved = false;
    double gain = 0.0;
    for (int trial = 0; trial < kMostTrials && !moved; ++trial, damping *= 10.0) {
      const Eigen::VectorXd step = damped_step(objective, slope, now.values, damping);
      std::vector<double> values = now.values;
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = objective.inside(k, values[k] + step[k]);
      if (values == now.values) break;
      const double value = objective.total(values);
      gain = value - now.log_likelihood;
      moved = gain > 0.0;
      if (moved) now.values = std::move(values), now.log_likelihood = value, damping *= 0.01;
    }
    damping = std::clamp(damping, 1e-9, 1e6);
    set_steps(slope, now.values, steps);
    now.converged = !moved || gain < least_gain;
    if (now.converged) break;
  }
  return now;
}

namespace {

constexpr int kFirstPoints = 64, kCells = 64, kMostGrids = 40, kPlateauRounds = 4;
constexpr double kDepth = 25.0;      // nats below the peak that still count
constexpr double kAsGood = 2.0;      // nats
constexpr double kEqual = 1e-6;      // nats, of sums that differ by rounding
constexpr double kFloatStep = 2e-7;  // relative spacing of single floats

/// A likelihood along its one parameter.
struct JumpProfile {
  const Objective& objective;
  double low = objective.limits[0].low, high = objective.limits[0].high;

  double operator()(double value) const { return objective.total(std::span(&value, 1)); }
  [[nodiscard]] double inside(double value) const { return objective.inside(0, value); }
};

/// Values of the likelihood at ascending points.
struct JumpGrid {
  std::vector<double> at, value;
  std::size_t best = 0;

  JumpGrid(const JumpProfile& profile, std::span<const double> points) {
    for (const double x : points) {
      if (at.empty() || x > at.back()) at.push_back(x), value.push_back(profile(x));
    }
    best = static_cast<std::size_t>(std::ranges::max_element(value) - value.begin());
  }
  JumpGrid(const JumpProfile& profile, double low, double high, int cells)
      : JumpGrid(profile, equal_steps(profile, low, high, cells)) {}
  static std::vector<double> equal_steps(const JumpProfile& profile, double low, double high, int cells) {
    std::vector<double> points;
    for (int i = 0; i <= cells; ++i) points.push_back(profile.inside(low + (high - low) * i / cells));
    return points;
  }
  /// The points beside these ones, or at the ends.
  [[nodiscard]] std::pair<double, double> beside(std::size_t first, std::size_t last) const {
    return {at[first > 0 ? first - 1 : 0], at[std::min(last + 1, at.size() - 1)]};
  }
  [[nodiscard]] double top() const { return value[best]; }
  /// The first and the last point that are within kDepth of the top.
  [[nodiscard]] std::pair<std::size_t, std::size_t> extent() const {
    std::size_t first = best, last = best;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (value[i] > top() - kDepth) first = std::min(first, i), last = std::max(last, i);
    }
    return {first, last};
  }
};

/// Narrows or widens the interval until the part that counts fills half of it.
JumpGrid fitting_grid(const JumpProfile& profile, double low, double high) {
  JumpGrid grid(profile, low, high, kCells);
  for (int round = 0; round < kMostGrids; ++round) {
    const auto [first, last] = grid.extent();
    const double width = grid.at.back() - grid.at.front();
    const bool left = first == 0 && grid.at.front() > profile.low;
    const bool right = last + 1 == grid.at.size() && grid.at.back() < profile.high;
    auto [a, b] = grid.beside(first, last);
    if (left) a = profile.inside(grid.at.front() - 2.0 * width);
    if (right) b = profile.inside(grid.at.back() + 2.0 * width);
    const bool fills = !left && !right && b - a > 0.5 * width;
    if (fills || grid.at.size() < kCells / 2 || !(b > a)) break;
    grid = JumpGrid(profile, a, b, kCells);
  }
  return grid;
}

/// The highest likelihood within a cell of the grid's best point: the middle of its plateau there.
std::pair<double, double> summit(const JumpProfile& profile, const JumpGrid& grid) {
  auto [low, high] = grid.beside(grid.best, grid.best);
  double best = grid.at[grid.best], top = grid.top();
  for (int round = 0; round < kPlateauRounds; ++round) {
    const JumpGrid fine(profile, low, high, 16);
    std::size_t end = fine.best;
    while (end + 1 < fine.at.size() && fine.value[end + 1] >= fine.top()) ++end;
    if (fine.top() < top) break;
    best = fine.at[(fine.best + end) / 2], top = fine.top();
    std::tie(low, high) = fine.beside(fine.best, end);
    if (!(high - low > 8.0 * kFloatStep * std::abs(best))) break;
  }
  return {best, top};
}

double deviation_about(double center, const JumpGrid& grid) {
  double weights = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < grid.at.size(); ++i) {
    const double weight = std::exp(grid.value[i] - grid.top()), d = grid.at[i] - center;
    weights += weight, squares += weight * d * d;
  }
  // Nothing is known to less than a cell.
  const double cell = (grid.at.back() - grid.at.front()) / static_cast<double>(grid.at.size());
  return std::sqrt(squares / weights + cell * cell / 12.0);
}

/// The likeliest values about `center` that hold 95 % of the likelihood, taken as a density: of equal ones the nearest.
Interval likeliest(double center, const JumpGrid& grid) {
  const std::size_t count = grid.at.size();
  const auto edge = [&](std::size_t i) {  // between cells i - 1 and i, which lie about their points
    if (i == 0) return grid.at.front();
    return i < count ? 0.5 * (grid.at[i - 1] + grid.at[i]) : grid.at.back();
  };
  const auto density = [&](std::size_t i) { return std::exp(grid.value[i] - grid.top()); };
  double all = 0.0;
  for (std::size_t i = 0; i < count; ++i) all += density(i) * (edge(i + 1) - edge(i));
  const auto above = std::ranges::upper_bound(grid.at, center);
  auto first = static_cast<std::size_t>(above - grid.at.begin()), last = first;
  Interval out = {center, center};
  for (double left = 0.95 * all; left > 0.0 && (first > 0 || last < count);) {
    bool down = first > 0;
    if (down && last < count) {
      const double ahead = grid.value[first - 1] - grid.value[last];
      const bool are_equal = std::abs(ahead) < kEqual;
      down = are_equal ? center - edge(first) < edge(last) - center : ahead > 0.0;
    }
    const std::size_t cell = down ? first - 1 : last;
    const double width = edge(cell + 1) - edge(cell), part = std::min(width, left / density(cell));
    if (down) {
      out.low = std::min(out.low, edge(first) - part), --first;
    } else {
      out.high = std::max(out.high, edge(last) + part), ++last;
    }
    left -= width * density(cell);
  }
  return out;
}

JumpPeak peak_of(const JumpProfile& profile, const JumpGrid& grid, double start) {
  JumpPeak peak;
  std::tie(peak.value, peak.log_likelihood) = summit(profile, grid);
  const double there = profile(profile.inside(start));
  if (there >= peak.log_likelihood) peak.value = profile.inside(start), peak.log_likelihood = there;
  peak.deviation = deviation_about(peak.value, grid), peak.likeliest = likeliest(peak.value, grid);
  peak.is_unbounded = std::max(profile(profile.low), profile(profile.high)) > peak.log_likelihood - kAsGood;
  // The value stays as given where the data do not show a better one.
  if (peak.is_unbounded && there > peak.log_likelihood - kAsGood) {
    peak.value = profile.inside(start), peak.log_likelihood = there;
  }
  return peak;
}

}  // namespace

JumpPeak find_jump(const Objective& objective, double start) {
  const JumpProfile profile{objective};
  const double low = profile.low, high = profile.high;
  std::vector<double> points = {profile.inside(start)};
  for (int i = 0; i <= kFirstPoints; ++i) {
    const double share = static_cast<double>(i) / kFirstPoints;
    points.push_back(profile.inside(low + (high - low) * share));
    if (low > 0.0) points.push_back(profile.inside(low * std::pow(high / low, share)));
  }
  std::ranges::sort(points);
  const JumpGrid rough(profile, points);
  const auto [a, b] = rough.beside(rough.best, rough.best);
  return peak_of(profile, fitting_grid(profile, a, b), start);
}

JumpPeak refine_jump(const Objective& objective, double start, double reach) {
  const JumpProfile profile{objective};
  const double least = 64.0 * kFloatStep * std::max(std::abs(start), 1e-3), half = std::max(reach, least);
  return peak_of(profile, fitting_grid(profile, profile.inside(start - half), profile.inside(start + half)), start);
}

Peak highest(std::span<const double> points, const std::function<double(double)>& function) {
  constexpr double kMost = 1e300;  // no parabola goes through infinite values
  constexpr int kBits = 26;        // near a maximum more do not change the value
  std::vector<double> values;
  for (const double x : points) values.push_back(function(x));
  const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  const double low = points[best == 0 ? 0 : best - 1], high = points[std::min(best + 1, points.size() - 1)];
  std::uintmax_t evaluations = 100;
  const auto [x, fall] = boost::math::tools::brent_find_minima(
      [&](double at) { return -std::clamp(function(at), -kMost, kMost); }, low, high, kBits, evaluations);
  return -fall > values[best] ? Peak{x, -fall} : Peak{points[best], values[best]};
}

}  // namespace fathom
