// SPDX-License-Identifier: MIT
// Learning with hits of Student's t against Gaussian ones, from the same readings, in turns: synthetic ones with heavy
// tails, and, where ../shared/data is there, the odd scans of freiburg-079. Core time of one thread.
//
//   bench_tails [synthetic | freiburg-079] [fixed | learned] [rounds]

#include <fathom/fit/beam.hpp>

#include "bench/interleave.hpp"
#include "bench/pairs.hpp"
#include "core/compute.hpp"
#include "io/log/maps.hpp"

namespace fathom::bench {
namespace {

constexpr BeamSensor kSensor = {.max_range_m = 80.0, .miss = MissPolicy::kBook};

constexpr BeamParameters kHeavy = {.85, .05, .02, .08, .0743, .37, 0.0, {HitLaw::kStudentT, 1.5, 0}};

/// Seconds that each iteration of a fit takes, after the first, which sorts the pairs.
std::vector<double> iteration_seconds(const BeamData& data, const FitOptions& wanted) {
  std::vector<double> times;
  double last = 0;
  FitOptions options = wanted;
  options.on_iteration = [&](const FitOptions::Iteration& at) {
    const double now = cpu_seconds_now();
    if (at.iteration > 0) times.push_back(now - last);
    last = now;
  };
  static_cast<void>(fit_beam_model(data, kSensor, options));
  return times;
}

void bench_readings(const char* name, const BeamData& data, std::string_view wanted, int rounds) {
  constexpr std::array<HitLaw, 2> kLaws = {HitLaw::kGaussian, HitLaw::kStudentT};
  std::printf("\n### %s, %zu rays\n\nMilliseconds of one core an iteration, after the first.\n\n", name,
              data.reading_m.size());
  std::printf("| offset | instruction set | gaussian | student_t | ratio of medians | of least times |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const bool learned : {false, true}) {
    const char* offset = learned ? "learned" : "fixed";
    if (!wanted.empty() && wanted != offset) continue;
    for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
      if (isa > detect_isa()) continue;
      std::array<std::vector<double>, kLaws.size()> times;
      for (int round = 0; round < rounds; ++round) {
        for (std::size_t law = 0; law < kLaws.size(); ++law) {
          FitOptions options = {.fit_hit_offset = learned, .stretches = 0, .compute = {.threads = 1, .isa = isa}};
          options.start.tail.hit = kLaws[law];
          const std::vector<double> found = iteration_seconds(data, options);
          times[law].insert(times[law].end(), found.begin(), found.end());
        }
      }
      const double book = median(times[0]), heavy = median(times[1]);
      std::printf("| %s | %s | %.2f | %.2f | **%.2f** | %.2f |\n", offset, std::string(to_string(isa)).c_str(),
                  book * 1e3, heavy * 1e3, heavy / book, least(times[1]) / least(times[0]));
    }
  }
}

void run(const std::string& readings, const std::string& offset, int rounds) {
  const std::filesystem::path data = std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data",
                              log_file = data / "logs/freiburg-079-corrected.log.gz",
                              map_file = data / "maps/freiburg-079_5cm_even.yaml";
  const auto is_wanted = [&](std::string_view name) { return name.find(readings) != std::string_view::npos; };
  if (is_wanted("synthetic")) bench_readings("synthetic", make_pairs(kHeavy, kSensor), offset, rounds);
  if (!is_wanted("freiburg-079") || !std::filesystem::exists(log_file)) return;
  const ScanLog log = read_scan_log(log_file);
  const auto expected = make_grid_ranges(read_grid_map(map_file));
  bench_readings("freiburg-079", make_beam_data(log, select_scans("1::2", log.scans()), *expected, kSensor.max_range_m),
                 offset, rounds);
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) {
  fathom::bench::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "", argc > 3 ? std::atoi(argv[3]) : 5);
}
