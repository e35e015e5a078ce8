// SPDX-License-Identifier: MIT
#pragma once
// Operations on clouds in the caller's arrays: points interleaved, xyz xyz, and one array for each other property. A
// function that treats each point alone may be called on slices of a cloud from several threads at once; the bits do
// not depend on the slices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/affine.hpp>
#include <fathom/base/export.hpp>
#include <fathom/base/isa.hpp>
#include <fathom/math/random.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom {

/// out := a in, [points, xyz]. They may be the same array.
FATHOM_API void transform_points(const Affine& a, std::span<const float> in_xyz, float* out_xyz);

/// A model of stage kHitPoint or kRange, and what it makes of points.
struct PointNoise {
  const Noise* noise = nullptr;
  NoiseKey key;
  bool distance_from_origin = false;  ///< their distance becomes that from the sensor's origin
};

/// Points for noise models. Draws belong to the number of the point.
struct NoisyPoints {
  std::uint32_t first = 0;                    ///< number of the first point, a multiple of 4
  std::span<const float> xyz;                 ///< [points, xyz], m, world
  std::span<const float> distance_m;          ///< [points]: what the rays travelled; empty: from the sensor's origin
  std::span<const std::int32_t> is_hit = {};  ///< [points]: where 0, the point keeps its bits; empty: all are changed
  float* out_xyz = nullptr;                   ///< [points, xyz]
  float* out_distance_m = nullptr;            ///< [points], or null
};

/// Applies models one after the other in the frame of a sensor: points := world_from_sensor noise(sensor_from_world
/// points), rounded to single precision after each. The bits are those of one call for each model.
FATHOM_API void apply_noise(std::span<const PointNoise> models, const Affine& sensor_from_world,
                            const NoisyPoints& points, Isa isa);

/// Numbers of the elements that are not 0, ascending, counted from `first`, to `indices`, which has room for all.
/// Returns how many.
FATHOM_API std::size_t find_nonzero(std::span<const std::int32_t> values, std::uint32_t first, std::uint32_t* indices);

/// out[i] := in[indices[i]] for elements of `size` bytes.
FATHOM_API void copy_points(const std::byte* in, std::size_t size, std::span<const std::uint32_t> indices,
                            std::byte* out);

/// One property of packed points: `size` bytes at `offset` of every point.
struct PackedProperty {
  const std::byte* data = nullptr;         ///< [points, size], or more points when there are indices
  const std::uint32_t* indices = nullptr;  ///< [points]: which values; null: all in their order
  std::size_t size = 0, offset = 0;
};
/// Writes points [begin, end) to their places in `out`, `step` bytes each.
FATHOM_API void pack_points(std::span<const PackedProperty> properties, std::size_t begin, std::size_t end,
                            std::size_t step, std::byte* out);

/// out[i] := 1 where the angle between the normal and `up`, either way round, is above the threshold; else, and where
/// the normal is not a number, 0. [points]
FATHOM_API void find_slopes(std::span<const float> normal_xyz, const Vec3& up, double threshold_rad, std::int32_t* out);

/// One point per cube of a grid: the mean of the points in it.
struct VoxelGrid {
  std::vector<float> xyz;              ///< [cells, xyz], means
  std::vector<std::uint32_t> nearest;  ///< [cells]: number of the point nearest to the mean
};
/// Cells in the order in which points first fall into them; points that are not finite are left out. Throws InputError
/// unless all sizes are > 0 and finite, and when the cloud spans more than 2^31 cells along an axis.
FATHOM_API VoxelGrid downsample(std::span<const float> xyz, const Vec3& leaf_m);

}  // namespace fathom
