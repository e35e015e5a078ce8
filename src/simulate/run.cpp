// SPDX-License-Identifier: MIT
#include <fathom/simulate/run.hpp>

#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/frame/digest.hpp>

#include "bag/check_bag_file.hpp"
#include "simulate/bag/run_bag.hpp"
#include "simulate/carrier_watch.hpp"
#include "simulate/far_points.hpp"
#include "simulate/frame_schedule.hpp"
#include "simulate/prepare_run.hpp"
#include "simulate/run_folder.hpp"
#include "simulate/summary.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// A file of a sensor, and the log it is while the run goes on, if it is one.
struct RunningFile {
  OutputFile file;
  std::unique_ptr<FrameLog> log = {};
};

/// One sensor at work: its frame is reused, so that a steady run allocates nothing per frame.
struct RunningSensor {
  SensorId id = {};
  std::string name;
  std::vector<RunningFile> files;
  Frame frame;
  CarrierWatch carrier;
  FarPoints far_points;
  std::uint32_t frames = 0, delivered = 0;
  FrameDigest digest = {};
};

class Runner {
 public:
  /// Checks everything that could be wrong with the input; writes nothing.
  Runner(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees)
      : setup_(setup),
        options_(options),
        folder_(options.out, options.force),
        prepared_(prepare_run(setup, options, trees)) {
    counts_.seed = prepared_.episode.seed;
    counts_.environment = prepared_.episode.environment;
    counts_.episode = prepared_.episode.episode;
    counts_.drawn = std::move(prepared_.drawn);
    counts_.progress.frames_total = prepared_.frames;
    for (const Entity& entity : setup.scene.entities()) entity_names_.push_back(entity.name);
    for (RunSensor& sensor : prepared_.sensors) add(sensor);
    if (options.bag.empty()) return;
    folder_.refuse_own(options.bag, plan(), prepared_.frames);
    check_bag_file(options.bag, setup.inputs, options.force);
    bag_.emplace(prepared_.simulator, setup.sensors);
  }

  RunResult run() {
    stop_if_asked();
    folder_.open(plan(), prepared_.frames, setup_.inputs);
    open_logs();
    if (bag_) bag_->open(options_.bag);
    begin_ = Clock::now();
    FrameSchedule schedule(prepared_.simulator, static_cast<std::uint32_t>(sensors_.size()), prepared_.frames);
    while (const std::optional<FrameEvent> event = schedule.next()) {
      if (event->is_of_scene()) {
        if (event->index > 0) end_frame(event->index);
        if (bag_) bag_->begin_frame(event->index);
      } else {
        take(index(*event->sensor), event->time);
      }
    }
    end_frame(prepared_.frames);
    close_logs();
    if (bag_) bag_->commit();
    return finish();
  }

 private:
  void end_frame(std::uint32_t frames_done) {
    counts_.progress.frames_done = frames_done;
    counts_.progress.seconds = seconds_since(begin_);
    if (options_.on_progress) options_.on_progress(counts_.progress);
  }

  void take(std::size_t i, const FrameTime& time) {
    if (has_timing(i)) counts_.sensors[i].times.push_back(time);
    if (time.is_dropped()) return stop_if_asked();
    render(i, time.index);
    ++sensors_[i].delivered;
  }

  [[nodiscard]] bool has_timing(std::size_t i) const {
    return prepared_.simulator.sensor(sensors_[i].id).timing != Timing();
  }

  void add(RunSensor& prepared) {
    const Sensor& sensor = prepared_.simulator.sensor(prepared.id);
    SensorCounts& counts = counts_.sensors.emplace_back();
    counts.id = prepared.id;
    counts.name = sensor.name;
    counts.drawn = std::move(prepared.drawn);
    RunningSensor& running =
        sensors_.emplace_back(RunningSensor{.id = prepared.id,
                                            .name = sensor.name,
                                            .files = {},
                                            .frame = Frame(prepared.channels),
                                            .carrier = {setup_.scene, sensor},
                                            .far_points = {sensor.name, setup_.sensors[index(prepared.id)].outputs},
                                            .frames = prepared.frames});
    for (OutputFile& file : prepared.files) running.files.push_back({std::move(file)});
  }

  [[nodiscard]] std::vector<PlannedFolder> plan() const {
    std::vector<PlannedFolder> folders;
    for (const RunningSensor& sensor : sensors_) {
      PlannedFolder folder{sensor.name, {}, sensor.frames};
      for (const RunningFile& entry : sensor.files) folder.files.push_back(entry.file.glob());
      if (!folder.files.empty()) folders.push_back(std::move(folder));
    }
    return folders;
  }

  void stop_if_asked() const {
    if (options_.should_stop && options_.should_stop()) stop();
  }

  [[noreturn]] void stop() const {
    throw Interrupted(fmt::format("stopped after {} of {} frames; the files in {} are whole, there is no {}",
                                  counts_.progress.frames_done, prepared_.frames, options_.out.string(), kSummaryName));
  }

