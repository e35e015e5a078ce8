// SPDX-License-Identifier: MIT
#include "support/host_device.hpp"

#include <atomic>

#include "render/block_store.hpp"
#include "render/device/gather.hpp"
#include "render/device/render_ray.hpp"

namespace fathom::test {

namespace {

std::atomic<std::uint64_t> frames{0};

class HostDevice final : public FrameDevice {
 public:
  void render(std::span<const RenderJob> jobs, Frame& frame) override {
    for (const RenderJob& job : jobs) {
      const std::uint32_t rays = job.plan.rows * job.plan.cols;
      job.edge->fit(job.chain, rays);
      store_pattern(job, frame);
      const device::FrameData data = gatherer_.gather(job, frame);
      // Backwards, because threads of a device come in no order.
      for (std::uint32_t lane = job.plan.lanes(); lane-- > 0;) device::render_ray(data, lane);
      for (std::uint32_t pixel = 0; pixel < rays && data.chain.edge_loss.count > 0; ++pixel) {
        device::lose_edge(data, pixel);
      }
    }
    ++frames;
  }

 private:
  device::Gatherer gatherer_;
};

}  // namespace

std::unique_ptr<FrameDevice> make_host_device() { return std::make_unique<HostDevice>(); }
std::uint64_t host_device_frames() { return frames; }

}  // namespace fathom::test
