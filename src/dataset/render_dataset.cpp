// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/dataset/dataset.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/model.hpp>

#include "dataset/dataset_file.hpp"
#include "dataset/digest.hpp"
#include "dataset/folder_writer.hpp"
#include "dataset/hdf5_files.hpp"
#include "dataset/open_dataset.hpp"
#include "dataset/pack_queue.hpp"
#include "dataset/sensor_description.hpp"
#include "dataset/tar_writer.hpp"
#include "dataset/unit_renderer.hpp"
#include "simulate/outputs/array_plan.hpp"

namespace fathom {

namespace {

using DatasetClock = std::chrono::steady_clock;

/// Releases the claim on a pack when it is rendered, and when it cannot be.
struct ClaimedPack {
  const PackQueue& queue;
  const Pack& pack;

  ClaimedPack(const PackQueue& q, const Pack& p) : queue(q), pack(p) {}
  ClaimedPack(const ClaimedPack&) = delete;
  ClaimedPack& operator=(const ClaimedPack&) = delete;
  ~ClaimedPack() { queue.release(pack); }
};

/// Arrays of one frame of all sensors.
std::uint64_t frame_bytes(const SceneSetup& setup) {
  std::uint64_t bytes = 0;
  for (const SensorSetup& sensor : setup.sensors) {
    const PatternShape shape = pattern_shape(sensor.sensor.model);
    for (const ArrayPlan& plan : planned_arrays(sensor)) {
      bytes += std::uint64_t{shape.rows} * shape.cols * channel_info(plan.channel).bytes();
    }
  }
  return bytes;
}

/// With a number of units in a file, where the options leave it open.
DatasetFiles resolved(const DatasetOptions& options, const SceneSetup& setup, const UnitList& units) {
  constexpr std::uint64_t kBytesOfFile = std::uint64_t{64} << 20U;
  DatasetFiles files = options.files;
  const std::uint64_t unit_bytes = std::max<std::uint64_t>(1, units.block() * frame_bytes(setup));
  if (files.units_per_file == 0) files.units_per_file = std::max<std::uint64_t>(1, kBytesOfFile / unit_bytes);
  return files;
}

std::string descriptions(const SceneSetup& setup) {
  auto list = nlohmann::ordered_json::array();
  for (const SensorSetup& sensor : setup.sensors) list.push_back(sensor_description(sensor, setup.scene));
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

DatasetFile describe(const SceneSetup& setup, const DatasetOptions& options) {
  const UnitList units = dataset_units(setup, options);
  return {.version = std::string(versions().fathom),
          .scene = setup.file.filename().string(),
          .command = options.command,
          .inputs = inputs_digest(setup, options.run),
          .seed = options.run.seed.value_or(setup.seed),
          .packs = PackList(units, resolved(options, setup, units)),
          .sensors = descriptions(setup)};
}

/// Shares the packs of a shard out among threads, and adds up what comes of them.
class DatasetRunner {
 public:
  DatasetRunner(const SceneSetup& setup, const DatasetOptions& options)
      : setup_(setup), options_(options), file_(describe(setup, options)), queue_(file_.packs, options, file_.inputs) {
    if (!options.run.bag.empty()) throw InputError("a bag is of one run, not of a dataset");
    check_frames(prepare_run(setup, options.run));
    const int threads = make_executor(options.run.compute.threads)->threads();
    crew_ = queue_.size() < static_cast<std::uint64_t>(threads) ? 1 : threads;
    result_.units = file_.units().size();
    for (const SensorSetup& sensor : setup.sensors) result_.sensors.emplace_back().name = sensor.sensor.name;
    result_.progress.frames_total = clamped(queue_.frames());
  }

  DatasetResult run() {
    stop_ = options_.run.should_stop && options_.run.should_stop();
    if (!stop_) render_all();
    if (error_) std::rethrow_exception(error_);
    result_.skipped = queue_.units() - result_.rendered;
    if (!stop_) return result_;
    throw Interrupted(fmt::format("stopped after {} of {} units; those in {} are whole, and --resume goes on",
                                  result_.rendered, queue_.units(), options_.run.out.string()));
  }

 private:
  /// A frame of a dataset has a place for one of each sensor.
  static void check_frames(const PreparedRun& run) {
    for (const RunSensor& sensor : run.sensors) {
      if (sensor.frames == run.frames) continue;
      throw InputError(
          fmt::format("sensor '{}': timing: it makes {} frames while the scene makes {}; a dataset has as "
                      "many of each sensor",
                      run.simulator.sensor(sensor.id).name, sensor.frames, run.frames));
    }
  }

  static std::uint32_t clamped(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  }

  void render_all() {
    open_dataset(file_, options_);
    queue_.check();
    RunOptions run = options_.run;
    if (crew_ > 1) run.compute.threads = 1;
    run.should_stop = [this] { return stop_ || (options_.run.should_stop && options_.run.should_stop()); };
    const SharedTrees trees(setup_.scene, run.compute, setup_.start_s);
    begin_ = DatasetClock::now();
    make_executor(crew_)->parallel_for(static_cast<std::size_t>(crew_), 1,
                                       [&](std::size_t, std::size_t) { work(run, trees); });
    result_.seconds = std::chrono::duration<double>(DatasetClock::now() - begin_).count();
  }

  void work(const RunOptions& run, const SharedTrees& trees) {
    try {
      UnitRenderer renderer(setup_, run, trees);
      const auto writer = make_writer(renderer.run());
      while (!stop_ && !run.should_stop()) {
        const std::optional<Pack> pack = queue_.take();
        if (!pack) break;
        const ClaimedPack claimed(queue_, *pack);
        render_pack(*pack, renderer, *writer);
      }
      if (run.should_stop()) stop_ = true;
    } catch (const Interrupted&) {
      stop_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  std::unique_ptr<PackWriter> make_writer(PreparedRun& run) {
    const std::filesystem::path& out = options_.run.out;
    switch (file_.packs.files().format) {
      case DatasetFormat::kHdf5:
        return make_hdf5_writer(out, setup_, run, file_);
      case DatasetFormat::kWebDataset:
        return std::make_unique<TarWriter>(out, setup_, run, file_.packs, file_.inputs);
      case DatasetFormat::kFolders:
        break;
    }
    return std::make_unique<FolderWriter>(out, setup_, run, file_.inputs);
  }

  void render_pack(const Pack& pack, UnitRenderer& renderer, PackWriter& writer) {
    writer.begin_pack(pack);
    for (std::uint64_t i = 0; i < pack.units; ++i) {
      renderer.render(file_.units().at(pack.first + i), writer,
                      [&](std::size_t sensor, const Frame& frame, double seconds) {
                        count(sensor, frame, seconds);
                        queue_.renew(pack);
                      });
    }
    keep(pack, writer.end_pack());
  }

  void count(std::size_t number, const Frame& frame, double seconds) {
    const auto reasons = frame.count_reasons();
    const std::lock_guard lock(mutex_);
    SensorResult& sensor = result_.sensors[number];
    for (std::size_t r = 0; r < reasons.size() && !frame.is_dropped(); ++r) sensor.reasons[r] += reasons[r];
    const std::size_t rays = frame.is_dropped() ? 0 : frame.size();
    sensor.rays += rays;
    sensor.seconds += seconds / crew_;
    Progress& progress = result_.progress;
    progress.rays_done += rays;
    progress.cast_seconds += seconds / crew_;
    progress.seconds = std::chrono::duration<double>(DatasetClock::now() - begin_).count();
    if (number + 1 < result_.sensors.size()) return;
    ++progress.frames_done;
    if (options_.run.on_progress) options_.run.on_progress(progress);
  }

  void keep(const Pack& pack, const PackEntry& entry) {
    const std::lock_guard lock(mutex_);
    result_.rendered += pack.units;
    result_.files += entry.files;
    result_.bytes += entry.bytes;
  }

  const SceneSetup& setup_;
  const DatasetOptions& options_;
  DatasetFile file_;
  PackQueue queue_;
  int crew_ = 1;  // packs that are rendered side by side
  std::atomic<bool> stop_ = false;
  DatasetClock::time_point begin_;
  std::mutex mutex_;  // of all below
  std::exception_ptr error_;
  DatasetResult result_;
};

}  // namespace

UnitList dataset_units(const SceneSetup& setup, const DatasetOptions& options) {
  return {options.environments, options.episodes, options.run.frames.value_or(setup.frames), options.block};
}

DatasetResult render_dataset(const SceneSetup& setup, const DatasetOptions& options) {
  try {
    return DatasetRunner(setup, options).run();
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("{}: the dataset does not fit into memory", setup.file.string()));
  }
}

}  // namespace fathom
