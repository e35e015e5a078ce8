#pragma once
// Files made from depth cameras. What stands in place of a lost pixel is decided here, last, and nowhere before: frames
// keep NaN and the reason. Layouts: docs/output-formats.md. As in output.hpp, files appear whole or not at all.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fathom/export.hpp>
#include <fathom/field.hpp>
#include <fathom/frame.hpp>

namespace fathom {

enum class LostValue : std::uint8_t { kZero, kNan, kInf, kMax, kMinusOne };
template <>
inline constexpr std::array<std::string_view, 5> kChoiceWords<LostValue> = {"zero", "nan", "inf", "max", "minus_one"};

/// The channels in which a lost pixel may get a value of the user's choice.
inline constexpr std::array<Channel, 4> kLengthChannels = {Channel::kRange, Channel::kCleanRange, Channel::kDepth,
                                                           Channel::kCleanDepth};

/// The value of lost pixels and of rays that met nothing.
struct LostPolicy {
  LostValue value = LostValue::kNan;
  float max_m = 0.0F;  ///< the value for kMax, > 0
};

/// A float channel of one value per ray with its lost pixels (NaN or +inf) replaced, [rows, cols]. Throws InputError
/// for kMax without a maximum above 0, or a channel of points or of no floats.
FATHOM_API std::vector<float> filled(const Frame& frame, Channel channel, const LostPolicy& policy);
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel,
                          const LostPolicy& policy);

/// What becomes of a value that no level of a picture stands for.
enum class OffScale : std::uint8_t { kRefuse, kLost };

/// 16-bit grey PNG of a depth or range channel, `per_m` levels per metre (1000: millimetres), rounded. Lost pixels are
/// 0 (kZero), 65535 (kInf) or the level of max_m (kMax); kNan and kMinusOne do not exist in such a file: InputError. So
/// does a return too far for 16 bits, or behind the camera, unless it may count as lost.
FATHOM_API void write_depth_png(const std::filesystem::path& file, const Frame& frame, Channel channel,
                                const LostPolicy& policy = {LostValue::kZero, 0.0F}, double per_m = 1000.0,
                                OffScale off_scale = OffScale::kRefuse);

/// The reasons as a picture, at the top left, with a legend of colours, names and shares below.
FATHOM_API void write_reason_picture(const std::filesystem::path& file, const Frame& frame, bool with_legend = true);

/// Clean depth and noisy depth, below them reasons and energy, and the legends of all. Needs kCleanDepth, kDepth,
/// kReason and kEnergy. `scale_m`: depth of the last colour; 0: a round one that covers 99 % of the clean depths.
FATHOM_API void write_camera_sheet(const std::filesystem::path& file, const Frame& frame, double scale_m = 0.0);

}  // namespace fathom
