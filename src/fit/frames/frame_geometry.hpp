// SPDX-License-Identifier: MIT
#pragma once
// The geometry of measured frames: edges and normals of surfaces, hits beside their rays, and surfaces of turned rays.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/simulator.hpp>

#include "fit/chain/turned_rays.hpp"

namespace fathom {

/// Surface::edge_rad, jump and jump_rad of all pixels of a frame.
struct FrameEdges {
  std::vector<float> edge_rad, jump, jump_rad;

  std::array<std::vector<float>, 3> normals;  ///< in the sensor frame; set before find()

  void find(const RayPattern& p, const Frame& truth);
};

/// x, y and z of the normals of frame `index` of a sensor, in the sensor frame, [rays] each; for a rolling sensor, in
/// the frame at the time of each ray.
void find_normals(Simulator& simulator, SensorId sensor, std::uint32_t index, const Frame& frame,
                  std::array<std::vector<float>, 3>& normals);

/// The angles between the points of measured frames and their rays, about the axes of a chain's angular_hit.
class HitFrames {
 public:
  /// `other`: another chain that will score the frames, or an empty one.
  HitFrames(const NoiseChain& chain, const NoiseChain& other);

  /// Takes the points of a frame, [rows, cols, 3] m; empty: unknown.
  void take(const RayPattern& rays, std::span<const float> point_m);
  /// Why the points do not determine angles; else empty, also if no model turns them.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Appends the angles of ray i of the last frame. `returns`: number of returns before it. is_there: it came back.
  void add(std::size_t i, bool is_there, std::size_t returns, ChainReturns::HitTurns& out);
  /// The number of points that no turn of their rays about these axes reaches.
  [[nodiscard]] std::size_t askew() const { return askew_; }

 private:
  std::vector<Axis> axes_;
  bool are_turned_ = false;
  std::string why_not_;
  const RayPattern* rays_ = nullptr;
  std::span<const float> point_m_;
  std::size_t askew_ = 0;
};

/// The surfaces that turned rays of measured frames meet. The simulator casts the scene for each of a grid of angles
/// (fit/chain/turned_rays.hpp), with the shadows of the sensor's chain.
class TurnedFrames {
 public:
  /// Uses the chains of the sensor and of the options. Adds a sensor to the simulator, which must outlive this. Throws
  /// InputError for chains that ray_turn() refuses, or that turn rays about different axes. `is_placed`: the sensor's
  /// carrier gets another pose for each frame.
  TurnedFrames(Simulator& simulator, SensorId sensor, const ChainFrames::Options& options, bool is_placed);

  /// Writes the values that all returns share.
  void begin(ChainReturns::TurnedRays& out) const;
  /// Whether neither scene nor sensor move, nor rays change.
  [[nodiscard]] bool is_same_in_all_frames() const { return is_same_; }
  /// Casts frame `index` for the wanted rays. `truth`: clean ranges, incidences, energies and normals of the same
  /// frame, along nominal rays.
  void cast(std::uint32_t index, const RayPattern& rays, const Frame& truth, const std::vector<std::uint8_t>& wanted);
  /// Appends ray i of the last frame as one return.
  void add(std::size_t i, ChainReturns::TurnedRays& out);

 private:
  /// The surfaces that the nodes of a ray meet, if they are not one plane.
  struct Around {
    std::vector<std::uint8_t> met;
    std::vector<ChainReturns::TurnedRays::Surface> surfaces;
    std::uint32_t place = ChainReturns::TurnedRays::kOneSurface;  ///< among those added; kOneSurface: not added yet
  };

  void take_nodes(const NoiseChain& chain, const ChainFrames::Options& options);
  void set_angle(double angle_rad);
  void take_node(std::size_t node, const RayTurner& turner, const Frame& truth,
                 const std::vector<std::uint8_t>& wanted);
  void place_node(std::size_t i, std::size_t node, const RayTurner& turner,
                  const ChainReturns::TurnedRays::Surface& own);
  /// The plane that ray i meets in the last frame.
  [[nodiscard]] ChainReturns::TurnedRays::Surface seen_surface(std::size_t i, const RayTurner& turner) const;

  Simulator& simulator_;
  SensorId sensor_, turning_{};
  NoiseChain models_;  ///< of the turning sensor, after the model that turns its rays
  std::unique_ptr<Executor> executor_;
  ChainReturns::TurnedRays grid_;                    ///< axis and nodes
  std::vector<ChainReturns::TurnedRays::Ray> rays_;  ///< of the last frame
  Frame seen_;
  std::array<std::vector<float>, 3> normals_;    ///< of seen_, in the sensor frame
  std::vector<std::unique_ptr<Around>> around_;  ///< [rays]; null: one surface
  bool is_same_ = false, is_cast_ = false;
};

}  // namespace fathom
