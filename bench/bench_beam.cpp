// SPDX-License-Identifier: MIT
// The beam model: grid casts, full evaluations (cast and mixture) of clouds of poses x 60 rays, and EM. Contenders
// take turns in one process; compare the ratios. Work on one thread is timed by its core time.
//
//   bench_beam [house | basement | freiburg-079 | learning | scene]

#include <numeric>
#include <unistd.h>

#include <malloc.h>

#include <fathom/fit/beam.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/pattern.hpp>

#include "bench/interleave.hpp"
#include "bench/mrpt_grid.hpp"
#include "bench/naive_beam.hpp"
#include "bench/pairs.hpp"
#include "bench/scenes.hpp"
#include "io/log/maps.hpp"

namespace fathom::bench {
namespace {

constexpr std::size_t kPoses = 16000, kRays = 60;
constexpr double kLimitM = 80.0, kFloorM = 0.025, kTwoPi = 2.0 * std::numbers::pi;
constexpr BeamParameters kParameters = {.85, .05, .02, .08, .0743, .37};

struct NaivePose {
  double x, y, yaw;  // cells, rad
};

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
    c.poses.push_back(c.map.world_from_map.at_height() *
                      PlanarPose{x * c.map.resolution_m, y * c.map.resolution_m, yaw}.at_height());
  }
  for (std::size_t k = 0; k < kRays; ++k) c.azimuth.push_back(kTwoPi * static_cast<double>(k) / kRays);
  std::vector<float> expected(kRays);
  make_grid_ranges(c.map)->cast(std::span(c.poses).first(1), RayFan::planar(c.azimuth), kLimitM, expected);
  c.readings.resize(kRays);
  sample_scan(kParameters, {.max_range_m = kLimitM}, beam_key(1, 0), expected, c.readings);
  return c;
}

/// Bytes on the heap.
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// The heap memory of the object that `make` returns, in MB.
template <class F>
double megabytes_of(F make) {
  const std::size_t before = heap_bytes();
  const auto made = make();
  return static_cast<double>(heap_bytes() - before) * 1e-6;
}

/// The resident memory of the object that `make` returns, in MB: counts memory that libraries take from the system.
template <class F>
double resident_megabytes_of(F make) {
  const auto resident = [] {
    std::size_t all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  };
  const std::size_t before = resident();
  const auto made = make();
  return static_cast<double>(resident() - before) * 1e-6;
}

/// The contenders, in the order in which they are shown.
class Contest {
 public:
  void add(std::string name, std::function<void()> f) {
    names_.push_back(std::move(name));
    contenders_.push_back(std::move(f));
  }
  void run(double (*clock)(), int rounds = 9) {
    seconds_.clear(), least_seconds_.clear();
    for (const std::vector<double>& times : interleaved_times(rounds, contenders_, clock)) {
      seconds_.push_back(median(times));
      least_seconds_.push_back(least(times));
    }
  }
  [[nodiscard]] double seconds(std::string_view name) const { return seconds_[index_of(name)]; }
  [[nodiscard]] double least_seconds(std::string_view name) const { return least_seconds_[index_of(name)]; }
  void print(std::size_t rays) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const double base = seconds(names_[i].find("full") != std::string::npos ? "naive full" : "naive cast");
      std::printf("| %s | %.1f | %.2f |\n", names_[i].c_str(), static_cast<double>(rays) / seconds_[i] * 1e-6,
                  base / seconds_[i]);
    }
  }

 private:
  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  std::vector<std::string> names_;
  std::vector<std::function<void()>> contenders_;
  std::vector<double> seconds_;        // medians
  std::vector<double> least_seconds_;  // of rounds in which nothing else used the cores
};

constexpr int kThreadRounds = 31;

/// A program's own loop: cast(pose, azimuth) in metres, then the density by the C library.
template <class Cast>
void loop(const Case& c, bool evaluate, Cast cast, std::vector<float>& ranges, std::vector<double>& scores) {
  for (std::size_t i = 0; i < kPoses; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < kRays; ++k) {
      const double z_star = std::max(cast(c.naive[i], c.azimuth[k]), kFloorM);
      ranges[i * kRays + k] = static_cast<float>(z_star);
      if (evaluate) sum += naive_log_density(kParameters, kLimitM, c.readings[k], z_star);
    }
    scores[i] = sum;
  }
}

/// How far ranges are from the exact ones, in cells.
void print_errors(const char* name, const std::vector<float>& exact, const std::vector<float>& ranges, double cell_m) {
  double sum = 0, wrong = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto floor = static_cast<float>(kFloorM);
    const double error = std::abs(double{std::max(ranges[i], floor)} - std::max(exact[i], floor)) / cell_m;
    sum += error;
    wrong += error > 2 ? 1 : 0;
  }
  const auto n = static_cast<double>(exact.size());
  std::printf("%s: mean error %.4f cells, %.2f %% of rays off by more than 2 cells\n", name, sum / n, 100 * wrong / n);
}

