// SPDX-License-Identifier: MIT
#pragma once
// What a fit knows of each of its logs before it reads their scans.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "beam/no_return_pile.hpp"

namespace fathom {

/// Said where a maximum range was to be found.
inline constexpr std::string_view kNoCode = "has no value beyond all others that many readings have, and ";

struct LogFacts {
  std::size_t scans = 0, rays = 0, learned = 0, held_out = 0;  ///< the last two: of the scans
  double max_range_m = 0.0;
  bool moved = false;  ///< whether a ray was measured anywhere else than the first of its scan
  NoReturnPile::Code code = {};
  NoReturnPile::Beyond beyond = {};
  double zeros = 0.0;      ///< NoReturnPile::share_of_zeros()
  double nearest_m = 0.0;  ///< NoReturnPile::nearest_m()
};

/// What the largest readings and those of 0 tell. `max_range_m`: 0 where nothing says how far the sensor measures.
void add_largest(const NoReturnPile& largest, double max_range_m, LogFacts& facts);

/// Throws InputError where a log does not say how far its sensor measures: 0, or more than any does, as inf. It says
/// what the scans hold, and what to give. `before`: words in front.
void require_max_range(double max_range_m, std::string_view before = "");

/// Throws InputError if no reading is a range, whatever the maximum range is.
void require_ranges(const NoReturnPile& readings);

/// Throws InputError if no reading is below the maximum range. `cause`: a sentence about why, or empty.
void require_ranges_below(double max_range_m, double nearest_m, const std::string& cause);

/// The least of what the logs say their sensors measure, or of what is just below a code for "no return" that lies
/// below that. Throws InputError about the log of the name `first` where none says either.
double auto_max_range_m(std::span<const LogFacts> logs, const std::string& first);

}  // namespace fathom
