// SPDX-License-Identifier: MIT
#include "calibrate/wall_range_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fathom/math/f64.hpp>

#include "calibrate/chain_fit.hpp"
#include "calibrate/chain_split.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastTailJudges = 5;
constexpr double kNormalKurtosis = 3.0, kLeastExcess = 0.05, kExcessErrors = 4.0;
constexpr double kRounding = 1e-6;  // of a range
constexpr double kTellingErrors = 2.0, kTellingNats = 2.0, kStartNu = 5.0;

/// Errors by their deviation.
std::vector<double> units_of(const NoiseChain& chain, const ChainReturns& readings) {
  const double constant = chain.front().noise.number(DistanceNoise::kStddev),
               per_m = chain.front().noise.number(DistanceNoise::kStddevPerM);
  std::vector<double> units;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const double clean_m = double{readings.clean_range_m[i]};
    units.push_back((double{readings.range_m[i]} - clean_m) / (constant + per_m * clean_m));
  }
  return units;
}

/// By the root mean square of each ring: rings of several deviations together have heavy tails.
void even_out_rings(std::span<const std::uint16_t> ring, std::vector<double>& units) {
  std::map<std::uint16_t, std::pair<double, double>> sums;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto& [square, count] = sums[ring[i]];
    square += units[i] * units[i], count += 1.0;
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto& [square, count] = sums[ring[i]];
    if (square > 0.0) units[i] /= std::sqrt(square / count);
  }
}

/// Whether errors by their deviation have a larger fourth moment than normal ones.
bool are_heavy(const NoiseChain& chain, const ChainReturns& readings, bool of_rings) {
  const double nearest_m = double{*std::min_element(readings.clean_range_m.begin(), readings.clean_range_m.end())};
  const double deviation_m = chain.front().noise.number(DistanceNoise::kStddev) +
                             chain.front().noise.number(DistanceNoise::kStddevPerM) * nearest_m;
  if (!(deviation_m > kRounding * nearest_m)) return false;  // what single floats leave is no noise
  std::vector<double> units = units_of(chain, readings);
  if (of_rings) even_out_rings(readings.ring, units);
  double second = 0.0, fourth = 0.0;
  for (const double unit : units) second += unit * unit, fourth += unit * unit * unit * unit;
  const auto n = static_cast<double>(readings.size());
  const double excess = n * fourth / (second * second) - kNormalKurtosis;
  return excess > std::max(kLeastExcess, kExcessErrors * std::sqrt(24.0 / n));
}

struct TriedRange {
  WallLossLaw law;
  NoiseChain chain;
  std::vector<FrameScore> judged;
  double penalised = 0.0;
};

TriedRange try_range(std::string name, const NoiseChain& chain, const std::vector<std::string>& free,
                     const ChainReturns& readings, const ChainReturns& judges, const WallOptions& options) {
  const std::vector<ChainParameter> parameters = chain_parameters(chain, free);
  const ChainFit fit =
      fit_chain_laws(chain, parameters, readings,
                     {.hold_out = options.hold_out, .block_frames = options.block_frames, .threads = options.threads},
                     {.of_intervals = false});
  TriedRange tried{.law = {.name = std::move(name), .parameters = parameters.size()}, .chain = fit.chain, .judged = {}};
  const auto returns = static_cast<double>(fit.returns);
  tried.penalised = fit.log_likelihood - 0.5 * static_cast<double>(parameters.size()) * math::log(returns);
  tried.law.nats = fit.log_likelihood / returns, tried.law.gain_error = kNoNumber;
  if (judges.size() == 0) return tried;
  tried.judged = score_frames(fit.chain, judges, options.threads);
  tried.law.nats = mean_score(tried.judged).nats;
  return tried;
}

bool is_told(const TriedRange& student, const TriedRange& distance, std::size_t judged) {
  if (student.judged.size() < kLeastTailJudges) return student.penalised > distance.penalised;
  const MeanScore gain = score_difference(student.judged, distance.judged);
  const auto n = static_cast<double>(judged);
  return gain.nats > kTellingErrors * gain.std_error && gain.nats * n > 0.5 * math::log(n) + kTellingNats;
}

}  // namespace

WallRangeLaw choose_range_law(const NoiseChain& chain, const std::vector<std::string>& free,
                              const ChainReturns& readings, const WallOptions& options) {
  WallRangeLaw chosen{.chain = chain, .free = free, .tried = {}};
  if (!are_heavy(chain, readings, options.rings)) return chosen;
  const ChainReturns judges = returns_at(readings, split_frames(readings, {.hold_out = options.hold_out}).judge);
  NoiseChain heavy = chain;
  const double shrink = std::sqrt((kStartNu - 2.0) / kStartNu);
  heavy.front() =
      StudentNoise{.scale_m = static_cast<float>(shrink * chain.front().noise.number(DistanceNoise::kStddev)),
                   .scale_per_m = static_cast<float>(shrink * chain.front().noise.number(DistanceNoise::kStddevPerM)),
                   .nu = static_cast<float>(kStartNu)};
  std::vector<std::string> of_heavy = {"student.scale_m", "student.nu"};
  if (free.size() > 1) of_heavy.insert(of_heavy.begin() + 1, "student.scale_per_m");
  TriedRange distance = try_range("distance", chain, free, readings, judges, options),
             student = try_range("student", heavy, of_heavy, readings, judges, options);
  student.law.gain = student.law.nats - distance.law.nats;
  if (student.judged.size() >= kLeastTailJudges) {
    student.law.gain_error = score_difference(student.judged, distance.judged).std_error;
  }
  const bool is_student = is_told(student, distance, judges.size());
  (is_student ? student : distance).law.is_chosen = true;
  if (is_student) chosen.chain = std::move(student.chain), chosen.free = std::move(of_heavy);
  chosen.tried = {std::move(distance.law), std::move(student.law)};
  return chosen;
}

}  // namespace fathom
