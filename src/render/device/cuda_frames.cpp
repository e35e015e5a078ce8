// SPDX-License-Identifier: MIT
// Frames on a GPU of NVIDIA's.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "render/device/gather.hpp"
#include "render/device/gpu.hpp"
#include "render/device/resident.hpp"
#include "render/device/results.hpp"
#include "render/draw_fields.hpp"
#include "render/frame_parts.hpp"
#include "render/render.hpp"

namespace fathom::device {

namespace {

class CudaFrames final : public FrameDevice {
 public:
  /// Throws as Gpu does.
  CudaFrames(const Compute& compute, Executor& executor);
  ~CudaFrames() override;

  /// Returns when the frame is done. Throws InputError for a frame in other memory, and SystemError if the driver fails
  /// or memory does not suffice; the data on the GPU is then freed, and the next call starts again.
  void render(std::span<const RenderJob> jobs, Frame& frame) override;

 private:
  class Work;
  void open();
  void close();

  int number_;
  std::uintptr_t stream_;  // the caller's, or 0
  Executor& executor_;
  std::shared_ptr<const Code> code_;
  std::unique_ptr<Work> work_;
};

/// Launches threads in portions that take a fraction of a second each, so that should_stop is asked often enough.
class Launcher {
 public:
  Launcher(const Stream& stream, const std::function<bool()>& should_stop, std::size_t& threads_at_once)
      : stream_(stream), should_stop_(should_stop), at_once_(threads_at_once) {}

  /// Threads [begin, end) for each of the jobs at `data`, of `job_bytes` each.
  void run(CudaFunction function, CudaAddress data, std::size_t job_bytes, std::uint32_t jobs, std::uint32_t begin,
           std::uint32_t end) {
    if (jobs == 0 || begin == end) return;
    const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(end - begin, at_once_));
    const auto most_jobs = static_cast<std::uint32_t>(std::clamp<std::size_t>(at_once_ / lanes, 1, kMostJobs));
    for (std::uint32_t job = 0; job < jobs; job += most_jobs) {
      const std::uint32_t count = std::min(most_jobs, jobs - job);
      for (std::uint32_t first = begin; first < end; first += lanes) {
        const bool last = job + count == jobs && end - first <= lanes;
        launch(function, data + job * job_bytes, first, std::min(lanes, end - first), count, last);
      }
    }
  }

 private:
  static constexpr std::uint32_t kMostJobs = 32768;  // a grid has 65535 rows
  static constexpr std::size_t kLeast = std::size_t{1} << 14, kMost = std::size_t{1} << 28;
  static constexpr std::chrono::milliseconds kShort{50}, kLong{400};

  void launch(CudaFunction function, CudaAddress data, std::uint32_t first, std::uint32_t lanes, std::uint32_t jobs,
              bool last) {
    stop_if_asked(should_stop_);
    std::array<void*, 2> arguments = {&data, &first};
    const auto start = std::chrono::steady_clock::now();
    stream_.launch(function, lanes, jobs, arguments);
    if (last) return;
    stream_.wait();
    const auto took = std::chrono::steady_clock::now() - start;
    if (took < kShort) at_once_ = std::min(2 * at_once_, kMost);
    if (took > kLong) at_once_ = std::max(at_once_ / 2, kLeast);
  }

  const Stream& stream_;
  const std::function<bool()>& should_stop_;
  std::size_t& at_once_;  // a power of two, of threads
};

/// Waits for the stream if an exception leaves the scope of the memory that its work uses.
class Settle {
 public:
  explicit Settle(const Stream& stream) : stream_(stream) {}
  ~Settle() {
    if (std::uncaught_exceptions() > before_) stream_.gpu().calls().cuStreamSynchronize(stream_.handle());
  }
  Settle(const Settle&) = delete;
  Settle& operator=(const Settle&) = delete;

