// SPDX-License-Identifier: MIT
#include <fathom/simulate/gpu_frame.hpp>

#include <memory>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/frame/channel_list.hpp>

#include "render/device/driver.hpp"
#include "render/device/gpu_objects.hpp"

namespace fathom {

namespace {

/// Memory that outlives whoever asked for it, with the GPU that it is of.
class KeptMemory {
 public:
  KeptMemory(int number, std::size_t bytes) : gpu_(number), memory_(gpu_) {
    const device::CurrentGpu current(gpu_);
    memory_.fit(bytes, "a frame");
  }
  ~KeptMemory() {
    const device::CurrentGpu current(gpu_);
    memory_.clear();
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  [[nodiscard]] device::CudaAddress address() const { return memory_.address(); }

 private:
  device::Gpu gpu_;
  device::GpuMemory memory_;
};

}  // namespace

Frame make_gpu_frame(const Device& device, std::uint32_t rows, std::uint32_t cols, ChannelSet channels,
                     std::uint32_t returns) {
  if (device.kind == DeviceKind::kCpu) throw InputError("device = cpu: a frame on a GPU is asked for");
  const std::size_t elements = std::size_t{returns} * rows * cols;
  if (elements == 0 || channels == ChannelSet()) {
    throw InputError(fmt::format("a frame on a GPU has rays and channels, not {} x {} rays{}", rows, cols,
                                 channels == ChannelSet() ? " and no channel" : ""));
  }
  std::vector<ChannelBuffer> buffers;
  std::size_t used = 0;
  for (const ChannelInfo& info : channel_list()) {
    if (!channels.contains(info.channel)) continue;
    buffers.push_back({info.channel, nullptr, elements * info.bytes()});
    used += (buffers.back().bytes + 255) / 256 * 256;
  }
  const auto memory = std::make_shared<KeptMemory>(device.number, used);
  device::CudaAddress at = memory->address();
  for (ChannelBuffer& buffer : buffers) {
    buffer.data = reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr): never followed here
    at += (buffer.bytes + 255) / 256 * 256;
  }
  return {rows, cols, buffers, FrameMemory::kGpu, memory, returns};
}

void wait_for_stream(const void* memory, std::uintptr_t stream) {
  const device::Gpu gpu(device::Gpu::Holding{reinterpret_cast<device::CudaAddress>(memory)});
  const device::CurrentGpu current(gpu);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle of the driver's
  gpu.check(gpu.calls().cuStreamSynchronize(reinterpret_cast<device::CudaStream>(stream)), "cuStreamSynchronize");
}

}  // namespace fathom
