// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/frame/digest.hpp>
#include <fathom/simulate/dataset.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "render/simulators.hpp"
#include "run/counted_run.hpp"
#include "run/dataset/dataset_file.hpp"
#include "run/dataset/digest.hpp"
#include "run/dataset/hdf5_files.hpp"
#include "run/dataset/pack_tree.hpp"
#include "run/dataset/pack_writer.hpp"
#include "run/prepare_run.hpp"
#include "run/summary.hpp"

namespace fathom {

namespace {

/// Renders units one after the other with one simulator.
class UnitRenderer {
 public:
  /// Called after each frame of the scene, with the progress of the unit.
  using OnFrame = std::function<void(const RunOptions::Progress& progress)>;

  /// Checks all input. Throws as prepare_run().
  UnitRenderer(const SceneSetup& setup, const RunOptions& options, const SharedTrees& trees);

  /// Returns the counts of the unit, valid until the next one.
  const RunCounts& render(const Unit& unit, PackWriter& writer, const OnFrame& on_frame);

  [[nodiscard]] PreparedRun& run() { return run_; }

 private:
  [[nodiscard]] NumberRange sensor_frames(std::size_t sensor, std::uint32_t scene_frame) const;
  [[nodiscard]] std::string parameters(const Unit& unit) const;

  const SceneSetup& setup_;
  PreparedRun run_;
  CountedRun counted_;
};

UnitRenderer::UnitRenderer(const SceneSetup& setup, const RunOptions& options, const SharedTrees& trees)
    : setup_(setup), run_(prepare_run(setup, options, &trees)), counted_(setup, run_, options.digest) {}

const RunCounts& UnitRenderer::render(const Unit& unit, PackWriter& writer, const OnFrame& on_frame) {
  begin_episode(run_, setup_, static_cast<std::uint32_t>(unit.environment), static_cast<std::uint32_t>(unit.episode));
  counted_.begin();
  RunCounts& counts = counted_.counts();
  counts.first_frame = unit.first_frame;
  writer.begin(unit, parameters(unit));
  for (std::uint32_t k = 0; k < unit.frames; ++k) {
    for (std::size_t i = 0; i < run_.sensors.size(); ++i) {
      const NumberRange frames = sensor_frames(i, static_cast<std::uint32_t>(unit.first_frame + k));
      for (std::uint32_t index = frames.first; index < frames.end; ++index) {
        const Frame& frame = counted_.render(i, index);
        writer.add({i, index, frame.stamp_s(), frame});
      }
    }
    ++counts.progress.frames_done;
    on_frame(counts.progress);
  }
  writer.end(counted_.end());
  return counts;
}

/// The frames that a sensor begins during a frame of the scene: one if it makes as many frames as the scene.
NumberRange UnitRenderer::sensor_frames(std::size_t sensor, std::uint32_t scene_frame) const {
  const RunSensor& of = run_.sensors[sensor];
  if (of.frames == run_.frames) return {scene_frame, scene_frame + 1};
  const Timing& timing = run_.simulator.sensor(of.id).timing;
  const SceneClock clock = clock_of(run_.simulator.options());
  return {static_cast<std::uint32_t>(count_frames(timing, clock, scene_frame)),
          static_cast<std::uint32_t>(count_frames(timing, clock, scene_frame + 1))};
}

std::string UnitRenderer::parameters(const Unit& unit) const {
  using Json = nlohmann::ordered_json;
  Json sensors = Json::array();
  for (const RunSensor& sensor : run_.sensors) {
    const Sensor& description = run_.simulator.sensor(sensor.id);
    sensors.push_back({{"name", description.name}, {"drawn", drawn_json(sensor.drawn, description, setup_.scene)}});
  }
  Json json = {{"environment", unit.environment}, {"episode", unit.episode},   {"first_frame", unit.first_frame},
               {"frames", unit.frames},           {"seed", run_.episode.seed}, {"sensors", sensors}};
  if (!run_.drawn.empty()) json["drawn"] = drawn_json(run_.drawn, setup_.scene);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

using DatasetClock = std::chrono::steady_clock;

/// The trees of a scene, which successive calls share. Simultaneous calls share them too if each has one thread.
class KeptTrees {
 public:
  std::shared_ptr<const SharedTrees> of(const SceneSetup& setup, const Compute& compute) {
    const auto build = [&] { return std::make_shared<const SharedTrees>(setup.scene, compute, setup.start_s); };
    if (compute.threads != 1) return build();
    const std::lock_guard lock(mutex_);
    if (!trees_ || compute.isa != compute_.isa) trees_ = build();
    compute_ = compute;
    return trees_;
  }

 private:
  std::mutex mutex_;  // of the members below
  std::shared_ptr<const SharedTrees> trees_;
  Compute compute_;
};

/// Distributes the packs of a shard among threads, and adds up their results.
class DatasetRunner {
 public:
  /// `inputs`: digest of them.
  DatasetRunner(const SceneSetup& setup, const DatasetOptions& options, std::string inputs, KeptTrees& trees)
      : setup_(setup),
        options_(options),
        kept_(trees),
        file_(describe_dataset(setup, options, std::move(inputs))),
        queue_(file_.packs, options, file_.inputs) {
    if (!options.run.bag.empty()) throw InputError("a bag is of one run, not of a dataset");
    if (options.run.digest && (options.resume || options.units || options.shard.count > 1)) {
      throw InputError("a digest needs all units of a dataset: no --resume and no --shard");
    }
    const int threads = make_executor(options.run.compute.threads)->threads();
    const bool side_by_side = file_.packs.files().format != DatasetFormat::kHdf5 || make_hdf5_files(0)->takes_threads();
    crew_ = side_by_side && queue_.size() >= static_cast<std::uint64_t>(threads) ? threads : 1;
    result_.units = file_.units().size();
    for (const SensorSetup& sensor : setup.sensors) result_.sensors.emplace_back().name = sensor.sensor.name;
    result_.progress.frames_total = clamped(queue_.frames());
    result_.warnings = setup.notes;
    if (options.run.digest) digests_.resize(file_.units().size());
  }

  DatasetResult run() {
    stop_ = options_.run.should_stop && options_.run.should_stop();
    if (!stop_) render_all();
    if (error_) std::rethrow_exception(error_);
    result_.skipped = queue_.units() - result_.rendered;
    add_warnings();
    add_digests();
    if (!stop_) return result_;
    throw Interrupted(fmt::format("stopped after {} of {} units; those in {} are whole, and --resume goes on",
                                  result_.rendered, queue_.units(), options_.run.out.string()));
  }

 private:
  /// A file of many units has one frame of each sensor for a frame of the scene.
  void check_frames(const PreparedRun& run) const {
    if (file_.packs.places().is_folder()) return;
    for (std::size_t i = 0; i < run.sensors.size(); ++i) {
      const std::uint32_t frames = run.sensors[i].frames;
      if (frames == run.frames) continue;
      throw InputError(
          fmt::format("{}: the sensor makes {} frames while the scene makes {}; --format {} has as many of each sensor",
                      place_of_timing(setup_.sensors[i]), frames, run.frames, to_string(file_.packs.files().format)));
    }
  }

  static std::uint32_t clamped(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  }

  /// Builds nothing if all units are complete. Otherwise checks all input before it writes anything.
  void render_all() {
    const bool any = queue_.skip_complete();
    RunOptions run = options_.run;
    if (crew_ > 1) run.compute.threads = 1;
    run.should_stop = [this] { return stop_ || (options_.run.should_stop && options_.run.should_stop()); };
    std::shared_ptr<const SharedTrees> trees;
    if (any) {
      trees = kept_.of(setup_, run.compute);
      check_frames(prepare_run(setup_, run, trees.get()));
    }
    if (file_.packs.files().format == DatasetFormat::kHdf5) check_hdf5(setup_);
    open_dataset(file_, options_);
    queue_.check();
    queue_.remove_begun();
    if (!any) return;
    begin_ = DatasetClock::now();
    make_executor(crew_)->parallel_for(static_cast<std::size_t>(crew_), 1,
                                       [&](std::size_t, std::size_t) { work(run, *trees); });
    result_.seconds = std::chrono::duration<double>(DatasetClock::now() - begin_).count();
  }

  void work(const RunOptions& run, const SharedTrees& trees) {
    try {
      UnitRenderer renderer(setup_, run, trees);
      const auto writer = make_writer(renderer.run());
      while (!stop_ && !run.should_stop()) {
        const std::optional<Pack> pack = queue_.take();
        if (!pack) break;
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
        return make_tar_writer(out, setup_, run, file_);
      case DatasetFormat::kFolders:
        break;
    }
    return make_folder_writer(out, setup_, run, file_.inputs);
  }

  void render_pack(const Pack& pack, UnitRenderer& renderer, PackWriter& writer) {
    writer.begin_pack(pack);
    for (std::uint64_t i = 0; i < pack.units; ++i) render_unit(file_.units().at(pack.first + i), renderer, writer);
    keep(pack, writer.end_pack());
  }

  void render_unit(const Unit& unit, UnitRenderer& renderer, PackWriter& writer) {
    RunOptions::Progress last;
    const auto on_frame = [&](const RunOptions::Progress& progress) {
      add(progress, last);
      last = progress;
    };
    const auto name = [&] { return name_of(unit); };
    add(unit, with_prefix(name, [&]() -> const RunCounts& { return renderer.render(unit, writer, on_frame); }));
  }

  [[nodiscard]] std::string name_of(const Unit& unit) const {
    std::string run = fmt::format("environment {}, episode {}", unit.environment, unit.episode);
    if (unit.frames == file_.units().frames()) return run;
    return fmt::format("{}, frames {} to {}", run, unit.first_frame, unit.first_frame + unit.frames - 1);
  }

  void add(const RunOptions::Progress& progress, const RunOptions::Progress& last) {
    const std::lock_guard lock(mutex_);
    RunOptions::Progress& all = result_.progress;
    ++all.frames_done;
    all.rays_done += progress.rays_done - last.rays_done;
    all.cast_seconds += (progress.cast_seconds - last.cast_seconds) / crew_;
    all.seconds = std::chrono::duration<double>(DatasetClock::now() - begin_).count();
    if (options_.run.on_progress) options_.run.on_progress(all);
  }

  void add(const Unit& unit, const RunCounts& counts) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < result_.sensors.size(); ++i) {
      const SensorCounts& of_unit = counts.sensors[i];
      RunResult::Sensor& sensor = result_.sensors[i];
      sensor.rays += of_unit.rays;
      sensor.seconds += of_unit.seconds / crew_;
      for (std::size_t r = 0; r < sensor.reasons.size(); ++r) sensor.reasons[r] += of_unit.reasons[r];
      if (!digests_.empty()) digests_[unit.index].push_back(of_unit.digest);
    }
    for (const std::string& warning : counts.warnings) {
      ++warning_count_;
      warnings_.emplace(unit.index, fmt::format("{}: {}", name_of(unit), warning));
      if (warnings_.size() > kMostUnitWarnings) warnings_.erase(std::prev(warnings_.end()));
    }
  }

  void add_warnings() {
    for (const auto& warning : warnings_) result_.warnings.push_back(warning.second);
    const std::uint64_t more = warning_count_ - warnings_.size();
    if (more > 0) result_.warnings.push_back(fmt::format("and {} more of the units", more));
  }

  void add_digests() {
    for (std::size_t i = 0; i < result_.sensors.size() && !digests_.empty(); ++i) {
      FrameDigest digest;
      for (const std::vector<std::string>& of_unit : digests_) {
        if (!of_unit.empty()) digest.add(of_unit[i]);
      }
      result_.sensors[i].digest = digest.text();
    }
  }

  void keep(const Pack& pack, const PackEntry& entry) {
    const std::lock_guard lock(mutex_);
    result_.rendered += pack.units;
    result_.files += entry.files;
    result_.bytes += entry.bytes;
  }

  const SceneSetup& setup_;
  const DatasetOptions& options_;
  KeptTrees& kept_;
  DatasetFile file_;
  PackQueue queue_;
  int crew_ = 1;  // packs that are rendered at the same time
  std::atomic<bool> stop_ = false;
  DatasetClock::time_point begin_;
  std::mutex mutex_;  // of the members below
  std::exception_ptr error_;
  DatasetResult result_;
  std::vector<std::vector<std::string>> digests_;             // [unit][sensor]; empty unless options ask for them
  std::set<std::pair<std::uint64_t, std::string>> warnings_;  // the first ones, by unit
  std::uint64_t warning_count_ = 0;
};

}  // namespace

UnitList dataset_units(const SceneSetup& setup, const DatasetOptions& options) {
  return {options.environments, options.episodes, options.run.frames.value_or(setup.frames), options.block};
}

class DatasetRenderer::Impl {
 public:
  explicit Impl(std::shared_ptr<const SceneSetup> setup) : setup_(std::move(setup)) {}

