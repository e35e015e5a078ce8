// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/world/link_shapes.hpp"
#include "io/world/read_robot.hpp"
#include "io/world/robot_files.hpp"
#include "io/world/urdf/console_capture.hpp"

namespace fathom {

ConsoleCapture::ConsoleCapture() : before_(console_bridge::getOutputHandler()) {
  console_bridge::useOutputHandler(this);
}

ConsoleCapture::~ConsoleCapture() { console_bridge::useOutputHandler(before_); }

void ConsoleCapture::log(const std::string& text, console_bridge::LogLevel level, const char* /*filename*/,
                         int /*line*/) {
  if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) errors_.push_back(text);
}

namespace {

constexpr std::array<std::string_view, 2> kUrdfOfRobot = {"link", "joint"};
constexpr std::array<std::string_view, 1> kUrdfSilentOfRobot = {"material"};
constexpr std::array<std::string_view, 1> kUrdfVisualOnly = {"visual"}, kUrdfCollisionOnly = {"collision"};
constexpr std::array<std::string_view, 3> kUrdfSilentOfLink = {"inertial", "visual", "collision"};
constexpr std::array<std::string_view, 6> kUrdfOfJoint = {"origin", "parent", "child", "axis", "limit", "mimic"};
constexpr std::array<std::string_view, 3> kUrdfSilentOfJoint = {"dynamics", "calibration", "safety_controller"};
constexpr std::array<std::string_view, 2> kUrdfOfShape = {"origin", "geometry"};
constexpr std::array<std::string_view, 3> kUrdfSilentOfShape = {"material", "verbose", "contact_coefficients"};
constexpr std::array<std::string_view, 4> kUrdfShapes = {"box", "sphere", "cylinder", "mesh"};

constexpr std::size_t kMostUrdfDepth = 1000;

/// Cuts a document down to the parts that urdfdom shall read, with paths instead of URIs.
class UrdfPreparation {
 public:
  UrdfPreparation(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, NotRead& not_read)
      : document_(document), file_(file), files_(files), not_read_(not_read) {}

  void prepare() {
    const pugi::xml_node robot = document_.root();
    for (const pugi::xml_node child : robot.children()) {
      if (std::string_view(child.name()).starts_with("xacro:")) {
        document_.fail(child, "is xacro; run 'xacro' on the file and give what it writes");
      }
    }
    prune(robot, {kUrdfOfRobot, kUrdfSilentOfRobot}, not_read_);
    for (const pugi::xml_node joint : robot.children("joint"))
      prune(joint, {kUrdfOfJoint, kUrdfSilentOfJoint}, not_read_);
    for (const pugi::xml_node link : robot.children("link")) prepare_link(link);
    check_tree(robot);
  }

 private:
  /// urdfdom loses links if joints form a circle or two joints lead to one link, and destroys the tree by recursion.
  void check_tree(pugi::xml_node robot) const {
    std::map<std::string_view, pugi::xml_node> joints;  // by their child links
    const auto link_of = [](pugi::xml_node joint, const char* end) {
      return std::string_view(joint.child(end).attribute("link").value());
    };
    for (const pugi::xml_node joint : robot.children("joint")) {
      const std::string_view child = link_of(joint, "child");
      if (joints.emplace(child, joint).second) continue;
      document_.fail(joint, fmt::format("leads to link '{}', which hangs on another joint", child));
    }
    std::map<std::string_view, std::size_t> depths;  // of finished links, in joints from their root
    for (const auto& [link, joint] : joints) {
      std::vector<std::string_view> path;  // of unfinished links, upwards
      std::string_view up = link;
      for (; joints.contains(up) && !depths.contains(up); up = link_of(joints.at(up), "parent")) {
        path.push_back(up);
        if (path.size() > joints.size()) {
          document_.fail(joints.at(up), fmt::format("link '{}' hangs on itself, in a circle of joints", up));
        }
      }
      std::size_t depth = depths.contains(up) ? depths.at(up) : 0;
      for (; !path.empty(); path.pop_back()) {
        depths[path.back()] = ++depth;
        if (depth > kMostUrdfDepth) document_.fail(joint, fmt::format("more than {} joints in a row", kMostUrdfDepth));
      }
    }
  }

  void prepare_link(pugi::xml_node link) {
    const bool visual = files_.geometry() == RobotFileOptions::Geometry::kVisual;
    files_.count_other(!link.child(visual ? "collision" : "visual").child("geometry").empty());
    prune(link, {visual ? kUrdfVisualOnly : kUrdfCollisionOnly, kUrdfSilentOfLink}, not_read_);
    for (pugi::xml_node shape = link.first_child(); !shape.empty();) {
      const pugi::xml_node next = shape.next_sibling();
      if (shape.type() == pugi::node_element && !prepare_shape(link, shape)) link.remove_child(shape);
      shape = next;
    }
  }

