// SPDX-License-Identifier: MIT
// The noise alone: million points per second through the block kernels, three Gaussian models one after the other as in
// a frame, for each instruction set; the same numbers by the standard library, for scale; fields; and models of weather
// beside `distance`.

#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/noise.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/simulator.hpp>

#include "core/compute.hpp"
#include "interleave.hpp"
#include "render/lanes.hpp"

namespace {

/// Fields of correlated draws for an image of 640 x 480, and the white draws alone, for each instruction set.
void run_fields() {
  using namespace fathom;
  constexpr std::uint32_t kRows = 480, kCols = 640;
  struct Kind {
    std::string name;
    Correlation correlation;
  };
  const std::vector<Kind> kinds = {
      {"white", {}},
      {"gaussian, 3 px", {.across_px = 3, .down_px = 3}},
      {"exponential, 3 px", {.across_px = 3, .down_px = 3, .shape = CorrelationShape::kExponential}},
      {"gaussian, 64 px", {.across_px = 64, .down_px = 64}}};
  std::vector<float> out(std::size_t{kRows} * kCols);
  std::printf("\n| a field of 640 x 480 | instructions | ms, median | ms, least |\n|---|---|---|---|\n");
  for (const Kind& kind : kinds) {
    const FieldKernel kernel = make_field_kernel(kind.correlation);
    std::vector<float> scratch(FieldScratch(kernel, kCols).floats());
    std::vector<std::function<void()>> contenders;
    std::vector<std::string_view> names;
    for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
      if (isa > detect_isa()) continue;
      names.push_back(to_string(isa));
      contenders.emplace_back([&, isa] {
        FATHOM_FOR_ISA(isa, kFields)
            .make_rows({&kernel, {1, 2, 3}, 0, kRows, kCols, false, out.data()}, 0, kRows, scratch.data());
      });
    }
    const auto times = bench::interleaved_times(51, contenders, bench::cpu_seconds_now);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::printf("| %s | %s | %.2f | %.2f |\n", kind.name.c_str(), std::string(names[i]).c_str(),
                  1e3 * bench::median(times[i]), 1e3 * bench::least(times[i]));
    }
  }
}

/// Returns at 2 to 100 m, an eighth of the rays without one.
void fill_outdoors(const std::uint32_t* quads, fathom::RayBlock& rays, fathom::ReturnBlock& returns) {
  using namespace fathom;
  for (std::uint32_t i = 0; i < kBlockRays; ++i) {
    const float range = i % 8 == 7 ? math::kInfinity : 2.0F * math::exp(3.9F / kBlockRays * static_cast<float>(i));
    rays.dx[i] = 1.0F, rays.dy[i] = rays.dz[i] = 0.0F;
    returns.x[i] = returns.range_m[i] = returns.radius_m[i] = range, returns.y[i] = returns.z[i] = 0.0F;
    returns.reason[i] = static_cast<std::uint32_t>(i % 8 == 7 ? Reason::kMiss : Reason::kHit);
    returns.intensity[i] = i % 8 == 7 ? 0.0F : 0.2F, returns.from_medium[i] = 0;
  }
  static constexpr float kFar = 120.0F;
  returns.max_range_m = &kFar, returns.least_power = least_power_of(0.1F, 40.0F);
  rays.quads = returns.quads = quads, rays.count = returns.count = kBlockRays;
}

struct Weather {
  const char* name;
  fathom::Noise noise;
};

/// `distance` first.
std::vector<Weather> weathers() {
  using namespace fathom;
  return {{"distance", DistanceNoise{.stddev_m = 0.02F}},
          {"fog", Fog{.visibility_m = 60.0F}},
          {"a cloud", Fog{.extinction_per_m = 0.2F, .region = FogRegion::kSphere, .size_x_m = 40.0F}},
          {"rain", Rain{.rate_mm_per_h = 30.0F}},
          {"light rain", Rain{.rate_mm_per_h = 3.0F}},
          {"rain without a drop", Rain{.rate_mm_per_h = 1e-6F}},
          {"snow", Snow{.rate_mm_per_h = 3.0F}},
          {"light snow", Snow{.rate_mm_per_h = 0.3F}}};
}

/// A lidar in a street of boxes.
fathom::Simulator make_street(const fathom::Noise& noise) {
  using namespace fathom;
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  scene.add_entity({.name = "street", .mesh = scene.add_mesh(make_plane(200, 60)), .reflectivity = 0.15F});
  for (const double side : {-1.0, 1.0}) {
    for (int k = 0; k < 6; ++k) {
      scene.add_entity({.name = "house " + std::to_string(side * (k + 1)),
                        .mesh = box,
                        .parent_from_entity = Pose{{25.0 * k - 50, 12 * side, 4}, {}},
                        .scale = {20, 8, 8},
                        .reflectivity = 0.3F});
    }
  }
  Simulator simulator(std::move(scene), {.seed = 1, .compute = {.threads = 1}});
  Sensor sensor = preset_sensor("lidar", "OS1-128");
  sensor.parent_from_sensor = Pose{{0, 0, 1.8}, {}}, sensor.noise = {noise};
  simulator.add_sensor(sensor);
  return simulator;
}

