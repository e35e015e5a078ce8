// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/depth.hpp>

#include "picture/image.hpp"

namespace fathom {

namespace {

constexpr double kTopLevel = 65535.0;

std::uint16_t lost_level(const LostPolicy& policy, double per_m) {
  switch (policy.value) {
    case LostValue::kZero:
      return 0;
    case LostValue::kInf:
      return 65535;
    case LostValue::kMax: {
      const double level = std::round(double{policy.max_m} * per_m);
      if (level > 0.0 && level <= kTopLevel) return static_cast<std::uint16_t>(level);
      throw InputError(fmt::format("{} m at {} levels per metre is not in (0, 65535]", policy.max_m, per_m));
    }
    case LostValue::kNan:
    case LostValue::kMinusOne:
      break;
  }
  throw InputError("a 16-bit picture has no NaN and no -1 for lost pixels: choose zero, inf or max");
}

std::vector<std::uint16_t> levels_of(std::span<const float> values, const LostPolicy& policy, double per_m,
                                     OffScale off_scale) {
  const std::uint16_t lost = lost_level(policy, per_m);
  std::vector<std::uint16_t> levels(values.size(), lost);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double level = std::round(double{values[i]} * per_m);
    if (!(level >= 0.0 && level <= kTopLevel)) {
      if (off_scale == OffScale::kLost) continue;
      throw InputError(fmt::format("pixel {}: {} m at {} levels per metre is not in [0, 65535]; choose fewer levels", i,
                                   values[i], per_m));
    }
    levels[i] = static_cast<std::uint16_t>(level);
  }
  return levels;
}

}  // namespace

void write_depth_png(const std::filesystem::path& file, const Frame& frame, Channel channel, const LostPolicy& policy,
                     double per_m, OffScale off_scale) {
  if (frame.returns() > 1) return write_depth_png(file, frame.of_return(0), channel, policy, per_m, off_scale);
  if (!(per_m >= kLeastLevelsPerM && per_m <= kMostLevelsPerM)) {
    throw InputError(fmt::format("per_m = {} is not in [{}, {}] 1/m", per_m, kLeastLevelsPerM, kMostLevelsPerM));
  }
  if (frame.size() == 0) throw InputError(fmt::format("{}: a frame without rays makes no picture", file.string()));
  const std::span<const float> values = frame.floats(channel);
  if (values.size() != frame.size()) throw InputError("a depth picture needs one value per ray");
  const std::vector<std::uint16_t> levels = levels_of(values, policy, per_m, off_scale);
  write_grey16_png(file, frame.cols(), frame.rows(), levels);
}

}  // namespace fathom
