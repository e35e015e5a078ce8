// SPDX-License-Identifier: MIT
// Robots and worlds from URDF and SDF files.
#include <map>
#include <memory>

#include <fathom/core/error.hpp>
#include <fathom/files/robot.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

using RobotPtr = std::shared_ptr<Robot>;

constexpr std::array<std::string_view, 3> kJointKindNames = {"fixed", "revolute", "prismatic"};

/// A placed robot and the scene that it was added to.
struct PlacedHandle {
  std::shared_ptr<Scene> scene;
  RobotPtr robot;  // with its meshes
  PlacedRobot placed;
};

JointPositions positions_of(const py::dict& joints) {
  JointPositions made;
  for (const auto& [key, value] : joints) {
    if (!py::isinstance<py::str>(key)) throw InputError("joints: a dict of positions by the names of joints wanted");
    const auto name = py::cast<std::string>(key);
    made[name] = real(value, "joints['" + name + "']");
  }
  return made;
}

RobotPtr robot_of_file(const std::filesystem::path& file, const std::string& geometry,
                       const std::map<std::string, std::filesystem::path>& packages,
                       const std::vector<std::filesystem::path>& search_paths, const std::string& missing) {
  RobotFileOptions options;
  options.geometry = static_cast<RobotFileOptions::Geometry>(position_of(geometry, kRobotGeometryNames, "geometry"));
  options.packages = packages, options.search_paths = search_paths;
  options.missing = static_cast<RobotFileOptions::MissingMeshes>(position_of(missing, kMissingMeshesNames, "missing"));
  auto robot = std::make_shared<Robot>();
  released([&] { *robot = read_robot(file, options); });
  return robot;
}

py::list links_list(const Robot& robot) {
  py::list links;
  for (const Robot::Link& link : robot.links) {
    py::dict d;
    d["name"] = link.name;
    d["parent"] = link.parent ? py::object(py::str(robot.links[*link.parent].name)) : py::object(py::none());
    d["joint"] = link.joint ? py::object(py::str(robot.joints[*link.joint].name)) : py::object(py::none());
    d["parent_from_joint"] = py::cast(link.parent_from_joint);
    d["joint_from_link"] = py::cast(link.joint_from_link);
    d["mesh"] = link.mesh ? py::object(py::int_(*link.mesh)) : py::object(py::none());
    links.append(d);
  }
  return links;
}

py::list joints_list(const Robot& robot) {
  py::list joints;
  for (const Robot::Joint& joint : robot.joints) {
    py::dict d;
    d["name"] = joint.name, d["kind"] = kJointKindNames.at(static_cast<std::size_t>(joint.kind));
    d["axis"] = array_of(joint.axis), d["lower"] = joint.lower, d["upper"] = joint.upper;
    d["mimic"] = py::none();
    if (joint.mimic) {
      d["mimic"] = py::make_tuple(robot.joints[joint.mimic->joint].name, joint.mimic->multiplier, joint.mimic->offset);
    }
    joints.append(d);
  }
  return joints;
}

py::dict link_poses(const Robot& robot, const py::dict& joints) {
  const std::vector<Pose> poses = robot_from_links(robot, positions_of(joints));
  py::dict made;
  for (std::size_t i = 0; i < poses.size(); ++i) made[py::str(robot.links[i].name)] = py::cast(poses[i]);
  return made;
}

std::shared_ptr<PlacedHandle> place(const std::shared_ptr<Scene>& scene, const RobotPtr& robot, const py::object& pose,
                                    const py::object& parent, const std::string& prefix, const py::dict& joints,
                                    float reflectivity, const std::vector<std::string>& groups,
                                    const std::optional<std::string>& label, bool one_sided) {
  RobotPlace where;
  where.prefix = prefix, where.parent_from_robot = pose_of(pose, "pose");
  if (!parent.is_none()) where.parent = entity_of(*scene, parent, "parent");
  where.joints = positions_of(joints), where.reflectivity = reflectivity;
  where.groups = groups, where.label = label.value_or(""), where.one_sided = one_sided;
  return std::make_shared<PlacedHandle>(PlacedHandle{scene, robot, PlacedRobot(*scene, *robot, where)});
}

py::object entity_or_none(EntityId entity) {
  return entity == kNoEntity ? py::object(py::none()) : py::object(py::int_(index(entity)));
}

