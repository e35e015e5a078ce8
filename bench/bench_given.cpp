// SPDX-License-Identifier: MIT
// Noise for given frames on one thread: images of a preset, chains without neighbours beside the kernels of the same
// models alone, small images of many environments, and a lidar. bench_given.py compares with another program.
//
//   bench_given [sse2|avx2|avx512 [ROW]]          ROW: only this row of the table, counted from 0

#include <fathom/noise/detail/drive.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "interleave.hpp"
#include "render/lanes.hpp"

namespace {

using namespace fathom;

constexpr std::uint32_t kRounds = 31;

/// A floor, a wall and boxes before it, [rows, cols], m.
std::vector<float> clean_depth(std::uint32_t rows, std::uint32_t cols) {
  std::vector<float> depth;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const float v = (static_cast<float>(r) + 0.5F) / static_cast<float>(rows) - 0.5F;
    for (std::uint32_t c = 0; c < cols; ++c) {
      const float u = (static_cast<float>(c) + 0.5F) / static_cast<float>(cols) - 0.5F;
      float d = 4.0F / (1.0F + 0.3F * u);
      if (v > 0.0F) d = std::fmin(d, 0.6F / v);
      if (std::fabs(u + 0.2F) < 0.08F && v > -0.1F) d = std::fmin(d, 2.0F);
      if (std::fabs(u - 0.15F) < 0.12F && v > 0.05F) d = std::fmin(d, 1.5F);
      depth.push_back(d);
    }
  }
  return depth;
}

SensorNoise make_noise(const SensorModel& model, NoiseChain chain, Isa isa) {
  Sensor sensor;
  sensor.name = "sensor", sensor.model = model, sensor.noise = std::move(chain);
  return SensorNoise(sensor, {.compute = {.threads = 1, .isa = isa}});
}

StereoCamera stereo(std::uint32_t rows, std::uint32_t cols, double fx) {
  StereoCamera camera;
  camera.width = cols, camera.height = rows, camera.fx = fx, camera.baseline_m = 0.05;
  camera.reference = CameraReference::kLeft;
  return camera;
}

/// Applies a chain to blocks, without an image: the loop of bench_noise.
class ModelsAlone {
 public:
  ModelsAlone(NoiseChain chain, Isa isa) : chain_(std::move(chain)), isa_(isa) {
    for (std::uint32_t i = 0; i < kBlockRays; ++i) {
      rays_.dx[i] = 0.6F, rays_.dy[i] = 0.8F, rays_.dz[i] = 0.0F;
      quads_[i / kQuadRays] = i / kQuadRays;
    }
    rays_.quads = returns_.quads = quads_;
    rays_.count = returns_.count = kBlockRays;
  }

  void run(std::size_t rays) {
    for (std::uint32_t block = 0; block < rays / kBlockRays; ++block) {
      for (std::uint32_t i = 0; i < kBlockRays; ++i) {
        returns_.x[i] = 3.0F, returns_.y[i] = 4.0F, returns_.z[i] = 0.0F,
        returns_.range_m[i] = returns_.radius_m[i] = 5.0F;
        returns_.reason[i] = static_cast<std::uint32_t>(Reason::kHit);
      }
      for (std::uint32_t entry = 0; entry < chain_.size(); ++entry) {
        chain_[entry].noise.apply(isa_, {1, block, entry}, rays_, returns_, draws_);
      }
    }
  }

 private:
  NoiseChain chain_;
  Isa isa_;
  RayBlock rays_;
  ReturnBlock returns_;
  DrawBuffer draws_;
  std::uint32_t quads_[kBlockRays / kQuadRays];
};

void print(const char* what, std::size_t rays, const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  const double middle = bench::median(seconds);
  std::printf("| %s | %.2f (%.2f to %.2f) | %.1f |\n", what, 1e3 * middle, 1e3 * *least, 1e3 * *most,
              1e-6 * static_cast<double>(rays) / middle);
}

}  // namespace

int main(int argc, char** argv) {
  Isa isa = detect_isa();
  for (const Isa other : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (argc > 1 && to_string(other) == argv[1]) isa = other;
  }
  constexpr std::size_t kPixels = std::size_t{640} * 480, kImages = 512, kSmall = std::size_t{48} * 64;
  constexpr std::size_t kLidar = std::size_t{128} * 2048;
  const std::vector<float> large = clean_depth(480, 640), small = clean_depth(48, 64), lidar = clean_depth(128, 2048);
  const std::vector<GivenFrame> many(kImages, GivenFrame{.depth_m = small});

  const NoiseChain white = {DistanceNoise{.stddev_m = 0.01F}, Dropout{.probability = 0.01F}};
  const NoiseChain losses = {LossAngle{.max_incidence_rad = 1.3F},
                             StereoShadow{},
                             StereoEnergy{.min_energy = 0.05F},
                             TextureLoss{},
                             EdgeLoss{.low_probability = 0.1F, .high_probability = 0.9F},
                             Disparity{.stddev_px = 0.1F},
                             Dropout{.probability = 0.01F}};
  const NoiseChain three = {AngularHit{.stddev_rad = 1e-3F}, DistanceNoise{.stddev_m = 0.01F},
                            Dropout{.probability = 0.01F}};
  SpinningLidar spinning;
  for (int i = 0; i < 128; ++i) spinning.elevation_rad.push_back(0.3 - 0.005 * i);
  spinning.columns = 2048;

  SensorNoise d435 = make_noise(stereo(480, 640, 383), preset_sensor("sensor", "D435").noise, isa);
  SensorNoise plain = make_noise(stereo(480, 640, 383), white, isa);
  SensorNoise lossy = make_noise(stereo(48, 64, 40), losses, isa);
  SensorNoise rings = make_noise(spinning, three, isa);
  ModelsAlone white_alone(white, isa), three_alone(three, isa);
  Frame frames[] = {Frame({Channel::kDepth}), Frame({Channel::kDepth}), Frame({Channel::kDepth}),
                    Frame({Channel::kRange})};
  std::uint32_t index = 0;
  const std::vector<std::function<void()>> contenders = {
      [&] { d435.apply(++index, {.depth_m = large}, frames[0]); },
      [&] { plain.apply(++index, {.depth_m = large}, frames[1]); },
      [&] { white_alone.run(kPixels); },
      [&] { lossy.apply(++index, many, frames[2]); },
      [&] { rings.apply(++index, {.range_m = lidar}, frames[3]); },
      [&] { three_alone.run(kLidar); },
  };
  if (argc > 2) {
    for (std::uint32_t k = 0; k < 10 * kRounds; ++k) contenders.at(std::stoul(argv[2]))();  // for a profiler
    return 0;
  }
  const std::vector<std::vector<double>> times = bench::interleaved_times(kRounds, contenders, bench::cpu_seconds_now);
  std::printf("| given frames, one thread, %s | ms, median (least to most) | M pixels/s |\n|---|--:|--:|\n",
              std::string(to_string(isa)).c_str());
  print("D435, 640 x 480", kPixels, times[0]);
  print("distance and dropout, 640 x 480", kPixels, times[1]);
  print("the same models alone", kPixels, times[2]);
  print("stereo with every loss, 512 x 48 x 64", kImages * kSmall, times[3]);
  print("lidar with three noises, 128 x 2048", kLidar, times[4]);
  print("the same models alone", kLidar, times[5]);
  std::printf("speed relative to the models alone: distance and dropout %.2f, lidar %.2f\n",
              bench::median_ratio(times[2], times[1]), bench::median_ratio(times[5], times[4]));
}
