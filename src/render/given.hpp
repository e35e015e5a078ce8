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

struct RenderJob;

/// The rays of a camera: y / x of a direction is linear in the column, and z / x in the row.
struct PixelGrid {
  float y_over_x = 0.0F, per_col = 0.0F;  ///< of column 0, and its step; a step of 0: no such rays
  float z_over_x = 0.0F, per_row = 0.0F;
};

/// Arrays [rays].
struct GivenSurfaces {
  const float* range_m = nullptr;         ///< +inf: met nothing
  const float* normal = nullptr;          ///< [rays, 3] unit; null: nothing reads normals
  bool turns_normals = false;             ///< whether they are in the sensor frame, else in the caster's coordinates
  const std::uint32_t* entity = nullptr;  ///< null: 0
  const float* reflectivity = nullptr;    ///< null: 1
  const std::uint8_t* hidden = nullptr;   ///< SurfaceBlock::hidden; null: no model reads it
  PixelGrid grid = {};
};

/// What a sensor and its chain read of an image.
struct GivenNeeds {
  const RayPattern& rays;
  const SensorView& view;
  const StagedChain& chain;  ///< with hidden points, if it needs lines of sight
  bool normals = false;
  double far_m = 0.0;  ///< ranges from there on met nothing
};

/// The nearest surface that another camera sees at a column of its image.
struct SeenSurface {
  float inverse_m = 0.0F;  ///< inverse depth; 0: none
  std::uint32_t from = 0;  ///< column of its point in the given image
};

/// An image ready for rendering, with its memory.
class GivenImage {
 public:
  /// Reads an image that has passed check_given(). `given` must outlive the surfaces. In steady state nothing is
  /// allocated. Throws InputError for a normal that is not of unit length.
  void prepare(const GivenFrame& given, const GivenNeeds& needs, Executor& executor);
  [[nodiscard]] const GivenSurfaces& surfaces() const { return surfaces_; }

 private:
  void find_normals(const GivenNeeds& needs, Executor& executor);
  void find_hidden(const GivenNeeds& needs, Executor& executor);

  GivenSurfaces surfaces_;
  std::vector<float> range_m_, normal_;
  std::vector<float> inverse_m_;  ///< inverse depths of a camera, else inverse ranges; 0: met nothing
  std::vector<std::uint8_t> hidden_;
  std::vector<float> column_;  ///< of each point in the other camera's image
  std::vector<SeenSurface> seen_;
};

/// Throws InputError if an array has another size than the sensor's rays, none or both of ranges and depths are given,
/// all are NaN, a reflectivity is outside [0, 1], or half of the ranges exceed 200 m, as those in millimetres do.
void check_given(const GivenFrame& given, const RayPattern& rays, const SensorView& view, double far_m);

/// A far plane as a single number; infinity beyond the largest one.
inline float single_far(double far_m) {
  if (far_m > double{std::numeric_limits<float>::max()}) return math::kInfinity;
  return static_cast<float>(far_m);
}

/// Fills `cast` for the rays of a block, whose directions in the caster's coordinates it has already. `pixel`: the
/// pixels whose surfaces the rays meet; of turned rays the nearest ones.
void take_given(const RenderJob& job, std::uint32_t begin, const RayBlock& rays, CastBlock& cast, std::uint32_t* pixel);

}  // namespace fathom
