// SPDX-License-Identifier: MIT
#include <fathom/base/compute.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void validate(const Compute& compute) {
  if (compute.isa > detect_isa()) {
    throw InputError(fmt::format("isa = {} is not supported by this computer (up to {})", to_string(compute.isa),
                                 to_string(detect_isa())));
  }
  if (compute.threads < 0 || compute.threads > Compute::kMostThreads) {
    throw InputError(fmt::format("threads = {} is not in [0, {}]", compute.threads, Compute::kMostThreads));
  }
}

}  // namespace fathom
