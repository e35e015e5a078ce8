// SPDX-License-Identifier: MIT
// Datasets by the command line: what units cost beside one run of as many frames, what formats cost, how two processes
// scale, and how soon a complete dataset is known to be complete. All in one run: contenders take turns.
//   bench_dataset PROGRAM FOLDER [FRAMES [PART]]     FOLDER: on the disk that is measured, such as /dev/shm;
//   PART: formats, large, bare, scaling or resume, all without it

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interleave.hpp"

namespace fathom::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;

constexpr const char* kScene = R"(seed: 5
sensors:
  - name: camera
    type: depth_camera
    width: WIDTH
    height: HEIGHT
    horizontal_fov_deg: 80
    max_range_m: 10
    position_m: [0, 0, 1]
    noise: [{distance: {stddev_m: {uniform: [0.01, 0.02]}}}]
    outputs: [{npy: {channels: [depth]}}]
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]
)";

std::string scene_of(int width, int height) {
  std::string text = kScene;
  text.replace(text.find("WIDTH"), 5, std::to_string(width));
  text.replace(text.find("HEIGHT"), 6, std::to_string(height));
  return text;
}

class DatasetBench {
 public:
  DatasetBench(std::string program, const fs::path& folder, int frames)
      : program_(std::move(program)), folder_(folder / "fathom_bench_dataset"), frames_(frames) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "scene.yaml") << scene_of(64, 48);
  }
  ~DatasetBench() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  DatasetBench(const DatasetBench&) = delete;
  DatasetBench& operator=(const DatasetBench&) = delete;

  void formats() const {
    const std::string all = std::to_string(frames_), hundredth = std::to_string(frames_ / 100);
    take_turns(
        "64 x 48", frames_,
        {
            {"one run, NPY", "--frames " + all},
            {"folders, a frame a unit", "--environments 0:" + all + " --block 1"},
            {"folders, 100 frames a unit", "--environments 0:" + hundredth + " --frames 100 --block 100"},
            {"webdataset, a frame a unit", "--format webdataset --environments 0:" + all + " --block 1"},
            {"hdf5 level 0, a frame a unit", "--format hdf5 --compression 0 --environments 0:" + all + " --block 1"},
            {"hdf5 level 1, a frame a unit", "--format hdf5 --compression 1 --environments 0:" + all + " --block 1"},
            {"hdf5 level 1, 100 frames a unit", "--format hdf5 --environments 0:" + hundredth + " --frames 100"},
        });
  }

  /// Of a twentieth as many frames, at most 1000: 1.2 GB.
  void large_frames() const {
    std::ofstream(folder_ / "scene.yaml") << scene_of(640, 480);
    const int frames = std::clamp(frames_ / 200 * 10, 10, 1000);
    const std::string all = "--frames " + std::to_string(frames);
    take_turns("640 x 480", frames,
               {{"one run, NPY", all},
                {"webdataset, 10 frames a unit", all + " --block 10 --format webdataset"},
                {"hdf5 level 0, 10 frames a unit", all + " --block 10 --format hdf5 --compression 0"},
                {"hdf5 level 1, 10 frames a unit", all + " --block 10 --format hdf5"}});
    std::ofstream(folder_ / "scene.yaml") << scene_of(64, 48);
  }

  /// Times the file system alone, for one file and for one unit that is a folder: the calls and the bytes of
  /// `folders, a frame a unit` without fathom.
  void bare_folders() const {
    std::vector<std::vector<double>> times(2);
    for (int round = 0; round <= kRounds; ++round) {
      const std::vector<double> now = {write_bare(false), write_bare(true)};
      for (std::size_t i = 0; i < now.size() && round > 0; ++i) times[i].push_back(now[i]);
    }
    std::printf("the file system alone: %.1f us a file, %.1f us a unit that is a folder\n",
                1e6 * median(times[0]) / frames_, 1e6 * median(times[1]) / frames_);
  }

  /// Two shards of a dataset, beside two processes that have half of the units each and share no folder, and two
  /// threads that only compute: what memory, the file system and the machine itself leave of two.
  void scaling() const {
    const auto options = [](int first, int end, std::string more) {
      return "--format webdataset --block 1 --environments " + std::to_string(first) + ":" + std::to_string(end) +
             std::move(more);
    };
    const std::vector<std::string> shards = {command(options(0, frames_, " --shard 0/2"), "out"),
                                             command(options(0, frames_, " --shard 1/2"), "out")};
    const std::vector<std::string> apart = {command(options(0, frames_ / 2, ""), "out"),
                                            command(options(frames_ / 2, frames_, ""), "other")};
    std::vector<std::vector<double>> times(5);
    for (int round = 0; round <= kRounds; ++round) {
      const std::vector<double> now = {simulate(options(0, frames_, "")), run_both(shards), run_both(apart), spin(1),
                                       spin(2)};
      for (std::size_t i = 0; i < now.size() && round > 0; ++i) times[i].push_back(now[i]);
    }
    std::printf("two shards: %.2f times one; two processes that share nothing: %.2f; two threads that compute: %.2f\n",
                median_ratio(times[0], times[1]), median_ratio(times[0], times[2]), median_ratio(times[3], times[4]));
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
  struct Contender {
    std::string name, options;
  };

  void take_turns(const char* size, int frames, const std::vector<Contender>& contenders) const {
    std::vector<std::vector<double>> times(contenders.size());
    for (int round = 0; round <= kRounds; ++round) {
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        const double seconds = simulate(contenders[i].options);
        if (round > 0) times[i].push_back(seconds);
      }
    }
    std::printf("%d frames of %s, one thread: seconds, and times one run\n", frames, size);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      std::printf("  %-32s %6.2f  %5.2f\n", contenders[i].name.c_str(), median(times[i]),
                  median_ratio(times[i], times[0]));
    }
  }

  /// As many arrays of 64 x 48 as there are frames, each in a folder that is renamed, or all in one.
  [[nodiscard]] double write_bare(bool folders) const {
    const std::string array(12416, 'a'), json(530, 'j'), summary(1500, 's');
    const fs::path out = folder_ / "bare";
    fs::create_directories(out);
    const double start = seconds_now();
    for (int i = 0; i < frames_; ++i) {
      const std::string number = std::to_string(i);
      if (!folders) {
        write_bytes(out / number, array);
        continue;
      }
      const fs::path above = out / std::to_string(i / 1000), hidden = above / ("." + number);
      if (i % 1000 == 0) fs::create_directory(above);
      if (mkdir(hidden.c_str(), 0777) != 0 || mkdir((hidden / "camera").c_str(), 0777) != 0) std::exit(1);
      write_bytes(hidden / "camera/depth.npy", array);
      write_bytes(hidden / "summary.json", summary);
      write_bytes(hidden / "unit.json", json);
      fs::rename(hidden, above / number);
    }
    const double seconds = seconds_now() - start;
    fs::remove_all(out);
    return seconds;
  }

  static void write_bytes(const fs::path& file, const std::string& bytes) {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::exit(1);
    close(descriptor);
  }

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

  [[nodiscard]] double run_both(const std::vector<std::string>& commands) const {
    const double seconds = run(commands[0] + " & " + commands[1] + "; wait");
    fs::remove_all(folder_ / "out");
    fs::remove_all(folder_ / "other");
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
        asm volatile("" : : "m"(value));  // keeps the compiler from removing the loop
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
  using fathom::bench::DatasetBench;
  if (count < 3) {
    std::fputs("bench_dataset PROGRAM FOLDER [FRAMES [PART]]\n", stderr);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a file shows the results so far
  const DatasetBench bench(words[1], words[2], count > 3 ? std::atoi(words[3]) : 20000);
  const std::pair<std::string, void (DatasetBench::*)() const> parts[] = {{"formats", &DatasetBench::formats},
                                                                          {"large", &DatasetBench::large_frames},
                                                                          {"bare", &DatasetBench::bare_folders},
                                                                          {"scaling", &DatasetBench::scaling},
                                                                          {"resume", &DatasetBench::resume}};
  for (const auto& [name, part] : parts) {
    if (count < 5 || name == words[4]) (bench.*part)();
  }
  return 0;
}
