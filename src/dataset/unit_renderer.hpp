// SPDX-License-Identifier: MIT
#pragma once
// Renders units one after the other with one simulator.

#include <cstdint>
#include <functional>
#include <string>

#include "dataset/pack_writer.hpp"
#include "simulate/counted_run.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom {

class UnitRenderer {
 public:
  /// Called after each frame of the scene, with the progress of the unit.
  using OnFrame = std::function<void(const Progress& progress)>;

  /// Checks all input. Throws as prepare_run().
  UnitRenderer(const SceneSetup& setup, const RunOptions& options, const SharedTrees& trees);

  /// Returns the counts of the unit, valid until the next one.
  const RunCounts& render(const Unit& unit, PackWriter& writer, const OnFrame& on_frame);

  [[nodiscard]] PreparedRun& run() { return run_; }

 private:
  [[nodiscard]] NumberRange sensor_frames(std::size_t sensor, std::uint32_t scene_frame) const;
  [[nodiscard]] std::string parameters(const Unit& unit) const;

  const SceneSetup& setup_;
  PreparedRun run_;
  CountedRun counted_;
};

}  // namespace fathom
