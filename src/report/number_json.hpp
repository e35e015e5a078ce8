// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

namespace fathom {

/// JSON has no NaN and no infinity.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// A file of JSON. Names of files are bytes; what is no UTF-8 becomes U+FFFD.
inline std::string json_file_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fathom
