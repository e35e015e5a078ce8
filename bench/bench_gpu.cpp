// SPDX-License-Identifier: MIT
// Frames with three noises on a GPU, beside the processor's in the same run, in turns: millions of rays per second,
// with results that stay on the GPU and with results that come back. Then what copies achieve. Medians.
//
//   bench_gpu [device, cuda:0] [scene file of the house]

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/simulator.hpp>

#include "interleave.hpp"
#include "render/device/gpu.hpp"
#include "scenes.hpp"

namespace fathom::bench {
namespace {

constexpr int kRounds = 11;
constexpr std::uint32_t kEnvironments = 4096;
constexpr std::array kChannels = {Channel::kRange, Channel::kEntityId};

/// A frame in memory of the GPU.
class FrameThere {
 public:
  FrameThere(const device::Gpu& gpu, std::uint32_t rows, std::uint32_t cols) {
    std::vector<Frame::Buffer> buffers;
    for (const Channel c : kChannels) {
      const std::size_t bytes = std::size_t{rows} * cols * channel_info(c).bytes();
      memory_.emplace_back(gpu);
      memory_.back().fit(bytes, "a frame");
      // NOLINTNEXTLINE(performance-no-int-to-ptr): never followed here
      buffers.push_back({c, reinterpret_cast<void*>(memory_.back().address()), bytes});
    }
    frame_ = Frame(rows, cols, buffers, Frame::Memory::kGpu);
  }
  Frame& frame() { return frame_; }

 private:
  std::vector<device::GpuMemory> memory_;
  Frame frame_;
};

/// `first_s`: the time of the first frame, which sends everything.
void print_row(const std::string& set, std::size_t rays, double first_s, const std::vector<double>& seconds) {
  const auto million = [&](double s) { return static_cast<double>(rays) * 1e-6 / s; };
  const double bytes = static_cast<double>(rays) * 8.0;
  std::printf("%s\n", fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.1f} | {:.1f} |", set,
                                  rays, million(seconds[0]), million(seconds[1]), million(seconds[2]), 1e3 * first_s,
                                  1e3 * seconds[0], seconds[2] / seconds[0], bytes * 1e-9 / (seconds[1] - seconds[0]))
                          .c_str());
}

/// A renderer on the GPU, its frame there and here, and one on the processor.
template <class Renderer>
void compare(const std::string& name, const device::Gpu& gpu, Renderer& there, Renderer& here, std::uint32_t rows,
             std::uint32_t cols) {
  FrameThere stays(gpu, rows, cols);
  Frame comes({Channel::kRange, Channel::kEntityId}), wanted({Channel::kRange, Channel::kEntityId});
  std::uint32_t k = 0;
  const double start = seconds_now();
  there.render(SensorId{0}, k, stays.frame());
  const double first_s = seconds_now() - start;
  const auto seconds =
      interleave(kRounds, {[&] { there.render(SensorId{0}, ++k, stays.frame()); },
                           [&] { there.render(SensorId{0}, k, comes); }, [&] { here.render(SensorId{0}, k, wanted); }});
  print_row(name, std::size_t{rows} * cols, first_s, seconds);
}

void compare_set(const Set& set, const device::Gpu& gpu, Device device) {
  const Sensor sensor = make_sensor(set.model, set.world_from_sensor, three_gaussians());
  Simulator there(*set.scene, {.seed = 7, .compute = {.device = device}}), here(*set.scene, {.seed = 7});
  there.add_sensor(sensor), here.add_sensor(sensor);
  const RayPattern& rays = here.pattern(SensorId{0}, 0);
  compare(set.name, gpu, there, here, rays.rows, rays.cols);
}

/// The house once for each environment, each with the table at its own place.
void compare_environments(const Scene& house, const Pose& pose, const NoiseChain& noise, const std::string& name,
                          const device::Gpu& gpu, Device device) {
  const StereoCamera camera = stereo_camera(64, 48);
  const Sensor sensor = make_sensor(camera, pose, noise);
  Environments there(house, sensor, {.simulator = {.seed = 7, .compute = {.device = device}}, .count = kEnvironments});
  Environments here(house, sensor, {.simulator = {.seed = 7}, .count = kEnvironments});
  for (std::uint32_t e = 0; e < kEnvironments; ++e) {
    Pose at = house.entities()[0].parent_from_entity.at(0.0);
    at.translation_m.x += 1e-5 * e;
    for (Environments* all : {&there, &here}) all->set_entity_pose(e, EntityId{0}, at);
  }
  compare(name, gpu, there, here, kEnvironments * camera.height, camera.width);
}

void print_copies(const device::Gpu& gpu) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  const device::Stream stream(gpu, 0);
  device::GpuMemory memory(gpu);
  device::PinnedMemory pinned(gpu);
  memory.fit(kBytes, "copies"), pinned.fit(kBytes);
  const auto seconds =
      interleave(kRounds, {[&] { stream.upload(memory.address(), pinned.data(), kBytes), stream.wait(); },
                           [&] { stream.download(pinned.data(), memory.address(), kBytes), stream.wait(); }});
  std::printf("\nPinned copies of 256 MiB: %.1f GB/s there, %.1f GB/s back.\n", kBytes * 1e-9 / seconds[0],
              kBytes * 1e-9 / seconds[1]);
}

void run(Device device, const std::string& scene_file) {
  const device::Gpu gpu(device.number);
  const device::CurrentGpu current(gpu);
  const Scene house = make_house(scene_file), terrain = make_terrain();
  std::printf(
      "%s\n\n| set | rays | on the GPU | and back | processor | ms of the first frame | ms on the GPU | GPU / "
      "processor "
      "| GB/s back |\n|---|---|---|---|---|---|---|---|---|\n",
      gpu.name().c_str());
  std::vector<Set> sets = make_sets(house, terrain);
  PinholeCamera large = PinholeCamera::from_fov(3840, 2160, 1.5);
  large.max_range_m = 1000.0;
  sets.push_back({"house, camera 3840 x 2160", &house, large, sets.front().world_from_sensor, true});
  for (const Set& set : sets) compare_set(set, gpu, device);
  const Pose pose = sets.front().world_from_sensor;
  compare_environments(house, pose, three_gaussians(), "4096 x 64 x 48 stereo, three noises", gpu, device);
  compare_environments(house, pose, every_loss_and_edges(), "4096 x 64 x 48 stereo, all losses", gpu, device);
  print_copies(gpu);
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) {
  const std::string house = std::string(FATHOM_SOURCE_DIR) + "/examples/house/house.yaml";
  try {
    fathom::bench::run(fathom::device_named(argc > 1 ? argv[1] : "cuda:0"), argc > 2 ? argv[2] : house);
  } catch (const fathom::Error& e) {
    std::fprintf(stderr, "bench_gpu: %s\n", e.what());
    return 1;
  }
}
