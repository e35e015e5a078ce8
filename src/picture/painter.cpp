// SPDX-License-Identifier: MIT
#include "picture/painter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "picture/palette.hpp"

namespace fathom {

namespace {

constexpr double kCoveredShare = 0.99;  // of the returns, by a scale chosen from the frame

/// The smallest of `digits` times a power of ten that is not below `value`, rounding errors forgiven.
double round_up(double value, std::span<const double> digits) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : digits) {
    if (digit * power >= value * (1.0 - 1e-12)) return digit * power;
  }
  return 10.0 * power;
}

double automatic_scale(std::span<const float> range_m) {
  std::vector<float> returned;
  std::copy_if(range_m.begin(), range_m.end(), std::back_inserter(returned),
               [](float r) { return std::isfinite(r) && r > 0.0F; });
  if (returned.empty()) return 1.0;
  const auto last = std::ceil(kCoveredShare * static_cast<double>(returned.size())) - 1.0;
  const auto nth = returned.begin() + static_cast<std::ptrdiff_t>(last);
  std::nth_element(returned.begin(), nth, returned.end());
  return round_scale(*nth);
}

}  // namespace

double round_length(double value) { return round_up(value, std::array{1.0, 2.0, 5.0}); }

double round_scale(double value) { return round_up(value, std::array{1.0, 1.5, 2.0, 3.0, 5.0, 7.5}); }

std::vector<double> multiples(double step, double first, double last, std::uint32_t most) {
  std::vector<double> values;
  for (std::uint32_t k = 0; k < most; ++k) {
    const double value = (first + k) * step;
    if (!(value <= last)) break;
    if (values.empty() || value > values.back()) values.push_back(value == 0.0 ? 0.0 : value);  // no -0
  }
  return values;
}

RangeScale range_scale(double scale_m, std::span<const float> range_m) {
  if (!(scale_m >= 0.0)) throw InputError(fmt::format("range of a picture = {} m is not >= 0", number_text(scale_m)));
  return scale_m > 0.0 ? RangeScale{scale_m, false} : RangeScale{automatic_scale(range_m), true};
}

Painter::Painter(const Frame& frame, ColorBy color, double scale_m) : color_(color) {
  if (color != ColorBy::kReason) range_m_ = frame.range_m();
  if (color == ColorBy::kEntity) entity_ = frame.entity_id();
  if (color == ColorBy::kReason) reason_ = frame.reason();
  scale_ = range_scale(scale_m, color == ColorBy::kRange ? range_m_ : std::span<const float>());
}

Rgb Painter::color(std::size_t ray) const {
  if (color_ == ColorBy::kReason) return reason_color(reason_[ray]);
  const float range_m = range_m_[ray];
  if (range_m != range_m) return kLostColor;
  return color_ == ColorBy::kEntity ? entity_color(entity_[ray]) : range_color(range_m / scale_.scale_m);
}

ChannelSet painted_channels(ColorBy color) {
  switch (color) {
    case ColorBy::kRange:
      return {Channel::kRange};
    case ColorBy::kEntity:
      return {Channel::kRange, Channel::kEntityId};
    case ColorBy::kReason:
      return {Channel::kReason};
  }
  return {};
}

}  // namespace fathom
