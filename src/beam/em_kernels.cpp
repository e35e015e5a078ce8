// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises; sums
// run in eight lanes that are added in order, so that every build rounds alike.

#include "beam/em_kernels.hpp"

#include <fathom/special.hpp>

namespace fathom::FATHOM_ISA {

namespace {

using math::select;

constexpr std::size_t kLanes = 8;

/// Adds values[0 .. count) in kLanes running sums, then these from the first to the last.
FATHOM_KERNEL double add_up(const double* __restrict values, std::size_t count) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += values[i + k];
  }
  for (std::size_t k = 0; i + k < count; ++k) lanes[k] += values[i + k];
  double sum = 0.0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Like add_up, of products.
template <class A, class B>
FATHOM_KERNEL double add_up_products(const A* __restrict a, const B* __restrict b, std::size_t count) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  }
  for (std::size_t k = 0; i + k < count; ++k) lanes[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  double sum = 0.0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// The range at which the surface stands: z* + offset, cut.
FATHOM_KERNEL double surface(const EmParameters& p, double expected) {
  const double moved = expected + p.offset;
  const double above = select(moved > p.floor, moved, p.floor);
  return select(above < p.limit, above, p.limit);
}

struct Work {
  alignas(64) double f[kEmBlock], log_f[kEmBlock], hit_d2[kEmBlock], rand[kEmBlock], shorts[kEmBlock],
      short_expected[kEmBlock];
};

[[gnu::noinline]] void expect_pairs(const EmParameters& parameters, const float* __restrict z_m,
                                    const float* __restrict expected_m, const double* __restrict inverse_mass,
                                    std::size_t count, float* __restrict r_short, double* __restrict r_hit,
                                    Work& __restrict work) {
  const EmParameters p = parameters;
  const double inverse_sigma = 1.0 / p.sigma;
  const double hit_scale = math::kInverseSqrtTwoPi * inverse_sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = z_m[i], expected = surface(p, expected_m[i]);
    const double d = (z - expected) * inverse_sigma;
    const double p_hit = hit_scale * inverse_mass[i] * math::exp(-0.5 * d * d);
    const double x = p.lambda * expected;
    const bool flat = x < 1e-290;
    const double scale = select(flat, 1.0, p.lambda) / select(flat, expected, -math::expm1(-x));
    const double p_short = select(z <= expected, scale * math::exp(-p.lambda * z), 0.0);
    const double f = p.w_hit * p_hit + p.w_short * p_short + p.w_rand_density;
    const double hit = p.share_hit * p_hit, shorts = p.share_short * p_short;
    const double all = hit + shorts + p.share_rand_density;
    const double inverse = 1.0 / select(all > 0.0, all, 1.0);
    const double r = hit * inverse;
    // Where nothing explains the reading, a density far below any double stands in, so that sums stay finite.
    work.f[i] = select(f > 1e-300, f, 1e-300);
    work.rand[i] = p.share_rand_density * inverse;
    work.shorts[i] = shorts * inverse;
    r_short[i] = static_cast<float>(work.shorts[i]);
    r_hit[i] = r;
    work.hit_d2[i] = r * (z - expected) * (z - expected);
    work.short_expected[i] = work.shorts[i] * expected;
  }
}

/// Sum of log f. Logarithms are taken of products of four, which cannot leave the doubles while each f stays within
/// [1e-70, 1e70]; a fifth of the time of an expectation is saved.
[[gnu::noinline]] double add_up_logs(const double* __restrict f, std::size_t count, double* __restrict log_f) {
  std::size_t extreme = 0;
  for (std::size_t i = 0; i < count; ++i) extreme += static_cast<std::size_t>((f[i] < 1e-70) | (f[i] > 1e70));
  const std::size_t quarter = extreme == 0 ? count / 4 : 0;
  for (std::size_t i = 0; i < quarter; ++i) {
    log_f[i] = math::log((f[i] * f[i + quarter]) * (f[i + 2 * quarter] * f[i + 3 * quarter]));
  }
  const std::size_t rest = count - 4 * quarter;
  for (std::size_t i = 0; i < rest; ++i) log_f[quarter + i] = math::log(f[4 * quarter + i]);
  return add_up(log_f, quarter + rest);
}

void expect(const EmParameters& p, const EmBlock& b, EmSums& sums) {
  Work work;
  expect_pairs(p, b.z, b.expected, b.inverse_mass, b.count, b.r_short, b.r_hit, work);
  sums.log_likelihood += add_up_logs(work.f, b.count, work.log_f);
  sums.hit += add_up(b.r_hit, b.count);
  sums.hit_d2 += add_up(work.hit_d2, b.count);
  sums.shorts += add_up(work.shorts, b.count);
  sums.rand += add_up(work.rand, b.count);
  sums.short_z += add_up_products(work.shorts, b.z, b.count);
  sums.short_expected += add_up(work.short_expected, b.count);
}

