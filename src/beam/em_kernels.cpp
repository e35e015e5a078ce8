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
      short_expected[kEmBlock], short_mean[kEmBlock], short_variance[kEmBlock];
};

/// Mean and variance of shorts on [0, limit], x = lambda limit; 1 / (e^x - 1) is given. Near 0 both formulas cancel;
/// their series (distributions.hpp) take over.
struct MeanVariance {
  double mean, variance;
};
FATHOM_KERNEL MeanVariance short_shape(double limit, double x, double inverse, double rest) {
  const double x2 = x * x;
  const double mean_near = 0.5 - x * (1.0 / 12 - x2 * (1.0 / 720 - x2 / 30240));
  const double variance_near = 1.0 / 12 - x2 * (1.0 / 240 - x2 * (1.0 / 6048 - x2 / 172800));
  return {limit * select(x2 > 0.01, inverse - rest, mean_near),
          limit * limit * select(x2 > 0.04, inverse * inverse - rest * (1.0 + rest), variance_near)};
}

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
    const double below = select(flat, expected, -math::expm1(-x));  // 1 - e^-x
    const double safe = select(x > 1e-3, x, 1e-3);
    const double both = 1.0 / (below * safe);  // one division for two: they are what this loop waits for
    const double inverse_below = both * safe;
    const double scale = select(flat, 1.0, p.lambda) * inverse_below;
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
    const MeanVariance shape = short_shape(expected, x, both * below, (1.0 - below) * inverse_below);
    work.short_mean[i] = work.shorts[i] * shape.mean;
    work.short_variance[i] = work.shorts[i] * shape.variance;
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
  sums.short_moments.mean += add_up(work.short_mean, b.count);
  sums.short_moments.variance += add_up(work.short_variance, b.count);
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

/// m2 and its growth, of a hit density.
struct HitShape {
  double m2, growth;
};
template <bool kOneSided>
FATHOM_KERNEL HitShape shape_of(const Cut& cut, double s2) {
  const double near = cut.near, far = cut.far;
  const double near_phi = near * math::normal_density(near) * cut.inverse_mass;
  const double far_phi = kOneSided ? 0.0 : far * math::normal_density(far) * cut.inverse_mass;
  const double second = 1.0 - near_phi - far_phi;
  const double fourth = 3.0 - (near * near + 3.0) * near_phi - (far * far + 3.0) * far_phi;
  return {s2 * second, s2 * (fourth - second * second)};
}

template <bool kOneSided>
[[gnu::noinline]] void fill_cut_hits(const double* __restrict center, std::size_t count, double sigma, double limit,
                                     double* __restrict inverse_mass, double* __restrict m2,
                                     double* __restrict growth) {
  const double s2 = sigma * sigma, inverse_sigma = 1.0 / sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const Cut cut = cut_at<kOneSided>(center[i], inverse_sigma, limit);
    const HitShape shape = shape_of<kOneSided>(cut, s2);
    inverse_mass[i] = cut.inverse_mass;
    m2[i] = shape.m2;
    growth[i] = shape.growth;
  }
}

void cut_hits(const double* center, std::size_t count, double sigma, double limit, const CutHits& out) {
  const auto fill = is_one_sided(sigma, limit) ? fill_cut_hits<true> : fill_cut_hits<false>;
  fill(center, count, sigma, limit, out.inverse_mass, out.m2, out.m2_growth);
}

/// At most kEmBlock centres.
void hit_moments(const double* center, const double* r, std::size_t count, double sigma, double limit,
                 HitMoments& sums) {
  alignas(64) double inverse_mass[kEmBlock], m2[kEmBlock], growth[kEmBlock];
  cut_hits(center, count, sigma, limit, {inverse_mass, m2, growth});
  sums.m2 += add_up_products(m2, r, count);
  sums.m2_growth += add_up_products(growth, r, count);
}

void short_moments(const EmParameters& parameters, const float* __restrict expected, const float* __restrict r,
                   std::size_t count, ShortMoments& sums) {
  const EmParameters p = parameters;
  alignas(64) double mean[kEmBlock], variance[kEmBlock];
  for (std::size_t i = 0; i < count; ++i) {
    const double limit = surface(p, expected[i]), weight = r[i];
    const double x = p.lambda * limit;
    const double safe = select(x > 1e-2, x, 1e-2);
    const MeanVariance shape = short_shape(limit, x, 1.0 / safe, 1.0 / math::expm1(safe));
    mean[i] = weight * shape.mean;
    variance[i] = weight * shape.variance;
  }
  sums.mean += add_up(mean, count);
  sums.variance += add_up(variance, count);
}

}  // namespace

const EmKernels kEmKernels = {&expect, &cut_hits, &hit_moments, &short_moments};

}  // namespace fathom::FATHOM_ISA
