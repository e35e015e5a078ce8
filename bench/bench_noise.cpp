// SPDX-License-Identifier: MIT
// The noise alone: million points per second through the block kernels, three Gaussian models one after the other as in
// a frame, for each instruction set; and the same numbers by the standard library, for scale.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/noise.hpp>

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
                  1e3 * bench::median(times[i]), 1e3 * *std::min_element(times[i].begin(), times[i].end()));
    }
  }
}

}  // namespace

int main() {
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
}