/// Whole frames on the best instructions.
void run_weather_frames() {
  using namespace fathom;
  std::vector<Simulator> simulators;
  for (const Weather& w : weathers()) simulators.push_back(make_street(w.noise));
  std::vector<Frame> frames(simulators.size(), Frame({Channel::kRange, Channel::kIntensity}));
  std::vector<std::function<void()>> contenders;
  for (std::size_t i = 0; i < simulators.size(); ++i) {
    contenders.emplace_back([&, i] { simulators[i].render(SensorId{0}, 0, frames[i]); });
  }
  const auto times = bench::interleaved_times(31, contenders, bench::cpu_seconds_now);
  std::printf("| frames |");
  for (std::size_t i = 1; i < times.size(); ++i) std::printf(" %.2f |", bench::median_ratio(times[i], times[0]));
  std::printf(" %.2f |\n", 1e9 * bench::median(times[0]) / static_cast<double>(frames[0].size()));
}

/// Times of models of weather, relative to `distance`. Each has the same block, whose copy is not counted.
void run_weather() {
  using namespace fathom;
  constexpr std::uint32_t kBlocks = 4000;
  static RayBlock rays;
  static ReturnBlock given, returns;
  static DrawBuffer draws;
  static std::uint32_t quads[kBlockRays / kQuadRays];
  for (std::uint32_t q = 0; q < kBlockRays / kQuadRays; ++q) quads[q] = q;
  fill_outdoors(quads, rays, given);
  const std::vector<Weather> models = weathers();
  std::printf("\n| beside distance |");
  for (std::size_t i = 1; i < models.size(); ++i) std::printf(" %s |", models[i].name);
  std::printf(" distance, ns per ray |\n|---|");
  for (std::size_t i = 0; i < models.size(); ++i) std::printf("--:|");
  std::printf("\n");
  for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    const auto run = [&, isa](const Noise* model) {
      for (std::uint32_t block = 0; block < kBlocks; ++block) {
        returns = given;
        if (model != nullptr) model->apply(isa, {1, block, 0}, rays, returns, draws);
      }
    };
    std::vector<std::function<void()>> contenders = {[&] { run(nullptr); }};
    for (const Weather& w : models) contenders.emplace_back([&] { run(&w.noise); });
    const std::vector<double> seconds = bench::interleave(31, contenders, bench::cpu_seconds_now);
    const double distance = seconds[1] - seconds[0];
    std::printf("| %s |", std::string(to_string(isa)).c_str());
    for (std::size_t i = 2; i < seconds.size(); ++i) std::printf(" %.2f |", (seconds[i] - seconds[0]) / distance);
    std::printf(" %.2f |\n", 1e9 * distance / kBlocks / kBlockRays);
  }
  run_weather_frames();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "weather") return run_weather(), 0;
  using namespace fathom;
  constexpr int kBlocks = 4000;
  static RayBlock rays;
  static ReturnBlock returns;
  static DrawBuffer draws;
  static std::uint32_t quads[kBlockRays / kQuadRays];
  for (std::uint32_t i = 0; i < kBlockRays; ++i) {
    rays.dx[i] = 0.6F, rays.dy[i] = 0.8F, rays.dz[i] = 0.0F;
    returns.x[i] = 3.0F, returns.y[i] = 4.0F, returns.z[i] = 0.0F, returns.range_m[i] = returns.radius_m[i] = 5.0F;
    returns.reason[i] = static_cast<std::uint32_t>(Reason::kHit);
    quads[i / kQuadRays] = i / kQuadRays;
  }
  rays.quads = returns.quads = quads;
  rays.count = returns.count = kBlockRays;
  // Rotations of mean 0 and tiny deviations, so that points stay where they are over millions of repetitions.
  const std::vector<Noise> chain = {AngularRay{.stddev_rad = 1e-6F}, AngularHit{.stddev_rad = 1e-6F},
                                    DistanceNoise{.stddev_m = 1e-6F, .stddev_per_m = 1e-7F}};
  const auto with_isa = [&](Isa isa) {
    return [&, isa] {
      for (std::uint32_t block = 0; block < kBlocks; ++block) {
        for (std::uint32_t entry = 0; entry < chain.size(); ++entry) {
          chain[entry].apply(isa, {1, block, entry}, rays, returns, draws);
        }
      }
    };
  };
  std::vector<std::function<void()>> contenders;
  std::vector<std::string> names;
  for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    contenders.push_back(with_isa(isa));
    names.emplace_back(to_string(isa));
  }
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  [[maybe_unused]] static volatile float sink;
  contenders.push_back([&] {
    float sum = 0;
    for (std::uint32_t i = 0; i < 3 * kBlocks * kBlockRays; ++i) sum += normal(engine);
    sink = sum;
  });
  names.emplace_back("std::normal_distribution<float> on mt19937, its three normals only");
  const std::vector<double> seconds = bench::interleave(15, contenders);
  std::printf("| three noises alone | million points per second |\n|---|---|\n");
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("| %s | %.0f |\n", names[i].c_str(), 1e-6 * kBlocks * kBlockRays / seconds[i]);
  }
  run_fields();
  run_weather();
}
