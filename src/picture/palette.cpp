// SPDX-License-Identifier: MIT
#include "picture/palette.hpp"

#include <algorithm>
#include <cmath>

#include <fathom/base/ids.hpp>

namespace fathom {

namespace {

/// Turbo (A. Mikhailov, Google, 2019) at 17 even steps from 0.97 down to 0.07: reversed, so that near is warm, and
/// without its darkest ends, so that no range looks like a lost return.
constexpr std::array<Rgb, 17> kTurbo = {{{148, 12, 0},
                                         {175, 26, 6},
                                         {212, 55, 15},
                                         {244, 92, 23},
                                         {255, 131, 30},
                                         {255, 170, 36},
                                         {241, 204, 44},
                                         {208, 230, 55},
                                         {166, 247, 72},
                                         {122, 254, 96},
                                         {82, 250, 126},
                                         {53, 236, 161},
                                         {39, 213, 198},
                                         {39, 182, 230},
                                         {52, 146, 248},
                                         {68, 107, 239},
                                         {74, 67, 186}}};

constexpr std::array<Rgb, kReasonNames.size()> kReasonColors = {{{120, 200, 120},  // hit
                                                                 {34, 36, 46},     // miss
                                                                 {240, 228, 66},   // below_min_range
                                                                 {0, 114, 178},    // above_max_range
                                                                 {230, 159, 0},    // loss_angle
                                                                 {86, 180, 233},   // hidden_left
                                                                 {0, 158, 115},    // hidden_right
                                                                 {60, 90, 110},    // hidden_both
                                                                 {148, 103, 189},  // low_energy
                                                                 {204, 121, 167},  // random_loss
                                                                 {213, 94, 0},     // dropout
                                                                 {110, 110, 110},  // masked
                                                                 {178, 24, 43},    // edge_loss
                                                                 {255, 182, 193},  // edge
                                                                 {127, 255, 212},  // speckle
                                                                 {139, 90, 43},    // low_texture
                                                                 {74, 62, 92}}};   // no_further_return

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
  Rgb color{};
  for (std::size_t i = 0; i < 3; ++i) color[i] = to_byte(kTurbo[low][i] * (1.0 - part) + kTurbo[low + 1][i] * part);
  return color;
}

Rgb entity_color(std::uint32_t entity) {
  if (entity == index(kNoEntity)) return kUnknownColor;
  // Steps of the golden ratio spread the hues; saturation and value tell apart what comes near again.
  const double turns = static_cast<double>(entity) * 0.61803398874989485;
  constexpr std::array<double, 3> kSaturation = {0.55, 0.80, 0.38}, kValue = {0.95, 0.82, 0.70};
  return from_hsv(turns - std::floor(turns), kSaturation[entity % 3], kValue[entity / 3 % 3]);
}

Rgb reason_color(Reason reason) {
  return kReasonColors[std::min<std::size_t>(static_cast<std::size_t>(reason), kReasonColors.size() - 1)];
}

}  // namespace fathom
