// SPDX-License-Identifier: MIT
// Datasets by the command line: what units cost beside one run of as many frames, what formats cost, how two processes
// scale, and how soon a complete dataset is known to be complete. All in one run: contenders take turns.
//   bench_dataset PROGRAM FOLDER [FRAMES]     FOLDER: on the disk that is measured, such as /dev/shm

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "interleave.hpp"

namespace fathom::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;

constexpr const char* kScene = R"(seed: 5
sensors:
  - name: camera
    type: depth_camera
    width: 64
    height: 48
    horizontal_fov_deg: 80
    max_range_m: 10
    position_m: [0, 0, 1]
    noise: [{distance: {stddev_m: {uniform: [0.01, 0.02]}}}]
    outputs: [{npy: {channels: [depth]}}]
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]
)";

class DatasetBench {
 public:
  DatasetBench(std::string program, const fs::path& folder, int frames)
      : program_(std::move(program)), folder_(folder / "fathom_bench_dataset"), frames_(frames) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "scene.yaml") << kScene;
  }
  ~DatasetBench() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  DatasetBench(const DatasetBench&) = delete;
  DatasetBench& operator=(const DatasetBench&) = delete;

  void formats() const {
    const std::string all = std::to_string(frames_), hundredth = std::to_string(frames_ / 100);
    struct Contender {
      std::string name, options;
    };
    const std::vector<Contender> contenders = {
        {"one run, NPY", "--frames " + all},
        {"folders, a frame a unit", "--environments 0:" + all + " --block 1"},
        {"folders, 100 frames a unit", "--environments 0:" + hundredth + " --frames 100 --block 100"},
        {"webdataset, a frame a unit", "--format webdataset --environments 0:" + all + " --block 1"},
        {"hdf5 level 0, a frame a unit", "--format hdf5 --compression 0 --environments 0:" + all + " --block 1"},
        {"hdf5 level 1, a frame a unit", "--format hdf5 --compression 1 --environments 0:" + all + " --block 1"},
        {"hdf5 level 1, 100 frames a unit", "--format hdf5 --environments 0:" + hundredth + " --frames 100"},
    };
    std::vector<std::vector<double>> times(contenders.size());
    for (int round = 0; round <= kRounds; ++round) {
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        const double seconds = simulate(contenders[i].options);
        if (round > 0) times[i].push_back(seconds);
      }
    }
    std::printf("%d frames of 64 x 48, one thread: seconds, and times one run\n", frames_);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      std::printf("  %-32s %6.2f  %5.2f\n", contenders[i].name.c_str(), median(times[i]),
                  median_ratio(times[i], times[0]));
    }
  }

  void scaling() const {
    const std::string options = "--format webdataset --block 1 --environments 0:" + std::to_string(frames_);
    std::vector<std::vector<double>> times(4);
    for (int round = 0; round <= kRounds; ++round) {
      const std::vector<double> now = {simulate(options), simulate_by_two(options), spin(1), spin(2)};
      for (std::size_t i = 0; i < now.size() && round > 0; ++i) times[i].push_back(now[i]);
    }
    std::printf("two processes: %.2f times one; two threads that share nothing: %.2f times one\n",
                median_ratio(times[0], times[1]), median_ratio(times[2], times[3]));
  }

  void resume() const {
    const std::string options = "--block 1 --environments 0:" + std::to_string(frames_);
    for (const std::string format : {"folders", "webdataset"}) {
      std::string more = options;
      more.append(" --format ").append(format);
      static_cast<void>(simulate(more, false));
      std::vector<double> seconds;
      seconds.reserve(kRounds);
      for (int round = 0; round < kRounds; ++round) seconds.push_back(run(command(more + " --resume", "out")));
      std::printf("resume of %d complete units, %s: %.3f s\n", frames_, format.c_str(), median(seconds));
      fs::remove_all(folder_ / "out");
    }
  }

 private:
  [[nodiscard]] std::string command(const std::string& options, const std::string& out) const {
    return program_ + " simulate " + (folder_ / "scene.yaml").string() + " --quiet --threads 1 --out " +
           (folder_ / out).string() + " " + options;
  }

  static double run(const std::string& line) {
    const double start = seconds_now();
    if (std::system(line.c_str()) != 0) std::exit(1);  // the program has said why
    return seconds_now() - start;
  }

  [[nodiscard]] double simulate(const std::string& options, bool remove = true) const {
    const double seconds = run(command(options, "out"));
    if (remove) fs::remove_all(folder_ / "out");
    return seconds;
  }

  [[nodiscard]] double simulate_by_two(const std::string& options) const {
    const double seconds =
        run(command(options + " --shard 0/2", "out") + " & " + command(options + " --shard 1/2", "out") + "; wait");
    fs::remove_all(folder_ / "out");
    return seconds;
  }

  /// A fixed amount of arithmetic, shared out among threads.
  [[nodiscard]] static double spin(int threads) {
    constexpr int kSteps = 200'000'000;
    const double start = seconds_now();
    std::vector<std::thread> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([threads, t] {
        double value = 1.0 + t;
        for (int i = 0; i < kSteps / threads; ++i) value = value * 0.999999 + 1e-6;
        asm volatile("" : : "m"(value));  // somebody may read it
      });
    }
    for (std::thread& worker : workers) worker.join();
    return seconds_now() - start;
  }

  std::string program_;
  fs::path folder_;
  int frames_;
};

}  // namespace
}  // namespace fathom::bench

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("bench_dataset PROGRAM FOLDER [FRAMES]\n", stderr);
    return 2;
  }
  const fathom::bench::DatasetBench bench(words[1], words[2], count > 3 ? std::atoi(words[3]) : 20000);
  bench.formats();
  bench.scaling();
  bench.resume();
  return 0;
}
