// SPDX-License-Identifier: MIT
#include <fathom/base/isa.hpp>

namespace fathom {

std::string_view to_string(Isa isa) {
  const auto position = static_cast<std::size_t>(isa);
  return position < kIsaWords.size() ? kIsaWords[position] : "unknown";
}

Isa detect_isa() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return Isa::kAvx512;
  }
  return __builtin_cpu_supports("avx2") ? Isa::kAvx2 : Isa::kSse2;
}

}  // namespace fathom
