// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/core/detail/field_member.hpp>

namespace fathom {

/// The background of a picture: nearly black, or white for print.
enum class Theme : std::uint8_t { kDark, kLight };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<Theme> = {"dark", "light"};

}  // namespace fathom
