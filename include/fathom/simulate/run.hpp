// SPDX-License-Identifier: MIT
#pragma once
// From a scene file to a folder of files: `fathom simulate` and `fathom check` as calls.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/output_kinds.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// A sensor of a scene file, with its outputs.
struct SensorSetup {
  Sensor sensor;  ///< its name also names a folder: letters, digits, _ and - only
  std::vector<Output> outputs;
  /// Parameters that are drawn for the episode; until then `sensor` holds the middles and the nominal pose.
  std::vector<ParameterRange> ranges = {};
  std::string preset = {};        ///< the preset that the scene file names; empty: it names no preset
  std::string place = {};         ///< "s.yaml:7:5", for messages; empty: the sensor is from no file
  std::string timing_place = {};  ///< "s.yaml:9:5: sensors.lidar.timing", for messages about its timing
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
  std::uint32_t environment = 0, episode = 0;  ///< drawn parameters depend on (seed, environment, episode)
  Device device = {};                          ///< renders, unless RunOptions choose another
  /// Every file that read_scene_file() opened; run_scene() replaces none of them.
  std::vector<std::filesystem::path> inputs = {};
  std::vector<std::string> overrides = {};  ///< of read_scene_file()
  std::vector<std::string> notes = {};      ///< on parts of robots and worlds that were not read (Robot::notes)
  /// Parameters of entities that are drawn for the episode; until then `scene` holds the middles of reflectivities and
  /// the nominal poses.
  std::vector<ParameterRange> entity_ranges = {};
};

/// Reads a scene file. Each override is "path=value", for example "sensors.lidar.noise.distance.stddev_m=0.05". A path
/// consists of keys, list positions and the names of named list entries, and must exist in the format. The value is
/// YAML, or @ and the name of a file that holds it.
/// Throws InputError: "house.yaml:12:7: sensors.lidar.noise.distance.stddev_m = -1 is not in [0, 10] m".
FATHOM_API SceneSetup read_scene_file(const std::filesystem::path& file,
                                      const std::vector<std::string>& overrides = {});
/// Reads a ray table from NPY (float32 or float64, [n, 6 to 9]) or CSV (header line names the columns): ox oy oz dx dy
/// dz [range_m] [ring] [time_s]. Directions are normalised; range_m is the ray's own maximum range and replaces
/// `max_range_m`. The pattern is one row. Throws InputError naming the file, and the line of CSV.
FATHOM_API RayPattern read_ray_table(const std::filesystem::path& file, float min_range_m, float max_range_m);

/// File names have six digits for the frame.
inline constexpr std::uint32_t kMaxFrames = 1'000'000;

struct RunOptions {
  struct Progress {
    std::uint32_t frames_done = 0, frames_total = 0;
    std::uint64_t rays_done = 0;
    double seconds = 0.0;       ///< since the first frame began
    double cast_seconds = 0.0;  ///< of these, inside Simulator::render
  };

  std::filesystem::path out;            ///< folder to make, or an empty one
  bool force = false;                   ///< replace the files of an earlier run, complete or not
  std::optional<std::uint32_t> frames;  ///< instead of the scene file's; 1 to kMaxFrames
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> environment, episode;
  /// An MCAP file of the messages that the sensors would publish in ROS 2 (docs/bags.md); empty: no bag. `force`
  /// replaces an existing one.
  std::filesystem::path bag = {};
  bool digest = false;           ///< computes RunResult::Sensor::digest, also for summary.json; costs time
  Compute compute = {};          ///< its device is used unless it is the processor
  std::optional<Device> device;  ///< instead of the devices of the scene file and of `compute`
  std::function<void(const Progress&)> on_progress;  ///< after every frame, from the calling thread
  std::function<bool()> should_stop;  ///< asked before every frame and file, and within frames from any thread
};

