// SPDX-License-Identifier: MIT
#pragma once
// Files for readers that take a name, in memory and of this process alone.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include <fathom/core/error.hpp>

namespace fathom::fuzz {

inline std::filesystem::path write_input(std::string_view name, std::string_view bytes) {
  const std::filesystem::path folder = "/dev/shm/fathom_fuzz_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return folder / name;
}

/// Calls f; an InputError of one line is as good an answer as none.
template <class F>
void expect_answer(F f) {
  try {
    f();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace fathom::fuzz
