// SPDX-License-Identifier: MIT
#pragma once
// What a fit knows of each of its logs before it reads their scans.

#include <span>
#include <string>
#include <string_view>

#include "beam/no_return_pile.hpp"

namespace fathom {

/// Said where a maximum range was to be found.
inline constexpr std::string_view kNoCode = "has no value beyond all others that many readings have, and ";

/// Counts and shares of a log.
struct LogFacts {
  double scans = 0, rays = 0, learned = 0, held_out = 0, max_range_m = 0, moved = 0, code_m = 0, code_share = 0,
         zeros = 0, beyond = 0, beyond_share = 0, beyond_m = 0;
  [[nodiscard]] NoReturnPile::Code code() const { return {code_m, code_share}; }
  [[nodiscard]] NoReturnPile::Beyond beyond_max() const { return {beyond, beyond_share, beyond_m}; }
};

/// What the largest readings and those of 0 tell. `max_range_m`: 0 where nothing says how far the sensor measures.
void add_largest(const NoReturnPile& largest, double max_range_m, LogFacts& facts);

/// Throws InputError where a log does not say how far its sensor measures: 0, or more than any does, as inf. It says
/// what the scans hold, and what to give. `before`: words in front.
void require_max_range(double max_range_m, std::string_view before = "");

/// The least of what the logs say their sensors measure, or of what is just below a code for "no return" that lies
/// below that. Throws InputError about the log of the name `first` where none says either.
double auto_max_range_m(std::span<const LogFacts> logs, const std::string& first);

}  // namespace fathom
