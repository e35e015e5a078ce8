// SPDX-License-Identifier: MIT
#pragma once
// The loops over the lanes of a block and over images, besides noise: geometry, surfaces, the matching window
// (noise/detail/window.hpp), fields of correlated draws and given images. Their sources (lanes.cpp, window_lanes.cpp,
// field_lanes.cpp, given_lanes.cpp) are compiled once per instruction set with the flags of the noise kernels, so the
// loops vectorise and give the same bits everywhere.

#include <cstddef>
#include <cstdint>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/core/random.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/detail/window.hpp>
#include <fathom/noise/stereo_energy.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/compute.hpp"
#include "render/field_math.hpp"
#include "render/ray_math.hpp"
#include "render/surface_math.hpp"

namespace fathom {

/// Rays in the caster's coordinates, and their hits.
struct alignas(64) CastBlock {
  float ox[kBlockRays], oy[kBlockRays], oz[kBlockRays];
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];
  float range_m[kBlockRays];
  std::uint32_t entity[kBlockRays], triangle[kBlockRays];
  float nx[kBlockRays], ny[kBlockRays], nz[kBlockRays];
  float speed_m_s[kBlockRays];  ///< of the surface along the ray
};

/// Room for up to three planes of results of a block before they go to the frame.
struct alignas(64) PlaneBlock {
  float a[kBlockRays], b[kBlockRays], c[kBlockRays];
};

/// The range limits of a block's rays: arrays with one value per lane, or with one for all.
struct RangeLimits {
  const float* min_m;
  const float* max_m;
  bool min_per_lane, max_per_lane;
};

struct LaneKernels {
  /// cast.d := R rays.d and, for rays with origins, cast.o := R rays.o + t.
  void (*to_world)(const Rigid& world_from_sensor, const RayBlock& rays, CastBlock& cast);
  /// The same with a pose per lane: poses[index[i]]. Always writes origins.
  void (*to_world_rolling)(const Rigid* poses, const std::uint32_t* index, const RayBlock& rays, CastBlock& cast);
  /// Reasons by hit and range gate, and ranges, from the cast.
  void (*gate_returns)(const CastBlock& cast, const RangeLimits& limits, ReturnBlock& returns);
  /// Valid returns below `least_power` become low_power; `surface`: reflectivity x law(incidence) of each.
  void (*lose_weak)(const float* surface, float least_power, ReturnBlock& returns);
  /// Hit points and radii from rays and ranges.
  void (*place_returns)(const RayBlock& rays, ReturnBlock& returns);
  /// Ends of rays after `range_m`, NaN on a miss.
  void (*ends)(const RayBlock& rays, const float* range_m, PlaneBlock& out);
  /// Valid returns whose range is at or below 0, or no number, become below_min_range.
  void (*lose_unmeasurable)(ReturnBlock& returns);
  /// Clamps or drops valid returns outside the limits.
  void (*apply_policy)(RangePolicy policy, const RangeLimits& limits, ReturnBlock& returns);
  /// out := value where the return is valid, else NaN.
  void (*mask_lost)(const ReturnBlock& returns, const float* value, float* out);
  /// Hit points in the world, NaN where lost.
  void (*points_to_world)(const Rigid& world_from_sensor, const ReturnBlock& returns, PlaneBlock& out);
  void (*points_to_world_rolling)(const Rigid* poses, const std::uint32_t* index, const ReturnBlock& returns,
                                  PlaneBlock& out);
  /// a := azimuth, b := elevation of the emitted rays in the sensor frame.
  void (*angles)(const RayBlock& rays, PlaneBlock& out);
  /// a := incidence angle (NaN on a miss), b := its cosine (0 on a miss), from cast.d and cast.n.
  void (*incidence)(const CastBlock& cast, std::uint32_t count, PlaneBlock& out);
  /// Normals, NaN on a miss.
  void (*normals)(const CastBlock& cast, std::uint32_t count, PlaneBlock& out);
};

/// Rays from one camera to the hit points of a block; see SightLines.
struct alignas(64) SightBlock {
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];
  float clear[kBlockRays];
  std::uint32_t blocked[kBlockRays];
};

