// SPDX-License-Identifier: MIT
#pragma once
// The inner loops of learning, in double precision over blocks of pairs.

#include <cstddef>
#include <cstdint>

#include <fathom/core/f64.hpp>

#include "core/compute.hpp"

namespace fathom::math {

/// exp(x) for x <= 0; relative error below 4e-16 down to -708, 0 from -709 on. Exponentials are most of an expectation,
/// and this one takes a sixth fewer operations than exp: it needs no upper bound, and the polynomial, a Chebyshev fit
/// of (e^r - 1 - r) / r^2 on |r| <= 0.3466 in extended precision, has two terms less than Taylor's.
FATHOM_KERNEL double falling_exp(double x) {
  constexpr double kC[] = {0.5000000000000001,    0.16666666666666669,   0.04166666666662413,    0.008333333333329963,
                           0.001388888891721311,  0.0001984126986332212, 2.4801521297813383e-05, 2.7557268181850947e-06,
                           2.762008727876653e-07, 2.51004846078449e-08};
  const SplitExponent s = split_exponent(select(x < -709.0, -709.0, x));
  const double r = s.rest, r2 = r * r;
  const double even = kC[0] + r2 * (kC[2] + r2 * (kC[4] + r2 * (kC[6] + r2 * kC[8])));
  const double odd = kC[1] + r2 * (kC[3] + r2 * (kC[5] + r2 * (kC[7] + r2 * kC[9])));
  return s.power + s.power * (r + r2 * (even + r * odd));
}

}  // namespace fathom::math

namespace fathom {

inline constexpr std::size_t kEmBlock = 256;  ///< pairs; the data of a block stay in the first cache
inline constexpr std::size_t kEmGroup = 16;   ///< the most pairs that loops take at once

/// Parameters as the loops want them. The responsibilities are proportional to share_c p_c, the likelihood uses w_c.
struct EmParameters {
  double w_hit, w_short, w_rand_density;              ///< w_rand / Z
  double share_hit, share_short, share_rand_density;  ///< the weights, or 1 for the book's variant
  double sigma, lambda, offset, floor, limit;         ///< z* + offset is cut to [floor, limit]
};

/// One block of range readings, [count]. If readings behind their surfaces come first (put_behind_first), loops skip
/// the shorts for them.
struct EmBlock {
  const float *z, *expected;
  float lowest;                ///< of `expected`
  const double* inverse_mass;  ///< 1 / N of the hit density
  std::size_t count;
  float* r_short;  ///< out
  double* r_hit;   ///< out
};

/// Second moment m2 = E[d^2] of the cut hit density and its growth with log sigma, (E[d^4] - m2^2) / sigma^2, summed
/// with weights r.
struct HitMoments {
  double r = 0, m2 = 0, m2_growth = 0;
  void add(const HitMoments& o) { r += o.r, m2 += o.m2, m2_growth += o.m2_growth; }
};
/// Mean and variance of the truncated short density, summed with weights r.
struct ShortMoments {
  double mean = 0, variance = 0;
  void add(const ShortMoments& o) { mean += o.mean, variance += o.variance; }
};

/// Sums over pairs; d = z - z*, z* with the offset.
struct EmSums {
  double log_likelihood = 0;
  double hit = 0, hit_d2 = 0;                          ///< sums of r_hit, r_hit d^2
  double shorts = 0, short_z = 0, short_expected = 0;  ///< sums of r_short, r_short z, r_short z*
  double rand = 0;
  ShortMoments short_moments;  ///< under the old lambda

