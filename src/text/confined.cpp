// SPDX-License-Identifier: MIT
#include "text/confined.hpp"

#include <algorithm>
#include <system_error>

namespace fathom {

std::optional<std::filesystem::path> confined(const std::filesystem::path& path,
                                              std::span<const std::filesystem::path> folders) {
  std::error_code error;
  const auto found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  if (error) return std::nullopt;
  for (const std::filesystem::path& folder : folders) {
    const auto root = std::filesystem::canonical(folder.empty() ? "." : folder, error);
    if (error) continue;
    if (std::mismatch(root.begin(), root.end(), found.begin(), found.end()).first == root.end()) return found;
  }
  return std::nullopt;
}

}  // namespace fathom
