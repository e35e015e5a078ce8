// SPDX-License-Identifier: MIT
#pragma once
// Flags of a report, by words that they have.

#include <string>
#include <string_view>

namespace fathom::test {

/// The flag of a report that has these words; empty: there is none.
template <class Report>
std::string flag_with(const Report& report, std::string_view words) {
  for (const std::string& flag : report_flags(report)) {
    if (flag.find(words) != std::string::npos) return flag;
  }
  return "";
}

}  // namespace fathom::test
