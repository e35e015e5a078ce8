// SPDX-License-Identifier: MIT
#pragma once
// Channels of a frame as arrays of NumPy. The value of a lost pixel is chosen here, when the file is written: frames
// keep NaN and the reason.
//
// Every file is written without a name or under a temporary one, and appears whole or not at all. Layouts:
// docs/output-formats.md. All functions throw SystemError when the system refuses, and then leave nothing.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/frame/frame.hpp>

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

/// One channel as an array [rows, cols] or [rows, cols, 3].
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel);
/// A float channel of one value per ray with its lost pixels (NaN or +inf) replaced, [rows, cols]. Throws InputError
/// for kMax without a maximum above 0, or a channel of points or of no floats.
FATHOM_API std::vector<float> replace_lost(const Frame& frame, Channel channel, const LostPolicy& policy);
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel,
                          const LostPolicy& policy);

}  // namespace fathom