 private:
  const Stream& stream_;
  int before_ = std::uncaught_exceptions();
};

void check_memory(const Gpu& gpu, const Frame& frame) {
  for (const ChannelInfo& info : channel_list()) {
    if (!frame.channels().contains(info.channel)) continue;
    gpu.check_address(reinterpret_cast<CudaAddress>(frame.data(info.channel)), info.name());
  }
}

class CudaFrames::Work {
 public:
  Work(const Gpu& gpu, const Module& module, std::uintptr_t stream, Executor& executor)
      : executor_(executor),
        stream_(gpu, stream),
        render_rays_(module.function("fathom_render_rays")),
        render_beams_(module.function("fathom_render_beams")),
        lose_edges_(module.function("fathom_lose_edges")),
        match_pixels_(module.function("fathom_match_pixels")),
        join_pixels_(module.function("fathom_join_pixels")),
        count_pixels_(module.function("fathom_count_pixels")),
        lose_speckles_(module.function("fathom_lose_speckles")),
        finish_rays_(module.function("fathom_finish_rays")),
        refit_nodes_(module.function("fathom_refit_nodes")),
        worlds_(gpu, module),
        parcel_(gpu),
        results_(gpu),
        fields_(gpu, module),
        readback_(stream_, executor) {}

  void render(std::span<const RenderJob> jobs, Frame& frame) {
    const Settle settle(stream_);
    trees_.hold(*jobs.front().caster.meshes(), stream_, refit_nodes_);
    while (!jobs.empty()) {
      const Window all = whole(jobs.front().plan);
      const std::size_t count = std::min(alike(jobs), std::max<std::size_t>(most_lanes_ / all.lane_end, 1));
      try {
        if (all.lane_end <= most_lanes_) {
          render({jobs.first(count), all}, frame);
        } else {
          render_cut(jobs.front(), frame);
        }
        jobs = jobs.subspan(count);
      } catch (const OutOfGpuMemory&) {
        if (!shrink(std::min<std::size_t>(count * all.lane_end, most_lanes_))) throw;
      }
    }
  }

 private:
  static constexpr std::size_t kLeastLanes = 4096;

  /// Number of jobs from the first on with equal windows: only these can share a launch.
  static std::size_t alike(std::span<const RenderJob> jobs) {
    const Window all = whole(jobs.front().plan);
    std::size_t count = 1;
    while (count < jobs.size() && whole(jobs[count].plan) == all) ++count;
    return count;
  }

  /// Halves the lanes of blocks from now on; returns false if they would be too small.
  bool shrink(std::size_t lanes) {
    stream_.wait();
    results_.clear();
    fields_.clear();
    worlds_.clear();
    for (ResidentRays& rays : rays_) rays.clear();
    keeps_all_ = false;
    most_lanes_ = lanes / 2;
    return most_lanes_ >= kLeastLanes;
  }

  /// Renders a job that does not fit window by window. Edge losses need the whole image: the processor decides them.
  void render_cut(const RenderJob& job, Frame& frame) {
    if (job.chain.window) {
      throw SystemError("the memory of the GPU does not suffice for a frame with a matching window, which is not cut");
    }
    const bool has_edges = !job.chain.edge_loss.empty();
    if (has_edges && frame.memory() == Frame::Memory::kGpu) {
      throw SystemError("the memory of the GPU does not suffice for the edge losses of a frame that stays there");
    }
    job.edge->fit(job.chain, job.plan.rows, job.plan.cols);
    for (const Window& window : windows_of(job.plan, static_cast<std::uint32_t>(most_lanes_))) {
      render({{&job, 1}, window}, frame);
    }
    if (!has_edges) return;
    make_fields({&job, 1}, executor_);
    lose_edges(job, executor_, frame);
  }

