// SPDX-License-Identifier: MIT
#pragma once
// Scores in single precision. Terms of z* are in tables, and terms of the reading are computed once per scan.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/noise/beam_density.hpp>

#include "core/compute.hpp"

namespace fathom {

/// A function over [0, kPieces], a cubic of the place within each piece. It is as small as a look-up without gathers
/// wants it: AVX-512 keeps it in registers, the others load rows of four numbers and turn them into columns. All give
/// the same bits.
struct alignas(64) CubicTable {
  static constexpr std::size_t kPieces = 32;
  static constexpr float kLast = 0x1.fffffep4F;  ///< the last place in the table, just below kPieces

  float columns[4][kPieces] = {};  ///< by the power of the place
  float rows[kPieces][4] = {};     ///< the same

  /// Through four points of f(place) in each piece, both its ends among them. The error is below f'''' / 1944.
  template <class F>
  void fill(const F& f) {
    for (std::size_t i = 0; i < kPieces; ++i) {
      std::array<double, 4> at;
      for (std::size_t k = 0; k < 4; ++k) at[k] = f(static_cast<double>(i) + static_cast<double>(k) / 3.0);
      // Newton's forward differences, over thirds of a piece.
      const double first = at[1] - at[0], second = at[2] - 2.0 * at[1] + at[0];
      const double third = at[3] - 3.0 * (at[2] - at[1]) - at[0];
      const std::array<double, 4> c = {at[0], 3.0 * (first - second / 2.0 + third / 3.0), 9.0 * (second - third) / 2.0,
                                       27.0 * third / 6.0};
      for (std::size_t k = 0; k < 4; ++k) columns[k][i] = rows[i][k] = static_cast<float>(c[k]);
    }
  }
};

/// Numbers of a beam model with given parameters, and where its tables are read.
struct ScoreNumbers {
  HitLaw law = HitLaw::kGaussian;
  float hit_per_m = 0;    ///< places in `hit` per metre
  float short_per_m = 0;  ///< and in `shorts`
  float short_end_m = 0;  ///< from there on a short density is short_far for each unit of its factor
  float short_far = 0;    ///< w_short lambda
  float offset_m = 0, max_range_m = 0, floor_m = 0;
  float inverse_sigma = 0;
  // Extended laws: numbers for the terms of a ray that no table has.
  float tail_per_place = 0, tail_last = 0;
  float hit_weight = 0;              ///< w_hit times the law's density at its centre, per deviation
  float sigma = 0, sigma_per_m = 0;  ///< the latter of grows
  float power = 0, inverse_nu = 0;   ///< of student_t: -(nu + 1) / 2
  float w_rand_density = 0;
  bool atom = false;            ///< rays with z* = Z: no hit density below Z, its weight is at Z
  float max = 0, max_miss = 0;  ///< f(Z), for rays with a surface within Z and for those without
};

/// With tables over z*, linear in between.
struct ScoreTables : ScoreNumbers {
  CubicTable hit;     ///< w_hit / (sigma N sqrt(2 pi)) over the distance of z* from the nearer end of [0, Z] (N is
                      ///< symmetric); constant beyond the end of the table
  CubicTable shorts;  ///< w_short x / (1 - e^-x), x = lambda z*, over z* in [0, short_end_m]
  /// Of extended laws, instead of `hit`: the tail P(T > x), x in deviations, over sqrt(x) / (sqrt(x) + kTailKnee).
  std::vector<float> tail;

  [[nodiscard]] std::size_t bytes() const { return sizeof(hit) + sizeof(shorts) + tail.size() * sizeof(float); }
};

inline constexpr float kTailKnee = 2.0F;

inline constexpr std::size_t kScoreLanes = 16;

/// One scan. Arrays [rays], filled up to whole lanes with readings of kind kNone.
struct ScanTerms {
  std::vector<float> reading_m;     ///< where kind is kRange, else 0
  std::vector<float> short_factor;  ///< e^{-lambda z}
  std::vector<std::uint32_t> kind;  ///< a ReadingKind
};

/// out[p] = sum over rays of log f, for expected_m [poses, rays].
using ScoreKernel = void (*)(const ScoreTables& tables, const ScanTerms& scan, const float* expected_m,
                             std::size_t poses, std::size_t rays, double* out);

FATHOM_EACH_ISA(extern const ScoreKernel kScoreKernel;)

}  // namespace fathom
