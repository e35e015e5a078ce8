#include <fathom/run.hpp>

#include <chrono>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "io/whole_file.hpp"
#include "simulate/carrier_watch.hpp"
#include "simulate/file_plan.hpp"
#include "simulate/run_folder.hpp"
#include "simulate/scan_log_file.hpp"
#include "simulate/summary.hpp"

namespace fathom {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// One sensor at work: its frame is reused, so that a steady run allocates nothing per frame.
struct RunningSensor {
  SensorId id = 0;
  std::string name;
  std::vector<PlannedFile> files;
  Frame frame;
  CarrierWatch carrier;
  bool logs = false;
  std::unique_ptr<ScanLogFile> log = {};
};

class Runner {
 public:
  /// Checks everything that could be wrong with the input; writes nothing.
  Runner(const SceneSetup& setup, const RunOptions& options)
      : setup_(setup),
        options_(options),
        frames_(options.frames.value_or(setup.frames)),
        folder_(options.out, options.force),
        simulator_(setup.scene, simulator_options(setup, options)) {
    if (frames_ < 1 || frames_ > kMaxFrames) {
      throw InputError(fmt::format("frames = {} is not in [1, {}]", frames_, kMaxFrames));
    }
    counts_.seed = options.seed.value_or(setup.seed);
    counts_.environment = options.environment.value_or(setup.environment);
    counts_.episode = options.episode.value_or(setup.episode);
    for (const Entity& entity : setup.scene.entities()) entity_names_.push_back(entity.name);
    for (const SensorSetup& sensor : setup.sensors) add(sensor);
    if (sensors_.empty()) throw InputError("the scene has no sensor");
  }

  RunResult run() {
    stop_if_asked();
    folder_.open(plan(), frames_, setup_.inputs);
    open_logs();
    begin_ = Clock::now();
    for (std::uint32_t index = 0; index < frames_; ++index) {
      for (std::size_t i = 0; i < sensors_.size(); ++i) render(i, index);
      counts_.progress.frames_done = index + 1;
      counts_.progress.seconds = seconds_since(begin_);
      if (options_.on_progress) options_.on_progress(counts_.progress);
    }
    close_logs();
    return finish();
  }

 private:
  /// The seed of everything that is drawn in this run.
  static std::uint64_t seed_of_episode(const SceneSetup& setup, const RunOptions& options) {
    return episode_seed(options.seed.value_or(setup.seed), options.environment.value_or(setup.environment),
                        options.episode.value_or(setup.episode));
  }

  static SimulatorOptions simulator_options(const SceneSetup& setup, const RunOptions& options) {
    SimulatorOptions result;
    result.seed = seed_of_episode(setup, options);
    result.compute = options.compute;
    result.rate_hz = setup.rate_hz;
    result.start_s = setup.start_s;
    result.should_stop = options.should_stop;
    return result;
  }

  void add(const SensorSetup& setup) {
    check_sensor_name(setup.sensor.name);
    names_.add(setup.sensor.name);
    SensorCounts counts;
    counts.name = setup.sensor.name;
    Sensor drawn = setup.sensor;
    counts.drawn = draw_ranges(drawn, setup.ranges, simulator_.options().seed);
    counts.id = simulator_.add_sensor(std::move(drawn));
    RunningSensor sensor{.id = counts.id,
                         .name = setup.sensor.name,
                         .files = plan_files(setup),
                         .frame = Frame(planned_channels(setup)),
                         .carrier = {setup_.scene, simulator_.sensor(counts.id)}};
    sensor.logs = wants_scan_log(setup);
    if (sensor.logs) check_scan_log(sensor.id, frames_, simulator_);
    sensors_.push_back(std::move(sensor));
    counts_.sensors.push_back(std::move(counts));
    counts_.progress.frames_total = frames_;
  }

  [[nodiscard]] std::vector<PlannedFolder> plan() const {
    std::vector<PlannedFolder> folders;
    for (const RunningSensor& sensor : sensors_) {
      PlannedFolder folder{sensor.name, {}};
      for (const PlannedFile& file : sensor.files) folder.files.push_back(file.pattern());
      if (sensor.logs) folder.files.emplace_back(kScanLogName);
      if (!folder.files.empty()) folders.push_back(std::move(folder));
    }
    return folders;
  }

  void stop_if_asked() const {
    if (options_.should_stop && options_.should_stop()) stop();
  }