struct SurfaceKernels {
  /// Every cosine of the lanes, all at the emitter.
  void (*angles_at_emitter)(const CastBlock& cast, std::uint32_t count, SurfaceBlock& out);
  /// Every cosine of the lanes, for rays from the sensor's origin.
  void (*angles)(const CastBlock& cast, std::uint32_t count, const CameraOffset& left, const CameraOffset& right,
                 SurfaceBlock& out);
  /// Lines from a camera to the valid returns; `cosine`: of that camera. `origin`: the sensor's, caster's coordinates;
  /// `reach`: Caster::reach().
  void (*sight)(const CastBlock& cast, const ReturnBlock& returns, const CameraOffset& camera, const float* origin,
                float reach, const float* cosine, SightBlock& out);
  /// E, NaN on a miss.
  void (*energy)(const CastBlock& cast, const SurfaceBlock& surface, std::uint32_t count, EnergyAngle angle,
                 float* out);
  /// Distance to the image plane, +inf on a miss.
  void (*depth)(const RayBlock& rays, const float* range_m, float* out);
  /// For pixels [begin, begin + count) of `row`: the angle at the edge of a step (Surface::edge_rad). `above`, `below`:
  /// null outside the image.
  void (*edge_angles)(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below, std::uint32_t cols,
                      std::uint32_t begin, std::uint32_t count, float* out);
  /// For the same pixels: Surface::jump and jump_rad. `normals`: of `row`.
  void (*edge_jumps)(const EdgeRow& row, const EdgeNormals& normals, const EdgeRow* above, const EdgeRow* below,
                     std::uint32_t cols, std::uint32_t begin, std::uint32_t count, float* jump, float* jump_rad);
  /// Normals of the surfaces struck, in the sensor frame.
  void (*sensor_normals)(const Rigid& cast_from_sensor, const CastBlock& cast, std::uint32_t count, PlaneBlock& out);
  /// The same with a pose per lane: poses[index[i]].
  void (*sensor_normals_rolling)(const Rigid* poses, const std::uint32_t* index, const CastBlock& cast,
                                 std::uint32_t count, PlaneBlock& out);
  /// Surface::energy_gain; `reflectivity`: of each lane.
  void (*energy_gains)(const EnergyGain& gain, const float* reflectivity, const float* range_m, std::uint32_t count,
                       float* out);
};

/// The result of a window over an image, [rows, cols].
struct WindowResult {
  float* matched_px;
  std::uint32_t* taken;  ///< null: not asked for
  Reason* reason;        ///< becomes kEdge if a pixel is lost; else unchanged
};

/// The pixels of a row that share a region with their neighbours, a bit each. One word more than the row's bits may be
/// written.
struct RegionLinks {
  std::uint64_t* valid;
  std::uint64_t* right;  ///< with the next pixel
  std::uint64_t* up;     ///< with the pixel above
};

struct WindowKernels {
  /// Disparities of the valid returns of a block, 0 elsewhere; `fb`: focal length times baseline, px m.
  void (*disparities)(const ReturnBlock& returns, float fb, float* out);
  /// Ranges of the valid returns, from their disparities; other lanes of `range_m` stay.
  void (*ranges)(const RayBlock& rays, const std::uint32_t* reason, const float* disparity_px, float fb,
                 float* range_m);
  /// Rows [begin, end) of the image.
  void (*match)(const WindowRule& rule, const WindowImage& image, std::uint32_t begin, std::uint32_t end,
                const WindowResult& out);
  /// Links between disparities, 0 if invalid; `above`: null in the first row, and then `up` is not written.
  void (*links)(const float* above, const float* row, std::uint32_t cols, float max_step_px, const RegionLinks& out);
};

/// Most pixels of a field at a time, and most rows of its sums down the image.
inline constexpr std::uint32_t kFieldStep = 64, kFieldRows = 4;

/// The memory for making rows of a field: two lines, and the rows of the sum down the image.
struct FieldScratch {
  std::uint32_t stride;  ///< of a row: its columns and some more
  std::uint32_t line;    ///< floats of a line, which is read up to kFieldStep beyond both ends
  std::uint32_t rows;

  FATHOM_KERNEL FieldScratch(const FieldKernel& kernel, std::uint32_t cols)
      : stride((cols + kFieldStep - 1) / kFieldStep * kFieldStep),
        line((kernel.across.before + stride + kernel.across.after + 4 * kFieldStep - 1) / kFieldStep * kFieldStep),
        rows(kernel.down.before + kernel.down.after + kFieldRows) {}

  [[nodiscard]] FATHOM_KERNEL std::size_t floats() const {
    return 2 * std::size_t{line} + std::size_t{rows} * stride + kFieldStep;
  }
};

/// A field at a key frame.
struct FieldImage {
  const FieldKernel* kernel;
  NoiseKey key;  ///< its frame is the key frame
  std::uint32_t draw;
  std::uint32_t rows, cols;
  bool closes;
  float* out;               ///< [rows, cols]
  bool is_uniform = false;  ///< else normal
};

struct FieldKernels {
  /// Rows [begin, end) of an image. `scratch`: [FieldScratch::floats()], of any finite content.
  void (*make_rows)(const FieldImage& image, std::uint32_t begin, std::uint32_t end, float* scratch);
  /// out := cosine a + sine b.
  void (*mix)(const KeyTime& time, const float* a, const float* b, std::size_t count, float* out);
  /// Turns normals into the uniforms of the same ranks.
  void (*make_uniform)(float* values, std::size_t count);
};

/// The rays of an image, [rows, cols]. Origins are null if all rays start at the sensor's origin.
struct ImageRays {
  const float *ox, *oy, *oz, *dx, *dy, *dz;
  std::uint32_t rows, cols;
};

