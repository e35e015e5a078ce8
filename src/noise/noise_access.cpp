// SPDX-License-Identifier: MIT
#include "noise/noise_access.hpp"

#include <variant>

namespace fathom::detail {

std::optional<std::size_t> NoiseAccess::place_in_list(const Noise& noise) {
  for (std::size_t i = 0; i < std::variant_size_v<RegisteredNoise>; ++i) {
    if (noise.type_ == &registered_type(i)) return i;
  }
  return std::nullopt;
}

}  // namespace fathom::detail
