// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/dataset/dataset.hpp>
#include <fathom/frame/frame.hpp>

#include "dataset/dataset_file.hpp"
#include "dataset/digest.hpp"
#include "dataset/folder_writer.hpp"
#include "dataset/open_dataset.hpp"
#include "dataset/unit_queue.hpp"
#include "dataset/unit_renderer.hpp"

namespace fathom {

namespace {

using DatasetClock = std::chrono::steady_clock;

/// Releases the claim on a unit when it is rendered, and when it cannot be.
struct ClaimedUnit {
  const UnitQueue& queue;
  const Unit& unit;

  ClaimedUnit(const UnitQueue& q, const Unit& u) : queue(q), unit(u) {}
  ClaimedUnit(const ClaimedUnit&) = delete;
  ClaimedUnit& operator=(const ClaimedUnit&) = delete;
  ~ClaimedUnit() { queue.release(unit); }
};

/// Shares the units of a shard out among threads, and adds up what comes of them.
class DatasetRunner {
 public:
  DatasetRunner(const SceneSetup& setup, const DatasetOptions& options)
      : setup_(setup),
        options_(options),
        inputs_(inputs_digest(setup, options.run)),
        file_{.version = std::string(versions().fathom),
              .scene = setup.file.filename().string(),
              .command = options.command,
              .inputs = inputs_,
              .seed = options.run.seed.value_or(setup.seed),
              .units = dataset_units(setup, options)},
        queue_(file_.units, options, inputs_) {
    if (!options.run.bag.empty()) throw InputError("a bag is of one run, not of a dataset");
    static_cast<void>(prepare_run(setup, options.run));
    const int threads = make_executor(options.run.compute.threads)->threads();
    crew_ = queue_.size() < static_cast<std::uint64_t>(threads) ? 1 : threads;
    result_.units = file_.units.size();
    for (const SensorSetup& sensor : setup.sensors) result_.sensors.emplace_back().name = sensor.sensor.name;
    result_.progress.frames_total = clamped(queue_.frames());
  }

  DatasetResult run() {
    stop_ = options_.run.should_stop && options_.run.should_stop();
    if (!stop_) render_all();
    if (error_) std::rethrow_exception(error_);
    result_.skipped = queue_.size() - result_.rendered;
    if (!stop_) return result_;
    throw Interrupted(fmt::format("stopped after {} of {} units; those in {} are whole, and --resume goes on",
                                  result_.rendered, queue_.size(), options_.run.out.string()));
  }

 private:
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
                                       [&](std::size_t worker, std::size_t) { work(worker, run, trees); });
  }

  void work(std::size_t worker, const RunOptions& run, const SharedTrees& trees) {
    try {
      UnitRenderer renderer(setup_, run, trees);
      FolderWriter writer(options_.run.out, setup_, renderer.run(), inputs_, worker);
      while (!stop_ && !run.should_stop()) {
        const std::optional<Unit> unit = queue_.take();
        if (!unit) break;
        const ClaimedUnit claimed(queue_, *unit);
        renderer.render(*unit, writer, [&](std::size_t sensor, const Frame& frame, double seconds) {
          count(sensor, frame, seconds);
          queue_.renew(*unit);
        });
        keep(writer.entry());
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

  void count(std::size_t number, const Frame& frame, double seconds) {
    const auto reasons = frame.count_reasons();
    const std::lock_guard lock(mutex_);
    SensorResult& sensor = result_.sensors[number];
    for (std::size_t r = 0; r < reasons.size(); ++r) sensor.reasons[r] += reasons[r];
    sensor.rays += frame.size();
    sensor.seconds += seconds / crew_;
    Progress& progress = result_.progress;
    progress.rays_done += frame.size();
    progress.cast_seconds += seconds / crew_;
    progress.seconds = std::chrono::duration<double>(DatasetClock::now() - begin_).count();
    if (number + 1 < result_.sensors.size()) return;
    ++progress.frames_done;
    if (options_.run.on_progress) options_.run.on_progress(progress);
  }

  void keep(const UnitEntry& entry) {
    const std::lock_guard lock(mutex_);
    ++result_.rendered;
    result_.files += entry.files;
    result_.bytes += entry.bytes;
  }

  const SceneSetup& setup_;
  const DatasetOptions& options_;
  std::string inputs_;  // digest
  DatasetFile file_;
  UnitQueue queue_;
  int crew_ = 1;  // units that are rendered side by side
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
