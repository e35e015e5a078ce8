// SPDX-License-Identifier: MIT
#pragma once
// Renders units one after the other with one simulator.

#include <functional>
#include <string>
#include <vector>

#include "dataset/pack_writer.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom {

class UnitRenderer {
 public:
  /// Called after each frame of a sensor: its number in the scene file, the frame, and the seconds that casting took.
  using OnFrame = std::function<void(std::size_t sensor, const Frame& frame, double seconds)>;

  /// Checks all input. Throws as prepare_run().
  UnitRenderer(const SceneSetup& setup, const RunOptions& options, const SharedTrees& trees);

  void render(const Unit& unit, PackWriter& writer, const OnFrame& on_frame);

  [[nodiscard]] PreparedRun& run() { return run_; }

 private:
  /// A frame that is dropped has nothing in it.
  void render(std::size_t i, std::uint32_t index);
  [[nodiscard]] std::string parameters(const Unit& unit) const;

  const SceneSetup& setup_;
  PreparedRun run_;
  std::vector<Frame> frames_;  // [sensor]
};

}  // namespace fathom
