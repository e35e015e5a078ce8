// SPDX-License-Identifier: MIT
#pragma once
// Flags of a report, by words that they have.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/fit/fit.hpp>

namespace fathom::test {

/// The flag of a report that has these words; empty: there is none.
template <class Report>
std::string flag_with(const Report& report, std::string_view words) {
  for (const std::string& flag : fathom::texts_of(report.findings())) {
    if (flag.find(words) != std::string::npos) return flag;
  }
  return "";
}

/// The findings of a fit.json as sentences.
inline std::vector<std::string> texts_of(const nlohmann::json& fit) {
  std::vector<std::string> texts;
  for (const nlohmann::json& finding : fit["findings"]) texts.push_back(finding["text"]);
  return texts;
}

}  // namespace fathom::test