  void render(std::size_t i, std::uint32_t index) {
    stop_if_asked();
    RunningSensor& sensor = sensors_[i];
    const Clock::time_point begin = Clock::now();
    cast(sensor, index);
    const ReasonCounts reasons = count(sensor.frame, seconds_since(begin), counts_.sensors[i]);
    watch_carrier(sensor, index, reasons);
    if (options_.digest) sensor.digest.add(sensor.frame);
    if (bag_) bag_->add(sensor.id, sensor.frame);
    const FrameContext context = {prepared_.simulator.world_from_sensor(sensor.id, sensor.frame.stamp_s()),
                                  entity_names_, setup_.scene.labels()};
    sensor.far_points.add(context.world_from_sensor.translation_m);
    for (const RunningFile& entry : sensor.files) {
      if (entry.log) {
        entry.log->add(sensor.frame, context);
        continue;
      }
      stop_if_asked();
      const std::string name = name_of(sensor, entry.file, index);
      entry.file.write(folder_.path() / name, sensor.frame, context);
      counts_.files.push_back(name);
    }
  }

  /// To be stopped within a frame is to be stopped before it.
  void cast(RunningSensor& sensor, std::uint32_t index) {
    try {
      prepared_.simulator.render(sensor.id, index, sensor.frame);
    } catch (const Interrupted&) {
      stop();
    }
  }

  /// The sensor renders the channels that the watch needs only after a frame is nearly all below the minimum range, and
  /// keeps them from then on.
  void watch_carrier(RunningSensor& sensor, std::uint32_t index, const ReasonCounts& reasons) {
    if (!sensor.carrier.suspects(reasons)) return;
    const ChannelSet wanted = sensor.frame.channels() | sensor.carrier.channels();
    if (wanted != sensor.frame.channels()) {
      sensor.frame = Frame(wanted);
      cast(sensor, index);
    }
    sensor.carrier.count(sensor.frame,
                         prepared_.simulator.pattern(sensor.id, sensor.frame.content_index()).min_range_m);
  }

  /// In the folder of the run.
  static std::string name_of(const RunningSensor& sensor, const OutputFile& file, std::uint32_t frame) {
    return sensor.name + "/" + file.name(frame);
  }

  void open_logs() {
    for (RunningSensor& sensor : sensors_) {
      for (RunningFile& entry : sensor.files) {
        if (!entry.file.is_log()) continue;
        entry.log = entry.file.begin_log(folder_.path() / name_of(sensor, entry.file, 0),
                                         prepared_.simulator.pattern(sensor.id, 0));
      }
    }
  }

  void close_logs() {
    for (RunningSensor& sensor : sensors_) {
      for (RunningFile& entry : sensor.files) {
        if (!entry.log) continue;
        entry.log->commit();
        counts_.files.push_back(name_of(sensor, entry.file, 0));
      }
    }
  }

  ReasonCounts count(const Frame& frame, double seconds, SensorCounts& counts) {
    counts.rows = frame.rows();
    counts.cols = frame.cols();
    counts.rays += frame.rays();
    counts.seconds += seconds;
    const ReasonCounts reasons = frame.count_reasons();
    for (std::size_t r = 0; r < reasons.size(); ++r) counts.reasons[r] += reasons[r];
    counts_.progress.rays_done += frame.rays();
    counts_.progress.cast_seconds += seconds;
    return reasons;
  }

  RunResult finish() {
    counts_.warnings = setup_.notes;
    for (const RunningSensor& sensor : sensors_) {
      if (const auto warning = sensor.carrier.warning(sensor.delivered)) counts_.warnings.push_back(*warning);
      if (const auto warning = sensor.far_points.warning()) counts_.warnings.push_back(*warning);
    }
    if (options_.digest) {
      for (std::size_t i = 0; i < sensors_.size(); ++i) counts_.sensors[i].digest = sensors_[i].digest.text();
    }
    WholeFile summary(folder_.path() / kSummaryName);
    summary.write(summary_text(setup_, prepared_.simulator, counts_));
    summary.commit();
    folder_.finish();
    RunResult result;
    for (const std::string& file : counts_.files) result.files.push_back(folder_.path() / file);
    if (bag_) result.files.push_back(options_.bag);
    result.files.push_back(folder_.path() / kSummaryName);
    result.progress = counts_.progress;
    result.sensors.assign(counts_.sensors.begin(), counts_.sensors.end());
    result.warnings = counts_.warnings;
    return result;
  }

  const SceneSetup& setup_;
  const RunOptions& options_;
  RunFolder folder_;
  PreparedRun prepared_;
  std::vector<RunningSensor> sensors_;
  std::vector<std::string> entity_names_;  ///< [entity id]
  RunCounts counts_;
  std::optional<RunBag> bag_;
  Clock::time_point begin_;
};

}  // namespace

RunResult run_scene_on(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees) {
  try {
    return Runner(setup, options, trees).run();
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("{}: the run does not fit into memory", setup.file.string()));
  }
}

RunResult run_scene(const SceneSetup& setup, const RunOptions& options) {
  return run_scene_on(setup, options, nullptr);
}

}  // namespace fathom