void print_memory(const Case& c, const ExpectedRanges& caster, const BeamSensor& sensor, const RayFan& fan) {
  const PositionGrid positions = free_positions(c.map, 0.5);
  const HeatmapOptions coarse = {.headings = 4, .score = {.compute = {.threads = 1}}, .on_progress = {}};
  std::printf(
      "memory, MB: map %.2f, caster %.2f, oracle %.2f, scorer %.3f, heatmap of %zu places "
      "%.3f\n",
      megabytes_of([&] { return GridMap(c.map); }), megabytes_of([&] { return make_grid_ranges(c.map); }),
      megabytes_of([&] { return make_grid_ranges(c.map, {.precision = GridCasterOptions::Precision::kOracle}); }),
      megabytes_of([&] { return ScanScorer(kParameters, sensor, caster, fan, {.compute = {.threads = 1}}); }),
      std::size_t{positions.rows} * positions.cols,
      megabytes_of([&] { return make_heatmap(kParameters, sensor, caster, fan, c.readings, positions, coarse); }));
}

void bench_map(const char* name, GridMap map) {
  const Case c = make_case(std::move(map));
  const RayFan fan = RayFan::planar(c.azimuth);
  const BeamSensor sensor = {.max_range_m = kLimitM, .miss = MissPolicy::kBook};
  const double cell_m = c.map.resolution_m;
  std::vector<float> ranges(kPoses * kRays), exact(kPoses * kRays);
  std::vector<double> scores(kPoses), exact_scores(kPoses);
  const auto naive = [&](const NaivePose& pose, double azimuth) {
    const double angle = pose.yaw + azimuth;
    return naive_cast(c.map, pose.x, pose.y, std::cos(angle), std::sin(angle), kLimitM / cell_m) * cell_m;
  };
  Contest contest;
  contest.add("naive cast", [&] { loop(c, false, naive, ranges, scores); });
  contest.add("naive full", [&] { loop(c, true, naive, ranges, scores); });
#ifdef FATHOM_BENCH_MRPT
  const MrptGrid grid(c.map);
  const auto mrpt = [&](const NaivePose& pose, double azimuth) {
    return grid.cast(pose.x * cell_m, pose.y * cell_m, pose.yaw + azimuth, kLimitM);
  };
  contest.add("MRPT cast", [&] { loop(c, false, mrpt, ranges, scores); });
  contest.add("MRPT cast, naive density: full", [&] { loop(c, true, mrpt, ranges, scores); });
#endif
  std::vector<std::unique_ptr<ExpectedRanges>> casters;
  std::vector<std::unique_ptr<ScanScorer>> scorers;
  for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    casters.push_back(make_grid_ranges(c.map, {UnknownCells::kFree, GridCasterOptions::Precision::kFast, isa}));
    const ExpectedRanges& caster = *casters.back();
    scorers.push_back(std::make_unique<ScanScorer>(kParameters, sensor, caster, fan,
                                                   ScoreOptions{.compute = {.threads = 1, .isa = isa}}));
    ScanScorer& scorer = *scorers.back();
    contest.add("cast " + std::string(to_string(isa)), [&] { caster.cast(c.poses, fan, kLimitM, ranges); });
    contest.add("full " + std::string(to_string(isa)), [&] { scorer.score(c.poses, c.readings, scores); });
  }
  contest.run(cpu_seconds_now);
  std::printf("\n### %s, %u x %u cells\n\n| one core | M rays/s | x naive |\n|---|---|---|\n", name, c.map.cols,
              c.map.rows);
  contest.print(kPoses * kRays);
  const std::string best = "full " + std::string(to_string(detect_isa()));
  std::printf("\nfull against naive: %.2f (target 6)\n", contest.seconds("naive full") / contest.seconds(best));

  Contest threads;  // by the wall clock
  ScanScorer two(kParameters, sensor, *casters.back(), fan, {.compute = {.threads = 2}});
  threads.add("one", [&] { scorers.back()->score(c.poses, c.readings, scores); });
  threads.add("two", [&] { two.score(c.poses, c.readings, scores); });
  // The speed-up of the machine for two threads that share nothing: each scores all poses.
  ScanScorer apart(kParameters, sensor, *casters.back(), fan, {.compute = {.threads = 1}});
  std::vector<double> apart_scores(scores.size());
  threads.add("apart", [&] {
    std::thread other([&] { apart.score(c.poses, c.readings, apart_scores); });
    scorers.back()->score(c.poses, c.readings, scores);
    other.join();
  });
  threads.run(seconds_now, kThreadRounds);
  std::printf(
      "2-thread scaling: median %.2f, of least times %.2f (target 1.9; two threads that share nothing: %.2f, %.2f)\n",
      threads.seconds("one") / threads.seconds("two"), threads.least_seconds("one") / threads.least_seconds("two"),
      2 * threads.seconds("one") / threads.seconds("apart"),
      2 * threads.least_seconds("one") / threads.least_seconds("apart"));

  make_grid_ranges(c.map, {.precision = GridCasterOptions::Precision::kOracle})->cast(c.poses, fan, kLimitM, exact);
  casters.back()->cast(c.poses, fan, kLimitM, ranges);
  print_errors("fathom, fast", exact, ranges, cell_m);