  void render(const Block& block, Frame& frame) {
    const RenderJob& first = block.first();
    hold_rays(block);
    results_.fit(block, frame);
    fields_.fit(block);
    const CudaAddress data = send(block);
    worlds_.build(stream_);
    const auto jobs = static_cast<std::uint32_t>(block.jobs.size());
    Launcher launcher(stream_, first.should_stop, threads_at_once_);
    fields_.make([&](CudaFunction function, CudaAddress fields, std::uint32_t count, std::uint32_t threads) {
      launcher.run(function, fields, sizeof(FieldJob), count, 0, threads);
    });
    const auto for_lanes = [&](CudaFunction function) {
      launcher.run(function, data, sizeof(FrameData), jobs, block.window.lane_begin, block.window.lane_end);
    };
    const auto for_pixels = [&](CudaFunction function) {
      launcher.run(function, data, sizeof(FrameData), jobs, 0, block.window.ray_end);
    };
    if (block.has_lines()) for_lanes(render_rays_);
    if (block.has_beams()) for_lanes(render_beams_);
    if (block.has_edges() && !block.is_cut()) for_pixels(lose_edges_);
    if (block.has_window()) for_pixels(match_pixels_);
    if (block.has_regions()) for_pixels(join_pixels_), for_pixels(count_pixels_), for_pixels(lose_speckles_);
    if (block.has_window()) for_lanes(finish_rays_);
    if (frame.memory() == Frame::Memory::kGpu) {
      upload_pattern(block, frame);
    } else {
      for (const RenderJob& job : block.jobs) store_pattern(job, frame);
      results_.download(readback_);
      readback_.finish();
    }
    stream_.wait();
  }

  /// Uploads the rays of the jobs. If memory was short before, frees the rays of other jobs and
  /// sends all worlds again.
  void hold_rays(const Block& block) {
    for (const RenderJob& job : block.jobs) {
      while (rays_.size() <= job.ray_set) rays_.emplace_back(stream_.gpu());
    }
    if (!keeps_all_) {
      worlds_.forget();
      is_wanted_.assign(rays_.size(), false);
      for (const RenderJob& job : block.jobs) is_wanted_[job.ray_set] = true;
      for (std::size_t i = 0; i < rays_.size(); ++i) {
        if (!is_wanted_[i]) rays_[i].clear();
      }
    }
    for (const RenderJob& job : block.jobs) rays_[job.ray_set].hold(job.plan, job.pattern, block.window, stream_);
  }

  /// Sends the data of the jobs besides trees and rays; returns the address of their FrameData.
  CudaAddress send(const Block& block) {
    for (;;) {
      parcel_.begin();
      gatherer_.begin();
      worlds_.begin();
      fields_.begin();
      frames_.clear();
      for (std::size_t i = 0; i < block.jobs.size(); ++i) {
        const RenderJob& job = block.jobs[i];
        FrameData data = gatherer_.gather(job, parcel_);
        data.world = worlds_.add(job.caster, trees_, parcel_);
        data.rays = rays_[job.ray_set].rays(), data.image = rays_[job.ray_set].image();
        data.out = results_.channels(i), data.edges = results_.edges(i);
        fields_.add(job, block.window, parcel_, data);
        data.windowed = results_.windowed(i);
        frames_.push_back(data);
      }
      const FrameData* at = parcel_.keep(std::span<const FrameData>(frames_));
      fields_.keep(parcel_);
      if (worlds_.fit(parcel_) && parcel_.send(stream_)) return reinterpret_cast<CudaAddress>(at);
    }
  }

  /// Writes the channels that are values of the pattern into a frame on the GPU.
  void upload_pattern(const Block& block, Frame& frame) {
    if (block.window.lane_begin > 0) return;
    FrameWriter writer(frame);
    const auto at = [](auto* array) { return reinterpret_cast<CudaAddress>(array); };
    const RayPattern& pattern = block.first().pattern;
    const std::size_t rays = std::size_t{pattern.rows} * pattern.cols;
    rings_.clear();
    for (std::size_t i = 0; writer.ring() != nullptr && i < rays; ++i) {
      rings_.push_back(static_cast<std::uint16_t>(ring_of(pattern, i)));
    }
    for (std::size_t i = 0; i < block.jobs.size() * block.first().returns(); ++i) {
      const RenderJob& job = block.jobs[i % block.jobs.size()];
      const std::size_t first = job.first + i / block.jobs.size() * frame.rays();  // of a return of it
      if (float* out = writer.floats(Channel::kTimeOffset)) {
        if (job.pattern.time_offset_s.empty()) {
          const Gpu& gpu = stream_.gpu();
          gpu.check(gpu.calls().cuMemsetD32Async(at(out + first), 0, rays, stream_.handle()), "cuMemsetD32Async");
        } else {
          stream_.upload(at(out + first), job.pattern.time_offset_s.data(), rays * sizeof(float));
        }
      }
      if (std::uint16_t* out = writer.ring()) {
        stream_.upload(at(out + first), rings_.data(), rays * sizeof(std::uint16_t));
      }
    }
  }

