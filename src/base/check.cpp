// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>

#include "base/text.hpp"

namespace fathom {

void check_in_range(std::string_view owner, std::string_view name, double value, double low, double high,
                    std::string_view unit) {
  if (value >= low && value <= high) return;  // false for NaN
  const std::string shown_unit = unit.empty() || unit == "1" ? "" : fmt::format(" {}", unit);
  throw InputError(
      Setting{fmt::format("{}.{}", owner, name)},
      fmt::format(" = {} is not in [{}, {}]{}", number_text(value), number_text(low), number_text(high), shown_unit));
}

void check_sum_is_one(std::string_view owner, std::string_view names, double sum) {
  if (sum >= 1.0 - 1e-6 && sum <= 1.0 + 1e-6) return;
  throw InputError(fmt::format("{}: {} = {} is not 1", owner, names, fmt::format("{:.7g}", sum)));
}

}  // namespace fathom
