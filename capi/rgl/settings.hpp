// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace rgl {

/// Settings of the caller for the whole library. Only this file reads the environment.
struct Settings {
  std::array<std::int32_t, 3> version = {0, 19, 0};
  std::uint64_t seed = 0;
  int threads = 0;
  bool keep_misses = false;
  bool tapes_in_real_time = false;
};

/// FATHOM_RGL_VERSION, FATHOM_RGL_SEED (absent: a seed of this process's own), FATHOM_RGL_THREADS,
/// FATHOM_RGL_KEEP_MISSES, FATHOM_RGL_TAPES_IN_REAL_TIME. Throws INITIALIZATION_ERROR for a value that is not
/// understood.
Settings read_environment();

}  // namespace rgl
