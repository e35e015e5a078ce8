// SPDX-License-Identifier: MIT
#include "beam/em.hpp"

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

/// count * log(w), where nothing counted costs nothing.
double log_of(double weight, double count) { return count > 0.0 ? count * std::log(weight) : 0.0; }

EvidenceTotals count(const Evidence& e) {
  EvidenceTotals totals = {.ranges = static_cast<double>(e.ranges()),
                           .clusters = static_cast<double>(e.clusters()),
                           .max_expected = e.max_expected_total,
                           .max_missed = e.max_missed_total};
  for (std::size_t k = 0; k < e.kinds.size(); ++k) totals.kinds[k] = static_cast<double>(e.kinds[k]);
  return totals;
}

}  // namespace

void EvidenceTotals::add(const EvidenceTotals& o) {
  ranges += o.ranges, clusters += o.clusters;
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k] += o.kinds[k];
  max_expected += o.max_expected, max_missed += o.max_missed;
}

Em::Em(std::span<const Evidence> parts, const BeamSensor& sensor, Executor& executor, Isa isa) : sensor_(sensor) {
  parts_.reserve(parts.size());
  for (const Evidence& evidence : parts) {
    parts_.emplace_back(evidence, sensor, executor, isa);
    totals_.add(count(evidence));
  }
}

double Em::log_likelihood_of_max(const BeamParameters& p) const {
  const double missed_weight = sensor_.miss == MissPolicy::kAtom ? p.w_max + p.w_hit : p.w_max;
  return log_of(p.w_max, totals_.max_expected) + log_of(missed_weight, totals_.max_missed);
}

const Expectation& Em::expect(const BeamParameters& parameters, FitVariant variant, double reach, Expecting what) {
  PartSums all = {};
  for (EmPart& part : parts_) all.add(part.expect(parameters, variant, reach, what));
  Expectation& e = expectation_;
  e.sums = all.sums;
  e.edges = all.edges;
  e.tail = all.tail;
  e.interior_r = std::max(0.0, all.ranges_hit - e.edges.r);
  e.sums.log_likelihood += log_likelihood_of_max(parameters);
  e.max_as_hit = 0.0;
  if (sensor_.miss == MissPolicy::kAtom && totals_.max_missed > 0.0) {
    e.max_as_hit = totals_.max_missed * parameters.w_hit / (parameters.w_hit + parameters.w_max);
  }
  e.max_shared = variant == FitVariant::kBook ? all.max_shared : e.max_as_hit;
  return e;
}

HitMoments Em::edge_moments(double sigma_m) {
  HitMoments all = {};
  for (EmPart& part : parts_) all.add(part.edge_moments(sigma_m));
  return all;
}

ShortMoments Em::short_moments(double lambda_per_m) {
  ShortMoments all = {};
  for (EmPart& part : parts_) all.add(part.short_moments(lambda_per_m));
  return all;
}

}  // namespace fathom