/// The rays of a camera: y / x of a direction is linear in the column, and z / x in the row.
struct PixelGrid {
  float y_over_x = 0.0F, per_col = 0.0F;  ///< of column 0, and its step; a step of 0: no such rays
  float z_over_x = 0.0F, per_row = 0.0F;
};

/// A clean image before it is checked: `value` and `far_m` as range_m, depth_m and far_m of SensorNoise.
struct GivenValues {
  ImageRays rays;
  const float* value;
  float far_m;
  bool is_depth, is_camera;
};

/// Half of the ranges of a camera, in metres, are nearer.
inline constexpr float kFarMedianM = 200.0F;

/// Values that are numbers, that are ranges of surfaces, and that are ranges above kFarMedianM.
struct ValueCounts {
  std::uint32_t numbers, met, distant;
};

/// The surfaces of an image.
struct GivenSurface {
  ImageRays rays;
  const float* range_m;         ///< +inf: met nothing
  const float* inverse_m;       ///< inverse depths of a camera, else inverse ranges; 0: met nothing
  const std::uint32_t* entity;  ///< null: 0
  bool closes = false;          ///< whether the last column is next to the first
  bool in_order = true;         ///< whether neighbours in the image are neighbours in space
};

/// Normals of an image: of pixel i at x[stride * i].
struct NormalArrays {
  const float *x = nullptr, *y = nullptr, *z = nullptr;
  std::size_t stride = 1;
};

/// One row of an image, and the image of a camera beside it. Arrays [cols].
struct SightRow {
  const float* inverse_m;       ///< inverse depths; 0: met nothing; readable one place beyond both ends
  const std::uint32_t* entity;  ///< null: one
  const float* tolerance;       ///< of each point; null: 0
  std::uint32_t cols;
  float shift_m;             ///< shift in columns times depth
  float* column;             ///< of each point in the other image, and room for one more
  float* seen_m;             ///< inverse depth of the nearest surface that the camera sees at a column; 0: none
  std::uint32_t* seen_from;  ///< column of its point in the given image
  std::int32_t* cell;        ///< the column that the surface of each point covers; see find_cells()
  float* inverse_in_cell;    ///< its inverse depth there
};

struct GivenKernels {
  ValueCounts (*count_values)(const float* value, std::size_t count, float far_m);
  /// Ranges and, unless null, inverse depths of rays [begin, end).
  void (*ranges)(const GivenValues& given, std::size_t begin, std::size_t end, float* range_m, float* inverse_m);
  /// Normals of a row, found from the neighbours of each pixel, towards the sensor. A pixel without neighbours on its
  /// surface faces the sensor.
  void (*normals)(const GivenSurface& surface, std::uint32_t row, float* x, float* y, float* z);
  /// Adds `bit` to the points that the camera does not see: nearer surfaces cover them on both sides.
  void (*hidden)(const SightRow& row, std::uint8_t bit, std::uint8_t* hidden);
  /// The nearest pixels to the rays of a camera, whose x is above 0; outside of the image those at its edge.
  void (*pixels)(const PixelGrid& grid, const ImageRays& image, const RayBlock& rays, std::uint32_t* pixel);
  /// Ranges of these pixels.
  void (*ranges_at)(const float* range_m, const std::uint32_t* pixel, std::uint32_t count, float* out);
  /// Entities of these pixels, where a lane has a range.
  void (*entities)(const std::uint32_t* entity, const std::uint32_t* pixel, std::uint32_t count, CastBlock& cast);
  /// Turns their normals to the caster's coordinates, unless `cast_from_sensor` is null. Without `pixel` the normals
  /// are of lanes.
  void (*turned_normals)(const NormalArrays& normals, const Rigid* cast_from_sensor, const std::uint32_t* pixel,
                         std::uint32_t count, CastBlock& cast);
  /// Where turned rays meet the planes of these pixels.
  void (*planes)(const ImageRays& image, const Rigid& cast_from_sensor, const RayBlock& rays,
                 const std::uint32_t* ray_of_lane, const std::uint32_t* pixel, CastBlock& cast);
};

FATHOM_EACH_ISA(extern const LaneKernels kLanes;)
FATHOM_EACH_ISA(extern const GivenKernels kGivenKernels;)
FATHOM_EACH_ISA(extern const SurfaceKernels kSurfaceKernels;)
FATHOM_EACH_ISA(extern const WindowKernels kWindowKernels;)
FATHOM_EACH_ISA(extern const FieldKernels kFields;)

inline const LaneKernels& lane_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kLanes); }
inline const SurfaceKernels& surface_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kSurfaceKernels); }
inline const WindowKernels& window_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kWindowKernels); }
inline const FieldKernels& field_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kFields); }
inline const GivenKernels& given_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kGivenKernels); }

}  // namespace fathom
