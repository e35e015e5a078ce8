// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

namespace fathom_cli {

/// JSON has no NaN and no infinity.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace fathom_cli
