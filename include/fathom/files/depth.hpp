// SPDX-License-Identifier: MIT
#pragma once
// Depths and ranges as 16-bit pictures for programs, PNG.
//
// Every file is written without a name or under a temporary one, and appears whole or not at all. Layouts:
// docs/output-formats.md. All functions throw SystemError when the system refuses, and then leave nothing.

#include <cstdint>
#include <filesystem>

#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/lost_value.hpp>

namespace fathom {

/// What happens to a value that is outside the levels of a picture: an error, or it counts as lost.
enum class OffScale : std::uint8_t { kRefuse, kLost };

/// Limits of the levels of such a picture, per metre.
inline constexpr double kLeastLevelsPerM = 1e-3, kMostLevelsPerM = 1e6;

/// 16-bit grey PNG of a depth or range channel, `per_m` levels per metre (1000: millimetres), rounded. Lost pixels are
/// 0 (kZero), 65535 (kInf) or the level of max_m (kMax); such a file cannot hold kNan and kMinusOne. Throws InputError
/// for these two, and, unless `off_scale` says kLost, for a return too far for 16 bits or behind the camera.
FATHOM_API void write_depth_png(const std::filesystem::path& file, const Frame& frame, Channel channel,
                                const LostPolicy& policy = {LostValue::kZero, 0.0F}, double per_m = 1000.0,
                                OffScale off_scale = OffScale::kRefuse);

}  // namespace fathom
