// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>
#include <fathom/fit/fit.hpp>

#include "core/text.hpp"
#include "fit/beam/em.hpp"
#include "sensor/expected_range.hpp"

namespace fathom {

double ks_distance_uniform(std::span<double> u) {
  std::ranges::sort(u);
  const auto n = static_cast<double>(u.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, u[i] - rank / n, (rank + 1.0) / n - u[i]});
  }
  return distance;
}

namespace {

void check(const BeamData& data) {
  const std::size_t n = data.reading_m.size();
  if (data.expected_m.size() != n || data.scan.size() != n) {
    throw InputError(fmt::format("{} readings, {} expected ranges and {} scan numbers given", n, data.expected_m.size(),
                                 data.scan.size()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    check_expected(i, data.expected_m[i]);
    if (i > 0 && data.scan[i] < data.scan[i - 1]) {
      throw InputError(fmt::format("scan {} of pair {} comes after scan {}", data.scan[i], i, data.scan[i - 1]));
    }
  }
}

}  // namespace

void Evidence::add(const BeamData& data, const BeamSensor& sensor) {
  check(data);
  const auto limit = static_cast<float>(sensor.max_range_m);
  if (ranges() == 0) seen.reserve(data.reading_m.size());
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    if (i == 0 || data.scan[i] != data.scan[i - 1]) max_expected.push_back(0.0), max_missed.push_back(0.0);
    const ReadingKind kind = classify(data.reading_m[i], sensor);
    const bool is_missed = data.expected_m[i] >= limit;
    const float expected_m = std::min(data.expected_m[i], limit);
    ++kinds[static_cast<std::size_t>(kind)];
    if (kind == ReadingKind::kMax) {
      (is_missed ? max_missed : max_expected).back() += 1.0;
      (is_missed ? max_missed_total : max_expected_total) += 1.0;
      max_expected_m.push_back(expected_m);
    } else if (kind == ReadingKind::kRange) {
      (is_missed ? missed : seen).add(data.reading_m[i], expected_m, static_cast<std::uint32_t>(clusters() - 1));
    }
  }
}

void RangeReadings::put_behind_first(std::size_t stretch, double offset_m, Executor& executor) {
  constexpr std::size_t kStretchesAtOnce = 32;
  struct Reading {
    float z_m, expected_m;
    std::uint32_t cluster;
  };
  const auto put = [this](std::size_t at, const Reading& r) {
    z_m[at] = r.z_m, expected_m[at] = r.expected_m, cluster[at] = r.cluster;
  };
  const std::size_t stretches = (size() + stretch - 1) / stretch;
  executor.parallel_for(stretches, kStretchesAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<Reading> before(stretch);
    for (std::size_t s = first; s < last; ++s) {
      const std::size_t begin = s * stretch, end = std::min(size(), begin + stretch);
      std::size_t behind = begin, kept = 0;
      // Each reading is written to both places and one place moves on: a jump here would be a guess for each.
      for (std::size_t i = begin; i < end; ++i) {
        const Reading r = {z_m[i], expected_m[i], cluster[i]};
        const bool is_behind = r.z_m > r.expected_m + offset_m;
        put(behind, r);
        before[kept] = r;
        behind += is_behind ? 1 : 0;
        kept += is_behind ? 0 : 1;
      }
      for (std::size_t k = 0; k < kept; ++k) put(behind + k, before[k]);
    }
  });
}

namespace {

/// Where the cdf jumps (at Z, or at every reading of a sensor with a step), the transform may be any value in the jump.
/// The n-th reading takes the n-th value of the golden-ratio sequence, which fills jumps evenly without random numbers.
double spread_over_jump(const CdfJump& jump, std::size_t n) {
  const double turns = (static_cast<double>(n) + 0.5) * 0.61803398874989484820;
  return jump.after - (jump.after - jump.before) * (turns - std::floor(turns));
}

}  // namespace

BeamJudgement judge_beam_model(const BeamParameters& parameters, const BeamSensor& sensor, const BeamData& data,
                               std::size_t bins) {
  validate(parameters);
  validate(sensor);
  check_in_range("judge", "bins", static_cast<double>(bins), 1, 1e6, "1");
  if (data.reading_m.size() != data.expected_m.size()) {
    throw InputError(
        fmt::format("{} readings given for {} expected ranges", data.reading_m.size(), data.expected_m.size()));
  }
  BeamJudgement out;
  std::vector<double> pit;
  std::array<std::size_t, 3> seen = {};  // by ReadingKind
  const double log_step = sensor.step_m > 0.0 ? std::log(sensor.step_m) : 0.0;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const ReadingKind kind = classify(data.reading_m[i], sensor);
    if (kind == ReadingKind::kNone) continue;
    check_expected(i, data.expected_m[i]);
    const BeamDensity density(parameters, sensor, data.expected_m[i]);
    const double log_density = density.log_likelihood(data.reading_m[i]) - (kind == ReadingKind::kRange ? log_step : 0);
    out.log_likelihood += log_density;
    if (!std::isfinite(log_density)) ++out.impossible;
    ++out.pairs;
    pit.push_back(spread_over_jump(density.cdf_jump(data.reading_m[i]), seen[static_cast<std::size_t>(kind)]++));
  }
  if (out.pairs == 0) throw InputError("no reading carries evidence");
  out.nats_per_ray = out.log_likelihood / static_cast<double>(out.pairs);
  out.pit_histogram.resize(bins);
  for (const double u : pit) {
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(u * static_cast<double>(bins)));
    out.pit_histogram[bin] += 1.0 / static_cast<double>(pit.size());
  }
  out.ks_distance = ks_distance_uniform(pit);
  if (out.impossible > 0) {
    out.findings.push_back({Finding::Severity::kUnusable, "impossible",
                            fmt::format("{} of {} judged by {} impossible under the parameters: nats per ray are -inf",
                                        grouped(out.impossible), counted(out.pairs, "reading"), are(out.impossible))});
  }
  return out;
}

}  // namespace fathom
