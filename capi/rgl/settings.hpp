// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace rgl {

/// Settings of the caller for the whole library. Only this file reads the environment.
struct Settings {
  std::array<std::int32_t, 3> version = {0, 19, 0};
  std::uint64_t seed = 0;
  int threads = 0;
  bool keep_misses = false;
  bool tapes_in_real_time = false;
  std::optional<bool> intensity_falloff;  ///< nothing: by the version

  [[nodiscard]] bool intensity_falls_off() const {
    return intensity_falloff.value_or(version >= std::array<std::int32_t, 3>{0, 21, 0});
  }
};

/// FATHOM_RGL_VERSION, FATHOM_RGL_SEED (absent: a seed of this process's own), FATHOM_RGL_THREADS,
/// FATHOM_RGL_KEEP_MISSES, FATHOM_RGL_TAPES_IN_REAL_TIME, FATHOM_RGL_INTENSITY_FALLOFF. Throws INITIALIZATION_ERROR for
/// a value that is not understood.
Settings read_environment();

}  // namespace rgl