#ifdef FATHOM_BENCH_MRPT
  loop(c, false, mrpt, ranges, scores);
  print_errors("MRPT", exact, ranges, cell_m);
#endif
  scorers.back()->score(c.poses, c.readings, scores);
  ScanScorer(kParameters, sensor, *casters.back(), fan, {.compute = {.threads = 1}, .exact = true})
      .score(c.poses, c.readings, exact_scores);
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  const double exact_sum = std::accumulate(exact_scores.begin(), exact_scores.end(), 0.0);
  std::printf("summed log-likelihood, fast against double: %.1e relative (limit 1e-4)\n",
              std::abs(sum / exact_sum - 1));
  print_memory(c, *casters.back(), sensor, fan);
}

/// The readings of these pairs as a log of scans.
ScanLog make_log(const BeamData& data) {
  constexpr std::size_t kRaysOfAScan = 360;
  ScanLog log;
  log.azimuth_rad.resize(kRaysOfAScan);
  log.pose.resize(data.reading_m.size() / kRaysOfAScan);
  log.range_m = data.reading_m;
  return log;
}

void bench_learning() {
  const BeamSensor sensor = {.max_range_m = kLimitM, .miss = MissPolicy::kBook};
  const BeamData data = make_pairs(kParameters, sensor);
  std::printf(
      "\n### EM, %zu rays, exact M-step\n\nMilliseconds of one core, every iteration to convergence (target 10;"
      " the first holds the sorting of the pairs), their median and the least, then the standard errors.\n\n",
      data.reading_m.size());
  std::printf("| instruction set | iterations | median | least | standard errors |\n|---|---|---|---|---|\n");
  const std::size_t before = heap_bytes();
  std::size_t peak = before;
  for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    std::vector<double> times;
    double last = cpu_seconds_now();
    FitOptions options = {.compute = {.threads = 1, .isa = isa}};
    options.on_iteration = [&](const FitOptions::Iteration&) {
      peak = std::max(peak, heap_bytes());
      times.push_back(cpu_seconds_now() - last);
      last = cpu_seconds_now();
    };
    static_cast<void>(fit_beam_model(data, sensor, options));
    std::printf("| %s |", std::string(to_string(isa)).c_str());
    for (const double t : times) std::printf(" %.1f", t * 1e3);
    std::printf(" | %.2f | %.2f | %.0f |\n", median(times) * 1e3, least(times) * 1e3, (cpu_seconds_now() - last) * 1e3);
  }
  Contest threads;
  for (const int count : {1, 2}) {
    threads.add(count == 1 ? "one" : "two", [&data, &sensor, count] {
      static_cast<void>(fit_beam_model(data, sensor, {.compute = {.threads = count}}));
    });
  }
  threads.run(seconds_now, kThreadRounds);
  std::printf(
      "\na whole fit: %.0f ms on one thread, %.2f times as fast on two, of least times %.2f\nmemory, MB: log of scans "
      "%.1f, pairs %.1f, "
      "learning %.1f\n",
      threads.seconds("one") * 1e3, threads.seconds("one") / threads.seconds("two"),
      threads.least_seconds("one") / threads.least_seconds("two"), megabytes_of([&] { return make_log(data); }),
      megabytes_of([&] { return BeamData(data); }), static_cast<double>(peak - before) * 1e-6);
}

/// Expected ranges from meshes instead of a map.
void bench_scene(const std::filesystem::path& scene_file) {
  const Scene house = make_house(scene_file);
  std::printf("\n### the house's meshes\n\nmemory, MB: scene caster %.1f, resident\n",
              resident_megabytes_of([&] { return make_scene_ranges(house, {.compute = {.threads = 1}}); }));
}

/// The parts whose names hold `wanted`.
void run(const std::string& wanted) {
  const std::filesystem::path house = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/house/maps/map.yaml",
                              data = std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data/maps",
                              basement = data / "basement_hallways_5cm.png",
                              freiburg = data / "freiburg-079_5cm_even.yaml";
  const auto is_wanted = [&](std::string_view name) { return name.find(wanted) != std::string_view::npos; };
  const auto is_there = [](const std::filesystem::path& file) { return std::filesystem::exists(file); };
  if (is_wanted("house") && is_there(house)) bench_map("house", read_grid_map(house));
  if (is_wanted("basement") && is_there(basement)) bench_map("basement", read_grid_image(basement));
  if (is_wanted("freiburg-079") && is_there(freiburg)) bench_map("freiburg-079", read_grid_map(freiburg));
  if (is_wanted("learning")) bench_learning();
  if (is_wanted("scene")) bench_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/house/house.yaml");
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) { fathom::bench::run(argc > 1 ? argv[1] : ""); }
