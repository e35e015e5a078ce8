// SPDX-License-Identifier: MIT
#include "live/error_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace fathom {

namespace {

constexpr std::size_t kBins = 60;
constexpr double kTail = 1e-3;           // share of the errors beyond each end
constexpr double kLeastHalfM = 1e-4;     // of a histogram
constexpr std::size_t kRangeBins = 200;  // into which ranges are sorted: a deviation changes little within one

/// The error of returns of one range: normal(mean, deviation) plus uniform[low, high).
struct ErrorLaw {
  double mean_m = 0, deviation_m = 0, low_m = 0, high_m = 0;
  bool has_uniform = false;
};

/// Adds a model that acts on ranges; false where the sum is none of this form.
bool add_model(const Noise& noise, double range_m, ErrorLaw& law) {
  const auto value = [&](std::string_view name) { return noise.number(name); };
  const bool is_random = law.deviation_m > 0 || law.has_uniform;
  const double there_m = range_m + law.mean_m;
  if (noise.slug() == DistanceNoise::kSlug) {
    const double per_m = value(DistanceNoise::kStddevPerM);
    if (is_random && per_m != 0) return false;
    law.deviation_m = std::hypot(law.deviation_m, value(DistanceNoise::kStddev) + there_m * per_m);
    law.mean_m += value("mean_m");
    return true;
  }
  if (noise.slug() == GainBias::kSlug) {
    const double gain = value("gain");
    law.mean_m += gain * there_m + value("bias_m");
    law.deviation_m *= 1 + gain, law.low_m *= 1 + gain, law.high_m *= 1 + gain;
    return true;
  }
  if (noise.slug() == UniformNoise::kSlug && !law.has_uniform) {
    law.has_uniform = true;
    law.low_m = std::min(value("low_m"), value("high_m")), law.high_m = std::max(value("low_m"), value("high_m"));
    return true;
  }
  return false;
}

std::optional<ErrorLaw> law_of(const NoiseChain& chain, double range_m) {
  constexpr std::array kHarmless = {Stage::kAngleLoss, Stage::kShadow,   Stage::kEnergyLoss,
                                    Stage::kEdgeLoss,  Stage::kHitPoint, Stage::kDropout};
  ErrorLaw law;
  for (const ChainEntry& entry : chain) {
    const Noise& noise = entry.noise;
    if (std::find(kHarmless.begin(), kHarmless.end(), noise.stage()) != kHarmless.end()) continue;
    if (!entry.by_entity.empty() || !entry.by_ring.empty()) return std::nullopt;
    if (noise.is_identity()) continue;
    if (noise.stage() != Stage::kRange || !add_model(noise, range_m, law)) return std::nullopt;
  }
  const bool has_density = law.deviation_m > 0 || (law.has_uniform && law.high_m > law.low_m);
  return has_density ? std::optional(law) : std::nullopt;
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double density_at(const ErrorLaw& law, double error_m) {
  const double above_m = error_m - law.mean_m;
  const double width_m = law.high_m - law.low_m;
  if (!(width_m > 0)) {
    const double z = (above_m - law.low_m) / law.deviation_m;
    return std::exp(-0.5 * z * z) / (law.deviation_m * std::sqrt(2 * std::numbers::pi));
  }
  if (!(law.deviation_m > 0)) return above_m >= law.low_m && above_m < law.high_m ? 1 / width_m : 0;
  return (normal_cdf((above_m - law.low_m) / law.deviation_m) - normal_cdf((above_m - law.high_m) / law.deviation_m)) /
         width_m;
}

}  // namespace

ErrorHistogram make_error_histogram(std::vector<float> errors_m) {
  ErrorHistogram histogram;
  double low = -kLeastHalfM, high = kLeastHalfM;
  if (!errors_m.empty()) {
    const auto tail = static_cast<std::ptrdiff_t>(kTail * static_cast<double>(errors_m.size()));
    const auto first = errors_m.begin() + tail, last = errors_m.end() - 1 - tail;
    std::nth_element(errors_m.begin(), first, errors_m.end());
    low = std::min(low, double{*first});
    std::nth_element(errors_m.begin(), last, errors_m.end());
    high = std::max(high, double{*last});
  }
  const double width = (high - low) / static_cast<double>(kBins);
  for (std::size_t i = 0; i <= kBins; ++i) histogram.edges_m.push_back(low + width * static_cast<double>(i));
  histogram.counts.resize(kBins);
  for (const float error : errors_m) {
    const double bin = std::floor((double{error} - low) / width);
    if (bin >= 0 && bin < static_cast<double>(kBins)) ++histogram.counts[static_cast<std::size_t>(bin)];
  }
  return histogram;
}

std::optional<std::vector<double>> error_density(const NoiseChain& chain, std::span<const float> clean_ranges_m,
                                                 std::span<const double> errors_m) {
  if (clean_ranges_m.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(clean_ranges_m.begin(), clean_ranges_m.end());
  const double least = *low, width = std::max(double{*high} - least, 1e-9) / static_cast<double>(kRangeBins);
  std::array<double, kRangeBins> shares = {};
  for (const float range : clean_ranges_m) {
    const auto bin = static_cast<std::size_t>((double{range} - least) / width);
    shares[std::min(bin, kRangeBins - 1)] += 1.0 / static_cast<double>(clean_ranges_m.size());
  }
  std::vector<double> density(errors_m.size());
  for (std::size_t bin = 0; bin < kRangeBins; ++bin) {
    if (shares[bin] == 0) continue;
    const auto law = law_of(chain, least + width * (static_cast<double>(bin) + 0.5));
    if (!law) return std::nullopt;
    for (std::size_t i = 0; i < errors_m.size(); ++i) density[i] += shares[bin] * density_at(*law, errors_m[i]);
  }
  return density;
}

}  // namespace fathom