  void add(const EmSums& o) {
    log_likelihood += o.log_likelihood;
    hit += o.hit, hit_d2 += o.hit_d2;
    shorts += o.shorts, short_z += o.short_z, short_expected += o.short_expected;
    rand += o.rand;
    short_moments.add(o.short_moments);
  }
};

/// The hit density cut at the ends of [0, Z], per centre.
struct CutHits {
  double *inverse_mass, *m2, *m2_growth;
};

/// Shorts of a block after expect(), [count].
struct EmShorts {
  const float *expected, *r;
  float lowest;  ///< of `expected`, at most
  std::size_t count;
};

/// For fixed responsibilities, the slope of the log-likelihood of hits over the two numbers of an extended law (log
/// sigma and log nu of student_t, sigma and sigma' of grows), and minus its second derivatives, of grows on average.
struct TailSums {
  double slope[2] = {}, information[3] = {};  ///< (0, 0), (0, 1), (1, 1)
  void add(const TailSums& o) {
    for (int k = 0; k < 2; ++k) slope[k] += o.slope[k];
    for (int k = 0; k < 3; ++k) information[k] += o.information[k];
  }
};

// Tables of student_t have panels over the distance x, in scales, which double in width from octave to octave of 1 + x.

inline constexpr int kPanelBits = 6;
inline constexpr std::size_t kPanelsPerOctave = std::size_t{1} << kPanelBits, kPanelNumbers = 6, kEndNumbers = 8;

/// x at the near end of a panel, and its width.
struct Panel {
  double low, width;
};
FATHOM_KERNEL Panel panel_at(std::size_t k) {
  const double octave = math::double_of((std::uint64_t{k} / kPanelsPerOctave + 1023U) << 52U);
  const double width = octave / static_cast<double>(kPanelsPerOctave);
  return {octave - 1.0 + width * static_cast<double>(k % kPanelsPerOctave), width};
}
/// The panel of x, 1 + x given, and the place in it, in [0, 1).
FATHOM_KERNEL std::uint64_t panel_of(double one_and_x) {
  return (math::bits64_of(one_and_x) >> (52 - kPanelBits)) - (std::uint64_t{1023} << kPanelBits);
}
FATHOM_KERNEL double part_of(double one_and_x) {
  const std::uint64_t part = (math::bits64_of(one_and_x) << kPanelBits) & 0x000fffffffffffffULL;
  return math::double_of(part | 0x3ff0000000000000ULL) - 1.0;
}

/// Of student_t cut at both ends of [0, Z], over a panel of the distance from the nearer end: [0..3], 1 / N as a cubic
/// over the place in the panel; [4..5], (x t(x) + x' t(x')) / N at the distances x and x' of the two ends,
/// and [6..7], the derivative by nu of the mass beyond them, over N, as lines. One cache line.
struct alignas(64) StudentEnds {
  double numbers[kEndNumbers];
};

/// Parameters and tables of an extended law of hits.
struct EmTail {
  double sigma_per_m;                      ///< of grows
  double nu, peak, peak_slope, peak_bend;  ///< of student_t; log c(nu) of core/distributions.hpp, and its derivatives
  /// Of student_t at x, over panels: c[0..3], the tail P(T > x) as a cubic over the place in the panel; c[4..5], the
  /// derivative of the tail by nu as a line.
  const double* panels;
  const StudentEnds* ends;  ///< likewise, of each panel as far as the middle of [0, Z]
};

/// P(T > x) of Student's t, and its derivatives by nu.
struct StudentTail {
  double value, by_nu = 0.0, by_nu2 = 0.0;
};

struct EmKernels {
  /// Returns the number of leading pairs that surely lie behind their surfaces: they are no shorts.
  std::size_t (*expect)(const EmParameters& p, const EmBlock& block, EmSums& sums);
  /// Places of values, [count] of at most kEmBlock, outside [low, high]; returns their number.
  std::size_t (*list_outside)(const float* values, std::size_t count, double low, double high, std::uint32_t* where);
  /// At centres center[i], at most kEmBlock: 1 / N, and m2 and its growth.
  void (*cut_hits)(const double* center, std::size_t count, double sigma, double limit, const CutHits& out);
  /// Moments of cut hits, weighed with r.
  void (*weigh_hits)(const double* r, const CutHits& hits, std::size_t count, HitMoments& sums);
  /// Uses lambda, offset, floor and limit of p.
  void (*short_moments)(const EmParameters& p, const EmShorts& shorts, ShortMoments& sums);
};

/// The same for extended laws. They find the mass after the cut themselves and ignore inverse_mass. `slopes`: may be
/// null.
struct TailKernels {
  using Expect = std::size_t (*)(const EmParameters& p, const EmTail& tail, const EmBlock& block, EmSums& sums,
                                 TailSums* slopes);
  Expect expect_student, expect_growing;
  /// Fills tail.panels, [count, kPanelNumbers]. `end`: at the far end of the last panel. `edges`, [count + 1, 4], is
  /// room to work in.
  void (*fill_panels)(const EmTail& tail, std::size_t count, const StudentTail& end, double* edges, double* panels);
  /// Fills tail.ends, [count], from tail.panels; Z is `limit` scales.
  void (*fill_ends)(const EmTail& tail, double limit, std::size_t count, double* edges, StudentEnds* ends);
};

FATHOM_EACH_ISA(extern const EmKernels kEmKernels;)
FATHOM_EACH_ISA(extern const TailKernels kTailKernels;)

}  // namespace fathom