void bind_robot(py::module_& m) {
  py::class_<Robot, RobotPtr>(m, "Robot", "Links that hang on each other by joints, as read_robot() gives them.")
      .def_readonly("name", &Robot::name)
      .def_property_readonly("links", &links_list,
                             "A dict for each link, parents before children: name; parent and joint, names or None;\n"
                             "parent_from_joint and joint_from_link, poses; mesh, a position in meshes or None.")
      .def_property_readonly("joints", &joints_list,
                             "A dict for each joint: name; kind, 'fixed', 'revolute' or 'prismatic'; axis [3] in the "
                             "frame of the\n"
                             "joint; lower and upper, rad or m; mimic, (joint, multiplier, offset) or None.")
      .def_property_readonly(
          "meshes",
          [](const RobotPtr& robot) {
            py::list meshes;
            for (Mesh& mesh : robot->meshes) meshes.append(std::shared_ptr<Mesh>(robot, &mesh));
            return meshes;
          },
          "The shapes of links.")
      .def_readonly("notes", &Robot::notes, "A line for each file with unread parts.")
      .def_readonly("files", &Robot::files, "All files that were opened.")
      .def("link_poses", &link_poses, "joints"_a = py::dict(),
           "The pose of every link in the robot's frame, by its name. joints: positions by name, rad or m; other\n"
           "joints are at 0.")
      .def("__repr__", [](const Robot& r) {
        return "Robot '" + r.name + "' of " + std::to_string(r.links.size()) + " links, " +
               std::to_string(r.joints.size()) + " joints";
      });
  m.def("read_robot", &robot_of_file, "file"_a, py::kw_only(), "geometry"_a = "visual",
        "packages"_a = std::map<std::string, std::filesystem::path>(),
        "search_paths"_a = std::vector<std::filesystem::path>(), "missing"_a = "refuse",
        "Reads a robot (URDF), a model or a world (SDF). geometry: 'visual' or 'collision'; packages: the folders of\n"
        "packages and models by name; search_paths: folders that hold other packages; missing: 'refuse' or 'skip' "
        "meshes\n"
        "that are absent or outside of these folders. What was not read is in notes.");
}

void bind_placed_robot(py::module_& m) {
  py::class_<PlacedHandle, std::shared_ptr<PlacedHandle>>(
      m, "PlacedRobot",
      "A robot in a scene. A link with a shape is an entity of its name, which hangs on the nearest link above it\n"
      "that has a shape, or on the parent of the robot.")
      .def(
          py::init(&place), "scene"_a.none(false), "robot"_a.none(false), "pose"_a = py::make_tuple(0, 0, 0),
          py::kw_only(), "parent"_a = py::none(), "prefix"_a = "", "joints"_a = py::dict(), "reflectivity"_a = 1.0F,
          "groups"_a = py::make_tuple(), "label"_a = py::none(), "one_sided"_a = false,
          "Adds the links to the scene, or refuses and adds nothing. pose: in the world or in the frame of the entity\n"
          "`parent`; prefix: before the names of its entities; joints: positions by name, rad or m; reflectivity,\n"
          "groups, label, one_sided: of all links, as for Scene.add_entity().")
      .def_readonly("scene", &PlacedHandle::scene, "The scene that it was added to.")
      .def_readonly("robot", &PlacedHandle::robot)
      .def(
          "entity",
          [](const PlacedHandle& h, const std::string& link) { return entity_or_none(h.placed.entity(link)); },
          "link"_a, "The entity of a link, named as the file has it; None: it has no shape.")
      .def(
          "mount",
          [](const PlacedHandle& h, const std::string& link) {
            const PlacedRobot::Mount mount = h.placed.mount(link);
            py::dict d;
            d["pose"] = py::cast(mount.parent_from_link), d["parent"] = entity_or_none(mount.parent);
            return d;
          },
          "link"_a,
          "pose and parent for what hangs on a link: Sensor('camera', model, **arm.mount('wrist')). On a link with a\n"
          "shape it moves with the joints; else the pose holds until joints between them move.")
      .def(
          "set_joints",
          [](PlacedHandle& h, const py::dict& joints) { h.placed.set_joints(*h.scene, positions_of(joints)); },
          "joints"_a,
          "Moves joints, rad or m by name; the others stay. Nothing moves when one is refused. The next frame sees it.")
      .def(
          "set_pose",
          [](PlacedHandle& h, const py::object& pose) { h.placed.set_pose(*h.scene, pose_of(pose, "pose")); }, "pose"_a,
          "Moves the whole robot, in the world or in its parent's frame.")
      .def("__repr__", [](const PlacedHandle& h) { return "PlacedRobot '" + h.robot->name + "'"; });
}

}  // namespace

void bind_robots(py::module_& m) {
  bind_robot(m);
  bind_placed_robot(m);
}

}  // namespace fathom::python
