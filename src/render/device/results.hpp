// SPDX-License-Identifier: MIT
#pragma once
// Where the results of a block of jobs stand in a GPU's memory until they are copied into the frame: for each array the
// rays of all jobs, one job after the other.

#include <cstddef>
#include <cstdint>
#include <span>

#include "render/device/frame_data.hpp"
#include "render/device/gpu_objects.hpp"
#include "render/device/rays.hpp"
#include "render/device/readback.hpp"
#include "render/render.hpp"

namespace fathom::device {

/// Jobs that are rendered together, and which of their rays.
struct Block {
  std::span<const RenderJob> jobs;
  Window window;

  [[nodiscard]] const RenderJob& first() const { return jobs.front(); }
  [[nodiscard]] std::size_t rays() const { return jobs.size() * window.rays(); }
  [[nodiscard]] bool is_cut() const { return !(window == whole(first().plan)); }
  [[nodiscard]] bool has_edges() const;
  [[nodiscard]] bool has_jumps() const;
  [[nodiscard]] bool has_window() const;
  [[nodiscard]] bool has_regions() const;
};

class Results {
 public:
  explicit Results(const Gpu& gpu) : memory_(gpu) {}
  /// Makes room for what `frame` asks for; arrays of a frame on the GPU stay there. Throws OutOfGpuMemory.
  void fit(const Block& block, Frame& frame);
  void clear() { memory_.clear(); }
  /// Those of the block's job `i`, counted from the first ray of its frame.
  [[nodiscard]] Channels channels(std::size_t i) const;
  [[nodiscard]] Edges edges(std::size_t i) const;
  [[nodiscard]] Windowed windowed(std::size_t i) const;
  /// Copies all into the frame on this computer, and what edge losses read where a window cut them off.
  void download(Readback& readback) const;

 private:
  GpuMemory memory_;
  Block block_ = {};
  Frame* frame_ = nullptr;
  Channels arrays_ = {};
  Edges edges_ = {};
  Windowed windowed_ = {};
};

}  // namespace fathom::device