  [[noreturn]] void stop() const {
    throw Interrupted(fmt::format("stopped after {} of {} frames; the files in {} are whole, there is no {}",
                                  counts_.progress.frames_done, frames_, options_.out.string(), kSummaryName));
  }

  void render(std::size_t i, std::uint32_t index) {
    stop_if_asked();
    RunningSensor& sensor = sensors_[i];
    const Clock::time_point begin = Clock::now();
    cast(sensor, index);
    const ReasonCounts reasons = count(sensor.frame, seconds_since(begin), counts_.sensors[i]);
    watch_carrier(sensor, index, reasons);
    const Pose world_from_sensor = simulator_.world_from_sensor(sensor.id, sensor.frame.stamp_s());
    const FileContext context = {world_from_sensor, entity_names_};
    if (sensor.log) sensor.log->add(sensor.frame, world_from_sensor);
    for (const PlannedFile& file : sensor.files) {
      stop_if_asked();
      const std::string name = sensor.name + "/" + file.name(index);
      file.write(folder_.path() / name, sensor.frame, context);
      counts_.files.push_back(name);
    }
  }

  /// To be stopped within a frame is to be stopped before it.
  void cast(RunningSensor& sensor, std::uint32_t index) {
    try {
      simulator_.render(sensor.id, index, sensor.frame);
    } catch (const Interrupted&) {
      stop();
    }
  }

  /// What the watch needs is asked for only once a frame is nearly all below the minimum range; from then on, the
  /// sensor keeps it.
  void watch_carrier(RunningSensor& sensor, std::uint32_t index, const ReasonCounts& reasons) {
    if (!sensor.carrier.suspects(reasons)) return;
    const ChannelSet wanted = sensor.frame.channels() | sensor.carrier.channels();
    if (wanted != sensor.frame.channels()) {
      sensor.frame = Frame(wanted);
      cast(sensor, index);
    }
    sensor.carrier.count(sensor.frame, simulator_.pattern(sensor.id, index).min_range_m);
  }

  static std::string log_name(const RunningSensor& sensor) { return sensor.name + "/" + kScanLogName; }

  void open_logs() {
    for (RunningSensor& sensor : sensors_) {
      if (!sensor.logs) continue;
      sensor.log = std::make_unique<ScanLogFile>(folder_.path() / log_name(sensor), simulator_.pattern(sensor.id, 0));
    }
  }

  void close_logs() {
    for (RunningSensor& sensor : sensors_) {
      if (!sensor.log) continue;
      sensor.log->commit();
      counts_.files.push_back(log_name(sensor));
    }
  }

  ReasonCounts count(const Frame& frame, double seconds, SensorCounts& counts) {
    counts.rows = frame.rows();
    counts.cols = frame.cols();
    counts.rays += frame.size();
    counts.seconds += seconds;
    const ReasonCounts reasons = frame.count_reasons();
    for (std::size_t r = 0; r < reasons.size(); ++r) counts.reasons[r] += reasons[r];
    counts_.progress.rays_done += frame.size();
    counts_.progress.cast_seconds += seconds;
    return reasons;
  }

  RunResult finish() {
    for (const RunningSensor& sensor : sensors_) {
      if (const auto warning = sensor.carrier.warning(frames_)) counts_.warnings.push_back(*warning);
    }
    WholeFile summary(folder_.path() / kSummaryName);
    summary.write(summary_text(setup_, simulator_, counts_));
    summary.commit();
    folder_.finish();
    RunResult result;
    for (const std::string& file : counts_.files) result.files.push_back(folder_.path() / file);
    result.files.push_back(folder_.path() / kSummaryName);
    result.progress = counts_.progress;
    result.warnings = counts_.warnings;
    return result;
  }

  const SceneSetup& setup_;
  const RunOptions& options_;
  std::uint32_t frames_;
  RunFolder folder_;
  Simulator simulator_;
  std::vector<RunningSensor> sensors_;
  SensorNames names_;
  std::vector<std::string> entity_names_;  ///< [entity id]
  RunCounts counts_;
  Clock::time_point begin_;
};

}  // namespace

RunResult run(const SceneSetup& setup, const RunOptions& options) {
  try {
    return Runner(setup, options).run();
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("{}: the run does not fit into memory", setup.file.string()));
  }
}

}  // namespace fathom