/// Whether at most one end of [0, Z] can cut a hit density: the other is more than 8.5 sigma away.
bool is_one_sided(double sigma, double limit) { return limit > 17.0 * sigma; }

/// N, and phi at the ends divided by N, for hits centred at c. N = 1 - Q(c / sigma) - Q((Z - c) / sigma): its absolute
/// error, 1e-16, matters only for sigma far above the range, where learning stops (kMostSigmaPerRange in fit.cpp).
struct Cut {
  double inverse_mass, near, far;  ///< near, far: distances of the ends, in sigmas
};
template <bool kOneSided>
FATHOM_KERNEL Cut cut_at(double center, double inverse_sigma, double limit) {
  const double below = center * inverse_sigma, above = (limit - center) * inverse_sigma;
  const double near = select(below < above, below, above), far = select(below < above, above, below);
  const double near_tail = 0.5 * math::erfc(near * math::kSqrtHalf);
  const double far_tail = kOneSided ? 0.0 : 0.5 * math::erfc(far * math::kSqrtHalf);
  return {1.0 / (1.0 - near_tail - far_tail), near, far};
}

template <bool kOneSided>
[[gnu::noinline]] void fill_inverse_mass(const double* __restrict center, std::size_t count, double sigma, double limit,
                                         double* __restrict out) {
  const double inverse_sigma = 1.0 / sigma;
  for (std::size_t i = 0; i < count; ++i) out[i] = cut_at<kOneSided>(center[i], inverse_sigma, limit).inverse_mass;
}

void inverse_mass(const double* center, std::size_t count, double sigma, double limit, double* out) {
  (is_one_sided(sigma, limit) ? fill_inverse_mass<true> : fill_inverse_mass<false>)(center, count, sigma, limit, out);
}

template <bool kOneSided>
[[gnu::noinline]] void add_hit_moments(const double* __restrict center, const double* __restrict r, std::size_t count,
                                       double sigma, double limit, HitMoments& sums) {
  alignas(64) double m2[kEmBlock], growth[kEmBlock];
  const double s2 = sigma * sigma, inverse_sigma = 1.0 / sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const Cut cut = cut_at<kOneSided>(center[i], inverse_sigma, limit);
    const double near = cut.near, far = cut.far;
    const double near_phi = near * math::normal_density(near) * cut.inverse_mass;
    const double far_phi = kOneSided ? 0.0 : far * math::normal_density(far) * cut.inverse_mass;
    const double second = 1.0 - near_phi - far_phi;
    const double fourth = 3.0 - (near * near + 3.0) * near_phi - (far * far + 3.0) * far_phi;
    m2[i] = r[i] * s2 * second;
    growth[i] = r[i] * s2 * (fourth - second * second);
  }
  sums.m2 += add_up(m2, count);
  sums.m2_growth += add_up(growth, count);
}

void hit_moments(const double* center, const double* r, std::size_t count, double sigma, double limit,
                 HitMoments& sums) {
  const auto add = is_one_sided(sigma, limit) ? add_hit_moments<true> : add_hit_moments<false>;
  for (std::size_t i = 0; i < count; i += kEmBlock) {
    add(center + i, r + i, count - i < kEmBlock ? count - i : kEmBlock, sigma, limit, sums);
  }
}

void short_moments(const EmParameters& parameters, const float* __restrict expected, const float* __restrict r,
                   std::size_t count, ShortMoments& sums) {
  const EmParameters p = parameters;
  alignas(64) double mean[kEmBlock], variance[kEmBlock];
  for (std::size_t i = 0; i < count; ++i) {
    const double limit = surface(p, expected[i]), weight = r[i];
    const double x = p.lambda * limit, x2 = x * x;
    const double safe = select(x2 > 1e-4, x, 0.01);
    const double inverse = 1.0 / safe, rest = 1.0 / math::expm1(safe);
    // Near 0 both formulas cancel; their series (distributions.hpp) take over.
    const double mean_near = 0.5 - x * (1.0 / 12 - x2 * (1.0 / 720 - x2 / 30240));
    const double variance_near = 1.0 / 12 - x2 * (1.0 / 240 - x2 * (1.0 / 6048 - x2 / 172800));
    mean[i] = weight * limit * select(x2 > 0.01, inverse - rest, mean_near);
    variance[i] = weight * limit * limit * select(x2 > 0.04, inverse * inverse - rest * (1.0 + rest), variance_near);
  }
  sums.mean += add_up(mean, count);
  sums.variance += add_up(variance, count);
}

}  // namespace

const EmKernels kEmKernels = {&expect, &inverse_mass, &hit_moments, &short_moments};

}  // namespace fathom::FATHOM_ISA
