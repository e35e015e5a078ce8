// SPDX-License-Identifier: MIT
#pragma once
// Tables of few cubic pieces, as small as a look-up without gathers wants them: AVX-512 keeps them in registers, the
// others load rows of four numbers and turn them into columns. All give the same bits.

#include <array>
#include <cmath>
#include <cstddef>

namespace fathom {

/// A function over [0, kPieces], a cubic of the place within each piece.
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

}  // namespace fathom
