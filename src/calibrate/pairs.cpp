// SPDX-License-Identifier: MIT
#include <fathom/calibrate/calibrate.hpp>

namespace fathom {

void append_pairs(const Frame& frame, RangePairs& pairs) {
  const auto reason = frame.reason();
  const auto range = frame.range_m(), expected = frame.clean_range_m();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kHit) continue;
    pairs.range_m.push_back(range[i]);
    pairs.expected_m.push_back(expected[i]);
  }
}

void append_pairs(const Frame& frame, EnergyPairs& pairs) {
  const auto reason = frame.reason();
  const auto energy = frame.energy();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::optional<std::uint8_t> lost = lost_by_energy(reason[i]);
    if (!lost) continue;
    pairs.energy.push_back(energy[i]);
    pairs.lost.push_back(*lost);
  }
}

}  // namespace fathom
