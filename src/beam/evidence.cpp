// SPDX-License-Identifier: MIT
#include "beam/evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>
#include <fathom/beam/fit.hpp>

#include "base/counts.hpp"

namespace fathom {

double ks_distance_uniform(std::span<double> u) {
  std::sort(u.begin(), u.end());
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
    if (!(data.expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, data.expected_m[i]));
    }
    if (i > 0 && data.scan[i] < data.scan[i - 1]) {
      throw InputError(fmt::format("scan {} of pair {} comes after scan {}", data.scan[i], i, data.scan[i - 1]));
    }
  }
}

}  // namespace

Evidence make_evidence(const BeamData& data, const BeamSensor& sensor) {
  check(data);
  Evidence e;
  e.z_m.reserve(data.reading_m.size());
  e.expected_m.reserve(data.reading_m.size());
  e.cluster.reserve(data.reading_m.size());
  const auto limit = static_cast<float>(sensor.max_range_m);
  for (const bool missed : {true, false}) {
    std::uint32_t cluster = 0;
    for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
      if (i > 0 && data.scan[i] != data.scan[i - 1]) ++cluster;
      if (e.max_expected.size() <= cluster) e.max_expected.resize(cluster + 1), e.max_missed.resize(cluster + 1);
      const ReadingKind kind = classify(data.reading_m[i], sensor);
      if ((data.expected_m[i] >= limit) != missed) continue;
      ++e.kinds[static_cast<std::size_t>(kind)];
      if (kind == ReadingKind::kMax) {
        (missed ? e.max_missed : e.max_expected)[cluster] += 1.0;
        (missed ? e.max_missed_total : e.max_expected_total) += 1.0;
        e.max_expected_m.push_back(std::min(data.expected_m[i], limit));
      } else if (kind == ReadingKind::kRange) {
        e.z_m.push_back(data.reading_m[i]);
        e.expected_m.push_back(std::min(data.expected_m[i], limit));
        e.cluster.push_back(cluster);
      }
    }
    if (missed) e.missed = e.ranges();
  }
  return e;
}

void put_behind_first(Evidence& e, std::size_t stretch, double offset_m, Executor& executor) {
  constexpr std::size_t kStretchesAtOnce = 32;
  struct Reading {
    float z_m, expected_m;
    std::uint32_t cluster;
  };
  const std::size_t stretches = (e.ranges() - e.missed + stretch - 1) / stretch;
  executor.parallel_for(stretches, kStretchesAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<Reading> before(stretch);
    for (std::size_t s = first; s < last; ++s) {
      const std::size_t begin = e.missed + s * stretch, end = std::min(e.ranges(), begin + stretch);
      std::size_t behind = begin, kept = 0;
      // Each reading is written to both places and one place moves on: a jump here would be a guess for each.
      for (std::size_t i = begin; i < end; ++i) {
        const Reading r = {e.z_m[i], e.expected_m[i], e.cluster[i]};
        const bool is_behind = r.z_m > r.expected_m + offset_m;
        e.z_m[behind] = r.z_m, e.expected_m[behind] = r.expected_m, e.cluster[behind] = r.cluster;
        before[kept] = r;
        behind += is_behind ? 1 : 0;
        kept += is_behind ? 0 : 1;
      }
      for (std::size_t k = 0; k < kept; ++k) {
        e.z_m[behind + k] = before[k].z_m;
        e.expected_m[behind + k] = before[k].expected_m;
        e.cluster[behind + k] = before[k].cluster;
      }
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
    if (!(data.expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, data.expected_m[i]));
    }
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
    out.flags.push_back(fmt::format("{} of {} judged by {} impossible under the parameters: nats per ray are -inf",
                                    grouped(out.impossible), counted(out.pairs, "reading"), are(out.impossible)));
  }
  return out;
}

}  // namespace fathom
