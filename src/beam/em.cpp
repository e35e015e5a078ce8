// SPDX-License-Identifier: MIT
#include "beam/em.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fathom/math/student.hpp>

#include "base/isa.hpp"

namespace fathom {

namespace {

constexpr std::size_t kBlocksAtOnce = 32;

const EmKernels& pick_kernels(Isa isa) { return for_isa(isa, sse2::kEmKernels, avx2::kEmKernels, avx512::kEmKernels); }
const TailKernels& pick_tail_kernels(Isa isa) {
  return for_isa(isa, sse2::kTailKernels, avx2::kTailKernels, avx512::kTailKernels);
}

/// P(T > x) and its derivative by nu.
StudentEnd student_end(double x, double nu) {
  constexpr double kStep = 1e-4;
  const auto tail = [x](double degrees) {
    return math::student_mass(x, degrees, math::student_log_peak(degrees)).beyond;
  };
  const double step = kStep * nu;
  return {tail(nu), (tail(nu + step) - tail(nu - step)) / (2.0 * step)};
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

}  // namespace

EmPart::EmPart(const Evidence& evidence, const BeamSensor& sensor, Executor& executor, Isa isa)
    : evidence_(evidence),
      sensor_(sensor),
      executor_(executor),
      kernels_(pick_kernels(isa)),
      tail_kernels_(pick_tail_kernels(isa)) {
  add_blocks(0, evidence.missed, true);
  add_blocks(evidence.missed, evidence.ranges(), false);
  executor.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) measure(blocks_[i]);
  });
  results_.resize(blocks_.size());
  r_short_.resize(evidence.ranges());
}

void EmPart::add_blocks(std::size_t begin, std::size_t end, bool missed) {
  for (std::size_t i = begin; i < end; i += kEmBlock) {
    blocks_.push_back({i, std::min(end, i + kEmBlock), missed, 0.0F, 0.0F});
  }
}

void EmPart::measure(Block& block) const {
  const auto expected = std::span(evidence_.expected_m).subspan(block.begin, block.end - block.begin);
  const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
  block.lowest = *low, block.highest = *high;
}

EmParameters EmPart::parameters_of(const Block& block) const {
  EmParameters p = parameters_;
  if (!block.missed) return p;
  p.offset = 0.0;  // there is no surface to be moved
  if (sensor_.miss == MissPolicy::kAtom) p.w_hit = p.share_hit = 0.0;
  return p;
}

/// A little wider than asked for, in steps, so that the lists seldom change while sigma converges.
EmPart::EdgeLimits EmPart::edge_limits(double reach_m) const {
  constexpr double kSteps = 32.0;
  int exponent = 0;
  const double mantissa = std::frexp(reach_m, &exponent);
  const double wide_m = std::ldexp(std::ceil(mantissa * kSteps) / kSteps, exponent), offset = parameters_.offset;
  return {wide_m - offset, sensor_.max_range_m - wide_m - offset, offset};
}

/// The hits of a block that a cut concerns. Kept while they stay the same.
void EmPart::list_edges(const Block& block, const EmParameters& p, const EdgeLimits& limits, Edges& edges) const {
  if (edges.limits == limits) return;
  edges.limits = limits;
  std::uint32_t where[kEmBlock];
  std::size_t listed = 0;
  const float* expected = evidence_.expected_m.data() + block.begin;
  if (block.missed) {
    where[listed++] = 0;  // one centre, Z, for the whole block
  } else if (block.lowest < limits.low || block.highest > limits.high) {
    listed = kernels_.list_outside(expected, block.end - block.begin, limits.low, limits.high, where);
  }
  edges.where.assign(where, where + listed);
  // Whole groups, so that loops need no remainder; the padding of the last one weighs nothing.
  const std::size_t filled = (listed + kEmGroup - 1) / kEmGroup * kEmGroup;
  edges.center.assign(filled, p.limit / 2);
  edges.r.assign(filled, 0.0);
  for (std::size_t k = 0; k < listed; ++k) {
    edges.center[k] = std::clamp(expected[where[k]] + p.offset, p.floor, p.limit);
  }
}

void EmPart::expect_block(const EdgeLimits& limits, std::size_t index) {
  const Block& block = blocks_[index];
  BlockResult& result = results_[index];
  const EmParameters p = parameters_of(block);
  const std::size_t count = block.end - block.begin;
  Edges& edges = result.edges;
  list_edges(block, p, limits, edges);
  double inverse_mass[kEmBlock], r_hit[kEmBlock];
  double edge_inverse[kEmBlock], m2[kEmBlock], growth[kEmBlock];
  const CutHits cut = {edge_inverse, m2, growth};
  kernels_.cut_hits(edges.center.data(), edges.center.size(), p.sigma, p.limit, cut);
  std::fill(inverse_mass, inverse_mass + count, block.missed ? edge_inverse[0] : 1.0);
  for (std::size_t k = 0; k < edges.where.size(); ++k) inverse_mass[edges.where[k]] = edge_inverse[k];
  result.sums = {};
  result.hits = {};
  result.behind = kernels_.expect(p,
                                  {evidence_.z_m.data() + block.begin, evidence_.expected_m.data() + block.begin,
                                   block.lowest, inverse_mass, count, r_short_.data() + block.begin, r_hit},
                                  result.sums);
  for (std::size_t k = 0; k < edges.where.size(); ++k) {
    edges.r[k] = block.missed ? result.sums.hit : r_hit[edges.where[k]];
  }
  kernels_.weigh_hits(edges.r.data(), cut, edges.r.size(), result.hits);
}

