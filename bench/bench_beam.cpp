// The beam model: grid casts, full evaluations (cast and mixture) of clouds of poses x 60 beams, and one EM iteration.
// Contenders take turns in one process; compare the ratios. The naive contender is written here: an exact double cast
// cell by cell on the plain grid (Amanatides and Woo, incremental), and the densities with the C library.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

#include <fathom/beam.hpp>

#include "bench/interleave.hpp"

namespace fathom::bench {
namespace {

constexpr std::size_t kPoses = 16000, kBeams = 60;
constexpr double kLimitM = 80.0, kTwoPi = 6.28318530717958647692;
const BeamParameters kParameters = {.85, .05, .02, .08, .0743, .37};

struct NaivePose {
  double x, y, yaw;  // cells, rad
};

/// Casts as most programs that are exact do.
double naive_cast(const GridMap& map, double x, double y, double dx, double dy, double limit) {
  auto cx = static_cast<std::int64_t>(std::floor(x)), cy = static_cast<std::int64_t>(std::floor(y));
  const double delta_x = dx != 0 ? std::abs(1 / dx) : INFINITY, delta_y = dy != 0 ? std::abs(1 / dy) : INFINITY;
  const int step_x = dx > 0 ? 1 : -1, step_y = dy > 0 ? 1 : -1;
  double next_x = dx != 0 ? (dx > 0 ? std::floor(x) + 1 - x : x - std::floor(x)) * delta_x : INFINITY;
  double next_y = dy != 0 ? (dy > 0 ? std::floor(y) + 1 - y : y - std::floor(y)) * delta_y : INFINITY;
  for (double t = 0; t < limit;) {
    if (cx < 0 || cy < 0 || cx >= map.cols || cy >= map.rows) return limit;
    if (map.cells[static_cast<std::size_t>(cy) * map.cols + static_cast<std::size_t>(cx)] == Cell::kOccupied) return t;
    if (next_x < next_y) {
      t = next_x, next_x += delta_x, cx += step_x;
    } else {
      t = next_y, next_y += delta_y, cy += step_y;
    }
  }
  return limit;
}

double naive_log_density(double z, double z_star) {
  const BeamParameters& p = kParameters;
  if (z >= kLimitM) return std::log(p.w_max);
  const double s = p.sigma_hit_m, l = p.lambda_short_per_m, root = std::sqrt(2.0), d = (z - z_star) / s;
  const double mass = 0.5 * (std::erf((kLimitM - z_star) / s / root) + std::erf(z_star / s / root));
  double f = p.w_hit * std::exp(-0.5 * d * d) / (s * std::sqrt(kTwoPi)) / mass + p.w_rand / kLimitM;
  if (z <= z_star) f += p.w_short * l * std::exp(-l * z) / (1 - std::exp(-l * z_star));
  return std::log(f);
}

struct Case {
  GridMap map;
  std::vector<NaivePose> naive;
  std::vector<Pose> poses;
  std::vector<double> azimuth;
  std::vector<float> readings;
};

/// A cloud of poses around a free spot, as a particle filter has it after a while, and all over the map.
Case make_case(GridMap map) {
  Case c;
  c.map = std::move(map);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  while (c.poses.size() < kPoses) {
    const double x = unit(random) * c.map.cols, y = unit(random) * c.map.rows, yaw = kTwoPi * unit(random);
    if (c.map.cells[static_cast<std::size_t>(y) * c.map.cols + static_cast<std::size_t>(x)] != Cell::kFree) continue;
    c.naive.push_back({x, y, yaw});
    c.poses.push_back(lift(c.map.world_from_map) * lift({x * c.map.resolution_m, y * c.map.resolution_m, yaw}));
  }
  for (std::size_t k = 0; k < kBeams; ++k) c.azimuth.push_back(kTwoPi * static_cast<double>(k) / kBeams);
  std::vector<float> expected(kBeams);
  make_grid_ranges(c.map)->cast(std::span(c.poses).first(1), planar_fan(c.azimuth), kLimitM, expected);
  c.readings.resize(kBeams);
  sample_scan(kParameters, {.max_range_m = kLimitM}, beam_key(1, 0), expected, c.readings);
  return c;
}

void bench_map(const char* name, GridMap map) {
  const Case c = make_case(std::move(map));
  const BeamFan fan = planar_fan(c.azimuth);
  const BeamSensor sensor = {.max_range_m = kLimitM};
  std::vector<float> ranges(kPoses * kBeams);
  std::vector<double> scores(kPoses);
  std::vector<std::function<void()>> contenders;
  std::vector<std::string> names;
  const auto add = [&](std::string label, std::function<void()> f) {
    names.push_back(std::move(label));
    contenders.push_back(std::move(f));
  };
  const auto naive = [&](bool evaluate) {
    for (std::size_t i = 0; i < kPoses; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < kBeams; ++k) {
        const double angle = c.naive[i].yaw + c.azimuth[k], limit = kLimitM / c.map.resolution_m;
        const double cells = naive_cast(c.map, c.naive[i].x, c.naive[i].y, std::cos(angle), std::sin(angle), limit);
        const double z_star = std::max(cells * c.map.resolution_m, sensor.expected_floor_m);
        ranges[i * kBeams + k] = static_cast<float>(z_star);
        if (evaluate) sum += naive_log_density(c.readings[k], z_star);
      }
      scores[i] = sum;
    }
  };
  add("naive cast", [&] { naive(false); });
  add("naive full", [&] { naive(true); });
  std::vector<std::unique_ptr<ExpectedRanges>> casters;
  std::vector<std::unique_ptr<ScanScorer>> scorers;
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    casters.push_back(make_grid_ranges(c.map, {UnknownCells::kFree, GridPrecision::kFast, isa}));
    const ExpectedRanges& caster = *casters.back();
    add("cast " + std::string(to_string(isa)), [&] { caster.cast(c.poses, fan, kLimitM, ranges); });
    for (const int threads : {1, 2}) {
      if (threads == 2 && isa != detect_isa()) continue;
      scorers.push_back(
          std::make_unique<ScanScorer>(kParameters, sensor, caster, fan, ScoreOptions{.threads = threads, .isa = isa}));
      ScanScorer& scorer = *scorers.back();
      add("full " + std::string(to_string(isa)) + (threads == 2 ? ", 2 threads" : ""),
          [&] { scorer.score(c.poses, c.readings, scores); });
    }
  }
  const std::vector<double> seconds = interleave(7, contenders);
  std::printf("\n%s, %u x %u cells: %.1f MB of squares, %.1f kB of tables and buffers\n", name, c.map.cols, c.map.rows,
              static_cast<double>(grid_ranges_bytes(c.map)) * 1e-6, static_cast<double>(scorers[0]->bytes()) * 1e-3);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double base = seconds[names[i].starts_with("full") || i == 1 ? 1 : 0];
    std::printf("  %-24s %7.1f M beams/s   %5.2f x naive\n", names[i].c_str(), kPoses * kBeams / seconds[i] * 1e-6,
                base / seconds[i]);
  }
  std::printf("  2-thread scaling %.2f (target 1.9); full against naive %.2f (target 6)\n",
              seconds[names.size() - 2] / seconds.back(), seconds[1] / seconds[names.size() - 2]);
}