  /// Whether fathom can make the shape.
  bool prepare_shape(pugi::xml_node link, pugi::xml_node shape) {
    prune(shape, {kUrdfOfShape, kUrdfSilentOfShape}, not_read_);
    for (pugi::xml_node element : shape.child("geometry").children()) {
      if (element.type() != pugi::node_element) continue;
      const std::string_view word = element.name();
      if (std::find(kUrdfShapes.begin(), kUrdfShapes.end(), word) == kUrdfShapes.end()) {
        not_read_.add(fmt::format("shape <{}> of {}", word, described(link)));
        return false;
      }
      if (word == "mesh") return prepare_mesh(link, element);
    }
    return true;
  }

  bool prepare_mesh(pugi::xml_node link, pugi::xml_node mesh) {
    const pugi::xml_attribute name = mesh.attribute("filename");
    if (name.empty()) document_.fail(mesh, "has no filename");
    if (!is_mesh_name(name.value())) {
      not_read_.add(fmt::format("mesh {} of {}", name.value(), described(link)));
      return false;
    }
    const auto found = find_shape(document_, mesh, name.value(), files_, file_);
    if (found) mesh.attribute("filename").set_value(found->c_str());
    return found.has_value();
  }

  XmlDocument& document_;
  const std::filesystem::path& file_;
  RobotFiles& files_;
  NotRead& not_read_;
};

/// The first line that urdfdom prints, which has the cause.
std::string complaint(const ConsoleCapture& console) {
  if (console.errors().empty()) return "urdfdom does not understand it";
  return one_line(console.errors().front());
}

/// An attribute of `count` numbers.
struct NumbersOf {
  std::string_view element, attribute;
  std::size_t count;
  bool is_required;
};
constexpr NumbersOf kUrdfNumbers[] = {
    {"origin", "xyz", 3, false},       {"origin", "rpy", 3, false},   {"axis", "xyz", 3, false},
    {"box", "size", 3, true},          {"sphere", "radius", 1, true}, {"cylinder", "radius", 1, true},
    {"cylinder", "length", 1, true},   {"mesh", "scale", 3, false},   {"limit", "lower", 1, false},
    {"limit", "upper", 1, false},      {"limit", "effort", 1, true},  {"limit", "velocity", 1, true},
    {"mimic", "multiplier", 1, false}, {"mimic", "offset", 1, false},
};
/// Required attributes.
constexpr std::pair<std::string_view, std::string_view> kUrdfNames[] = {
    {"link", "name"}, {"joint", "name"}, {"joint", "type"}, {"parent", "link"}, {"child", "link"}, {"mimic", "joint"}};

/// Finds the element that urdfdom complains about: urdfdom reports no lines.
class UrdfCulprit {
 public:
  UrdfCulprit(const XmlDocument& document, std::string complaint)
      : document_(document), complaint_(std::move(complaint)) {}

  [[noreturn]] void fail() {
    look_at(document_.root());
    if (named_.empty()) named_ = document_.root();
    document_.fail(named_, complaint_);
  }

 private:
  // XmlDocument has limited the depth.
  void look_at(pugi::xml_node element) {
    for (const NumbersOf& numbers : kUrdfNumbers) {
      if (numbers.element == element.name()) check_numbers(element, numbers);
    }
    for (const auto& [name, attribute] : kUrdfNames) {
      if (name == element.name() && element.attribute(attribute.data()).empty()) {
        document_.fail(element, fmt::format("has no {}", attribute));
      }
    }
    const std::string_view name = element.attribute("name").value();
    const bool is_named = element.parent() == document_.root() && !name.empty();
    // The last element of a name: if there are two, the second is wrong.
    if (is_named && (complains_of(fmt::format("[{}]", name)) || complains_of(fmt::format("'{}'", name)))) {
      named_ = element;
    }
    for (const pugi::xml_node child : element.children()) {
      if (child.type() == pugi::node_element) look_at(child);
    }
  }

  [[nodiscard]] bool complains_of(const std::string& words) const {
    return complaint_.find(words) != std::string::npos;
  }

  void check_numbers(pugi::xml_node element, const NumbersOf& numbers) const {
    const pugi::xml_attribute attribute = element.attribute(numbers.attribute.data());
    if (attribute.empty() && !numbers.is_required) return;
    if (attribute.empty()) document_.fail(element, fmt::format("has no {}", numbers.attribute));
    const std::vector<std::string_view> words = split_words(attribute.value());
    const bool are_finite = std::all_of(words.begin(), words.end(), [](std::string_view word) {
      const auto value = parse_number<double>(word);
      return value && std::isfinite(*value);
    });
    if (are_finite && words.size() == numbers.count) return;
    document_.fail(element, fmt::format("{} = '{:.60}' is not {} finite number{}", numbers.attribute, attribute.value(),
                                        numbers.count, numbers.count == 1 ? "" : "s"));
  }

  const XmlDocument& document_;
  std::string complaint_;
  pugi::xml_node named_;
};

urdf::ModelInterfaceSharedPtr parse_urdf(const XmlDocument& document) {
  const std::string text = xml_text(document.root());
  const std::lock_guard lock(robot_library_mutex());
  const ConsoleCapture console;
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    UrdfCulprit(document, one_line(error.what())).fail();
  }
  // urdfdom reports a link that it cannot read, skips its rest, and still returns a model.
  if (!model || !model->getRoot() || !console.errors().empty()) {
    UrdfCulprit(document, complaint(console)).fail();
  }
  return model;
}

