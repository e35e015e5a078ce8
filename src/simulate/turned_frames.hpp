// SPDX-License-Identifier: MIT
#pragma once
// What turned rays of measured frames meet: the scene, cast for each of a grid of angles (calibrate/turned_rays.hpp) by
// the simulator itself, with the shadows of the sensor's chain.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/simulate/simulator.hpp>

#include "calibrate/turned_rays.hpp"

namespace fathom {

class TurnedFrames {
 public:
  /// For the chains of the sensor and of the options. Adds a sensor to the simulator, which must outlive it. Throws
  /// InputError for chains that ray_turn() refuses, or that turn rays about different axes. `is_placed`: the sensor's
  /// carrier is given another pose for each frame.
  TurnedFrames(Simulator& simulator, SensorId sensor, const ChainFramesOptions& options, bool is_placed);

  /// Writes what holds for all returns.
  void begin(TurnedRays& out) const;
  /// Whether neither scene nor sensor move, nor rays change.
  [[nodiscard]] bool is_same_in_all_frames() const { return is_same_; }
  /// Casts frame `index` for the rays that are wanted. `truth`: of the same frame, along nominal rays; clean ranges,
  /// incidences, energies and normals.
  void cast(std::uint32_t index, const RayPattern& rays, const Frame& truth, const std::vector<std::uint8_t>& wanted);
  /// Appends what ray i of the frame cast last meets as one return.
  void add(std::size_t i, TurnedRays& out);

 private:
  /// What the nodes of a ray meet that is not one plane.
  struct Around {
    std::vector<std::uint8_t> met;
    std::vector<TurnedRays::Surface> surfaces;
    std::uint32_t place = TurnedRays::kOneSurface;  ///< among those added; none yet
  };

  void take_nodes(const NoiseChain& chain, const ChainFramesOptions& options);
  void set_angle(double angle_rad);
  void take_node(std::size_t node, const RayTurner& turner, const Frame& truth,
                 const std::vector<std::uint8_t>& wanted);
  void place_node(std::size_t i, std::size_t node, const RayTurner& turner, const TurnedRays::Surface& own);
  /// The plane that ray i meets in the frame cast last.
  [[nodiscard]] TurnedRays::Surface seen_surface(std::size_t i, const RayTurner& turner) const;

  Simulator& simulator_;
  SensorId sensor_, turning_{};
  NoiseChain models_;  ///< of the turning sensor, behind what turns its rays
  std::unique_ptr<Executor> executor_;
  TurnedRays grid_;                    ///< axis and nodes
  std::vector<TurnedRays::Ray> rays_;  ///< of the frame cast last
  Frame seen_;
  std::array<std::vector<float>, 3> normals_;    ///< of seen_, in the sensor frame
  std::vector<std::unique_ptr<Around>> around_;  ///< [rays]; null: one surface
  bool is_same_ = false, is_cast_ = false;
};

}  // namespace fathom
