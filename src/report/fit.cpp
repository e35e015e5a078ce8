// SPDX-License-Identifier: MIT
#include <fathom/report/fit.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

namespace fathom {

Message first_unusable(std::span<const Finding> findings) {
  const auto found = std::ranges::find(findings, Severity::kUnusable, &Finding::severity);
  return found == findings.end() ? Message() : found->text;
}

std::vector<std::string> texts_of(std::span<const Finding> findings, SettingNames names) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) texts.push_back(finding.text.text(names));
  return texts;
}

}  // namespace fathom
