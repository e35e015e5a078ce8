// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <string>

namespace fathom::test {

/// What a format of sscanf finds in the lines that a command prints.
inline std::set<std::string> words_of(const std::string& command, const char* format) {
  std::set<std::string> words;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 1024> line;
  while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    char word[512] = "";
    if (std::sscanf(line.data(), format, word) == 1) words.insert(word);
  }
  return words;
}

/// What the built library exports, as nm tells it.
inline std::set<std::string> exported_names() {
  return words_of("nm -D --defined-only '" RGL_LIBRARY "'", "%*x %*c %511s");
}

}  // namespace fathom::test
