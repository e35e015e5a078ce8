// SPDX-License-Identifier: MIT
#pragma once
// A frame for a device: plain structs and pointers into the device's memory, filled by gather.cpp. Threads are numbered
// by the lanes of the plan, so that neighbours cast rays that are nearly parallel.

#include <cstddef>
#include <cstdint>

#include <fathom/noise/models.hpp>

#include "render/ray_math.hpp"
#include "render/surface_math.hpp"
#include "sensor/returns.hpp"
#include "trace/tree/layout.hpp"

namespace fathom::device {

/// The parameters of a registered model.
struct Model {
  static constexpr std::size_t kMostBytes = 64;

  std::uint32_t place_in_list;  ///< of RegisteredNoise
  bool is_identity;
  alignas(8) unsigned char bytes[kMostBytes];
};

/// The entries of a model by entity or ring; see EntryTable.
struct Entries {
  const std::uint32_t* entry_by_id;  ///< [ids]: 0 is the first of all; beyond: 0
  std::uint32_t ids;
  bool by_ring;
};

/// A model of the chain: see ActiveNoise.
struct NoiseStep {
  static constexpr std::uint32_t kWhite = ~0U, kNoFrame = ~0U;

  const Model* models;  ///< [1 + others]
  std::uint32_t stream;
  bool has_others;
  Entries entries;
  std::uint32_t first_number;  ///< of its correlated draws among FrameData::fields, or kWhite
  const float* table;          ///< Receiver::table
  std::uint32_t frame;         ///< of FrameData::places, or kNoFrame
};

/// Steps of one list of StagedChain.
struct Steps {
  const NoiseStep* first;
  std::uint32_t count;
};

/// See SightTolerance.
struct Tolerance {
  const float* of_entry;
  Entries entries;
};

struct Chain {
  Steps ray, angle_loss, loss, edge_loss, on_return, dropout, velocity;
  const Tolerance* tolerances;
  std::uint32_t tolerance_count;
  bool needs_surface, needs_sight, needs_power;
  EdgeReads edge_reads;
  EnergyAngle energy_angle;
  EnergyGain energy_gain;
  float least_power;
  bool reads_power;
  bool has_window;
  WindowRule window;
};

/// The rays in the order of the plan; arrays are [lanes].
struct Rays {
  const float *dx, *dy, *dz;
  const float *ox, *oy, *oz;  ///< null: from the sensor's origin
  const float *min_range_m, *max_range_m;
  bool min_per_lane, max_per_lane;
  const std::uint32_t* quad_keys;   ///< [lanes / 4]
  const QuadTarget* targets;        ///< [lanes / 4]
  const std::uint32_t* time_index;  ///< null unless rolling
  const float* times_s;             ///< by time
  std::uint32_t lanes, rows, cols;
};

/// The arrays of the pattern that are read by place in the frame, [rays].
struct Image {
  const float *dx, *dy, *dz;  ///< read by edge loss
  const std::uint16_t* ring;  ///< null: rings are rows
};

/// The policy for ranges outside the limits.
enum class Policy : std::uint8_t { kKeep, kClamp, kDrop };

/// How rays diverge; see SamplePlan.
struct Samples {
  const SampleDirection* directions;  ///< [kDivergingSamples]; null: rays are lines
  const float* weights;
  const ReturnChoice* choices;
  std::uint32_t returns;
  CoincidingReturn coinciding;
  float separation_m;
};

/// Arrays of the frame, from its first ray on; null if not asked for. Points are three planes, `plane` floats apart.
/// The returns of a ray are `ray_return` elements apart.
struct Channels {
  float *range, *clean_range, *hit_world, *hit_sensor, *normal, *incidence, *azimuth, *elevation, *intensity;
  float *depth, *clean_depth, *energy, *clean_hit, *velocity;
  std::uint32_t *entity_id, *triangle_id, *label;
  Reason* reason;
  std::uint8_t* path;
  std::size_t plane, ray_return;
};

/// The inputs of edge loss, [rays]; see EdgeScratch.
struct Edges {
  float* range_m;
  std::uint8_t* reached;
  std::uint32_t* entity;
  float *nx, *ny, *nz;  ///< null if jumps are not read
};

/// Inputs and results of a window, [rays]; see EdgeScratch. Null if not needed.
struct Windowed {
  Reason* reason;
  float *range_m, *disparity_px, *matched_px;
  std::uint32_t *taken, *entity, *triangle;
  std::uint32_t *region, *area;  ///< see pixels.hpp
  float *nx, *ny, *nz, *dx, *dy, *dz;
};

struct FrameData {
  tree::World world;
  float reach;
  std::uint32_t mask;
  Rays rays;
  Image image;
  Rigid cast_from_sensor, world_from_sensor;
  const Rigid *rolling_cast, *rolling_world;  ///< by time; null: not rolling
  const RigidSpeed* speeds;                   ///< by time if rolling; null: not read
  const Rigid* places;                        ///< as RenderJob's
  RigView rig;
  Chain chain;
  Policy policy;
  Samples samples;
  SurfaceView surfaces;
  float falloff_m;              ///< as RenderJob's
  const std::uint32_t* labels;  ///< [entities]
  std::uint64_t seed;
  std::uint32_t frame_index;
  Channels out;
  Edges edges;
  const float* fields;  ///< correlated draws, by place in the frame: [numbers], `field_plane` floats apart
  std::size_t field_plane;
  Windowed windowed;
};

}  // namespace fathom::device
