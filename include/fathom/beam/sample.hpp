// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/beam/model.hpp>
#include <fathom/math/random.hpp>

namespace fathom {

/// The key of the readings of one scan.
inline NoiseKey beam_key(std::uint64_t seed, std::uint32_t scan, std::string_view sensor = "beam") {
  return {seed, scan, make_stream(sensor, 0, kBeamMixtureSlug)};
}

/// Uniform number in (0, 1), an odd multiple of 2^-53.
inline double open_uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 20U) | (low >> 12U);
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

/// The reading of a ray, a pure function of its number, the key, the parameters and z*; a multiple of the sensor's
/// step, if any.
inline double sample_reading(const BeamDensity& density, const NoiseKey& key, std::uint32_t ray) {
  const PhiloxBlock block = keyed_block(key, ray, 0);
  return density.sample(open_uniform(block.word[0], block.word[1]), open_uniform(block.word[2], block.word[3]));
}

/// One reading per expected range; both [rays]. No-return readings are written as Z, others rounded to the sensor's
/// step, if any. Throws InputError when sizes disagree, parameters are invalid or an expected range is negative or NaN.
FATHOM_API void sample_scan(const BeamParameters& parameters, const BeamSensor& sensor, const NoiseKey& key,
                            std::span<const float> expected_m, std::span<float> reading_m);

}  // namespace fathom
