// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

namespace fathom {

/// What the data do not tell.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace fathom
