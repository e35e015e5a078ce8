// SPDX-License-Identifier: MIT
#include "fit/beam/em.hpp"

#include <algorithm>
#include <cmath>

#include <fathom/core/distributions.hpp>

#include "core/compute.hpp"

namespace fathom {

namespace {

constexpr std::size_t kBlocksAtOnce = 32;

const EmKernels& pick_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kEmKernels); }
const TailKernels& pick_tail_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kTailKernels); }

EmParameters em_parameters(const BeamParameters& p, const BeamSensor& sensor, FitOptions::Variant variant) {
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
  if (variant == FitOptions::Variant::kBook) {  // table 6.2 normalises the bare densities
    out.share_hit = out.share_short = 1.0;
    out.share_rand_density = 1.0 / sensor.max_range_m;
  }
  return out;
}

}  // namespace

StudentTails::StudentTails(double nu) : nu_(nu), step_(5e-4 * nu) {
  for (int k = 0; k < 3; ++k) log_peak_[static_cast<std::size_t>(k)] = math::student_log_peak(nu + (k - 1) * step_);
}

StudentTail StudentTails::at(double x) const {
  const double low = math::student_mass(x, nu_ - step_, log_peak_[0]).beyond;
  const double middle = math::student_mass(x, nu_, log_peak_[1]).beyond;
  const double high = math::student_mass(x, nu_ + step_, log_peak_[2]).beyond;
  return {middle, (high - low) / (2.0 * step_), (high - 2.0 * middle + low) / (step_ * step_)};
}

Em::Em(const Evidence& evidence, const BeamSensor& sensor, Executor& executor, Isa isa)
    : evidence_(evidence),
      sensor_(sensor),
      executor_(executor),
      kernels_(pick_kernels(isa)),
      tail_kernels_(pick_tail_kernels(isa)),
      r_short_(evidence.ranges()) {
  add_blocks(evidence.missed, true, r_short_.data());
  add_blocks(evidence.seen, false, r_short_.data() + evidence.missed.size());
  for_each_block([](Block& block) {
    const auto [low, high] = std::minmax_element(block.expected, block.expected + block.count);
    block.lowest = *low, block.highest = *high;
  });
}

void Em::add_blocks(const RangeReadings& readings, bool missed, float* r_short) {
  for (std::size_t i = 0; i < readings.size(); i += kEmBlock) {
    const std::size_t count = std::min(kEmBlock, readings.size() - i);
    blocks_.push_back({readings.z_m.data() + i, readings.expected_m.data() + i, r_short + i, count, missed});
  }
}

template <class Work>
void Em::for_each_block(const Work& work) {
  executor_.parallel_for(blocks_.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) work(blocks_[i]);
  });
}

EmParameters Em::parameters_of(const Block& block) const {
  EmParameters p = parameters_;
  if (!block.missed) return p;
  p.offset = 0.0;  // there is no surface to be moved
  if (sensor_.miss == MissPolicy::kAtom) p.w_hit = p.share_hit = 0.0;
  return p;
}

/// A little wider than asked for, in steps, so that the lists seldom change while sigma converges.
Em::EdgeLimits Em::edge_limits(double reach_m) const {
  constexpr double kSteps = 32.0;
  int exponent = 0;
  const double mantissa = std::frexp(reach_m, &exponent);
  const double wide_m = std::ldexp(std::ceil(mantissa * kSteps) / kSteps, exponent), offset = parameters_.offset;
  return {wide_m - offset, sensor_.max_range_m - wide_m - offset, offset};
}

/// The hits of a block that a cut concerns. Kept while they stay the same.
void Em::list_edges(const EmParameters& p, const EdgeLimits& limits, Block& block) const {
  Edges& edges = block.edges;
  if (edges.limits == limits) return;
  edges.limits = limits;
  std::uint32_t where[kEmBlock];
  std::size_t listed = 0;
  if (block.missed) {
    where[listed++] = 0;  // one centre, Z, for the whole block
  } else if (block.lowest < limits.low || block.highest > limits.high) {
    listed = kernels_.list_outside(block.expected, block.count, limits.low, limits.high, where);
  }
  edges.where.assign(where, where + listed);
  // Whole groups, so that loops need no remainder; the padding of the last one weighs nothing.
  const std::size_t filled = (listed + kEmGroup - 1) / kEmGroup * kEmGroup;
  edges.center.assign(filled, p.limit / 2);
  edges.r.assign(filled, 0.0);
  for (std::size_t k = 0; k < listed; ++k) {
    edges.center[k] = std::clamp(block.expected[where[k]] + p.offset, p.floor, p.limit);
  }
}

void Em::expect_block(const EdgeLimits& limits, Block& block) const {
  const EmParameters p = parameters_of(block);
  Edges& edges = block.edges;
  list_edges(p, limits, block);
  double inverse_mass[kEmBlock], r_hit[kEmBlock];
  double edge_inverse[kEmBlock], m2[kEmBlock], growth[kEmBlock];
  const CutHits cut = {edge_inverse, m2, growth};
  kernels_.cut_hits(edges.center.data(), edges.center.size(), p.sigma, p.limit, cut);
  std::fill(inverse_mass, inverse_mass + block.count, block.missed ? edge_inverse[0] : 1.0);
  for (std::size_t k = 0; k < edges.where.size(); ++k) inverse_mass[edges.where[k]] = edge_inverse[k];
  block.sums = {};
  block.hits = {};
  block.behind = kernels_.expect(
      p, {block.z, block.expected, block.lowest, inverse_mass, block.count, block.r_short, r_hit}, block.sums);
  for (std::size_t k = 0; k < edges.where.size(); ++k) {
    edges.r[k] = block.missed ? block.sums.hit : r_hit[edges.where[k]];
  }
  kernels_.weigh_hits(edges.r.data(), cut, edges.r.size(), block.hits);
}

