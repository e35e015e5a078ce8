// SPDX-License-Identifier: MIT
#include <fathom/noise/correlation.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void Correlation::check() const {
  constexpr double kLeastS = 1e-6;
  if (time_s > 0.0 && time_s < kLeastS) {
    throw InputError(fmt::format("correlation.time_s = {:g} is neither 0 nor at least {:g} s", time_s, kLeastS));
  }
}

}  // namespace fathom
