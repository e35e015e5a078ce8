// SPDX-License-Identifier: MIT
#pragma once
// Correlated draws. With a correlation, the random numbers of a model come from a field over the image and time instead
// of white noise. For each number that the model draws:
//
//   F[v, u] = sum_j sum_i h_down[j] h_across[i] W[v - j, u - i],   sum_i h[i]^2 = 1
//
// W are independent standard normals, named by (seed, stream, key frame, row, column), also beyond the borders of the
// image. So F is a stationary Gaussian field of mean 0 and variance 1, without effects of the border. At every pixel
// the numbers have the same law as without a correlation: a normal is F, a uniform is Phi(F). Only the dependence
// between pixels changes: a loss of probability P takes P of the area, in blobs.
//
// Across and down, with the lag l in px of that direction and s the parameter of that direction:
//
//   gaussian     h[i] ~ exp(-i^2 / (2 s^2)), |i| <= 3 s;   E[F F'] = exp(-l^2 / (4 s^2))
//   exponential  h[i] ~ exp(-i / s),  0 <= i < N;          E[F F'] = exp(-l / s)
//
// Correlations of two directions multiply, and s = 0 is white. The closed forms hold for infinite kernels. Cut at
// 3 s, the Gaussian's is less by up to 0.004 from s = 1 on (below, the grid is coarser than the kernel, and neighbours
// have less in common); the exponential's, with N the smallest power of 2 that is at least 8 s, is off by less than
// 0.0004. Kernel and closed form of the Gaussian: a moving average with a Gaussian window, e.g. Lang and Potthoff,
// "Fast simulation of Gaussian random fields", Monte Carlo Methods and Applications 17 (2011); the exponential is the
// first-order autoregressive process.
//
// Time: there is a key frame every c = time_s seconds of the sensor's clock, at k c. Between two of them
//
//   F(t) = cos(phi) F_k + sin(phi) F_k+1,   k = floor(t / c),   phi = (pi / 2) (t / c - k)
//
// with independent F_k: variance 1 at every instant. E[F(t) F(t')] is cos(phi - phi') between the same two key frames,
// sin(phi) cos(phi') from one interval to the next, and 0 beyond. time_s = 0: every frame has its own field; time_s =
// inf: all frames have the same, a fixed pattern of the sensor. A frame's time is its stamp, also for rays with their
// own times.
//
// Motion: a stereo camera matches the same texture as long as it stands still, so its error stays. With motion_m or
// motion_rad, key frames come along the way of the sensor:
//
//   t / c  becomes  way / motion_m + angle / motion_rad + t / time_s, without the terms whose parameter is 0
//
// The way and the angle are sums over the frames 0, 1, ... of the distance and of the rotation from each frame to the
// next, at their times without jitter. Two frames of a still camera have the same field. A program that gives frames
// gives these sums, too (GivenFrame::motion).
//
// Rows and columns are the frame's: rings and azimuth steps of a lidar, whose last column is next to its first if the
// scan closes. Entries by entity or ring take their numbers out of the same fields.
//
// Not modelled: correlation between different numbers of a model, between models and between sensors; correlation that
// depends on the scene.

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>

namespace fathom {

enum class CorrelationShape : std::uint8_t { kGaussian, kExponential };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<CorrelationShape> = {"gaussian", "exponential"};

/// How far the draws of an entry of a chain are correlated. All 0: not at all, with the same bits as without.
struct Correlation {
  float across_px = 0.0F;
  float down_px = 0.0F;
  double time_s = 0.0;
  double motion_m = 0.0;
  double motion_rad = 0.0;
  CorrelationShape shape = CorrelationShape::kGaussian;

  static constexpr std::string_view kSlug = "correlation";
  static constexpr std::string_view kDoc = "Correlation of the draws of neighbouring pixels and frames.";

  static constexpr auto fields() {
    return std::array<Field<Correlation>, 6>{{
        {"across_px", "px", &Correlation::across_px, 0, 64, "size along rows, s; 0: white"},
        {"down_px", "px", &Correlation::down_px, 0, 64, "size along columns, s; 0: white"},
        {"time_s", "s", &Correlation::time_s, 0, std::numeric_limits<double>::infinity(),
         "time between key frames; 0: without motion frames are independent; inf: a fixed pattern"},
        {"motion_m", "m", &Correlation::motion_m, 0, 1e6, "way of the sensor between key frames; 0: ignored"},
        {"motion_rad", "rad", &Correlation::motion_rad, 0, 1e6,
         "rotation of the sensor between key frames; 0: ignored"},
        {"shape", "gaussian|exponential", choice<&Correlation::shape>, 0, 0, "law in the image"},
    }};
  }

  /// Throws InputError for a time, a way or a rotation between 0 and 1e-6.
  FATHOM_API void check() const;

  [[nodiscard]] constexpr bool is_white() const {
    return across_px == 0.0F && down_px == 0.0F && time_s == 0.0 && !has_motion();
  }
  /// Whether the error of a still sensor stays.
  [[nodiscard]] constexpr bool has_motion() const { return motion_m > 0.0 || motion_rad > 0.0; }
  /// As Noise::idle().
  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "shape" && across_px == 0.0F && down_px == 0.0F ? "across_px = 0 and down_px = 0" : "";
  }
  friend bool operator==(const Correlation&, const Correlation&) = default;
};

}  // namespace fathom