  std::string digest(const RunOptions& options, const Unit& unit) {
    return fathom::unit_digest(inputs_.digest(*setup_, options), unit);
  }

  DatasetResult render(const DatasetOptions& options) {
    return within_memory(
        setup_->file,
        [&] { return DatasetRunner(*setup_, options, inputs_.digest(*setup_, options.run), trees_).run(); },
        "the dataset does not fit into memory");
  }

 private:
  std::shared_ptr<const SceneSetup> setup_;
  InputDigests inputs_;
  KeptTrees trees_;
};

DatasetRenderer::DatasetRenderer(std::shared_ptr<const SceneSetup> setup)
    : impl_(std::make_unique<Impl>(std::move(setup))) {}
DatasetRenderer::~DatasetRenderer() = default;

std::string DatasetRenderer::unit_digest(const RunOptions& options, const Unit& unit) {
  return impl_->digest(options, unit);
}

DatasetResult DatasetRenderer::render(const DatasetOptions& options) { return impl_->render(options); }

DatasetResult render_dataset(const SceneSetup& setup, const DatasetOptions& options) {
  const std::shared_ptr<const SceneSetup> borrowed(std::shared_ptr<void>(), &setup);
  return DatasetRenderer(borrowed).render(options);
}

}  // namespace fathom
