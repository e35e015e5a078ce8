// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/simulate/dataset.hpp>

#include "core/text/files.hpp"
#include "render/simulators.hpp"
#include "run/dataset/dataset_file.hpp"
#include "run/dataset/digest.hpp"
#include "run/dataset/own_files.hpp"
#include "run/dataset/pack.hpp"
#include "run/dataset/pack_tree.hpp"
#include "run/run_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSampleName = ".fathom-estimate.", kSampleEnd = ".part";

std::string sample_name(pid_t process) {
  return fmt::format("{}{}-{}{}", kSampleName, host_name(), process, kSampleEnd);
}

/// Removes the samples of killed processes of this computer.
void remove_left_samples(const fs::path& above) {
  std::error_code error;
  for (fs::directory_iterator entry(above, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::size_t dash = name.rfind('-');
    if (!name.starts_with(kSampleName) || dash == std::string::npos) continue;
    pid_t process = 0;
    std::from_chars(name.data() + dash + 1, name.data() + name.size(), process);
    std::error_code ignored;
    if (process > 0 && name == sample_name(process) && !entry->is_symlink(ignored) && !is_alive(process)) {
      fs::remove_all(entry->path(), ignored);
    }
  }
}

/// A hidden folder on the disk of the dataset. The destructor removes it.
class SampleFolder {
 public:
  explicit SampleFolder(const fs::path& out) {
    std::error_code error;
    fs::path above = fs::absolute(out, error).parent_path();
    while (!fs::is_directory(above, error) && above.has_relative_path()) above = above.parent_path();
    remove_left_samples(above);
    folder_ = above / sample_name(getpid());
    if (mkdir(folder_.c_str(), 0777) != 0) fail_at(folder_, "be made", errno);  // also if the name is taken
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
  std::uint64_t units = 0, description_bytes = 0;  // in the format of folders
  double seconds = 0.0;
};

class Sampler {
 public:
  /// `files`: format of the dataset, with its number of units per file.
  Sampler(const SceneSetup& setup, const DatasetOptions& options, const DatasetFiles& files)
      : renderer_(std::shared_ptr<const SceneSetup>(std::shared_ptr<void>(), &setup)),
        options_(options),
        units_(dataset_units(setup, options)),
        folder_(options.run.out) {
    options_.files = files;
    options_.units.reset();
    options_.shard = {};
    options_.resume = false;
    options_.run.force = options_.run.digest = false;
    for (const SensorSetup& sensor : setup.sensors) {
      const SceneClock clock = {setup.rate_hz, setup.start_s};
      while (least_ < units_.frames() && count_frames(sensor.sensor.timing, clock, least_) == 0) ++least_;
    }
  }

  /// Renders more frames each time, until a round takes long enough. Returns the first round and the last.
  std::pair<Sample, Sample> run() {
    constexpr double kEnoughSeconds = 1.5, kMostMore = 100.0;
    const auto threads = static_cast<std::uint64_t>(make_executor(options_.run.compute.threads)->threads());
    const auto most_frames = static_cast<double>(units_.frames());
    const auto most_wide = static_cast<double>(units_.environments().size());
    const Sample first = round(threads, least_);
    Sample last = first;
    for (double size = 1.0; last.seconds < kEnoughSeconds / 2;) {
      size *= std::min(kEnoughSeconds / std::max(last.seconds, 1e-6), kMostMore);
      const double frames = std::clamp(std::ceil(size), static_cast<double>(least_), most_frames);
      const double wide = std::min(static_cast<double>(threads) * std::ceil(std::max(1.0, size / frames)), most_wide);
      last = round(static_cast<std::uint64_t>(wide), static_cast<std::uint32_t>(frames));
      if (frames == most_frames && wide == most_wide) break;  // this was everything
    }
    return {first, last};
  }

 private:
  /// Renders up to `width` environments from each of three places.
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
    const DatasetResult result = rendered();
    std::error_code error;
    sample.frames += result.progress.frames_done;
    sample.rays += result.progress.rays_done;
    sample.files += result.files;
    sample.bytes += result.bytes;
    sample.seconds += result.seconds;
    if (options_.files.format == DatasetFormat::kFolders) split_descriptions(sample);
    fs::remove_all(options_.run.out, error);
  }

  DatasetResult rendered() {
    try {
      return renderer_.render(options_);
    } catch (const Interrupted&) {
      throw Interrupted("stopped; nothing was changed");
    }
  }

  /// Results count summary.json of each unit, and do not count unit.json.
  void split_descriptions(Sample& sample) const {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(options_.run.out / "units", error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path name = entry->path().filename();
      if (name != kUnitJson && name != kSummaryName) continue;
      const std::uint64_t bytes = entry->file_size(error);
      sample.description_bytes += bytes;
      if (name == kUnitJson) {
        ++sample.units;
      } else {
        --sample.files, sample.bytes -= bytes;
      }
    }
  }

  DatasetRenderer renderer_;
  DatasetOptions options_;
  UnitList units_;
  SampleFolder folder_;
  std::uint32_t least_ = 1;  // frames of the scene in which every sensor begins a frame
  int made_ = 0;
};

std::uint64_t scaled(std::uint64_t count, double by) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * by));
}

