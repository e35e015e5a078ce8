// SPDX-License-Identifier: MIT
// The noise alone: million points per second through the block kernels, three Gaussian models one after the other as in
// a frame, for each instruction set; and the same numbers by the standard library, for scale.

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include <fathom/noise/drive.hpp>
#include <fathom/noise/noise.hpp>

#include "interleave.hpp"

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
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
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
}