/// A simulator of a scene file, in memory: the sensors have the ids 0, 1, ... in the order of `setup.sensors`, and
/// parameters given as ranges are drawn for the episode. Its frames are equal to the files of run_scene():
///
///   const SceneSetup setup = read_scene_file("house.yaml");
///   Simulator simulator = make_simulator(setup);
///   Frame frame({Channel::kRange, Channel::kReason});
///   simulator.render(SensorId{0}, 0, frame);
///
/// Its scene() has the drawn poses of entities, until they are placed again; drawn reflectivities apply to frames only.
/// Uses the options seed, environment, episode, compute, device and should_stop. Throws InputError as run_scene() would
/// for the scene and its sensors. Ignores outputs. A scene may have no sensors: the caller adds them.
FATHOM_API Simulator make_simulator(const SceneSetup& setup, const RunOptions& options = {});

struct RunResult {
  /// The results of a sensor over all frames.
  struct Sensor {
    std::string name;
    std::uint64_t rays = 0;
    std::array<std::uint64_t, kReasonNames.size()> reasons{};  ///< [Reason]: how many rays ended with it
    double seconds = 0.0;                                      ///< inside Simulator::render
    std::string digest;  ///< FrameDigest of all its frames; empty unless RunOptions::digest
    [[nodiscard]] double rays_per_second() const { return seconds > 0.0 ? static_cast<double>(rays) / seconds : 0.0; }
  };

  std::vector<std::filesystem::path> files;  ///< in the order written; the bag and summary.json last
  RunOptions::Progress progress;
  std::vector<Sensor> sensors;  ///< in the order of the scene file
  /// The notes of the scene, and obvious mistakes, a sentence each; in summary.json too.
  std::vector<std::string> warnings;
};

/// Renders every frame of every sensor and writes out/<sensor>/<kind>_<frame>.<extension> and, last, out/summary.json.
/// Every file appears whole or not at all, and nothing is written unless all input is valid. The bytes of every file
/// are the same on any computer and for any number of threads, except "versions" and "run" in summary.json and the
/// compression of pictures, which is zlib's. Ranges are drawn once, before the first frame;
/// Environments renders the same frames for the same seed, environment and episode. Until the run is complete, the
/// folder holds unfinished.txt instead of summary.json. It names the files of the run, and the run keeps it locked, so
/// that two runs cannot share a folder. `force` first removes the files that an earlier run lists in its summary.json
/// or unfinished.txt. Other files stay; a run that would overwrite one of them is refused. Throws InputError (bad
/// input, an input of the scene among the files to remove or to write, a folder that is not empty or in which another
/// run writes), SystemError (disk, memory) or Interrupted (should_stop returned true; then there is no summary.json).
FATHOM_API RunResult run_scene(const SceneSetup& setup, const RunOptions& options);

struct FATHOM_API RunPlan {
  struct Sensor {
    /// The files of one output of one sensor; an output that writes several files a frame, as npy does for its
    /// channels, has an entry for each.
    struct Output {
      std::string first_file;           ///< in the folder of the run: "lidar/cloud_000000.pcd"
      std::uint64_t files = 0;          ///< all frames, as if none were dropped
      std::uint64_t bytes_at_most = 0;  ///< of all files: clouds with every return, pictures uncompressed
    };

    std::string name, kind;
    std::string preset;  ///< empty: no preset
    std::uint32_t rows = 0, cols = 0;
    std::uint32_t frames = 0;   ///< dropped ones included
    std::uint32_t returns = 1;  ///< of each ray
    std::vector<Output> outputs;

    [[nodiscard]] std::uint64_t rays() const { return std::uint64_t{rows} * cols; }  ///< of a frame
  };

  std::uint32_t frames = 0;  ///< of the scene
  std::uint64_t entities = 0, meshes = 0;
  std::uint64_t triangles = 0;     ///< of all meshes
  std::uint64_t ranges = 0;        ///< numbers that are drawn for each episode
  std::uint64_t memory_bytes = 0;  ///< approximate need of the run, besides the rest of the process
  std::vector<Sensor> sensors;

  [[nodiscard]] std::uint64_t files() const;  ///< with summary.json
  [[nodiscard]] std::uint64_t bytes_at_most() const;
};

/// Checks the scene, its sensors and outputs and the number of frames as run_scene() does before it writes; casts no
/// ray and writes no file. Uses only the options frames, seed, environment and episode, not the folder or `compute`.
/// Throws InputError as run_scene() would.
FATHOM_API RunPlan plan_run(const SceneSetup& setup, const RunOptions& options);

}  // namespace fathom
