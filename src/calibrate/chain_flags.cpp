// SPDX-License-Identifier: MIT
#include "calibrate/chain_flags.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "calibrate/turned_rays.hpp"

namespace fathom {

namespace {

constexpr std::size_t kFewClusters = 20;
constexpr double kStrongCorrelation = 0.99;

/// Flags of parameters: what is said of several rings alike is one line.
class ParameterFlags {
 public:
  void add(const std::string& name, std::string_view text) { add_line({name}, text); }
  void add(const std::string& first, const std::string& second, std::string_view text) {
    add_line({first, second}, text);
  }
  void move_to(std::vector<std::string>& flags) const {
    for (const Line& line : lines_) {
      flags.push_back(line.rings == 1 ? line.only : fmt::format("{} ({} rings)", line.of_all, line.rings));
    }
  }

 private:
  struct Line {
    std::string of_all, only;
    std::size_t rings;
  };
  /// "gain_bias.rings.*.gain"
  static std::string of_any_ring(const std::string& name) {
    constexpr std::string_view kRings = ".rings.";
    const std::size_t at = name.find(kRings);
    if (at == std::string::npos) return name;
    const std::size_t number = at + kRings.size();
    return name.substr(0, number) + "*" + name.substr(name.find('.', number));
  }
  void add_line(const std::vector<std::string>& names, std::string_view text) {
    std::vector<std::string> of_all;
    std::transform(names.begin(), names.end(), std::back_inserter(of_all), of_any_ring);
    const std::string line = fmt::format("{} {}", fmt::join(of_all, " and "), text);
    const auto same = std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.of_all == line; });
    if (same != lines_.end()) {
      ++same->rings;
    } else {
      lines_.push_back({line, fmt::format("{} {}", fmt::join(names, " and "), text), 1});
    }
  }
  std::vector<Line> lines_;
};

void add_parameter_flags(ChainFit& fit, std::span<const FreeNumber> numbers, bool knows_points) {
  ParameterFlags flags;
  const std::size_t n = fit.parameters.size();
  for (std::size_t k = 0; k < n; ++k) {
    const LearnedParameter& p = fit.parameters[k];
    if (p.is_at_limit) flags.add(p.name, fmt::format("is at its limit {:g}", p.value));
    if (!p.is_unidentified) continue;
    if (!knows_points && fit.chain[numbers[k].entry].noise.stage() == Stage::kHitPoint) {
      flags.add(p.name,
                "cannot be told from ranges, which it keeps: it stays as given; give points (clouds, or the channel "
                "hit_sensor of a run)");
      continue;
    }
    if (numbers[k].role == LearnedRole::kLevels) {
      flags.add(p.name, "cannot be told: measured disparities have no common step");
      continue;
    }
    if (std::isnan(p.std_error) && p.value != p.start) {
      const bool is_more = p.value > p.start;
      flags.add(p.name, fmt::format("is at {} about {:.4g} by these returns, which do not tell how much {}",
                                    is_more ? "least" : "most", p.value, is_more ? "more" : "less"));
      continue;
    }
    flags.add(p.name,
              std::isnan(p.std_error)
                  ? "cannot be told from these returns, and stays as given: others do the same, or it does nothing here"
                  : "cannot be told from 0: its error exceeds its value");
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double c = fit.correlations[j * n + k];
      if (!(std::abs(c) > kStrongCorrelation)) continue;
      flags.add(fit.parameters[k].name, fit.parameters[j].name,
                fmt::format("are hard to tell apart: their errors have the correlation {:.2f}", c));
    }
  }
  flags.move_to(fit.flags);
}

/// Says where the learned angle leaves the nodes, or is too small for them to show it.
void add_angle_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const TurnedRays& rays) {
  constexpr double kLeastReach = 3.0;  // deviations about the mean that nodes should span
  const std::optional<AxisTurn> turn = rays.is_known() ? ray_turn(fit.chain) : std::nullopt;
  if (!turn) return;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const LearnedParameter& p = fit.parameters[k];
    const bool is_deviation =
        numbers[k].role == LearnedRole::kDeviation && turns_rays(fit.chain[numbers[k].entry].noise);
    if (!p.is_at_limit || !is_deviation || numbers.size() == 1) continue;
    fit.flags.push_back(fmt::format(
        "{} ended at its limit: what else widens the error of ranges may have taken up what it does, and the "
        "errors of the others are those for this value",
        p.name));
  }
  const auto turning =
      std::find_if(fit.chain.begin(), fit.chain.end(), [](const ChainEntry& entry) { return turns_rays(entry.noise); });
  const std::string about = fmt::format("{} about {}", turning->noise.slug(), axis_word(turn->axis));
  const double low = rays.angle_rad.front(), high = rays.angle_rad.back(), step = step_in_middle(rays.angle_rad);
  const double reach = kLeastReach * turn->stddev_rad;
  if (turn->mean_rad - reach < low || turn->mean_rad + reach > high) {
    fit.flags.push_back(
        fmt::format("{}: {:.3g} +- {:.3g} rad reaches beyond the angles that were cast, {:.3g} to {:.3g} rad: learn "
                    "again from there, or with a larger scale of angles",
                    about, turn->mean_rad, turn->stddev_rad, low, high));
  } else if (turn->stddev_rad > 0.0 && turn->stddev_rad < step) {
    fit.flags.push_back(
        fmt::format("{}: its deviation of {:.3g} rad is small against the {:.3g} rad between angles that were cast: "
                    "learned again from there, its error is smaller",
                    about, turn->stddev_rad, step));
  }
}

}  // namespace

void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns& returns) {
  add_parameter_flags(fit, numbers, returns.hits.is_known());
  if (fit.clusters < kFewClusters) {
    fit.flags.push_back(
        fmt::format("errors rest on {} independent {}: below {} they are uncertain themselves", fit.clusters,
                    fit.stretches > 0 ? "stretches of the way" : "frames (or blocks of frames)", kFewClusters));
  }
  for (const ChainEntry& entry : fit.chain) {
    if (!(entry.correlation.time_s > 0.0)) continue;
    fit.flags.push_back(fmt::format(
        "the draws of {} are alike in {} frames: errors are larger than shown, unless frames are taken in blocks",
        entry.noise.slug(), std::isfinite(entry.correlation.time_s) ? "neighbouring" : "all"));
  }
  add_angle_flags(fit, numbers, returns.turned);
}

namespace {

constexpr double kMostScenePart = 0.06, kMostSharedError = 0.5;
/// The share of readings that do not count on either side, and the deviations of a normal beyond which that share lies.
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

  /// Takes bias and gain out, by least squares over the errors between the two limits.
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
