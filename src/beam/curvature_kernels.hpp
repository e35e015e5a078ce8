// SPDX-License-Identifier: MIT
#pragma once
// The inner loops of standard errors: first and second derivatives of the log density of range readings.
//
// log f of a pair in the coordinates of std_errors.cpp: with responsibilities r_c and h_c the gradient of log(w_c p_c)
// without the weights' common term, the gradient is sum_c r_c h_c and the Hessian
//
//   Cov_r(h) + sum_c r_c H_c,   H_c the Hessian of log p_c   (Louis, JRSS B 44 (1982))
//
//   hit    (log sigma)   (d^2 - m2) / s^2                    short  (log lambda)  l (m1 - z)
//          (offset)      (d - m1) / s^2                             (offset)      -l / (e^{l z*} - 1)

#include <cstddef>

#include "beam/em_kernels.hpp"

namespace fathom {

/// Scores that a range reading has where hits are Gaussian: of w_hit, w_short, w_rand, log sigma, log lambda and the
/// offset. (That of w_max is 0, but for the weights' common term.)
inline constexpr std::size_t kRangeScores = 6;
/// Entries (i, j), i <= j, of a symmetric matrix, row after row.
inline constexpr std::size_t kRangeProducts = kRangeScores * (kRangeScores + 1) / 2;

/// 1 / N and the moments E[d^n] of hits cut at the ends of [0, Z], per pair; growth as in HitMoments.
struct CutMoments {
  double *inverse_mass, *m1, *m2, *m3, *growth;
};

/// One block of range readings, [count], at most kEmBlock.
struct CurvatureBlock {
  const float *z, *expected;
  std::size_t count;
  CutMoments cut;
  bool moves;  ///< whether the offset moves surfaces: not where none is expected
};

/// Out: the scores of each pair, score[k] + [count], and sums of second derivatives that are added to.
struct CurvatureSums {
  double* score[kRangeScores];
  double* hessian;  ///< [kRangeProducts]
};

using CurvatureKernel = void (*)(const EmParameters& p, const CurvatureBlock& block, const CurvatureSums& out);

namespace sse2 {
extern const CurvatureKernel kCurvatureKernel;
}
namespace avx2 {
extern const CurvatureKernel kCurvatureKernel;
}
namespace avx512 {
extern const CurvatureKernel kCurvatureKernel;
}

}  // namespace fathom
