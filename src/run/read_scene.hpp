// SPDX-License-Identifier: MIT
#pragma once
// The parts of a scene file, and how they are read. Kinds of sensors, noise models, outputs and presets come from their
// tables: a new one needs no change here.

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/files/meshes.hpp>
#include <fathom/files/robot.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/scene/trajectory.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text/read_fields.hpp"
#include "core/text/yaml.hpp"

namespace fathom {

struct SceneClock;

// Values (read_values.cpp).

/// The files of a scene.
struct SceneFiles {
  std::filesystem::path folder;                    ///< of the scene file
  std::vector<std::filesystem::path> opened = {};  ///< that the scene file names
  std::vector<std::string> notes = {};             ///< on values that are likely slips, a sentence each
  double first_frame_s = 0.0, last_frame_s = 0.0;  ///< of the scene, for motions
};

/// A file named in a scene file, relative to the folder of the file that names it; for a name from the command line
/// (--set), relative to the folder of the scene file. It counts as opened.
std::filesystem::path read_path(const YamlReader& reader, SceneFiles& files);

/// `motion` (keyframes, or a trajectory file) if the map has it, else the fixed pose.
Trajectory read_trajectory_or_pose(YamlReader& map, SceneFiles& files);

/// A range, to be drawn once per episode, and its place in the file.
struct LocatedRange {
  YamlReader where;
  ParameterRange range;
};

/// {uniform: [low, high]}, {log_uniform: [low, high]}, {normal: [mean, stddev], limits: [low, high]} or
/// truncated_normal instead of normal. The default limits come from the field. Nothing if the value is no map, or
/// the field is no number. The caller sets the target of the range.
std::optional<ParameterRange> read_range(const Quantity& quantity, const FieldInfo& field);

/// The value of a sensor's field as read_value() returns it, with the middle of a range. Adds the ranges to `ranges`,
/// with ParameterRange::Target::kSensor.
std::vector<double> read_value_or_range(const Quantity& quantity, const FieldInfo& field,
                                        std::vector<LocatedRange>& ranges);

/// `pose_offset` of a sensor or an entity, if the map has it: position_m and rotation_rad (or _deg), each a list of
/// three numbers or ranges, or one range for all three. A number other than 0 is a range of one value.
std::vector<LocatedRange> read_pose_offset(YamlReader& map, ParameterRange::Target target);

/// Throws InputError when a range is given instead of a plain number; for YamlReader.
void refuse_range(const YamlReader& number);

/// The value of a range until it is drawn: its middle.
double middle_of(const ParameterRange& range);

// The scene (read_world.cpp, read_meshes.cpp, read_robots.cpp).

/// Adds the materials of `scene.materials` to the scene:
///
///   asphalt: {reflectivity: 0.17}
///   car_paint: {reflectivity: 0.5, table_deg: [[0, 1], [20, 0.3], [90, 0]]}
///   sign: {reflectivity: 0.7, retro: {gain: 40, width_deg: 25}}
void read_materials(YamlReader map, Scene& scene);

/// An entry of `meshes`: a file name, {file: name, up_axis: y}, or {primitive: {sizes}}.
Mesh read_mesh_entry(YamlReader entry, SceneFiles& files);

/// Whether an entry of `meshes` is {file: name, split: nodes}.
bool is_split(const YamlReader& entry);
/// The parts of such a file.
std::vector<MeshPart> read_split_mesh(YamlReader entry, SceneFiles& files);

/// The names in `scene.labels`; empty: the scene has no such table, and labels get ids in the order of their use.
using LabelNames = std::optional<std::vector<std::string>>;

/// Reads the surface of an Entity or a RobotPlace: reflectivity, groups, label, one_sided, for an Entity also material.
/// Keys that are missing change nothing. If the scene has a table of labels, other labels are refused as slips. An
/// Entity's reflectivity may be a range, which is returned, and its middle set.
template <class T>
std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, T& thing);

/// The links without a shape, by name. They are no entities, but may be parents of sensors and entities.
using BareLinks = std::map<std::string, PlacedRobot::Mount, std::less<>>;

/// The parent of a sensor or an entity by its name: an entity, or a link without shape. Throws InputError.
PlacedRobot::Mount find_parent(const Scene& scene, const BareLinks& bare_links, std::string_view name);

/// A motion relative to a link, converted to the frame of the link's parent.
Trajectory carried(const Pose& parent_from_link, const Trajectory& motion);

/// Adds the links of all robots in `from`: a file name, a map with the file and options, or a list of these. Adds a
/// note for everything in their files that fathom does not read.
void read_robots(const YamlReader& from, SceneFiles& files, const LabelNames& labels, Scene& scene,
                 BareLinks& bare_links, std::vector<std::string>& notes);

struct WorldSetup {
  Scene scene;
  BareLinks bare_links = {};
  std::vector<std::string> notes = {};      ///< on everything that was not read
  std::vector<ParameterRange> ranges = {};  ///< of entities; the scene holds the middles
};

/// The `scene` of a scene file: meshes, entities, robots and worlds of other formats.
WorldSetup read_world(YamlReader map, SceneFiles& files);

// Sensors (read_sensor.cpp, read_noise.cpp).

/// The typical noise of its preset, for a sensor whose map has no `noise`. Throws InputError when the other keys of
/// the map do not fit it.
void read_preset_noise(const YamlReader& map, const SensorPreset& preset, SensorSetup& setup);

/// The `noise` of a sensor: a list of `slug: {parameters}` and of the word `preset`, or that word alone. `preset` means
/// the typical noise of the sensor's preset (null when the sensor has no preset). A number may be a range. A model may
/// have `entities`, a map from names of the scene to parameters that differ there, or `rings`, a map from the numbers
/// of the sensor's rings, and a `correlation` of its draws. Fills the noise of the sensor, whose model must be set, and
/// the ranges, and adds a note for each parameter that has no effect.
void read_noise(const YamlReader& reader, const SensorPreset* preset, const Scene& scene, SensorSetup& setup,
                std::vector<std::string>& notes);
/// The key `velocity_noise`: a list of models as in `noise`, without ranges.
void read_velocity_noise(const YamlReader& reader, const Scene& scene, SensorSetup& setup,
                         std::vector<std::string>& notes);

/// An entry of `sensors`. `clock`: of the scene, which the timing of a sensor must suit. `entity_farthest_m`:
/// farthest_from_world_m(scene), which takes a walk over all entities.
SensorSetup read_sensor(YamlReader map, const SceneClock& clock, const Scene& scene, const BareLinks& bare_links,
                        std::span<const double> entity_farthest_m, SceneFiles& files);

}  // namespace fathom
