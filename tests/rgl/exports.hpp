// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <string>

namespace fathom::test {

/// What the built library exports, as nm tells it.
inline std::set<std::string> exported_names() {
  std::set<std::string> names;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen("nm -D --defined-only '" RGL_LIBRARY "'", "r"), pclose);
  std::array<char, 1024> line;
  while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    char name[512] = "";
    if (std::sscanf(line.data(), "%*x %*c %511s", name) == 1) names.insert(name);
  }
  return names;
}

}  // namespace fathom::test
