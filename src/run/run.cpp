// SPDX-License-Identifier: MIT
#include <fathom/simulate/run.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "io/bag/mcap_writer.hpp"
#include "run/counted_run.hpp"
#include "run/prepare_run.hpp"
#include "run/run_folder.hpp"
#include "run/sensor_topics.hpp"
#include "run/summary.hpp"

namespace fathom {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// The bag of a run: writes the messages of SensorTopics as MCAP.
class RunBag final : private MessageSink {
 public:
  RunBag(Simulator& simulator, std::span<const SensorSetup> sensors) : topics_(simulator, sensors) {}

  /// The bag gets its name at commit(). Throws SystemError.
  void open(const std::filesystem::path& file) {
    bag_.emplace(file);
    topics_.open(*this);
  }
  void begin_frame(std::uint32_t index) { topics_.begin_frame(index); }
  void add(SensorId sensor, const Frame& frame) { topics_.add(sensor, frame); }
  void commit() { bag_->commit(); }

 private:
  std::uint16_t add_topic(std::string_view topic, const MessageType& type) override {
    return bag_->add_topic(topic, type);
  }
  void write(std::uint16_t topic, std::uint64_t time_ns, std::string bytes) override {
    bag_->write(topic, time_ns, bytes);
  }

  SensorTopics topics_;
  std::optional<McapWriter> bag_;
};

/// A file of a sensor, with its open log if it is a log.
struct RunningFile {
  OutputFile file;
  std::unique_ptr<OutputFile::Log> log = {};
};

/// A sensor, and the files it writes.
struct RunningSensor {
  SensorId id = {};
  std::string name;
  std::vector<RunningFile> files;
  std::uint32_t frames = 0;
};

class Runner {
 public:
  /// Checks all input; writes nothing.
  Runner(const SceneSetup& setup, const RunOptions& options)
      : setup_(setup),
        options_(options),
        folder_(options.out, options.force),
        prepared_(prepare_run(setup, options)),
        counted_(setup, prepared_, options.digest) {
    counts().progress.frames_total = prepared_.frames;
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
        render(index(*event->sensor), event->index);
      }
    }
    end_frame(prepared_.frames);
    close_logs();
    if (bag_) bag_->commit();
    return finish();
  }

 private:
  [[nodiscard]] RunCounts& counts() { return counted_.counts(); }

  void end_frame(std::uint32_t frames_done) {
    counts().progress.frames_done = frames_done;
    counts().progress.seconds = seconds_since(begin_);
    if (options_.on_progress) options_.on_progress(counts().progress);
  }

  void add(RunSensor& prepared) {
    RunningSensor& running = sensors_.emplace_back(RunningSensor{.id = prepared.id,
                                                                 .name = prepared_.simulator.sensor(prepared.id).name,
                                                                 .files = {},
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

  void stop_if_asked() {
    if (options_.should_stop && options_.should_stop()) stop();
  }

  [[noreturn]] void stop() {
    throw Interrupted(fmt::format("stopped after {} of {} frames; the files in {} are whole, there is no {}",
                                  counts().progress.frames_done, prepared_.frames, options_.out.string(),
                                  kSummaryName));
  }

  void render(std::size_t i, std::uint32_t index) {
    stop_if_asked();
    const RunningSensor& sensor = sensors_[i];
    const Frame& frame = cast(i, index);
    if (frame.is_dropped()) return;
    if (bag_) bag_->add(sensor.id, frame);
    const OutputFile::Context context = {prepared_.simulator.world_from_sensor(sensor.id, frame.stamp_s()),
                                         entity_names_, setup_.scene.labels()};
    for (const RunningFile& entry : sensor.files) {
      if (entry.log) {
        entry.log->add(frame, context);
        continue;
      }
      stop_if_asked();
      const std::string name = name_of(sensor, entry.file, index);
      entry.file.write(folder_.path() / name, frame, context);
      counts().files.push_back(name);
    }
  }

  /// A stop within a frame counts as a stop before it.
  const Frame& cast(std::size_t i, std::uint32_t index) {
    try {
      return counted_.render(i, index);
    } catch (const Interrupted&) {
      stop();
    }
  }

  /// Relative to the folder of the run.
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
        counts().files.push_back(name_of(sensor, entry.file, 0));
      }
    }
  }

  RunResult finish() {
    RunCounts& all = counted_.end();
    all.warnings.insert(all.warnings.begin(), setup_.notes.begin(), setup_.notes.end());
    WholeFile summary(folder_.path() / kSummaryName);
    summary.write(summary_text(setup_, prepared_.simulator, all));
    summary.commit();
    folder_.finish();
    RunResult result;
    for (const std::string& file : all.files) result.files.push_back(folder_.path() / file);
    if (bag_) result.files.push_back(options_.bag);
    result.files.push_back(folder_.path() / kSummaryName);
    result.progress = all.progress;
    result.sensors.assign(all.sensors.begin(), all.sensors.end());
    result.warnings = all.warnings;
    return result;
  }

  const SceneSetup& setup_;
  const RunOptions& options_;
  RunFolder folder_;
  PreparedRun prepared_;
  CountedRun counted_;
  std::vector<RunningSensor> sensors_;
  std::vector<std::string> entity_names_;  ///< [entity id]
  std::optional<RunBag> bag_;
  Clock::time_point begin_;
};

}  // namespace

RunResult run_scene(const SceneSetup& setup, const RunOptions& options) {
  return within_memory(
      setup.file, [&] { return Runner(setup, options).run(); }, "the run does not fit into memory");
}

}  // namespace fathom
