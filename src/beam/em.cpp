#include "beam/em.hpp"

#include <algorithm>
#include <cmath>

#include "base/isa.hpp"

namespace fathom {

namespace {

constexpr std::size_t kBlocksAtOnce = 8;

const EmKernels& pick_kernels(Isa isa) {
  return for_isa(isa, sse2::kEmKernels, avx2::kEmKernels, avx512::kEmKernels);
}

EmParameters em_parameters(const BeamParameters& p, const BeamSensor& sensor, FitVariant variant) {
  EmParameters out = {p.w_hit,
                      p.w_short,
                      p.w_rand / sensor.max_range_m,
                      p.w_hit,
                      p.w_short,
                      p.w_rand / sensor.max_range_m,
                      p.sigma_hit_m,
                      p.lambda_short_per_m,
                      p.hit_offset_m,
                      sensor.expected_floor_m,
                      sensor.max_range_m};
  if (variant == FitVariant::kBook) {  // table 6.2 normalises the bare densities
    out.share_hit = out.share_short = 1.0;
    out.share_rand_density = 1.0 / sensor.max_range_m;
  }
  return out;
}

/// count * log(w), where nothing counted costs nothing.
double log_of(double weight, double count) { return count > 0.0 ? count * std::log(weight) : 0.0; }

}  // namespace

Em::Em(const Evidence& evidence, const BeamSensor& sensor, Executor& executor, Isa isa)
    : evidence_(evidence), sensor_(sensor), executor_(executor), kernels_(pick_kernels(isa)) {
  add_blocks(0, evidence.missed, true);
  add_blocks(evidence.missed, evidence.ranges(), false);
  results_.resize(blocks_.size());
  r_short_.resize(evidence.ranges());
}

void Em::add_blocks(std::size_t begin, std::size_t end, bool missed) {
  for (std::size_t i = begin; i < end; i += kEmBlock) {
    const std::size_t stop = std::min(end, i + kEmBlock);
    const auto [low, high] = std::minmax_element(evidence_.expected_m.begin() + static_cast<std::ptrdiff_t>(i),
                                                 evidence_.expected_m.begin() + static_cast<std::ptrdiff_t>(stop));
    blocks_.push_back({i, stop, missed, *low, *high});
  }
}

EmParameters Em::parameters_of(const Block& block) const {
  EmParameters p = parameters_;
  if (!block.missed) return p;
  p.offset = 0.0;  // there is no surface to be moved
  if (sensor_.miss == MissPolicy::kAtom) p.w_hit = p.share_hit = 0.0;
  return p;
}

void Em::expect_block(double reach, std::size_t index) {
  const Block& block = blocks_[index];
  BlockResult& result = results_[index];
  result.sums = {};
  result.edge_center.clear();
  result.edge_r.clear();
  const EmParameters p = parameters_of(block);
  const std::size_t count = block.end - block.begin;
  const float* expected = evidence_.expected_m.data() + block.begin;
  double inverse_mass[kEmBlock], r_hit[kEmBlock], center[kEmBlock], edge_inverse[kEmBlock];
  std::size_t edge[kEmBlock];
  std::size_t edges = 0;
  std::fill(inverse_mass, inverse_mass + count, 1.0);
  const double low = reach * p.sigma - p.offset, high = p.limit - reach * p.sigma - p.offset;
  if (block.missed) {
    center[0] = p.limit;
    kernels_.inverse_mass(center, 1, p.sigma, p.limit, edge_inverse);
    std::fill(inverse_mass, inverse_mass + count, edge_inverse[0]);
  } else if (block.lowest < low || block.highest > high) {
    for (std::size_t i = 0; i < count; ++i) {
      if (expected[i] < low || expected[i] > high) edge[edges++] = i;
    }
    for (std::size_t k = 0; k < edges; ++k) center[k] = std::clamp(expected[edge[k]] + p.offset, p.floor, p.limit);
    kernels_.inverse_mass(center, edges, p.sigma, p.limit, edge_inverse);
    for (std::size_t k = 0; k < edges; ++k) inverse_mass[edge[k]] = edge_inverse[k];
  }
  kernels_.expect(
      p, {evidence_.z_m.data() + block.begin, expected, inverse_mass, count, r_short_.data() + block.begin, r_hit},
      result.sums);
  for (std::size_t k = 0; k < edges; ++k) {
    result.edge_center.push_back(center[k]);
    result.edge_r.push_back(r_hit[edge[k]]);
  }
}

/// Table 6.2 gives a reading at Z to all densities that are not 0 there, not to the point mass alone.
void Em::add_max_by_the_book(const BeamParameters& parameters) {
  Expectation& e = expectation_;
  const double limit = sensor_.max_range_m;
  e.max_shared = 0.0;
  for (const float expected : evidence_.max_expected_m) {
    const BeamDensity density(parameters, sensor_, expected);
    const double p_hit = density.hit().density(limit), p_short = density.shorts().density(limit);
    const double all = p_hit + p_short + 1.0 + 1.0 / limit, d = limit - density.expected_m();
    e.sums.hit += p_hit / all;
    e.sums.hit_d2 += p_hit / all * d * d;
    e.sums.shorts += p_short / all;
    e.sums.short_z += p_short / all * limit;
    e.sums.rand += 1.0 / limit / all;
    e.max_shared += 1.0 - 1.0 / all;
  }
}

double Em::log_likelihood_of_max(const BeamParameters& p) const {
  const double missed_weight = sensor_.miss == MissPolicy::kAtom ? p.w_max + p.w_hit : p.w_max;
  return log_of(p.w_max, evidence_.max_expected_total) + log_of(missed_weight, evidence_.max_missed_total);
}

const Expectation& Em::expect(const BeamParameters& parameters, FitVariant variant, double reach) {
  parameters_ = em_parameters(parameters, sensor_, variant);
  executor_.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) expect_block(reach, i);
  });
  Expectation& e = expectation_;
  e.sums = {};
  e.edge_center.assign(1, sensor_.max_range_m);
  e.edge_r.assign(1, 0.0);
  double edge_total = 0.0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const BlockResult& r = results_[i];
    e.sums.add(r.sums);
    if (blocks_[i].missed) e.edge_r[0] += r.sums.hit;
    e.edge_center.insert(e.edge_center.end(), r.edge_center.begin(), r.edge_center.end());
    e.edge_r.insert(e.edge_r.end(), r.edge_r.begin(), r.edge_r.end());
  }
  for (const double r : e.edge_r) edge_total += r;
  e.interior_r = std::max(0.0, e.sums.hit - edge_total);
  e.sums.log_likelihood += log_likelihood_of_max(parameters);
  e.max_as_hit = 0.0;
  if (sensor_.miss == MissPolicy::kAtom && evidence_.max_missed_total > 0.0) {
    e.max_as_hit = evidence_.max_missed_total * parameters.w_hit / (parameters.w_hit + parameters.w_max);
  }
  e.max_shared = e.max_as_hit;
  if (variant == FitVariant::kBook) add_max_by_the_book(parameters);
  return e;
}

HitMoments Em::edge_moments(double sigma_m) const {
  HitMoments sums;
  const Expectation& e = expectation_;
  kernels_.hit_moments(e.edge_center.data(), e.edge_r.data(), e.edge_r.size(), sigma_m, sensor_.max_range_m, sums);
  return sums;
}

ShortMoments Em::short_moments(double lambda_per_m) {
  executor_.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Block& block = blocks_[i];
      results_[i].shorts = {};
      EmParameters p = parameters_of(block);
      p.lambda = lambda_per_m;
      kernels_.short_moments(p, evidence_.expected_m.data() + block.begin, r_short_.data() + block.begin,
                             block.end - block.begin, results_[i].shorts);
    }
  });
  ShortMoments sums;
  for (const BlockResult& r : results_) {
    sums.mean += r.shorts.mean;
    sums.variance += r.shorts.variance;
  }
  return sums;
}

}  // namespace fathom
