// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

namespace fathom {

/// Throws InputError naming the expected range of this number unless it is at least 0.
inline void check_expected(std::size_t number, float expected_m) {
  if (expected_m >= 0.0F) return;
  throw InputError(fmt::format("expected range {} = {} is not at least 0", number, expected_m));
}

}  // namespace fathom
