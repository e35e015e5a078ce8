// SPDX-License-Identifier: MIT
#pragma once
// Shared by the readers of scan logs: numbers taken from a line, with errors that name file and line.

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "text/text_lines.hpp"

namespace fathom {

/// Where a reader stands.
struct LogLine {
  std::filesystem::path file;
  std::size_t number = 0;  ///< from 1

  [[noreturn]] void fail(const Message& what) const {
    throw InputError(fmt::format("{}:{}: ", file.string(), number), what);
  }

  /// Any number, nan and inf too; `what` is what it should be, for the message.
  [[nodiscard]] double reading(std::string_view text, std::string_view what) const {
    if (text.empty()) fail(fmt::format("the line is cut short before {}", what));
    const auto value = parse_number<double>(text);
    if (!value) fail(fmt::format("{} = '{}' is not a number", what, text));
    // Past the largest float a value would turn into infinity, which means something else.
    if (std::isfinite(*value) && !(std::abs(*value) <= 3e38)) {
      fail(fmt::format("{} = {} is not in [-3e+38, 3e+38]", what, text));
    }
    return *value;
  }

  [[nodiscard]] double finite(std::string_view text, std::string_view what) const {
    const double value = reading(text, what);
    if (!std::isfinite(value)) fail(fmt::format("{} = {} is not finite", what, number_text(value)));
    return value;
  }

  /// The names in a CSV header. Throws InputError where tabs or semicolons separate them.
  [[nodiscard]] std::vector<std::string_view> header_cells(std::string_view header) const {
    const bool has_commas = header.find(',') != std::string_view::npos;
    for (const char other : {';', '\t'}) {
      if (has_commas || header.find(other) == std::string_view::npos) continue;
      fail(fmt::format("columns are separated by commas, not by {}", other == ';' ? "semicolons" : "tabs"));
    }
    return split_cells(header);
  }
};

}  // namespace fathom