Vec3 vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Pose pose_of(const urdf::Pose& pose) {
  const urdf::Rotation& q = pose.rotation;
  return {vector_of(pose.position), normalized({q.w, q.x, q.y, q.z})};
}

LinkShape shape_of(const urdf::Geometry& geometry, LinkShapes& shapes) {
  switch (geometry.type) {
    case urdf::Geometry::BOX:
      return box_shape(vector_of(static_cast<const urdf::Box&>(geometry).dim));
    case urdf::Geometry::SPHERE:
      return sphere_shape(static_cast<const urdf::Sphere&>(geometry).radius);
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
      return cylinder_shape(cylinder.radius, cylinder.length);
    }
    case urdf::Geometry::MESH:
      break;
  }
  const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
  return shapes.file_shape(mesh.filename, vector_of(mesh.scale));
}

/// Joins visuals or collisions.
template <class Elements>
std::optional<std::size_t> join_shapes(const Elements& elements, LinkShapes& shapes) {
  std::vector<LinkShape> found;
  for (const auto& element : elements) {
    if (!element->geometry) continue;
    found.push_back(shape_of(*element->geometry, shapes));
    found.back().link_from_shape = pose_of(element->origin);
  }
  return shapes.join(found);
}

Robot::Joint joint_of(const urdf::Joint& from) {
  Robot::Joint joint;
  joint.name = from.name;
  if (from.type == urdf::Joint::REVOLUTE || from.type == urdf::Joint::CONTINUOUS)
    joint.kind = Robot::Joint::Kind::kRevolute;
  if (from.type == urdf::Joint::PRISMATIC) joint.kind = Robot::Joint::Kind::kPrismatic;
  if (joint.kind == Robot::Joint::Kind::kFixed) return joint;
  const double length = norm(vector_of(from.axis));
  if (!(length > 0.0)) throw InputError(fmt::format("joint '{}': its axis is 0 0 0", from.name));
  joint.axis = (1.0 / length) * vector_of(from.axis);
  if (from.limits && from.type != urdf::Joint::CONTINUOUS) {
    joint.lower = from.limits->lower;
    joint.upper = from.limits->upper;
  }
  return joint;
}

/// Walks the tree of urdfdom from its root, parents before children.
class UrdfWalk {
 public:
  UrdfWalk(const urdf::ModelInterface& model, RobotFiles& files, Robot& robot)
      : model_(model), geometry_(files.geometry()), shapes_(robot, files.opened()), robot_(robot) {}

  void walk() {
    add_link(*model_.getRoot(), {});
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (const auto& joint : links_[i]->child_joints) add_child(i, *joint);
    }
    for (Robot::Joint& joint : robot_.joints) set_mimic(joint, *model_.getJoint(joint.name));
  }

 private:
  void add_link(const urdf::Link& from, Robot::Link link) {
    link.name = from.name;
    link.mesh = with_prefix([&] { return fmt::format("link '{}'", from.name); },
                            [&] {
                              return geometry_ == RobotFileOptions::Geometry::kVisual
                                         ? join_shapes(from.visual_array, shapes_)
                                         : join_shapes(from.collision_array, shapes_);
                            });
    index_[from.name] = links_.size();
    links_.push_back(&from);
    robot_.links.push_back(std::move(link));
  }

  void add_child(std::size_t parent, const urdf::Joint& joint) {
    const urdf::LinkConstSharedPtr child = model_.getLink(joint.child_link_name);
    robot_.joints.push_back(joint_of(joint));
    Robot::Link link;
    link.parent = parent;
    link.joint = robot_.joints.size() - 1;
    link.parent_from_joint = pose_of(joint.parent_to_joint_origin_transform);
    add_link(*child, std::move(link));
  }

  void set_mimic(Robot::Joint& joint, const urdf::Joint& from) const {
    if (!from.mimic || joint.kind == Robot::Joint::Kind::kFixed) return;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      if (robot_.joints[i].name != from.mimic->joint_name) continue;
      joint.mimic = Robot::Joint::Mimic{i, from.mimic->multiplier, from.mimic->offset};
      return;
    }
    robot_.notes.push_back(
        fmt::format("joint '{}' follows joint '{}', which is not there: it stays at 0 unless 'joints' moves it",
                    joint.name, from.mimic->joint_name));
  }

  const urdf::ModelInterface& model_;
  RobotFileOptions::Geometry geometry_;
  LinkShapes shapes_;
  Robot& robot_;
  std::vector<const urdf::Link*> links_;  // in the order of robot_.links
  std::map<std::string, std::size_t> index_;
};

}  // namespace

void read_urdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot) {
  NotRead not_read;
  UrdfPreparation(document, file, files, not_read).prepare();
  const urdf::ModelInterfaceSharedPtr model = parse_urdf(document);
  robot.name = model->getName();
  with_prefix([&] { return file.string(); }, [&] { UrdfWalk(*model, files, robot).walk(); });
  if (auto note = not_read.note(file)) robot.notes.push_back(std::move(*note));
}

}  // namespace fathom
