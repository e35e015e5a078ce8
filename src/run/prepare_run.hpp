// SPDX-License-Identifier: MIT
#pragma once
// A run before it begins: its checked input, its files, and the order of its frames. run_scene(), plan_run(),
// publish_scene() and datasets share it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

#include "render/simulators.hpp"

namespace fathom {

/// Identifies a run of a scene.
struct RunEpisode {
  std::uint64_t seed = 0;
  std::uint32_t environment = 0, episode = 0;
};

/// A sensor of a run, whose simulator has it.
struct RunSensor {
  SensorId id = {};
  std::vector<ParameterRange::Drawn> drawn;  ///< for the episode
  std::vector<OutputFile> files;
  ChannelSet channels;       ///< that its files and the counts of the summary need
  std::uint32_t frames = 0;  ///< that it makes while the scene makes PreparedRun::frames
};

struct PreparedRun {
  std::uint32_t frames = 0;  ///< of the scene
  RunEpisode episode;
  Simulator simulator;
  std::vector<ParameterRange::Drawn> drawn;  ///< of the entities, for the episode
  std::vector<RunSensor> sensors;            ///< in the order of the scene file, at least one
};

/// How a message about a sensor's timing begins: "s.yaml:9:5: sensors.lidar.timing", or with the sensor's name.
std::string place_of_timing(const SensorSetup& setup);

/// Throws InputError unless a scene can have this many frames.
void check_frames(std::uint32_t frames);

/// Checks all input except the folder; casts no ray and writes no file. `trees`: of the scene, for runs that share
/// them; null: the run builds its own. Throws InputError.
PreparedRun prepare_run(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees = nullptr);

/// Changes `run`, which was prepared for `setup`, to another environment and episode. Draws the parameters again and
/// keeps rays, plans and trees. Renders the same frames as a run that was prepared for them.
void begin_episode(PreparedRun& run, const SceneSetup& setup, std::uint32_t environment, std::uint32_t episode);

/// All files of a sensor, in the order of its outputs. Throws InputError when two outputs would write the same file,
/// one is no valid OutputFile, or the sensor cannot have it.
std::vector<OutputFile> plan_files(const SensorSetup& setup);

/// Throws InputError unless the name can be a folder and a part of a --set path.
void check_sensor_name(std::string_view name);

/// The names of the sensors of a run; each is also a folder.
class SensorNames {
 public:
  /// Throws InputError when the name exists, ignoring case, as some file systems do.
  void add(const std::string& name);

 private:
  std::map<std::string, std::string> by_lower_case_;
};

/// A frame of the scene, which moves the clock, or a frame of a sensor when it arrives. A dropped frame has the time at
/// which it would arrive.
struct FrameEvent {
  double time_s = 0.0;
  std::uint32_t index = 0;         ///< of the scene's frame, or of the sensor's
  std::optional<SensorId> sensor;  ///< nothing: the scene
  FrameTime time = {};             ///< of the sensor's frame

  [[nodiscard]] bool is_of_scene() const { return !sensor; }
};

/// The frames of a scene and of all sensors of a simulator, in the order of their times. At one time the scene's frame
/// comes first, then the sensors in their order. Frames of sensors without a timing arrive with the scene's frame of
/// the same number.
class FrameSchedule {
 public:
  /// `scene_frames` of the scene, and the frames that sensors begin during them, even if these arrive later.
  FrameSchedule(const Simulator& simulator, std::uint32_t sensors, std::uint32_t scene_frames);

  /// Nothing after the last frame.
  std::optional<FrameEvent> next();
  /// All frames of the next time: usually one of the scene, with frames of sensors. Empty after the last frame.
  const std::vector<FrameEvent>& next_together();

 private:
  struct Stream {
    std::optional<FrameEvent> next;
    std::uint64_t count = 0;
  };

  void advance(Stream& stream);
  [[nodiscard]] FrameEvent event_of(std::optional<SensorId> sensor, std::uint32_t index) const;
  Stream* earliest();

  const Simulator& simulator_;
  std::vector<Stream> streams_;  // the scene, then the sensors
  std::vector<FrameEvent> together_;
};

/// The last frame of a sensor that has arrived at a time; nothing before the first arrival.
std::optional<FrameTime> last_delivered(const Simulator& simulator, SensorId sensor, double time_s);

}  // namespace fathom