void EmPart::expect_tail_block(HitLaw law, Expecting what, std::size_t index) {
  const Block& block = blocks_[index];
  BlockResult& result = results_[index];
  const std::size_t count = block.end - block.begin;
  double r_hit[kEmBlock];
  result.sums = {};
  result.tail = {};
  const auto expect = law == HitLaw::kStudentT ? tail_kernels_.expect_student : tail_kernels_.expect_growing;
  result.behind = expect(parameters_of(block), tail_,
                         {evidence_.z_m.data() + block.begin, evidence_.expected_m.data() + block.begin, block.lowest,
                          nullptr, count, r_short_.data() + block.begin, r_hit},
                         result.sums, what == Expecting::kSlopes ? &result.tail : nullptr);
}

/// Fills what the loops look up of an extended law, unless it is there.
void EmPart::prepare_tail(const BeamParameters& p) {
  tail_.sigma_per_m = p.tail.sigma_hit_per_m;
  if (p.tail.hit != HitLaw::kStudentT) return;
  const bool is_new = fill_panels(p.tail.nu_hit, p.sigma_hit_m);
  if (is_new || p.sigma_hit_m != ends_sigma_m_) fill_ends(p.sigma_hit_m);
}

/// The panels of a nu serve all scales that need no more of them. Returns whether there are others now.
bool EmPart::fill_panels(double nu, double sigma_m) {
  const auto octaves =
      static_cast<std::size_t>(std::ilogb(1.0 + 1.0001 * sensor_.max_range_m / sigma_m)) + std::size_t{1};
  const std::size_t count = octaves * kPanelsPerOctave;
  if (tail_.nu == nu && panels_.size() == count * kPanelNumbers) return false;
  const math::GammaStep step = math::gamma_step(0.5 * nu);
  tail_.nu = nu;
  tail_.peak = math::student_log_peak(nu);
  tail_.peak_slope = 0.5 * step.slope, tail_.peak_bend = 0.25 * step.bend;
  panels_.resize(count * kPanelNumbers);
  panel_edges_.resize((count + 1) * 4);
  tail_.panels = panels_.data();
  tail_kernels_.fill_panels(tail_, count, student_end(std::ldexp(1.0, static_cast<int>(octaves)) - 1.0, nu),
                            panel_edges_.data(), panels_.data());
  return true;
}

/// Panels of the distance from an end up to half of Z, and one that rounding may need.
void EmPart::fill_ends(double sigma_m) {
  const double limit = sensor_.max_range_m / sigma_m;
  int octave = 0;
  const double place = std::frexp(1.0 + 0.5 * limit, &octave) * 2.0 - 1.0;
  const auto panel = static_cast<std::size_t>((octave - 1 + place) * kPanelsPerOctave);
  const std::size_t count = std::min(panel + 2, panels_.size() / kPanelNumbers - 1);
  ends_.resize(count);
  tail_.ends = ends_.data();
  ends_sigma_m_ = sigma_m;
  tail_kernels_.fill_ends(tail_, limit, count, panel_edges_.data(), ends_.data());
}

/// Table 6.2 gives a reading at Z to all densities that are not 0 there, not to the point mass alone.
void EmPart::add_max_by_the_book(const BeamParameters& parameters, PartSums& e) const {
  const double limit = sensor_.max_range_m;
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

PartSums EmPart::expect(const BeamParameters& parameters, FitVariant variant, double reach, Expecting what) {
  parameters_ = em_parameters(parameters, sensor_, variant);
  const HitLaw law = parameters.tail.hit;
  if (parameters.tail.is_extended()) prepare_tail(parameters);
  const EdgeLimits limits = edge_limits(reach * parameters.sigma_hit_m);
  executor_.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      law == HitLaw::kGaussian ? expect_block(limits, i) : expect_tail_block(law, what, i);
    }
  });
  PartSums e;
  for (const BlockResult& r : results_) {
    e.sums.add(r.sums);
    e.edges.add(r.hits);
    e.tail.add(r.tail);
  }
  e.ranges_hit = e.sums.hit;
  if (variant == FitVariant::kBook) add_max_by_the_book(parameters, e);
  return e;
}

HitMoments EmPart::edge_moments(double sigma_m) {
  executor_.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      BlockResult& r = results_[i];
      r.hits = {};
      const Edges& edges = r.edges;
      if (edges.where.empty()) continue;
      double inverse_mass[kEmBlock], m2[kEmBlock], growth[kEmBlock];
      const CutHits cut = {inverse_mass, m2, growth};
      kernels_.cut_hits(edges.center.data(), edges.center.size(), sigma_m, sensor_.max_range_m, cut);
      kernels_.weigh_hits(edges.r.data(), cut, edges.r.size(), r.hits);
    }
  });
  HitMoments sums;
  for (const BlockResult& r : results_) sums.add(r.hits);
  return sums;
}

ShortMoments EmPart::short_moments(double lambda_per_m) {
  executor_.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Block& block = blocks_[i];
      results_[i].shorts = {};
      EmParameters p = parameters_of(block);
      p.lambda = lambda_per_m;
      const std::size_t begin_shorts = block.begin + results_[i].behind;
      kernels_.short_moments(p,
                             {evidence_.expected_m.data() + begin_shorts, r_short_.data() + begin_shorts, block.lowest,
                              block.end - begin_shorts},
                             results_[i].shorts);
    }
  });
  ShortMoments sums;
  for (const BlockResult& r : results_) sums.add(r.shorts);
  return sums;
}

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
