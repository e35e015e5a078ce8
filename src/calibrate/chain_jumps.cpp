// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/chain_fit.hpp"

namespace fathom {

namespace {

constexpr int kFirstPoints = 64, kCells = 64, kMostGrids = 40, kPlateauRounds = 4;
constexpr double kDepth = 25.0;      // nats below the peak that still count
constexpr double kAsGood = 2.0;      // nats
constexpr double kAlike = 1e-6;      // nats, of sums that differ by rounding
constexpr double kFloatStep = 2e-7;  // relative spacing of single floats

/// A likelihood along its one parameter.
struct JumpProfile {
  const ChainLikelihood& likelihood;
  double low = likelihood.free(0).low, high = likelihood.free(0).high;

  double operator()(double value) const { return likelihood.total(std::span(&value, 1)); }
  [[nodiscard]] double inside(double value) const { return as_float(std::clamp(value, low, high)); }
};

/// Values of the likelihood at ascending points.
struct Grid {
  std::vector<double> at, value;
  std::size_t best = 0;

  Grid(const JumpProfile& profile, std::span<const double> points) {
    for (const double x : points) {
      if (at.empty() || x > at.back()) at.push_back(x), value.push_back(profile(x));
    }
    best = static_cast<std::size_t>(std::max_element(value.begin(), value.end()) - value.begin());
  }
  Grid(const JumpProfile& profile, double low, double high, int cells)
      : Grid(profile, equal_steps(profile, low, high, cells)) {}
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

/// Narrows or widens the interval until what counts fills a good part of it.
Grid fitting_grid(const JumpProfile& profile, double low, double high) {
  Grid grid(profile, low, high, kCells);
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
    grid = Grid(profile, a, b, kCells);
  }
  return grid;
}

/// The middle of the highest plateau near the grid's best point.
std::pair<double, double> summit(const JumpProfile& profile, const Grid& grid) {
  auto [low, high] = grid.beside(grid.best, grid.best);
  double best = grid.at[grid.best], top = grid.top();
  for (int round = 0; round < kPlateauRounds; ++round) {
    const Grid fine(profile, low, high, 16);
    std::size_t end = fine.best;
    while (end + 1 < fine.at.size() && fine.value[end + 1] >= fine.top()) ++end;
    if (fine.top() < top) break;
    best = fine.at[(fine.best + end) / 2], top = fine.top();
    std::tie(low, high) = fine.beside(fine.best, end);
    if (!(high - low > 8.0 * kFloatStep * std::abs(best))) break;
  }
  return {best, top};
}

double deviation_about(double center, const Grid& grid) {
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
Interval likeliest(double center, const Grid& grid) {
  const std::size_t count = grid.at.size();
  const auto edge = [&](std::size_t i) {  // between cells i - 1 and i, which lie about their points
    if (i == 0) return grid.at.front();
    return i < count ? 0.5 * (grid.at[i - 1] + grid.at[i]) : grid.at.back();
  };
  const auto density = [&](std::size_t i) { return std::exp(grid.value[i] - grid.top()); };
  double all = 0.0;
  for (std::size_t i = 0; i < count; ++i) all += density(i) * (edge(i + 1) - edge(i));
  const auto above = std::upper_bound(grid.at.begin(), grid.at.end(), center);
  auto first = static_cast<std::size_t>(above - grid.at.begin()), last = first;
  Interval out = {center, center};
  for (double left = 0.95 * all; left > 0.0 && (first > 0 || last < count);) {
    bool down = first > 0;
    if (down && last < count) {
      const double ahead = grid.value[first - 1] - grid.value[last];
      const bool are_alike = std::abs(ahead) < kAlike;
      down = are_alike ? center - edge(first) < edge(last) - center : ahead > 0.0;
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

JumpPeak peak_of(const JumpProfile& profile, const Grid& grid, double start) {
  JumpPeak peak;
  std::tie(peak.value, peak.log_likelihood) = summit(profile, grid);
  const double there = profile(profile.inside(start));
  if (there >= peak.log_likelihood) peak.value = profile.inside(start), peak.log_likelihood = there;
  peak.deviation = deviation_about(peak.value, grid), peak.likeliest = likeliest(peak.value, grid);
  peak.is_unbounded = std::max(profile(profile.low), profile(profile.high)) > peak.log_likelihood - kAsGood;
  // The value stays as given where the returns do not tell more.
  if (peak.is_unbounded && there > peak.log_likelihood - kAsGood) {
    peak.value = profile.inside(start), peak.log_likelihood = there;
  }
  return peak;
}

/// The first model of ranges that has another value than 0 in a parameter of one of these roles, or will have; or
/// null.
const Noise* first_with(const NoiseChain& chain, std::span<const FreeNumber> free, std::array<LearnedRole, 2> roles) {
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    const Noise& noise = chain[entry].noise;
    if (noise.stage() != Stage::kRange) continue;
    for (const LearnedField& field : noise.learned()) {
      if (field.role != roles[0] && field.role != roles[1]) continue;
      const bool is_free = std::any_of(free.begin(), free.end(),
                                       [&](const FreeNumber& p) { return p.entry == entry && p.field == field.field; });
      if (is_free || noise.number(field.field) != 0.0 || !chain[entry].by_ring.empty()) return &noise;
    }
  }
  return nullptr;
}

/// The model whose errors have ends that no other error blurs; or null.
const Noise* find_sharp_ends(const NoiseChain& chain, std::span<const FreeNumber> free) {
  const bool is_blurred = first_with(chain, free, {LearnedRole::kDeviation, LearnedRole::kGrowth}) != nullptr;
  return is_blurred ? nullptr : first_with(chain, free, {LearnedRole::kLowEnd, LearnedRole::kHighEnd});
}

/// The model with its free parameters off their limits, where they will be.
Noise off_limits(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter) {
  const Noise& noise = chain[parameter.entry].noise;
  std::vector<NamedNumber> inner;
  for (const FreeNumber& p : free) {
    const bool is_other = p.entry == parameter.entry && !p.is_same_field(parameter);
    if (is_other && noise.number(p.field) <= p.low) inner.push_back({p.field, 0.5 * (p.low + p.high)});
  }
  return noise.with(inner, true);
}

}  // namespace

const Noise* moved_sharp_ends(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter) {
  const bool is_of_ranges = chain[parameter.entry].noise.stage() == Stage::kRange;
  return is_of_ranges && parameter.role == LearnedRole::kStretch ? find_sharp_ends(chain, free) : nullptr;
}

bool is_jump(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter) {
  switch (parameter.role) {
    case LearnedRole::kThreshold:
      return off_limits(chain, free, parameter).jumps(parameter.field);
    case LearnedRole::kLowEnd:
    case LearnedRole::kHighEnd:
    case LearnedRole::kShift:
      return chain[parameter.entry].noise.stage() == Stage::kRange && find_sharp_ends(chain, free) != nullptr;
    default:
      return false;
  }
}

JumpPeak find_jump(const ChainLikelihood& likelihood, double start) {
  const JumpProfile profile{likelihood};
  const double low = profile.low, high = profile.high;
  std::vector<double> points = {profile.inside(start)};
  for (int i = 0; i <= kFirstPoints; ++i) {
    const double share = static_cast<double>(i) / kFirstPoints;
    points.push_back(profile.inside(low + (high - low) * share));
    if (low > 0.0) points.push_back(profile.inside(low * std::pow(high / low, share)));
  }
  std::sort(points.begin(), points.end());
  const Grid rough(profile, points);
  const auto [a, b] = rough.beside(rough.best, rough.best);
  return peak_of(profile, fitting_grid(profile, a, b), start);
}

JumpPeak refine_jump(const ChainLikelihood& likelihood, double start, double reach) {
  const JumpProfile profile{likelihood};
  const double least = 64.0 * kFloatStep * std::max(std::abs(start), 1e-3), half = std::max(reach, least);
  return peak_of(profile, fitting_grid(profile, profile.inside(start - half), profile.inside(start + half)), start);
}

}  // namespace fathom
