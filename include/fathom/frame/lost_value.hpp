// SPDX-License-Identifier: MIT
#pragma once
// The value of a lost pixel. It is chosen when a file is written: frames keep NaN and the reason.

#include <array>
#include <cstdint>
#include <string_view>

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

}  // namespace fathom