void Em::expect_tail_block(HitLaw law, Expecting what, Block& block) const {
  double r_hit[kEmBlock];
  block.sums = {};
  block.tail = {};
  const auto expect = law == HitLaw::kStudentT ? tail_kernels_.expect_student : tail_kernels_.expect_growing;
  block.behind = expect(parameters_of(block), tail_,
                        {block.z, block.expected, block.lowest, nullptr, block.count, block.r_short, r_hit}, block.sums,
                        what == Expecting::kSlopes ? &block.tail : nullptr);
}

/// Fills the tables of an extended law, unless they are filled.
void Em::prepare_tail(const BeamParameters& p) {
  tail_.sigma_per_m = p.tail.sigma_hit_per_m;
  if (p.tail.hit != HitLaw::kStudentT) return;
  const bool is_new = fill_panels(p.tail.nu_hit, p.sigma_hit_m);
  if (is_new || p.sigma_hit_m != ends_sigma_m_) fill_ends(p.sigma_hit_m);
}

/// The panels of a nu serve all scales that need no more of them. Returns whether there are others now.
bool Em::fill_panels(double nu, double sigma_m) {
  const std::size_t count = panels_up_to(1.0001 * sensor_.max_range_m / sigma_m);
  if (tail_.nu == nu && panels_.size() == count * kPanelNumbers) return false;
  const math::GammaStep step = math::gamma_step(0.5 * nu);
  tail_.nu = nu;
  tail_.peak = math::student_log_peak(nu);
  tail_.peak_slope = 0.5 * step.slope, tail_.peak_bend = 0.25 * step.bend;
  panels_.resize(count * kPanelNumbers);
  panel_edges_.resize((count + 1) * 4);
  tail_.panels = panels_.data();
  const StudentTail end = StudentTails(nu).at(panel_at(count).low);
  tail_kernels_.fill_panels(tail_, count, end, panel_edges_.data(), panels_.data());
  return true;
}

/// Panels of the distance from an end up to half of Z, and one that rounding may need.
void Em::fill_ends(double sigma_m) {
  const double limit = sensor_.max_range_m / sigma_m;
  const std::size_t count = std::min<std::size_t>(panel_of(1.0 + 0.5 * limit) + 2, panels_.size() / kPanelNumbers - 1);
  ends_.resize(count);
  tail_.ends = ends_.data();
  ends_sigma_m_ = sigma_m;
  tail_kernels_.fill_ends(tail_, limit, count, panel_edges_.data(), ends_.data());
}

/// Table 6.2 gives a reading at Z to all densities that are not 0 there, not to the point mass alone.
void Em::add_max_by_the_book(const BeamParameters& parameters, Expectation& e) const {
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
  const auto log_of = [](double weight, double count) { return count > 0.0 ? count * std::log(weight) : 0.0; };
  const double missed_weight = sensor_.miss == MissPolicy::kAtom ? p.w_max + p.w_hit : p.w_max;
  return log_of(p.w_max, evidence_.max_expected_total) + log_of(missed_weight, evidence_.max_missed_total);
}

const Expectation& Em::expect(const BeamParameters& parameters, FitOptions::Variant variant, double reach,
                              Expecting what) {
  parameters_ = em_parameters(parameters, sensor_, variant);
  const HitLaw law = parameters.tail.hit;
  if (parameters.tail.is_extended()) prepare_tail(parameters);
  const EdgeLimits limits = edge_limits(reach * parameters.sigma_hit_m);
  for_each_block([&](Block& block) {
    law == HitLaw::kGaussian ? expect_block(limits, block) : expect_tail_block(law, what, block);
  });
  Expectation& e = expectation_ = {};
  for (const Block& block : blocks_) {
    e.sums.add(block.sums);
    e.edges.add(block.hits);
    e.tail.add(block.tail);
  }
  e.interior_r = std::max(0.0, e.sums.hit - e.edges.r);
  e.sums.log_likelihood += log_likelihood_of_max(parameters);
  if (sensor_.miss == MissPolicy::kAtom && evidence_.max_missed_total > 0.0) {
    e.max_as_hit = evidence_.max_missed_total * parameters.w_hit / (parameters.w_hit + parameters.w_max);
  }
  e.max_shared = e.max_as_hit;
  if (variant == FitOptions::Variant::kBook) add_max_by_the_book(parameters, e);
  return e;
}

HitMoments Em::edge_moments(double sigma_m) {
  for_each_block([&](Block& block) {
    block.hits = {};
    const Edges& edges = block.edges;
    if (edges.where.empty()) return;
    double inverse_mass[kEmBlock], m2[kEmBlock], growth[kEmBlock];
    const CutHits cut = {inverse_mass, m2, growth};
    kernels_.cut_hits(edges.center.data(), edges.center.size(), sigma_m, sensor_.max_range_m, cut);
    kernels_.weigh_hits(edges.r.data(), cut, edges.r.size(), block.hits);
  });
  HitMoments sums;
  for (const Block& block : blocks_) sums.add(block.hits);
  return sums;
}

ShortMoments Em::short_moments(double lambda_per_m) {
  for_each_block([&](Block& block) {
    block.shorts = {};
    EmParameters p = parameters_of(block);
    p.lambda = lambda_per_m;
    const std::size_t behind = block.behind;
    kernels_.short_moments(p, {block.expected + behind, block.r_short + behind, block.lowest, block.count - behind},
                           block.shorts);
  });
  ShortMoments sums;
  for (const Block& block : blocks_) sums.add(block.shorts);
  return sums;
}

}  // namespace fathom
