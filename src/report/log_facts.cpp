// SPDX-License-Identifier: MIT
#include "report/log_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/model.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"

namespace fathom {

void add_largest(const NoReturnPile& largest, double max_range_m, LogFacts& facts) {
  const double at_most_m = max_range_m > 0.0 ? max_range_m : std::numeric_limits<double>::infinity();
  facts.code = largest.code(at_most_m);
  facts.beyond = largest.beyond(at_most_m);
  facts.zeros = largest.share_of_zeros();
  facts.nearest_m = largest.nearest_m();
}

void require_ranges(const NoReturnPile& readings) {
  if (!(readings.nearest_m() > 0.0)) throw InputError(readings.without_ranges());
}

void require_ranges_below(double max_range_m, double nearest_m, const std::string& cause) {
  if (!reaches(nearest_m, max_range_m)) return;
  throw InputError(fmt::format("no reading is below the maximum range, {:.6g} m: the nearest is {:.6g} m{}{}",
                               max_range_m, nearest_m, cause.empty() ? "" : "; ", cause));
}

void require_max_range(double max_range_m, std::string_view before) {
  if (max_range_m > 0.0 && max_range_m <= BeamSensor::kMostRangeM) return;
  if (max_range_m > 0.0) {
    throw InputError(fmt::format("{}its scans have range_max = {} m, which no sensor measures; give max_range_m",
                                 before, number_text(max_range_m)));
  }
  throw InputError(fmt::format("{}does not say how far its sensor measures; give max_range_m", before));
}

double auto_max_range_m(std::span<const LogFacts> logs, const std::string& first) {
  double least_m = std::numeric_limits<double>::infinity();
  for (const LogFacts& facts : logs) {
    const bool says = facts.max_range_m > 0.0 && facts.max_range_m <= BeamSensor::kMostRangeM;
    const double said_m = says ? facts.max_range_m : std::numeric_limits<double>::infinity();
    // Readings of a code beyond what the log says are "max" already.
    const bool is_code = facts.code.value_m > 0.0 && facts.code.value_m < said_m;
    least_m = std::min(least_m, is_code ? facts.code.below_m() : said_m);
  }
  if (!std::isfinite(least_m)) {
    with_prefix(first, [&] { require_max_range(logs.front().max_range_m, kNoCode); });
  }
  return least_m;
}

}  // namespace fathom
