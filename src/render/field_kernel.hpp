// SPDX-License-Identifier: MIT
#pragma once
// The kernels that turn white draws into a field (fathom/noise/correlation.hpp), as numbers that a device can copy.

#include <cstdint>

#include <fathom/noise/correlation.hpp>

namespace fathom {

/// How one direction of the image is summed over. Of a Gaussian, `weights` are h[0] .. h[radius]. The exponential's sum
/// over 2^k draws is made of k steps, each of which adds a copy shifted twice as far as the one before:
///
///   T_0 = W,   T_{i+1}[u] = T_i[u] + weights[i] T_i[u - 2^i],   weights[i] = rho^(2^i),   F = gain T_k
struct LineKernel {
  static constexpr std::uint32_t kMostWeights = 193;

  float weights[kMostWeights] = {1.0F};
  std::uint32_t count = 1;      ///< of the weights
  std::uint32_t before = 0;     ///< how many draws before the pixel the sum reads
  std::uint32_t after = 0;      ///< and behind it
  float gain = 1.0F;            ///< of the exponential
  bool is_exponential = false;  ///< else symmetric, from -before to +after
};

struct FieldKernel {
  LineKernel across, down;
};

[[nodiscard]] LineKernel make_line_kernel(CorrelationShape shape, double size_px);
[[nodiscard]] FieldKernel make_field_kernel(const Correlation& correlation);

/// Where a frame stands between two key frames.
struct KeyTime {
  std::uint32_t frame = 0;           ///< number of the key frame before, modulo 2^32
  bool is_between = false;           ///< whether the one after it counts, too
  float cosine = 1.0F, sine = 0.0F;  ///< weights of the two
  friend bool operator==(const KeyTime&, const KeyTime&) = default;
};
/// `frame`: the number of the frame, which has a field of its own where time_s is 0; `stamp_s`: its time.
[[nodiscard]] KeyTime key_time(double time_s, std::uint32_t frame, double stamp_s);

}  // namespace fathom
