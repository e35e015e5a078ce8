// SPDX-License-Identifier: MIT
#include "io/picture/painter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/ids.hpp>

#include "core/text.hpp"

namespace fathom {

namespace {

/// Turbo (A. Mikhailov, Google, 2019) at 17 even steps from 0.97 down to 0.07: reversed, so that near is warm, without
/// the darkest ends, which would resemble lost returns.
constexpr std::array<std::uint32_t, 17> kTurbo = {0x940c00, 0xaf1a06, 0xd4370f, 0xf45c17, 0xff831e, 0xffaa24,
                                                  0xf1cc2c, 0xd0e637, 0xa6f748, 0x7afe60, 0x52fa7e, 0x35eca1,
                                                  0x27d5c6, 0x27b6e6, 0x3492f8, 0x446bef, 0x4a43ba};

/// Of 0xRRGGBB.
Rgb unpacked(std::uint32_t color) {
  const auto part = [&](int shift) { return static_cast<std::uint8_t>(color >> shift & 0xff); };
  return {part(16), part(8), part(0)};
}

std::uint8_t to_byte(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

/// Hue in turns, saturation and value in [0, 1].
Rgb from_hsv(double hue, double saturation, double value) {
  const auto part = [&](double shift) {
    const double k = std::fmod(shift + hue * 6.0, 6.0);
    return to_byte(255.0 * value * (1.0 - saturation * std::clamp(std::min(k, 4.0 - k), 0.0, 1.0)));
  };
  return {part(5.0), part(3.0), part(1.0)};
}

}  // namespace

Rgb range_color(double u) {
  if (u != u) return kLostColor;
  const double place = std::clamp(u, 0.0, 1.0) * (kTurbo.size() - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(place), kTurbo.size() - 2);
  const double part = place - static_cast<double>(low);
  const Rgb nearer = unpacked(kTurbo[low]), farther = unpacked(kTurbo[low + 1]);
  Rgb color{};
  for (std::size_t i = 0; i < 3; ++i) color[i] = to_byte(nearer[i] * (1.0 - part) + farther[i] * part);
  return color;
}

Rgb entity_color(std::uint32_t entity) {
  if (entity == index(kNoEntity)) return kUnknownColor;
  // Steps of the golden ratio spread the hues; saturation and value separate similar hues.
  const double turns = static_cast<double>(entity) * 0.61803398874989485;
  constexpr std::array<double, 3> kSaturation = {0.55, 0.80, 0.38}, kValue = {0.95, 0.82, 0.70};
  return from_hsv(turns - std::floor(turns), kSaturation[entity % 3], kValue[entity / 3 % 3]);
}

Rgb reason_color(Reason reason) {
  return unpacked(kReasonColors[std::min(static_cast<std::size_t>(reason), kReasonColors.size() - 1)]);
}

namespace {

constexpr double kCoveredShare = 0.95;  // share of the returns that an automatic scale covers

/// The smallest of `digits` times a power of ten that is at least `value`, up to rounding errors.
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

double round_scale(double value) { return round_up(value, std::array{1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}); }

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
