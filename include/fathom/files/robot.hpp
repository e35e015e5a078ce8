// SPDX-License-Identifier: MIT
#pragma once
// Robots and worlds from the files in which others keep them, URDF and SDF: links with their shapes, in a scene.
// Sensors are attached to links by name:
//
//   PlacedRobot arm(scene, read_robot("arm.urdf"), {.joints = {{"shoulder", 0.5}}});
//   const LinkMount wrist = arm.mount("wrist");
//   simulator.add_sensor({.name = "cam", .model = model, .parent_from_sensor = wrist.parent_from_link,
//                         .parent = wrist.parent});
//   arm.set_joints(simulator.scene(), {{"elbow", -1.2}});  // before the next frame

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/base/ids.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom {

/// Which of the two shapes of a link: what is seen, or the simpler one of physics.
enum class RobotGeometry : std::uint8_t { kVisual, kCollision };
inline constexpr std::array<std::string_view, 2> kRobotGeometryNames = {"visual", "collision"};

/// Whether a link's mesh may lack its file, or have it outside of the named folders.
enum class MissingMeshes : std::uint8_t { kRefuse, kSkip };  ///< kSkip: a note for each
inline constexpr std::array<std::string_view, 2> kMissingMeshesNames = {"refuse", "skip"};

struct RobotFileOptions {
  RobotGeometry geometry = RobotGeometry::kVisual;
  /// The folders of packages and models by name, for package://name/... and model://name/...
  std::map<std::string, std::filesystem::path> packages = {};
  /// Folders that hold packages and models, searched in order for names that `packages` lacks: by the names of
  /// folders and by those in their package.xml. Then the package in which the file lies is, and those beside it.
  std::vector<std::filesystem::path> search_paths = {};
  MissingMeshes missing = MissingMeshes::kRefuse;
};

enum class JointKind : std::uint8_t { kFixed, kRevolute, kPrismatic };  ///< kFixed: and all that fathom does not move

/// A joint that follows another one: position = multiplier * that of `joint` + offset.
struct JointMimic {
  std::size_t joint = 0;  ///< in Robot::joints
  double multiplier = 1.0, offset = 0.0;
};

struct RobotJoint {
  std::string name;
  JointKind kind = JointKind::kFixed;
  Vec3 axis = {1, 0, 0};                                    ///< of length 1, in the frame of the joint
  double lower = -std::numeric_limits<double>::infinity();  ///< of the position, rad or m
  double upper = std::numeric_limits<double>::infinity();
  std::optional<JointMimic> mimic = {};
};

/// Its pose is parent_from_joint * (motion of the joint) * joint_from_link.
struct RobotLink {
  std::string name;                        ///< unique; of SDF model::link
  std::optional<std::size_t> parent = {};  ///< in Robot::links, before this one; none: the robot's own frame
  std::optional<std::size_t> joint = {};   ///< in Robot::joints; none: fixed
  Pose parent_from_joint = {};
  Pose joint_from_link = {};
  std::optional<std::size_t> mesh = {};  ///< in Robot::meshes, in the frame of the link; none: a link without shape
};

/// What a file describes: a robot (URDF), a model or a world (SDF), as links that hang on each other by joints.
struct Robot {
  std::string name;
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;
  std::vector<Mesh> meshes;                  ///< all shapes of a link are one; links of the same shapes share it
  std::vector<std::string> notes;            ///< a line for each file that holds what was not read, naming all of it
  std::vector<std::filesystem::path> files;  ///< all that were opened
};

/// Throws InputError when an index is out of range, a parent does not stand before its child, joints follow each other
/// in a circle, or a number is not finite.
FATHOM_API void validate(const Robot& robot);

/// Reads URDF (by urdfdom) or SDF (by libsdformat), told apart by content. Meshes keep the axes of their files,
/// whatever axis these say is up, as in RViz; boxes, spheres, cylinders, capsules, ellipsoids, planes and height maps
/// are made. Of formats and shapes that fathom does not know, of sensors, plugins, actors and the like, `notes` tells.
/// Files are opened in the package around the file (a folder with package.xml or model.config), else in its own folder,
/// and in the folders that `options` name; nowhere else, links followed. Throws InputError naming the file for what is
/// missing, damaged, includes itself or describes no tree of links, and where this build of fathom lacks the library
/// for the format. For one thread at a time within a process: other threads wait.
FATHOM_API Robot read_robot(const std::filesystem::path& file, const RobotFileOptions& options = {});

/// Positions by the name of the joint: rad of a revolute one, m of a prismatic one.
using JointPositions = std::map<std::string, double, std::less<>>;

/// The pose of every link in the robot's frame, in the order of `robot.links`; joints that are not named are at 0.
/// Throws InputError for a joint that is not there, does not move or follows another one, and for a position beyond its
/// limits.
FATHOM_API std::vector<Pose> robot_from_links(const Robot& robot, const JointPositions& joints = {});

struct RobotPlace {
  std::string prefix = {};  ///< before the name of every link, where a scene has several robots of a kind
  EntityId parent = kNoEntity;
  Pose parent_from_robot = {};
  JointPositions joints = {};
  float reflectivity = 1.0F;  ///< this and what follows: of all links, as an Entity has it
  std::vector<std::string> groups = {};
  std::string label = {};
  bool one_sided = false;
};

/// What a sensor on a link is attached to: the entity that carries it, or the world (kNoEntity).
struct LinkMount {
  EntityId parent = kNoEntity;
  Pose parent_from_link = {};
};

/// A robot whose links are entities of a scene. A link with a shape is an entity of its name, which hangs on the
/// nearest link above it that has a shape, or on the parent of the robot.
class FATHOM_API PlacedRobot {
 public:
  /// Adds the links to the scene. Throws InputError, and then adds nothing, when a name is taken, or for what
  /// validate() and robot_from_links() refuse.
  PlacedRobot(Scene& scene, Robot robot, const RobotPlace& place = {});

  /// The robot; its meshes are empty, as the scene has them now.
  [[nodiscard]] const Robot& robot() const { return robot_; }
  /// The entity of a link; kNoEntity when it has no shape. Throws InputError naming the nearest name. Names of links
  /// are as the file has them, without the prefix.
  [[nodiscard]] EntityId entity(std::string_view link) const;
  /// Where a link is now, as something that a sensor can be attached to. Of a link with a shape this is its entity, so
  /// that the sensor moves with the joints; of one without, the pose is to be asked for again after the joints between
  /// them have moved.
  [[nodiscard]] LinkMount mount(std::string_view link) const;
  /// Moves joints; those that are not named stay where they are. `scene` is the one that the robot was added to, or a
  /// copy of it (Simulator::scene()). Throws as robot_from_links(), and then moves nothing.
  void set_joints(Scene& scene, const JointPositions& joints);
  /// Moves the whole robot.
  void set_pose(Scene& scene, const Pose& parent_from_robot);

 private:
  FATHOM_HIDDEN void pose_entities(Scene& scene) const;
  FATHOM_HIDDEN std::size_t find_link(std::string_view name) const;
  FATHOM_HIDDEN LinkMount mount(std::size_t link) const;
  FATHOM_HIDDEN LinkMount carrier_of(std::size_t link) const;

  Robot robot_;
  EntityId parent_ = kNoEntity;
  Pose parent_from_robot_;
  std::vector<double> positions_;      // [joints]
  std::vector<Pose> robot_from_link_;  // [links]
  std::vector<EntityId> entities_;     // [links]
  std::vector<std::size_t> carriers_;  // [links]; the nearest link above that has a shape, or the number of links
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace fathom
