// SPDX-License-Identifier: MIT
#pragma once
// The rays of a sensor and the plan of their casting. In memory they form tiles of up to 256 rays, made of packets of
// 16, both about square in angle, chosen once per sensor. Sorting rays at run time would cost more than it saves (85 ns
// a ray against 25).

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/noise/detail/drive.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/sensor/returns.hpp>
#include <fathom/simulate/sensor.hpp>

#include "render/ray_math.hpp"
#include "sensor/returns.hpp"
#include "trace/tile.hpp"

namespace fathom {

/// The order of rays in memory.
enum class CastOrder {
  kTiles,  ///< tiles about square in angle: casts are fastest
  kRows,   ///< rows of the frame: for rays that are not cast
};

/// Rays in casting order. "lane" arrays are [lanes], a multiple of 16; padding lanes repeat a real ray.
struct CastPlan {
  std::uint64_t revision = 0;  ///< counts the calls of make_plan()
  std::uint32_t rows = 0, cols = 0;
  RayRectangle packet, tile;  ///< a tile holds whole packets, row after row of them
  bool coherent = true;       ///< whether the rays of a packet are nearly parallel
  bool from_sensor_origin = true;
  std::vector<float> dx, dy, dz;                ///< [lanes]
  std::vector<float> ox, oy, oz;                ///< [lanes], or empty
  std::vector<float> min_range_m, max_range_m;  ///< [lanes], or one value for all
  /// [lanes / 4, and 4 more, which a block may read]; names the quad's random numbers: row * ceil(cols / 4) + col / 4.
  std::vector<std::uint32_t> quad_keys;
  std::vector<QuadTarget> targets;         ///< [lanes / 4]
  std::vector<float> times_s;              ///< distinct time offsets, ascending; empty: all 0
  std::vector<std::uint32_t> time_index;   ///< [lanes] into times_s
  std::vector<std::uint32_t> ray_of_lane;  ///< [lanes], index in the pattern
  std::vector<std::uint32_t> first_lanes;  ///< [blocks + 1], a multiple of 16; at the end: lanes
  /// [blocks]: the first ray, if the lanes of the block are neighbours in the arrays of a frame, without padding; else
  /// kNoRun.
  std::vector<std::uint32_t> first_rays;
  static constexpr std::uint32_t kNoRun = ~0U;

  [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(dx.size()); }
  /// A block is a tile, of at most kBlockRays lanes.
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(first_lanes.size()) - 1; }
};

/// Fills `plan` for a valid pattern; reuses its memory. `with_times`: whether rays are cast at their own times.
void make_plan(const RayPattern& pattern, bool with_times, CastPlan& plan, CastOrder order = CastOrder::kTiles);

/// Whether all values are equal.
bool same_rays(const RayPattern& a, const RayPattern& b);

class SensorRays {
 public:
  explicit SensorRays(CastOrder order = CastOrder::kTiles) : order_(order) {}

  /// Makes the rays of frame 0 of a model that validate() accepts, and their plan, reusing memory. If no ray changes,
  /// the plan stays. `rolling`: rays are cast at their own times.
  void set_model(const SensorModel& model, bool rolling);
  /// Makes the rays of a frame of the model set last. In steady state nothing is allocated.
  void set_frame(const SensorModel& model, bool rolling, std::uint32_t index);

  [[nodiscard]] const RayPattern& pattern() const { return pattern_; }
  [[nodiscard]] const CastPlan& plan() const { return plan_; }

 private:
  CastOrder order_;
  RayPattern pattern_;
  CastPlan plan_;
  std::uint32_t frame_ = 0;
};

/// Divergence and returns of a sensor, ready for casting.
struct SamplePlan {
  std::array<SampleDirection, kDivergingSamples> directions;
  std::array<float, kDivergingSamples> weights;  ///< share of the energy
  float separation_m = 0.0F;
  bool coherent = true;  ///< whether the samples of a ray are nearly parallel
  ReturnChoices choices;
  CoincidingReturn coinciding = CoincidingReturn::kNext;
  LightPaths light_paths;
  float half_angle_rad = 0.0F;  ///< of the cone; 0: rays are lines
};

/// For a sensor whose returns validate() accepts, and the divergence of its rays.
SamplePlan make_sample_plan(const Sensor& sensor, const Divergence& divergence);

}  // namespace fathom
