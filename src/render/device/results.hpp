// SPDX-License-Identifier: MIT
#pragma once
// The memory of a GPU for a block of jobs: results until they are copied into the frame, and fields of correlated
// draws.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>

#include "render/device/frame_data.hpp"
#include "render/device/gather.hpp"
#include "render/device/gpu.hpp"
#include "render/render.hpp"

namespace fathom::device {

/// Copies results from a GPU through two pinned buffers: one is filled while the threads of `executor` empty the other.
class Readback {
 public:
  static constexpr std::size_t kBytes = std::size_t{4} << 20;   // of a buffer
  static constexpr std::size_t kAtOnce = std::size_t{1} << 18;  // that a thread copies

  Readback(const Stream& stream, Executor& executor)
      : stream_(stream), executor_(executor), halves_{Half(stream.gpu()), Half(stream.gpu())} {}

  /// Queues a copy in the stream; complete when finish() has returned.
  void add(void* to, CudaAddress from, std::size_t bytes);
  void finish();

 private:
  struct Piece {
    void* to;
    std::size_t at, bytes;
  };
  struct Half {
    explicit Half(const Gpu& gpu) : memory(gpu), done(gpu) {}
    PinnedMemory memory;
    Event done;
    std::vector<Piece> pieces = {};
    std::size_t used = 0;
    bool under_way = false;
  };
  void turn();
  void empty(Half& half);
  static void copy(const Half& half, std::size_t begin, std::size_t end);

  const Stream& stream_;
  Executor& executor_;
  std::array<Half, 2> halves_;
  std::size_t now_ = 0;  // the half that is filled
};

/// Jobs that are rendered together, and the window of their rays.
struct Block {
  std::span<const RenderJob> jobs;
  Window window;

  [[nodiscard]] const RenderJob& first() const { return jobs.front(); }
  [[nodiscard]] std::size_t rays() const { return jobs.size() * window.rays(); }
  [[nodiscard]] bool is_cut() const { return !(window == whole(first().plan)); }
  /// Whether test(job) holds for any of the jobs.
  template <class Test>
  [[nodiscard]] bool any(Test test) const {
    return std::any_of(jobs.begin(), jobs.end(), test);
  }
  [[nodiscard]] bool has_lines() const {
    return any([](const RenderJob& job) { return job.samples == nullptr; });
  }
  [[nodiscard]] bool has_beams() const {
    return any([](const RenderJob& job) { return job.samples != nullptr; });
  }
  [[nodiscard]] bool has_edges() const {
    return any([](const RenderJob& job) { return !job.chain.edge_loss.empty(); });
  }
  [[nodiscard]] bool has_jumps() const {
    return any([](const RenderJob& job) { return job.chain.edge_reads.jumps; });
  }
  [[nodiscard]] bool has_window() const {
    return any([](const RenderJob& job) { return job.chain.window.has_value(); });
  }
  [[nodiscard]] bool has_regions() const {
    return any([](const RenderJob& job) { return job.chain.window && job.chain.window->min_area_px > 1; });
  }
};

/// The results of a block in a GPU's memory: for each array the rays of all jobs, one job after the other.
class Results {
 public:
  explicit Results(const Gpu& gpu) : memory_(gpu) {}
  /// Allocates the arrays of `frame`, unless the frame is on the GPU. Throws OutOfGpuMemory.
  void fit(const Block& block, Frame& frame);
  void clear() { memory_.clear(); }
  /// The arrays of the block's job `i`, counted from the first ray of its frame.
  [[nodiscard]] Channels channels(std::size_t i) const;
  [[nodiscard]] Edges edges(std::size_t i) const;
  [[nodiscard]] Windowed windowed(std::size_t i) const;
  /// Copies all into the frame on this computer, and the inputs of edge loss if the block is cut.
  void download(Readback& readback) const;

 private:
  GpuMemory memory_;
  Block block_ = {};
  Frame* frame_ = nullptr;
  Channels arrays_ = {};
  Edges edges_ = {};
  Windowed windowed_ = {};
};

/// The fields of the jobs of a block in a GPU's memory.
class Fields {
 public:
  Fields(const Gpu& gpu, const Module& module)
      : draw_white_(module.function("fathom_draw_white")),
        sum_across_(module.function("fathom_sum_across")),
        sum_down_(module.function("fathom_sum_down")),
        memory_(gpu) {}

  /// Allocates the fields of the block. Throws OutOfGpuMemory.
  void fit(const Block& block);
  void clear() { memory_.clear(); }

  /// Starts a new block.
  void begin();
  /// Adds the fields of the next job, and points `data` at them. `keeper` keeps the kernels.
  void add(const RenderJob& job, const Window& window, Keeper& keeper, FrameData& data);
  /// Keeps the list of all fields.
  void keep(Keeper& keeper);

  /// Calls launch(function, address of the list, fields, threads of each) for each step of making them.
  template <class Launch>
  void make(Launch launch) const {
    const auto count = static_cast<std::uint32_t>(fields_.size());
    std::uint32_t white = 0, half = 0, all = 0;
    for (const FieldJob& field : fields_) {
      white = std::max(white, field.white_threads());
      half = std::max(half, field.half_threads());
      all = std::max(all, field.threads());
    }
    launch(draw_white_, list_, count, white);
    launch(sum_across_, list_, count, half);
    launch(sum_down_, list_, count, all);
  }

 private:
  CudaFunction draw_white_, sum_across_, sum_down_;
  GpuMemory memory_;
  std::size_t used_ = 0;  // floats
  std::vector<FieldJob> fields_;
  CudaAddress list_ = 0;
};

}  // namespace fathom::device
