// SPDX-License-Identifier: MIT
#include "report/log_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/base/error.hpp>

#include "base/with_prefix.hpp"

namespace fathom {

double auto_max_range_m(std::span<const LogFacts> logs, const std::string& first) {
  double least_m = std::numeric_limits<double>::infinity();
  for (const LogFacts& facts : logs) {
    const double said_m = facts.max_range_m > 0.0 ? facts.max_range_m : std::numeric_limits<double>::infinity();
    const bool is_code = facts.code_m > 0.0 && facts.code_m < said_m;  // else it has no return as it is
    least_m = std::min(least_m, is_code ? facts.code().below_m() : said_m);
  }
  if (!std::isfinite(least_m)) {
    with_prefix(first, [] {
      throw InputError(
          "has no value beyond all others that many readings have, and does not say how far its sensor "
          "measures; give max_range_m");
    });
  }
  return least_m;
}

}  // namespace fathom
