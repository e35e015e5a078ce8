// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <fathom/base/isa.hpp>

namespace fathom::test {

/// Every instruction set that this computer can run.
inline std::vector<Isa> usable_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= detect_isa()) isas.push_back(isa);
  }
  return isas;
}

}  // namespace fathom::test
