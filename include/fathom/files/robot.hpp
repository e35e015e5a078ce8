// SPDX-License-Identifier: MIT
#pragma once
// Robots and worlds from URDF and SDF: links with their shapes, in a scene. Sensors are attached to links by name:
//
//   PlacedRobot arm(scene, read_robot("arm.urdf"), {.joints = {{"shoulder", 0.5}}});
//   const PlacedRobot::Mount wrist = arm.mount("wrist");
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

#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom {

inline constexpr std::array<std::string_view, 2> kRobotGeometryNames = {"visual", "collision"};

inline constexpr std::array<std::string_view, 2> kMissingMeshesNames = {"refuse", "skip"};

struct RobotFileOptions {
  /// What to do if the file of a link's mesh is absent or outside the named folders.
  enum class MissingMeshes : std::uint8_t { kRefuse, kSkip };  ///< kSkip: a note for each

  /// The shapes of links to read: the visible ones, or the simpler ones of physics.
  enum class Geometry : std::uint8_t { kVisual, kCollision };

  Geometry geometry = Geometry::kVisual;
  /// The folders of packages and models by name, for package://name/... and model://name/...
  std::map<std::string, std::filesystem::path> packages = {};
  /// Folders of packages and models, searched in order for names that `packages` lacks: by folder names and by the
  /// names in package.xml. After them the package around the file and its sibling packages are searched.
  std::vector<std::filesystem::path> search_paths = {};
  MissingMeshes missing = MissingMeshes::kRefuse;
};

/// A robot (URDF), a model or a world (SDF), as links that joints connect.
struct Robot {
  struct Joint {
    /// A joint that follows another: position = multiplier * (position of `joint`) + offset.
    struct Mimic {
      std::size_t joint = 0;  ///< in Robot::joints
      double multiplier = 1.0, offset = 0.0;
    };

    enum class Kind : std::uint8_t { kFixed, kRevolute, kPrismatic };  ///< kFixed: also kinds that fathom cannot move
    std::string name;
    Kind kind = Kind::kFixed;
    Vec3 axis = {1, 0, 0};                                    ///< of length 1, in the frame of the joint
    double lower = -std::numeric_limits<double>::infinity();  ///< of the position, rad or m
    double upper = std::numeric_limits<double>::infinity();
    std::optional<Mimic> mimic = {};
  };

  /// The pose of a link is parent_from_joint * (motion of the joint) * joint_from_link.
  struct Link {
    std::string name;                        ///< unique; of SDF model::link
    std::optional<std::size_t> parent = {};  ///< in Robot::links, before this one; absent: the robot's own frame
    std::optional<std::size_t> joint = {};   ///< in Robot::joints; absent: fixed
    Pose parent_from_joint = {};
    Pose joint_from_link = {};
    std::optional<std::size_t> mesh = {};  ///< in Robot::meshes, in the frame of the link; absent: a link without shape
  };

  std::string name;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<Mesh> meshes;                  ///< one for all shapes of a link; links of the same shapes share it
  std::vector<std::string> notes;            ///< a line for each file with parts that were not read, naming them
  std::vector<std::filesystem::path> files;  ///< all opened files
};

/// Reads URDF (by urdfdom) or SDF (by libsdformat), recognised by content. Meshes keep the axes of their files, as in
/// RViz: their up axis is ignored. Makes boxes, spheres, cylinders, capsules, ellipsoids, planes and height maps.
/// `notes` lists unknown formats and shapes, sensors, plugins, actors and other parts that are not read. Opens files
/// only in the package around the file (a folder with package.xml or model.config), else in its own folder, and in the
/// folders of `options`; links do not lead out. Throws InputError naming a file that is missing, damaged, includes
/// itself or has no tree of links, and if this build of fathom lacks the library for the format. One thread at a time:
/// others wait.
FATHOM_API Robot read_robot(const std::filesystem::path& file, const RobotFileOptions& options = {});

/// Positions by the name of the joint: in rad for revolute joints, in m for prismatic ones.
using JointPositions = std::map<std::string, double, std::less<>>;

/// The pose of each link in the robot's frame, in the order of `robot.links`. Joints that are not named are at 0.
/// Throws InputError for an unknown joint, one that does not move or follows another, and for a position beyond its
/// limits.
FATHOM_API std::vector<Pose> robot_from_links(const Robot& robot, const JointPositions& joints = {});

struct RobotPlace {
  std::string prefix = {};  ///< of the names of all links, for several robots of a kind in a scene
  EntityId parent = kNoEntity;
  Pose parent_from_robot = {};
  JointPositions joints = {};
  float reflectivity = 1.0F;  ///< of all links, like the members below; as in Entity
  std::vector<std::string> groups = {};
  std::string label = {};
  bool one_sided = false;
};

/// A robot whose links are entities of a scene. A link with a shape is an entity of its name. Its parent is the nearest
/// link above it with a shape, or the parent of the robot.
class FATHOM_API PlacedRobot {
 public:
  /// The entity that carries a sensor on a link, or the world (kNoEntity), and the link's pose in it.
  struct Mount {
    EntityId parent = kNoEntity;
    Pose parent_from_link = {};
  };

  /// Adds the links to the scene. Throws InputError, and then adds nothing, if a name is taken or the robot is invalid,
  /// or as robot_from_links() does.
  PlacedRobot(Scene& scene, Robot robot, const RobotPlace& place = {});

  /// The robot. Its meshes are empty, because they moved to the scene.
  [[nodiscard]] const Robot& robot() const { return robot_; }
  /// The entity of a link; kNoEntity if it has no shape. Names of links are the file's, without the prefix. Throws
  /// InputError naming the nearest name.
  [[nodiscard]] EntityId entity(std::string_view link) const;
  /// The mount of a sensor on a link. A link with a shape mounts on its entity, so the sensor moves with the joints. A
  /// link without a shape has a fixed pose: call this again after moving the joints between it and the carrier.
  [[nodiscard]] Mount mount(std::string_view link) const;
  /// Moves the named joints. `scene`: the one that the robot was added to, or a copy of it (Simulator::scene()). Throws
  /// as robot_from_links(), and then moves nothing.
  void set_joints(Scene& scene, const JointPositions& joints);
  /// Moves the whole robot.
  void set_pose(Scene& scene, const Pose& parent_from_robot);

 private:
  FATHOM_HIDDEN void pose_entities(Scene& scene) const;
  FATHOM_HIDDEN std::size_t find_link(std::string_view name) const;
  FATHOM_HIDDEN Mount mount(std::size_t link) const;
  FATHOM_HIDDEN Mount carrier_of(std::size_t link) const;

  Robot robot_;
  EntityId parent_ = kNoEntity;
  Pose parent_from_robot_;
  std::vector<double> positions_;      // [joints]
  std::vector<Pose> robot_from_link_;  // [links]
  std::vector<EntityId> entities_;     // [links]
  std::vector<std::size_t> carriers_;  // [links]; the nearest link above with a shape, or the number of links
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace fathom
