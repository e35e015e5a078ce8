// SPDX-License-Identifier: MIT
#include "report/mixture_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fathom {

namespace {

constexpr std::size_t kModelledPairs = 2000;  // evenly chosen: enough for a picture, whatever the length of the log

void add_to_bin(const std::vector<double>& edges, double value, std::vector<double>& bins) {
  const auto upper = std::upper_bound(edges.begin(), edges.end(), value);
  if (upper == edges.begin() || upper == edges.end()) return;
  bins[static_cast<std::size_t>(upper - edges.begin()) - 1] += 1.0;
}

void scale(std::vector<double>& values, double factor) {
  for (double& value : values) value *= factor;
}

/// Adds what the components put into each bin; `origin_m` is where the bins count from.
void add_components(const FitReport& report, const BeamDensity& density, double origin_m, MixtureShares& shares) {
  const BeamParameters& p = report.fit.parameters;
  const double limit = report.model.sensor.max_range_m;
  double from_m = std::clamp(origin_m + shares.edges.front(), 0.0, limit);
  double hits = density.hit().cdf(from_m), shorts = density.shorts().cdf(from_m);
  for (std::size_t i = 0; i + 1 < shares.edges.size(); ++i) {
    const double to_m = std::clamp(origin_m + shares.edges[i + 1], 0.0, limit);
    const double more_hits = density.hit().cdf(to_m), more_shorts = density.shorts().cdf(to_m);
    shares.hit[i] += density.w_hit() * (more_hits - hits);
    shares.shorts[i] += p.w_short * (more_shorts - shorts);
    shares.rand[i] += p.w_rand * (to_m - from_m) / limit;
    from_m = to_m, hits = more_hits, shorts = more_shorts;
  }
  shares.max_expected += density.w_max();
}

/// `by_residual`: bins count from where hits are centred, else from the sensor.
MixtureShares make_shares(const FitReport& report, std::vector<double> edges, bool by_residual) {
  const BeamSensor& sensor = report.model.sensor;
  const BeamData& data = report.shown;
  MixtureShares shares;
  shares.readings.resize(edges.size() - 1);
  shares.hit = shares.shorts = shares.rand = shares.readings;
  shares.edges = std::move(edges);
  const std::size_t stride = std::max<std::size_t>(1, data.reading_m.size() / kModelledPairs);
  std::size_t modelled = 0;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const ReadingKind kind = classify(data.reading_m[i], sensor);
    if (kind == ReadingKind::kNone || (by_residual && reaches(data.expected_m[i], sensor.max_range_m))) continue;
    const bool is_modelled = shares.pairs % stride == 0;
    ++shares.pairs;
    const BeamDensity density(report.fit.parameters, sensor, data.expected_m[i]);
    const double origin_m = by_residual ? density.expected_m() : 0.0;
    if (kind == ReadingKind::kMax) {
      shares.max_readings += 1.0;
    } else {
      add_to_bin(shares.edges, data.reading_m[i] - origin_m, shares.readings);
    }
    if (!is_modelled) continue;
    ++modelled;
    add_components(report, density, origin_m, shares);
  }
  const double per_reading = 1.0 / static_cast<double>(std::max<std::size_t>(1, shares.pairs));
  const double per_modelled = 1.0 / static_cast<double>(std::max<std::size_t>(1, modelled));
  scale(shares.readings, per_reading);
  shares.max_readings *= per_reading;
  for (std::vector<double>* component : {&shares.hit, &shares.shorts, &shares.rand}) scale(*component, per_modelled);
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