/// The units that are still to render.
struct Work {
  std::uint64_t complete_units = 0, packs = 0, units = 0, frames = 0, shard_units = 0;
};

/// The whole dataset without the packs that are complete.
Work work_of(const DatasetFile& file, const DatasetOptions& options) {
  const PackList& packs = file.packs;
  const UnitList& all = packs.units();
  const DatasetOptions::Shard& shard = options.shard;
  Work work = {.packs = packs.size(),
               .units = all.size(),
               .frames = all.environments().size() * all.episodes().size() * all.frames(),
               .shard_units = units_of(shard, packs)};
  if (!options.resume || options.run.force) return work;
  for_each_found(options.run.out, packs, [&](const Found& found) {
    if (found.kind != Found::Kind::kPack) return;
    const Pack pack = packs.at(found.index);
    if (!is_complete(options.run.out, packs, file.inputs, pack)) return;
    work.complete_units += pack.units, work.units -= pack.units, --work.packs;
    work.frames -= packs.frames(pack);
    if (pack.index % shard.count == shard.index) work.shard_units -= pack.units;
  });
  return work;
}

/// Files of some frames each.
struct FileSizes {
  std::uint64_t files = 0, frames = 0, bytes = 0;
};

/// The bytes of this many files and frames. Two rounds determine the bytes per file and those per frame.
std::uint64_t bytes_of(const FileSizes& first, const FileSizes& last, std::uint64_t files, std::uint64_t frames) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  const double determinant = number(last.frames) * number(first.files) - number(first.frames) * number(last.files);
  if (!(std::abs(determinant) > 0.0)) return scaled(last.bytes, number(frames) / number(last.frames));
  const double of_frame =
      (number(last.bytes) * number(first.files) - number(first.bytes) * number(last.files)) / determinant;
  const double of_file = std::max(0.0, (number(last.bytes) - of_frame * number(last.frames)) / number(last.files));
  return static_cast<std::uint64_t>(std::llround(of_file * number(files) + of_frame * number(frames)));
}

void count_files(const Sample& first, const Sample& last, const Work& work, DatasetEstimate& estimate) {
  if (work.units == 0) return;
  const double by = static_cast<double>(work.frames) / static_cast<double>(last.frames);
  estimate.files = scaled(last.files, by) + 2 * work.units;  // each has a unit.json and a summary.json
  estimate.bytes =
      scaled(last.bytes, by) + bytes_of({first.units, first.frames, first.description_bytes},
                                        {last.units, last.frames, last.description_bytes}, work.units, work.frames);
}

}  // namespace

DatasetEstimate estimate_dataset(const SceneSetup& setup, const DatasetOptions& options) {
  const DatasetFile file = describe_dataset(setup, options, InputDigests().digest(setup, options.run));
  const auto [first, last] = within_memory(
      setup.file, [&] { return Sampler(setup, options, file.packs.files()).run(); },
      "the dataset does not fit into memory");
  const Work work = work_of(file, options);
  DatasetEstimate estimate;
  estimate.complete_units = work.complete_units;
  estimate.units = work.units;
  estimate.frames = work.frames;
  const double by = static_cast<double>(work.frames) / static_cast<double>(last.frames);
  estimate.rays = scaled(last.rays, by);
  if (file.packs.places().is_folder()) {
    count_files(first, last, work, estimate);
  } else {
    const PackEntry like = {.digest = file.inputs, .content = file.inputs, .bytes = last.bytes};
    estimate.files = 2 * work.packs;  // each with its description
    estimate.bytes = bytes_of({first.files, first.frames, first.bytes}, {last.files, last.frames, last.bytes},
                              work.packs, work.frames) +
                     work.packs * description_text(like).size();
  }
  estimate.seconds = last.seconds * by;
  estimate.shard_units = work.shard_units;
  const double share =
      static_cast<double>(work.shard_units) / static_cast<double>(std::max<std::uint64_t>(1, work.units));
  estimate.shard_seconds = estimate.seconds * share;
  estimate.sample_frames = last.frames;
  estimate.sample_seconds = last.seconds;
  return estimate;
}

}  // namespace fathom