/// 862 200 pairs, as many as the odd scans of freiburg-079 have.
void bench_learning() {
  constexpr std::size_t kPairs = 862200;
  BeamData data;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(0, 1);
  const BeamSensor sensor = {.max_range_m = kLimitM};
  const NoiseKey key = beam_key(3, 0);
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    const auto expected = static_cast<float>(0.3 + 10 * unit(random) * unit(random));
    data.expected_m.push_back(expected);
    data.reading_m.push_back(static_cast<float>(sample_beam(BeamDensity(kParameters, sensor, expected), key, i)));
    data.scan.push_back(i / 360);
  }
  std::printf("\nEM, %zu beams, exact M-step, milliseconds per iteration (target 10 a core)\n", kPairs);
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    for (const int threads : {1, 2}) {
      std::vector<double> times;
      double last = 0;
      FitOptions options = {.tolerance = 0, .max_iterations = 25, .threads = threads, .isa = isa};
      options.on_iteration = [&](const FitIteration& iteration) {
        const double now = seconds_now();
        if (iteration.iteration > 4) times.push_back(now - last);
        last = now;
      };
      static_cast<void>(fit_beam_model(data, sensor, options));
      std::printf("  %-8s %d thread%s %8.2f\n", std::string(to_string(isa)).c_str(), threads, threads > 1 ? "s" : " ",
                  median(times) * 1e3);
    }
  }
}

void run() {
  const std::filesystem::path data = std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data";
  const std::filesystem::path house = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/house/maps/map.yaml";
  if (std::filesystem::exists(house)) bench_map("house", read_grid_map(house));
  if (const auto map = data / "maps/basement_hallways_5cm.png"; std::filesystem::exists(map)) {
    bench_map("basement", read_grid_image(map));
  }
  if (const auto map = data / "maps/freiburg-079_5cm_even.yaml"; std::filesystem::exists(map)) {
    bench_map("freiburg-079", read_grid_map(map));
  }
  bench_learning();
}

}  // namespace
}  // namespace fathom::bench

int main() { fathom::bench::run(); }
