#pragma once

#include <span>

#include <fathom/frame.hpp>
#include <fathom/output.hpp>

#include "io/image.hpp"

namespace fathom {

/// Smallest of 1, 2 or 5 times a power of ten that is not below `value` (> 0): lengths of scale bars.
double round_length(double value);
/// Smallest of 1, 1.5, 2, 3, 5 or 7.5 times a power of ten that is not below `value` (> 0): finer, so that the colours
/// of a picture are used well.
double round_scale(double value);

/// The colour of every ray of a frame. Throws InputError when the frame lacks a channel, or the scale is NaN or
/// negative.
class Painter {
 public:
  Painter(const Frame& frame, ColorBy color, double scale_m);

  [[nodiscard]] Rgb color(std::size_t ray) const;
  [[nodiscard]] double scale_m() const { return scale_m_; }  ///< range of the last colour

 private:
  ColorBy color_;
  double scale_m_ = 0.0;
  std::span<const float> range_m_;
  std::span<const std::uint32_t> entity_;
  std::span<const Reason> reason_;
};

/// The channels that a Painter reads.
ChannelSet painted_channels(ColorBy color);

}  // namespace fathom
