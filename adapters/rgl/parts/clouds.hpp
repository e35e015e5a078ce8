// SPDX-License-Identifier: MIT
#pragma once
// Operations on clouds in the caller's arrays: interleaved points, xyz xyz, and one array for each other property. A
// function that treats points separately may run on slices of a cloud in several threads. The bits do not depend on the
// slices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/core/random.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom {

/// out := a in, [points, xyz]. They may be the same array.
void transform_points(const Affine& a, std::span<const float> in_xyz, float* out_xyz);

/// The light of points, for a model of stage kReading. Rays are taken to start at the sensor.
struct PointLight {
  float min_range_m = 0.0F, max_range_m = 0.0F;
  bool falls_off = false;                 ///< whether intensities fall with the square of the distance
  bool is_dimmed = true;                  ///< whether surfaces lose intensity
  float full = 1.0F;                      ///< intensity of a white surface
  std::span<const float> intensity = {};  ///< [points]
  float* out_intensity = nullptr;         ///< [points]
  std::uint8_t* from_medium = nullptr;    ///< [points]: whether drops returned them, no surface
};

/// A model of stage kHitPoint, kRange, or with `light` kReading.
struct PointNoise {
  const Noise* noise = nullptr;
  NoiseKey key;
  bool distance_from_origin = false;  ///< replaces distances by the distances from the sensor's origin
};

/// Points for noise models. Draws depend on the number of the point.
struct NoisyPoints {
  std::uint32_t first = 0;                    ///< number of the first point, a multiple of 4
  std::span<const float> xyz;                 ///< [points, xyz], m, world
  std::span<const float> distance_m;          ///< [points]: lengths of the rays; empty: from the sensor's origin
  std::span<const std::int32_t> is_hit = {};  ///< [points]: points with 0 keep their bits; empty: all change
  float* out_xyz = nullptr;                   ///< [points, xyz]
  float* out_distance_m = nullptr;            ///< [points], or null
  const PointLight* light = nullptr;
};

/// Applies models in order in the frame of a sensor: points := world_from_sensor noise(sensor_from_world points),
/// rounded to single precision after each. The bits are the same as with a call for each model.
void apply_noise(std::span<const PointNoise> models, const Affine& sensor_from_world, const NoisyPoints& points,
                 Isa isa);

/// Writes the numbers of the elements that are not 0, counted from `first`, to `indices`, which has room for all.
/// Returns their count.
std::size_t find_nonzero(std::span<const std::int32_t> values, std::uint32_t first, std::uint32_t* indices);

/// out[i] := in[indices[i]] for elements of `size` bytes.
void copy_points(const std::byte* in, std::size_t size, std::span<const std::uint32_t> indices, std::byte* out);

/// A property of packed points: `size` bytes at `offset` of each point.
struct PackedProperty {
  const std::byte* data = nullptr;         ///< [points, size], or more points if there are indices
  const std::uint32_t* indices = nullptr;  ///< [points]: positions of the values; null: all in order
  std::size_t size = 0, offset = 0;
};
/// Writes points [begin, end) to their places in `out`, `step` bytes each.
void pack_points(std::span<const PackedProperty> properties, std::size_t begin, std::size_t end, std::size_t step,
                 std::byte* out);

/// out[i] := 1 if the angle between the normal or its opposite and `up` is above the threshold; else, and if the normal
/// is not a number, 0. [points]
void find_slopes(std::span<const float> normal_xyz, const Vec3& up, double threshold_rad, std::int32_t* out);

/// One point for each cube of a grid: the mean of its points.
struct VoxelGrid {
  std::vector<float> xyz;              ///< [cells, xyz], means
  std::vector<std::uint32_t> nearest;  ///< [cells]: number of the point nearest to the mean
};
/// Cells in the order of their first points. Points that are not finite are left out. Throws InputError unless all
/// sizes are > 0 and finite, and if the cloud spans more than 2^31 cells along an axis.
VoxelGrid downsample(std::span<const float> xyz, const Vec3& leaf_m);

}  // namespace fathom
