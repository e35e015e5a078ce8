// SPDX-License-Identifier: MIT
#pragma once
// From a scene file to a folder of files: what `fathom simulate` does, as a call.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/outputs/output.hpp>
#include <fathom/simulate/parameter_range.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// A sensor of a scene file, with the files it shall write.
struct SensorSetup {
  Sensor sensor;  ///< its name also names a folder: letters, digits, _ and - only
  std::vector<Output> outputs;
  std::vector<ParameterRange> ranges = {};  ///< what is drawn for the episode; until then `sensor` holds their
                                            ///< middles and the nominal pose
  std::string preset = {};                  ///< by which the scene file named it; empty: none
  std::string place = {};                   ///< "s.yaml:7:5", for messages; empty: no file has it
  std::string timing_place = {};            ///< "s.yaml:9:5: sensors.lidar.timing", the same of its timing
};

/// A scene file, read and checked. See docs/scene-format.md.
struct SceneSetup {
  std::filesystem::path file;
  Scene scene;
  std::vector<SensorSetup> sensors;
  std::uint32_t frames = 1;
  double rate_hz = 10.0;
  double start_s = 0.0;
  std::uint64_t seed = 0;
  std::uint32_t environment = 0, episode = 0;  ///< what is drawn depends on (seed, environment, episode)
  Device device = {};                          ///< what renders, unless RunOptions say
  std::vector<std::filesystem::path> inputs =
      {};                                   ///< every file that reading it opened; run_scene() replaces none of them
  std::vector<std::string> overrides = {};  ///< those of read_scene_file()
  std::vector<std::string> notes = {};      ///< what robots and worlds hold that was not read (Robot::notes)
  /// What is drawn of entities for the episode; until then `scene` holds the middles of reflectivities and nominal
  /// poses.
  std::vector<ParameterRange> entity_ranges = {};
};

/// Reads a scene file. Each override is "path=value", for example "sensors.lidar.noise.distance.stddev_m=0.05"; a path
/// goes through keys, list positions and the names of named list entries, and must exist in the format. The value is
/// YAML, or an at sign before the name of a file that holds it.
/// Throws InputError: "house.yaml:12:7: sensors.lidar.noise.distance.stddev_m = -1 is not in [0, 10] m".
FATHOM_API SceneSetup read_scene_file(const std::filesystem::path& file,
                                      const std::vector<std::string>& overrides = {});

/// File names count frames with six digits.
inline constexpr std::uint32_t kMaxFrames = 1'000'000;

struct Progress {
  std::uint32_t frames_done = 0, frames_total = 0;
  std::uint64_t rays_done = 0;
  double seconds = 0.0;       ///< since the first frame began
  double cast_seconds = 0.0;  ///< of these, inside Simulator::render
};

struct RunOptions {
  std::filesystem::path out;            ///< folder to make, or an empty one
  bool force = false;                   ///< replace what an earlier run wrote, complete or not
  std::optional<std::uint32_t> frames;  ///< instead of the scene file's; 1 to kMaxFrames
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> environment, episode;
  /// A file for what the sensors would publish in ROS 2, as MCAP (docs/bags.md); empty: none. `force` replaces one.
  std::filesystem::path bag = {};
  bool digest = false;           ///< makes SensorResult::digest, and writes it to summary.json; costs time
  Compute compute = {};          ///< its device counts unless it is the processor
  std::optional<Device> device;  ///< instead of the scene file's, and of that of `compute`
  std::function<void(const Progress&)> on_progress;  ///< after every frame, from the calling thread
  std::function<bool()> should_stop;                 ///< asked before every frame and file, and within
                                                     ///< frames from any thread
};

/// A simulator of a scene file, in memory: the sensors have the ids 0, 1, ... in the order of `setup.sensors`, and
/// parameters given as ranges are drawn for the episode. Its frames are those that run_scene() writes to files:
///
///   const SceneSetup setup = read_scene_file("house.yaml");
///   Simulator simulator = make_simulator(setup);
///   Frame frame({Channel::kRange, Channel::kReason});
///   simulator.render(SensorId{0}, 0, frame);
///
/// Entities whose pose is drawn stand there in its scene(), until they are placed anew; a reflectivity that is drawn
/// counts in frames alone.
/// Of the options only seed, environment, episode, compute, device and should_stop count. Throws InputError as
/// run_scene() would for the scene and its sensors. Outputs are not looked at, and a scene may be without sensors: the
/// caller adds them.
FATHOM_API Simulator make_simulator(const SceneSetup& setup, const RunOptions& options = {});

/// What became of the rays of a sensor, over all frames.
struct SensorResult {
  std::string name;
  std::uint64_t rays = 0;
  std::array<std::uint64_t, kReasonNames.size()> reasons{};  ///< [Reason]: how many rays ended with it
  double seconds = 0.0;                                      ///< inside Simulator::render
  std::string digest;  ///< FrameDigest of all its frames; empty unless RunOptions::digest
  [[nodiscard]] double rays_per_second() const { return seconds > 0.0 ? static_cast<double>(rays) / seconds : 0.0; }
};

struct RunResult {
  std::vector<std::filesystem::path> files;  ///< in the order written; the bag and summary.json last
  Progress progress;
  std::vector<SensorResult> sensors;  ///< in the order of the scene file
  /// The notes of the scene, and what is surely a mistake, a sentence each; in summary.json too.
  std::vector<std::string> warnings;
};

/// Renders every frame of every sensor and writes out/<sensor>/<kind>_<frame>.<extension> and, last, out/summary.json.
/// Every file appears whole or not at all, and nothing is written unless all input is valid. With the caster `tree` the
/// bytes of every file are the same on any computer and for any number of threads, except "versions" and "run" in
/// summary.json and the compression of pictures, which is zlib's.
/// Ranges are drawn once, before the first frame; the frames are those that Environments renders for the same seed,
/// environment and episode.
/// Until summary.json is there, the folder holds unfinished.txt: it names the files of the run, and the run keeps it
/// locked, so that two runs cannot share a folder.
/// With `force`, the files that an earlier run lists in its summary.json or unfinished.txt are removed first. Other
/// files stay; the run is refused when one of them has the name of a file to be written.
/// Throws InputError (bad input, an input of the scene among the files to remove or to write, a folder that is not
/// empty or in which another run writes), SystemError (disk, memory) or Interrupted (should_stop said yes; no
/// summary.json then).
FATHOM_API RunResult run_scene(const SceneSetup& setup, const RunOptions& options);

}  // namespace fathom
