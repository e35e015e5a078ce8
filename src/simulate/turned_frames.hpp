// SPDX-License-Identifier: MIT
#pragma once
// What turned rays of measured frames meet: the scene, cast for each of a grid of angles (calibrate/turned_rays.hpp) by
// the simulator itself, with the shadows of the sensor's chain. Behind a matching window nothing is cast: what is known
// there is of pixels that see one plane.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/simulate/simulator.hpp>

#include "calibrate/ray_turns.hpp"
#include "calibrate/turned_surface.hpp"
#include "simulate/plain_windows.hpp"

namespace fathom {

class TurnedFrames {
 public:
  /// For the chains of the sensor and of the options. Adds a sensor to the simulator, which must outlive it. Throws
  /// InputError for chains whose turns are not known (RayTurns), or about other axes. `is_placed`: the sensor's carrier
  /// is given another pose for each frame.
  TurnedFrames(Simulator& simulator, SensorId sensor, const ChainFramesOptions& options, bool is_placed);

  /// Writes what holds for all returns.
  void begin(TurnedRays& out) const;
  /// Whether neither scene nor sensor move, nor rays change.
  [[nodiscard]] bool is_same_in_all_frames() const { return is_same_; }
  /// Whether a matching window shows what turned rays meet.
  [[nodiscard]] bool is_behind_window() const { return plain_.has_value(); }
  /// Of the frame cast last: whether what turned rays show at pixel i has a density. Behind a window it is not known
  /// at each.
  [[nodiscard]] bool has_density(std::size_t i) const { return !plain_ || (*plain_)[i]; }
  /// Casts frame `index` for the rays that are wanted; behind a window, those that may be used. `truth`: of the same
  /// frame, along nominal rays; clean ranges, incidences, energies and normals.
  void cast(std::uint32_t index, const RayPattern& rays, const Frame& truth, const std::vector<std::uint8_t>& wanted);
  /// Appends what ray i of the frame cast last meets as one return.
  void add(std::size_t i, TurnedRays& out);

 private:
  /// What the nodes of a ray meet that is not one plane.
  struct Around {
    std::vector<std::uint8_t> met;
    std::vector<TurnedSurface> surfaces;
    std::uint32_t place = TurnedRays::kOneSurface;  ///< among those added; none yet
  };

  void take_nodes(const NoiseChain& chain, const ChainFramesOptions& options);
  void set_angles(std::size_t first, std::size_t second);
  [[nodiscard]] std::array<double, 2> angles_at(std::size_t first, std::size_t second) const;
  void take_node(std::size_t node, const RayTurner& turner, const Frame& truth,
                 const std::vector<std::uint8_t>& wanted);
  void place_node(std::size_t i, std::size_t node, const RayTurner& turner, const TurnedSurface& own);

  Simulator& simulator_;
  SensorId sensor_, turning_{};
  NoiseChain models_;  ///< of the turning sensor, behind what turns its rays
  std::unique_ptr<Executor> executor_;
  TurnedRays grid_;   ///< axes and nodes
  TurnedRays frame_;  ///< directions, origins and normals of all rays of a frame
  std::optional<PlainWindows> plain_;
  Frame seen_;
  std::array<std::vector<float>, 3> normals_;    ///< of seen_, in the sensor frame
  std::vector<std::unique_ptr<Around>> around_;  ///< [rays]; null: one surface
  bool is_same_ = false, is_cast_ = false;
};

}  // namespace fathom
