// SPDX-License-Identifier: MIT
#include <fathom/dataset/estimate.hpp>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/executor.hpp>

#include "dataset/pack.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// A hidden folder on the disk of the dataset, which goes away with the object.
class SampleFolder {
 public:
  explicit SampleFolder(const fs::path& out) {
    std::error_code error;
    fs::path above = fs::absolute(out, error).parent_path();
    while (!fs::is_directory(above, error) && above.has_relative_path()) above = above.parent_path();
    folder_ = above / fmt::format(".fathom-estimate.{}.part", getpid());
    fs::create_directory(folder_, error);
    if (error) throw SystemError(fmt::format("{}: cannot be made: {}", folder_.string(), error.message()));
  }
  ~SampleFolder() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  SampleFolder(const SampleFolder&) = delete;
  SampleFolder& operator=(const SampleFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return folder_; }

 private:
  fs::path folder_;
};

struct Sample {
  std::uint64_t frames = 0, rays = 0, files = 0, bytes = 0;
  double seconds = 0.0;
};

class Sampler {
 public:
  Sampler(const SceneSetup& setup, const DatasetOptions& options)
      : setup_(setup), options_(options), units_(dataset_units(setup, options)), folder_(options.run.out) {
    options_.units.reset();
    options_.shard = {};
    options_.resume = options_.claim = false;
    options_.run.force = false;
  }

  /// A round of one frame says how many frames a second takes.
  Sample run() {
    constexpr double kEnoughSeconds = 1.5;
    const auto threads = static_cast<std::uint64_t>(make_executor(options_.run.compute.threads)->threads());
    const Sample first = round(threads, 1);
    if (first.seconds >= kEnoughSeconds) return first;
    const double more = kEnoughSeconds / std::max(first.seconds, 1e-6);
    const auto frames =
        static_cast<std::uint32_t>(std::clamp(std::ceil(more), 1.0, static_cast<double>(units_.frames())));
    const double wider = std::clamp(more / frames, 1.0, 1e6);
    return round(threads * static_cast<std::uint64_t>(std::ceil(wider)), frames);
  }

 private:
  /// So many environments, or fewer, from each of three places.
  Sample round(std::uint64_t width, std::uint32_t frames) {
    const NumberRange all = units_.environments();
    Sample sample;
    const std::uint64_t at_once = std::min(width, all.size());
    const std::uint64_t places = std::min<std::uint64_t>(3, all.size() / at_once);
    for (std::uint64_t k = 0; k < places; ++k) {
      const std::uint64_t shift = places == 1 ? 0 : k * (all.size() - at_once) / (places - 1);
      const auto first = static_cast<std::uint32_t>(all.first + shift);
      add(sample, {first, static_cast<std::uint32_t>(first + at_once)}, frames);
    }
    return sample;
  }

  void add(Sample& sample, NumberRange environments, std::uint32_t frames) {
    options_.run.out = folder_.path() / std::to_string(made_++);
    options_.environments = environments;
    const std::uint32_t episode = units_.episodes().first;
    options_.episodes = {episode, episode + 1};
    options_.run.frames = frames;
    options_.block = std::min(units_.block(), frames);
    const DatasetResult result = render_dataset(setup_, options_);
    std::error_code error;
    fs::remove_all(options_.run.out, error);
    sample.frames += result.progress.frames_done;
    sample.rays += result.progress.rays_done;
    sample.files += result.files;
    sample.bytes += result.bytes;
    sample.seconds += result.seconds;
  }

  const SceneSetup& setup_;
  DatasetOptions options_;
  UnitList units_;
  SampleFolder folder_;
  int made_ = 0;
};

std::uint64_t scaled(std::uint64_t count, double by) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * by));
}

}  // namespace

DatasetEstimate estimate_dataset(const SceneSetup& setup, const DatasetOptions& options) {
  const UnitList units = dataset_units(setup, options);
  const Sample sample = Sampler(setup, options).run();
  DatasetEstimate estimate;
  estimate.units = units.size();
  estimate.frames = units.environments().size() * units.episodes().size() * units.frames();
  const double by = static_cast<double>(estimate.frames) / static_cast<double>(sample.frames);
  estimate.rays = scaled(sample.rays, by);
  estimate.files = std::max<std::uint64_t>(1, scaled(sample.files, by));
  estimate.bytes = scaled(sample.bytes, by);
  estimate.seconds = sample.seconds * by;
  estimate.shard_units = share_of(options.shard, units.size());
  estimate.shard_seconds =
      estimate.seconds * static_cast<double>(estimate.shard_units) / static_cast<double>(units.size());
  estimate.sample_frames = sample.frames;
  estimate.sample_seconds = sample.seconds;
  return estimate;
}

}  // namespace fathom
