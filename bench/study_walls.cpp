// SPDX-License-Identifier: MIT
// How often the 95 % intervals of `fathom fit wall` hold the truth: a stereo and a depth camera, a laser, and a
// lidar among the other surfaces of a room, with normal errors and heavy tails, and one whose turns start anywhere.
// Sizes of correlations use two standard errors instead of an interval. bench/README.md has the range of the table.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fit/calibrate/turn_room.hpp"

namespace {

using namespace fathom;        // NOLINT(google-build-using-namespace)
using namespace fathom::test;  // NOLINT(google-build-using-namespace)

struct Truth {
  std::string name;
  double value;
};

struct Study {
  std::string_view name;
  std::function<WallFit(std::uint64_t)> fit;
  std::vector<Truth> truths;
  std::vector<Truth> sizes = {};
};

struct Count {
  std::size_t held = 0, without = 0;
  double off = 0.0, square = 0.0;

  void add(double value, double truth, double error, double low, double high) {
    if (std::isnan(error)) {
      ++without;
      return;
    }
    held += low <= truth && truth <= high ? 1 : 0;
    off += (value - truth) / error, square += (value - truth) * (value - truth) / (error * error);
  }
  void print(std::string_view study, const Truth& truth, std::size_t seeds) const {
    const double n = static_cast<double>(std::max<std::size_t>(seeds - without, 1));
    std::printf("| %.*s | `%s` | %.4g | %.3f | %.2f | %.2f | %zu |\n", static_cast<int>(study.size()), study.data(),
                truth.name.c_str(), truth.value, static_cast<double>(held) / n, off / n, std::sqrt(square / n),
                without);
    std::fflush(stdout);
  }
};

StereoEnergy energy_law(float least, float pow) {
  return {.min_energy = least, .pow = pow, .normalization = EnergyNormalization::kThreshold};
}

std::function<WallFit(std::uint64_t)> of_walls(const WallSensor& sensor, const std::vector<WallMeasure::Plane>& planes,
                                               const NoiseChain& chain, const WallOptions& options) {
  return [=](std::uint64_t seed) {
    return fit_wall(simulate_wall(sensor, planes, chain, {.seed = seed, .threads = options.threads}), options);
  };
}

std::function<WallFit(std::uint64_t)> of_rooms(const NoiseChain& chain) {
  return [=](std::uint64_t seed) {
    return fit_wall(room_frames(stands(24), chain, seed),
                    {.wall = WallOptions::Choice::kAhead, .most_returns = 20'000, .threads = 1});
  };
}

std::function<WallFit(std::uint64_t)> of_turns(const NoiseChain& chain) {
  return [=](std::uint64_t seed) {
    return fit_wall(frames_of(turns_in_room(stands(24), chain, {.seed = seed})),
                    {.wall = WallOptions::Choice::kAhead, .most_returns = 20'000, .threads = 1});
  };
}

std::vector<Study> studies() {
  const WallOptions some = {.most_returns = 10'000, .threads = 1};
  std::vector<Study> all;
  all.push_back({"stereo camera",
                 of_walls(stereo_sensor(64, 48), walls(24, 0.5, 3.0, 60.0, 20.0),
                          {energy_law(0.15F, 6.0F), ChainEntry(Disparity{.stddev_px = 0.08F}, Correlation{1.5F, 1.2F}),
                           Dropout{0.02F}},
                          some),
                 {{"stereo_energy.min_energy", 0.15F},
                  {"stereo_energy.pow", 6.0},
                  {"disparity.stddev_px", 0.08F},
                  {"dropout.probability", 0.02F}},
                 {{"across_px", 1.5}, {"down_px", 1.2F}}});
  all.push_back({"depth camera, tails",
                 of_walls(depth_sensor(64, 48), walls(30, 0.5, 4.0, 40.0, 15.0),
                          {StudentNoise{0.002F, 0.003F, 3.0F}, Dropout{0.05F}}, some),
                 {{"student.scale_m", 0.002F},
                  {"student.scale_per_m", 0.003F},
                  {"student.nu", 3.0},
                  {"dropout.probability", 0.05F}}});
  all.push_back({"lidar in a room",
                 of_rooms({DistanceNoise{0.0F, 0.01F, 0.004F}, Dropout{0.05F}}),
                 {{"distance.stddev_m", 0.01F}, {"distance.stddev_per_m", 0.004F}, {"dropout.probability", 0.05F}}});
  all.push_back({"lidar in a room, tails",
                 of_rooms({StudentNoise{0.008F, 0.003F, 3.0F}, Dropout{0.05F}}),
                 {{"student.scale_m", 0.008F},
                  {"student.scale_per_m", 0.003F},
                  {"student.nu", 3.0},
                  {"dropout.probability", 0.05F}}});
  all.push_back({"VLP-16 with its own turns",
                 of_turns({DistanceNoise{0.0F, 0.01F, 0.004F}, Dropout{0.05F}}),
                 {{"distance.stddev_m", 0.01F}, {"distance.stddev_per_m", 0.004F}, {"dropout.probability", 0.05F}}});
  return all;
}

void run(const Study& study, std::size_t seeds) {
  std::vector<Count> of_truths(study.truths.size()), of_sizes(study.sizes.size());
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const WallFit fit = study.fit(seed);
    for (std::size_t k = 0; k < study.truths.size(); ++k) {
      const auto at = std::find_if(fit.chain.parameters.begin(), fit.chain.parameters.end(),
                                   [&](const Fit::Parameter& p) { return p.name == study.truths[k].name; });
      if (at == fit.chain.parameters.end()) {
        ++of_truths[k].without;
        continue;
      }
      of_truths[k].add(at->value, study.truths[k].value, at->std_error, at->low_95, at->high_95);
    }
    const Estimate sizes[] = {fit.correlation.across_px, fit.correlation.down_px};
    for (std::size_t k = 0; k < study.sizes.size(); ++k) {
      const double error = sizes[k].std_error, value = sizes[k].value;
      of_sizes[k].add(value, study.sizes[k].value, error, value - 2.0 * error, value + 2.0 * error);
    }
  }
  for (std::size_t k = 0; k < of_truths.size(); ++k) of_truths[k].print(study.name, study.truths[k], seeds);
  for (std::size_t k = 0; k < of_sizes.size(); ++k) of_sizes[k].print(study.name, study.sizes[k], seeds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t seeds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60;
  std::printf("| sensor | parameter | truth | held in 95 %% | mean off / error | spread / error | not learned |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const Study& study : studies()) {
    if (argc <= 2 || std::string_view(argv[2]) == study.name) run(study, seeds);
  }
}