  Executor& executor_;
  Stream stream_;
  CudaFunction render_rays_, render_beams_, lose_edges_, match_pixels_, join_pixels_, count_pixels_, lose_speckles_,
      finish_rays_, refit_nodes_;
  ResidentTrees trees_;
  Worlds worlds_;
  std::vector<ResidentRays> rays_;  // [ray sets]
  bool keeps_all_ = true;           // rays of all jobs and worlds, until memory is short
  std::vector<bool> is_wanted_;     // [ray sets], by a block
  Parcel parcel_;
  Results results_;
  Fields fields_;
  Readback readback_;
  Gatherer gatherer_;
  std::vector<FrameData> frames_;  // of a block
  std::vector<std::uint16_t> rings_;
  std::size_t most_lanes_ = std::numeric_limits<std::uint32_t>::max();  // of a block: halved when memory is short
  std::size_t threads_at_once_ = std::size_t{1} << 20;
};

CudaFrames::CudaFrames(const Compute& compute, Executor& executor)
    : number_(compute.device.number), stream_(compute.cuda_stream), executor_(executor) {
  open();
}
CudaFrames::~CudaFrames() { close(); }

void CudaFrames::open() {
  code_ = code_of(number_);
  const CurrentGpu current(code_->gpu());
  work_ = std::make_unique<Work>(code_->gpu(), code_->module(), stream_, executor_);
}

/// Frees everything, even if the driver fails.
void CudaFrames::close() {
  if (code_ == nullptr) return;
  {
    const CurrentGpu current(code_->gpu());
    work_.reset();
  }
  code_.reset();
}

void CudaFrames::render(std::span<const RenderJob> jobs, Frame& frame) {
  try {
    if (work_ == nullptr) open();
    const CurrentGpu current(code_->gpu());
    if (frame.memory() == Frame::Memory::kGpu) check_memory(code_->gpu(), frame);
    work_->render(jobs, frame);
  } catch (const SystemError&) {
    close();
    throw;
  }
}

}  // namespace

}  // namespace fathom::device

namespace fathom {

std::unique_ptr<FrameDevice> open_device(const Compute& compute, Executor& executor) {
  if (compute.device.kind == DeviceKind::kCpu) return nullptr;
  const bool may_not = compute.device.kind == DeviceKind::kAuto;
  try {
    if (*device::ptx() == '\0') throw InputError("device cuda: " + missing_feature("code for GPUs", "clang"));
    return std::make_unique<device::CudaFrames>(compute, executor);
  } catch (const InputError&) {
    if (may_not) return nullptr;
    throw;
  }
}

FrameDevice* device_for(FrameDevice* device, const Compute& compute, const StagedChain& chain,
                        const SurfaceTable& surfaces) {
  const DeviceKind kind = compute.device.kind;
  const char* const refusal =
      !surfaces.optics().empty() ? "the scene has materials that pass or mirror light; only the processor renders them"
      : chain.is_filtered        ? "the sensor has filters or aligned_to; only the processor applies them"
                                 : nullptr;
  if (refusal != nullptr) {
    if (kind != DeviceKind::kCuda) return nullptr;
    throw InputError(std::string("device cuda: ") + refusal);
  }
  if (device == nullptr || kind != DeviceKind::kAuto) return device;
  return device::has_models(chain) ? device : nullptr;
}

}  // namespace fathom
