#pragma once
// Beams: rays with a frame of their own, in blocks. A beam is the map sensor_from_beam; it starts at its translation
// and points along its z axis, the third column, which need not be a unit vector.
//
// Whoever casts beams asks for them block by block, so that sources, transforms and noise work on 256 beams in the
// cache and no array of all changed beams exists.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/affine.hpp>
#include <fathom/export.hpp>
#include <fathom/isa.hpp>
#include <fathom/noise.hpp>

namespace fathom {

/// A map as callers store it: row-major [3][4], single precision.
using Matrix34 = std::array<std::array<float, 4>, 3>;

FATHOM_API Affine widen(const Matrix34& m);

/// Up to kBlockRays beams, in the frame of their sensor.
struct BeamBlock {
  RayBlock ray;   ///< origins and z axes; count is a multiple of 16, padding repeats the last beam
  RayBlock side;  ///< x axes in d, y axes in o; only when wants_sides
  bool wants_sides = false;
  std::uint32_t first = 0;  ///< number of the first beam, a multiple of kBlockRays
  std::uint32_t count = 0;  ///< beams without padding
};

/// Beams that stay the same, laid out for loading blocks.
class FATHOM_API BeamTable {
 public:
  BeamTable() = default;
  explicit BeamTable(std::span<const Matrix34> sensor_from_beam);

  [[nodiscard]] std::uint32_t size() const { return count_; }
  /// Fills a block with its part of the beams.
  void load(BeamBlock& block) const;

 private:
  std::uint32_t count_ = 0;
  std::array<std::vector<float>, 12> parts_;  ///< [beams]: x, y, z of the x, y, z axes and of the origin
};

/// beam := a beam.
FATHOM_API void transform_beams(const Affine& a, Isa isa, BeamBlock& block);
/// Applies a model of stage kRay; the whole frame of a beam turns. Draws belong to the number of the beam.
FATHOM_API void apply_noise(const Noise& noise, const NoiseKey& key, Isa isa, BeamBlock& block);

}  // namespace fathom
