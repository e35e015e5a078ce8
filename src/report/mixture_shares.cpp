// SPDX-License-Identifier: MIT
#include "report/mixture_shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fathom/beam/sample.hpp>
#include <fathom/math/random.hpp>

namespace fathom {

namespace {

constexpr double kAll = 1.0 - 1e-15;            // nothing lies beyond: half of all cdfs need not be worked out
constexpr std::size_t kModelledPairs = 16'384;  // a bar of the model errs by 0.4 % of all readings at most, mostly less

MixtureBin& bin_at(MixtureShares& shares, double value) {
  const auto upper = std::upper_bound(shares.edges.begin(), shares.edges.end(), value);
  if (upper == shares.edges.begin()) return shares.below;
  if (upper == shares.edges.end()) return shares.beyond;
  return shares.bins[static_cast<std::size_t>(upper - shares.edges.begin()) - 1];
}

/// Adds up what the components put between one edge and the next, for one pair.
class ComponentCounter {
 public:
  ComponentCounter(const FitReport& report, const BeamDensity& density)
      : density_(density), p_(report.fit.parameters), limit_m_(report.model.sensor.max_range_m) {}

  /// What lies between the last edge, at first 0, and this one.
  void add_up_to(double edge_m, MixtureBin& bin) {
    const double to_m = std::clamp(edge_m, from_m_, limit_m_);
    if (!(to_m > from_m_)) return;
    const double hits = hits_ < kAll ? density_.hit().cdf(to_m) : hits_;
    const double shorts = shorts_ < kAll ? density_.shorts().cdf(to_m) : shorts_;
    bin.hit += density_.w_hit() * (hits - hits_);
    bin.shorts += p_.w_short * (shorts - shorts_);
    bin.rand += p_.w_rand * (to_m - from_m_) / limit_m_;
    from_m_ = to_m, hits_ = hits, shorts_ = shorts;
  }

 private:
  const BeamDensity& density_;
  const BeamParameters& p_;
  double limit_m_, from_m_ = 0.0, hits_ = 0.0, shorts_ = 0.0;
};

/// `origin_m`: where the edges count from.
void add_components(const FitReport& report, const BeamDensity& density, double origin_m, MixtureShares& shares) {
  ComponentCounter counter(report, density);
  counter.add_up_to(origin_m + shares.edges.front(), shares.below);
  for (std::size_t i = 0; i < shares.bins.size(); ++i) {
    counter.add_up_to(origin_m + shares.edges[i + 1], shares.bins[i]);
  }
  counter.add_up_to(report.model.sensor.max_range_m, shares.beyond);
  shares.max_expected += density.w_max();
}

/// Which of `pairs` pairs stand for all, ascending: all, or one at random of every stretch of equal length. Pairs come
/// beam by beam and scan by scan, so that every k-th of them may be of one beam only.
std::vector<std::size_t> draw_pairs(std::size_t pairs) {
  std::vector<std::size_t> drawn(std::min(pairs, kModelledPairs));
  const NoiseKey key = {0, 0, make_stream("report", 0, "mixture_shares")};
  const double stretch = static_cast<double>(pairs) / static_cast<double>(std::max<std::size_t>(1, drawn.size()));
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const PhiloxBlock block = keyed_block(key, static_cast<std::uint32_t>(k), 0);
    const double u = pairs > kModelledPairs ? open_uniform(block.word[0], block.word[1]) : 0.5;
    drawn[k] = std::min(pairs - 1, static_cast<std::size_t>((static_cast<double>(k) + u) * stretch));
  }
  return drawn;
}

/// `by_residual`: bins count from where hits are centred, else from the sensor.
MixtureShares make_shares(const FitReport& report, std::vector<double> edges, bool by_residual) {
  const BeamSensor& sensor = report.model.sensor;
  const BeamData& data = report.shown;
  const auto counts = [&](std::size_t i) {
    return classify(data.reading_m[i], sensor) != ReadingKind::kNone &&
           !(by_residual && reaches(data.expected_m[i], sensor.max_range_m));
  };
  MixtureShares shares;
  shares.bins.resize(edges.size() - 1);
  shares.edges = std::move(edges);
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) shares.pairs += counts(i) ? 1 : 0;
  const std::vector<std::size_t> drawn = draw_pairs(shares.pairs);
  shares.modelled = drawn.size();
  const double per_reading = 1.0 / static_cast<double>(std::max<std::size_t>(1, shares.pairs));
  auto next = drawn.begin();
  for (std::size_t i = 0, pair = 0; i < data.reading_m.size(); ++i) {
    if (!counts(i)) continue;
    const BeamDensity density(report.fit.parameters, sensor, data.expected_m[i]);
    const double origin_m = by_residual ? density.expected_m() : 0.0;
    const bool is_max = classify(data.reading_m[i], sensor) == ReadingKind::kMax;
    (is_max ? shares.max_readings : bin_at(shares, data.reading_m[i] - origin_m).readings) += per_reading;
    for (; next != drawn.end() && *next == pair; ++next) add_components(report, density, origin_m, shares);
    ++pair;
  }
  const double per_modelled = 1.0 / static_cast<double>(std::max<std::size_t>(1, shares.modelled));
  const auto scale = [per_modelled](MixtureBin& bin) {
    for (double* component : {&bin.hit, &bin.shorts, &bin.rand}) *component *= per_modelled;
  };
  std::for_each(shares.bins.begin(), shares.bins.end(), scale);
  scale(shares.below), scale(shares.beyond);
  shares.max_expected *= per_modelled;
  return shares;
}

}  // namespace

std::vector<double> even_edges(double low, double high, std::size_t bins) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    edges.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(bins));
  }
  return edges;
}

MixtureShares shares_by_range(const FitReport& report, std::vector<double> edges) {
  return make_shares(report, std::move(edges), false);
}

MixtureShares shares_by_residual(const FitReport& report, std::vector<double> edges) {
  return make_shares(report, std::move(edges), true);
}

double quantile_of(std::vector<float>& values, double q) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(std::floor(q * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace fathom
