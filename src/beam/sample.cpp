// SPDX-License-Identifier: MIT
#include <fathom/beam/sample.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void sample_scan(const BeamParameters& parameters, const BeamSensor& sensor, const NoiseKey& key,
                 std::span<const float> expected_m, std::span<float> reading_m) {
  validate(parameters);
  validate(sensor);
  if (expected_m.size() != reading_m.size()) {
    throw InputError(fmt::format("{} expected ranges given for {} readings", expected_m.size(), reading_m.size()));
  }
  for (std::size_t i = 0; i < expected_m.size(); ++i) {
    if (!(expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, expected_m[i]));
    }
  }
  for (std::size_t i = 0; i < expected_m.size(); ++i) {
    const BeamDensity density(parameters, sensor, expected_m[i]);
    reading_m[i] = static_cast<float>(sample_reading(density, key, static_cast<std::uint32_t>(i)));
  }
}

}  // namespace fathom
