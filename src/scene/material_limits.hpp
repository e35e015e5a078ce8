// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace fathom {

inline constexpr std::size_t kMostIncidenceValues = 64;  ///< entries of a material's table
inline constexpr float kMostIncidenceValue = 1000.0F;    ///< of a table, or a gain

}  // namespace fathom
