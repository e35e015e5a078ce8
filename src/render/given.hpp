// SPDX-License-Identifier: MIT
#pragma once
// Surfaces of a given image, which replace a cast: ranges along rays, normals, and which points a camera does not see.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/noise/detail/drive.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "core/compute.hpp"
#include "render/chain.hpp"
#include "render/lanes.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

struct BlockPlaces;
struct RenderJob;

/// Arrays [rays].
struct GivenSurfaces {
  GivenSurface surface = {};
  GivenValues values = {};              ///< null values: `surface` has the ranges
  NormalArrays normal = {};             ///< unit; null: nothing reads normals
  bool turns_normals = false;           ///< whether they are in the sensor frame, else in the caster's coordinates
  const float* reflectivity = nullptr;  ///< null: 1
  bool reflectivity_has_incidence = false;
  const std::uint8_t* hidden = nullptr;  ///< SurfaceBlock::hidden; null: no model reads it
  PixelGrid grid = {};
};

/// What a sensor and its chain read of an image.
struct GivenNeeds {
  const RayPattern& rays;
  const SensorView& view;
  const StagedChain& chain;  ///< with hidden points, if it needs lines of sight
  bool normals = false;
  double far_m = 0.0;  ///< ranges from there on met nothing
  Isa isa = Isa::kBase;
};

/// An image ready for rendering, with its memory.
class PreparedImage {
 public:
  /// Reads an image that has passed check_given(). `given` must outlive the surfaces. In steady state nothing is
  /// allocated. Throws InputError for a normal that is not of unit length.
  void prepare(const GivenFrame& given, const GivenNeeds& needs, Executor& executor);
  [[nodiscard]] const GivenSurfaces& surfaces() const { return surfaces_; }

 private:
  void find_normals(const GivenNeeds& needs, Executor& executor);
  void find_hidden(const GivenNeeds& needs, Executor& executor);
  /// `place`: of its arrays of SightRow.
  void find_hidden(const GivenNeeds& needs, std::uint32_t row, std::size_t place);

  GivenSurfaces surfaces_;
  std::vector<float> range_m_, inverse_m_;
  std::vector<float> normal_x_, normal_y_, normal_z_;
  std::vector<std::uint8_t> hidden_;
  std::vector<float> column_, seen_m_, tolerance_, inverse_in_cell_;  ///< arrays of SightRow
  std::vector<std::uint32_t> seen_from_;
  std::vector<std::int32_t> cell_;
};

/// Throws InputError if an array has another size than the sensor's rays, none or both of ranges and depths are given,
/// all are NaN, a reflectivity is outside [0, 1], or half of the ranges exceed 200 m, as those in millimetres do.
void check_given(const GivenFrame& given, const RayPattern& rays, const SensorView& view, double far_m, Isa isa);

/// A far plane as a single number; infinity beyond the largest one.
inline float single_far(double far_m) {
  if (far_m > double{std::numeric_limits<float>::max()}) return math::kInfinity;
  return static_cast<float>(far_m);
}

/// Fills `cast` for the rays of a block, whose directions in the caster's coordinates it has already. Returns the
/// pixels whose surfaces the rays meet; of turned rays the nearest ones, in `turned_pixel`.
const std::uint32_t* take_given(const RenderJob& job, const BlockPlaces& places, const RayBlock& rays,
                                bool needs_entity, CastBlock& cast, std::uint32_t* turned_pixel);

}  // namespace fathom
