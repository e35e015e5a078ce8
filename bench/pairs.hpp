// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include <fathom/fit/beam.hpp>

namespace fathom::bench {

/// 862 200 readings of the model, as many as the odd scans of freiburg-079 have, with what was expected of each.
inline BeamData make_pairs(const BeamParameters& parameters, const BeamSensor& sensor) {
  constexpr std::size_t kPairs = 862200;
  BeamData data;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(0, 1);
  const NoiseKey key = beam_key(3, 0);
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    const auto expected = static_cast<float>(0.3 + 10 * unit(random) * unit(random));
    data.expected_m.push_back(expected);
    data.reading_m.push_back(static_cast<float>(sample_reading(BeamDensity(parameters, sensor, expected), key, i)));
    data.scan.push_back(i / 360);
  }
  return data;
}

}  // namespace fathom::bench
