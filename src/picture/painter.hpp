// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>

#include "picture/image.hpp"

namespace fathom {

/// Smallest of 1, 2 or 5 times a power of ten that is not below `value` (> 0): lengths of scale bars.
double round_length(double value);
/// Smallest of 1, 1.5, 2, 3, 5 or 7.5 times a power of ten that is not below `value` (> 0): finer, so that the colours
/// of a picture are used well.
double round_scale(double value);
/// The whole multiples of `step` (> 0) from `first` of them to the value `last`, at most `most`: where numbers or lines
/// stand. Those that rounding makes equal are there once.
std::vector<double> multiples(double step, double first, double last, std::uint32_t most);

/// Which range has the last colour, and who chose it.
struct RangeScale {
  double scale_m = 0.0;
  bool is_automatic = false;
};

/// `scale_m` itself, or for 0 a round number that covers 99 % of the ranges above 0, so that the frames of a run keep
/// one scale unless the scene changes a lot. Throws InputError when it is NaN or negative.
RangeScale range_scale(double scale_m, std::span<const float> range_m);

/// The colour of every ray of a frame. Throws InputError when the frame lacks a channel, or the scale is NaN or
/// negative.
class Painter {
 public:
  Painter(const Frame& frame, ColorBy color, double scale_m);

  [[nodiscard]] Rgb color(std::size_t ray) const;
  [[nodiscard]] ColorBy color_by() const { return color_; }
  [[nodiscard]] const RangeScale& scale() const { return scale_; }

 private:
  ColorBy color_;
  RangeScale scale_;
  std::span<const float> range_m_;
  std::span<const std::uint32_t> entity_;
  std::span<const Reason> reason_;
};

/// The channels that a Painter reads.
ChannelSet painted_channels(ColorBy color);

}  // namespace fathom
