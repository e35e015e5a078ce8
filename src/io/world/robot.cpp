// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/files/robot.hpp>

#include "core/errors.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "io/world/read_robot.hpp"

namespace fathom {

namespace {

bool is_proper(const Pose& pose) {
  const Vec3& t = pose.translation_m;
  return is_about_one(std::sqrt(dot(pose.rotation, pose.rotation))) && std::isfinite(t.x) && std::isfinite(t.y) &&
         std::isfinite(t.z) && !coordinate_beyond_limits(t);
}

void check_link(const Robot& robot, std::size_t i) {
  const Robot::Link& link = robot.links[i];
  const auto fail = [&](std::string_view what) { throw InputError(fmt::format("link '{}': {}", link.name, what)); };
  if (link.parent && *link.parent >= i) fail("its parent does not come before it");
  if (link.joint && *link.joint >= robot.joints.size()) fail("its joint is not there");
  if (link.mesh && *link.mesh >= robot.meshes.size()) fail("its mesh is not there");
  if (!is_proper(link.parent_from_joint) || !is_proper(link.joint_from_link)) {
    fail(fmt::format("its pose is not finite, not of length 1, or not in {}", kCoordinateLimits));
  }
}

void check_joint(const Robot& robot, std::size_t i) {
  const Robot::Joint& joint = robot.joints[i];
  const auto fail = [&](std::string_view what) { throw InputError(fmt::format("joint '{}': {}", joint.name, what)); };
  if (joint.kind != Robot::Joint::Kind::kFixed && !is_about_one(norm(joint.axis))) fail("its axis is not of length 1");
  if (!(joint.lower <= joint.upper)) fail("its lower limit is not below the upper one");
  if (!joint.mimic) return;
  if (joint.mimic->joint >= robot.joints.size()) fail("the joint that it follows is not there");
  if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset)) fail("its mimic is not finite");
  std::size_t steps = 0;
  for (std::size_t at = i; robot.joints[at].mimic; at = robot.joints[at].mimic->joint) {
    if (robot.joints[at].mimic->joint >= robot.joints.size()) return;  // refused at its own turn
    if (++steps > robot.joints.size()) fail("joints follow each other in a circle");
  }
}

std::size_t find_joint(const Robot& robot, std::string_view name) {
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (robot.joints[i].name == name) return i;
  }
  std::vector<std::string_view> names;
  for (const Robot::Joint& joint : robot.joints) names.emplace_back(joint.name);
  throw InputError(fmt::format("there is no joint '{}'{}", name, nearest_hint(name, names)));
}

void check_position(const Robot& robot, const Robot::Joint& joint, double position) {
  if (joint.kind == Robot::Joint::Kind::kFixed) {
    throw InputError(
        fmt::format("joint '{}' does not move: it is neither revolute, continuous nor prismatic", joint.name));
  }
  if (joint.mimic) {
    throw InputError(fmt::format("joint '{}' follows joint '{}'; give that one's position", joint.name,
                                 robot.joints[joint.mimic->joint].name));
  }
  const std::string_view unit = joint.kind == Robot::Joint::Kind::kRevolute ? "rad" : "m";
  if (!std::isfinite(position)) {
    throw InputError(fmt::format("joint '{}' = {} is not finite", joint.name, number_text(position)));
  }
  if (!(position >= joint.lower && position <= joint.upper)) {
    throw InputError(fmt::format("joint '{}' = {} is not in [{}, {}] {}", joint.name, number_text(position),
                                 number_text(joint.lower), number_text(joint.upper), unit));
  }
}

/// The position of a joint that follows a chain of others. validate() has checked that the chain ends.
double followed(const Robot& robot, std::size_t joint, const std::vector<double>& positions) {
  double factor = 1.0, offset = 0.0;
  while (const auto& mimic = robot.joints[joint].mimic) {
    offset += factor * mimic->offset;
    factor *= mimic->multiplier;
    joint = mimic->joint;
  }
  return factor * positions[joint] + offset;
}

Pose joint_motion(const Robot::Joint& joint, double position) {
  if (joint.kind == Robot::Joint::Kind::kPrismatic) return {position * joint.axis, {}};
  const auto [s, c] = math::sincos(0.5 * position);
  return {{}, {c, s * joint.axis.x, s * joint.axis.y, s * joint.axis.z}};
}

/// Sets the named positions in `positions` [joints], and the positions of joints that follow others. Throws InputError,
/// and then changes nothing.
void apply_positions(const Robot& robot, const JointPositions& named, std::vector<double>& positions) {
  for (const auto& [name, position] : named) check_position(robot, robot.joints[find_joint(robot, name)], position);
  for (const auto& [name, position] : named) positions[find_joint(robot, name)] = position;
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (robot.joints[i].mimic) positions[i] = followed(robot, i, positions);
  }
}

/// The poses of all links in the robot's frame.
void find_link_poses(const Robot& robot, const std::vector<double>& positions, std::vector<Pose>& robot_from_link) {
  robot_from_link.resize(robot.links.size());
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const Robot::Link& link = robot.links[i];
    Pose parent_from_link = link.parent_from_joint;
    if (link.joint && robot.joints[*link.joint].kind != Robot::Joint::Kind::kFixed) {
      parent_from_link = parent_from_link * joint_motion(robot.joints[*link.joint], positions[*link.joint]);
    }
    parent_from_link = parent_from_link * link.joint_from_link;
    robot_from_link[i] = link.parent ? robot_from_link[*link.parent] * parent_from_link : parent_from_link;
    robot_from_link[i].rotation = normalized(robot_from_link[i].rotation);
  }
}

/// The nearest link with a shape above each link; the number of links if no link above has a shape.
std::vector<std::size_t> find_carriers(const Robot& robot) {
  const std::size_t none = robot.links.size();
  std::vector<std::size_t> carriers(robot.links.size(), none);
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const auto parent = robot.links[i].parent;
    if (parent) carriers[i] = robot.links[*parent].mesh ? *parent : carriers[*parent];
  }
  return carriers;
}

void check_surface(const Scene& scene, const RobotPlace& place) {
  if (!(place.reflectivity >= 0.0F && place.reflectivity <= 1.0F)) {
    throw InputError(fmt::format("reflectivity = {} is not in [0, 1]", number_text(place.reflectivity)));
  }
  for (const std::string& group : place.groups) {
    if (group.empty()) throw InputError("groups: the name of a group is empty");
  }
  if (place.label.empty()) return;
  std::uint32_t highest = 0;
  for (const Label& label : scene.labels()) {
    if (label.name == place.label) return;
    highest = std::max(highest, label.id);
  }
  if (highest == kMostLabelId) throw InputError(fmt::format("label '{}': id {} is taken", place.label, highest));
}

/// Refuses what Scene would refuse, before adding anything.
void check_place(const Scene& scene, const Robot& robot, const RobotPlace& place) {
  if (place.parent != kNoEntity && index(place.parent) >= scene.entities().size()) {
    throw InputError(fmt::format("parent {} is not in [0, {})", index(place.parent), scene.entities().size()));
  }
  check_surface(scene, place);
  std::set<std::string_view> taken;
  for (const Entity& entity : scene.entities()) taken.insert(entity.name);
  for (const Robot::Link& link : robot.links) {
    const std::string name = place.prefix + link.name;
    if (name.empty()) throw InputError("a link needs a name");
    if (taken.contains(name)) {
      throw InputError(fmt::format("link '{}': the name is taken; give the robot a prefix", name));
    }
    if (link.mesh) with_prefix(fmt::format("link '{}'", name), [&] { validate(robot.meshes[*link.mesh]); });
  }
}

}  // namespace

void validate(const Robot& robot) {
  std::set<std::string_view> links, joints;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (!links.insert(robot.links[i].name).second) {
      throw InputError(fmt::format("link '{}' is there twice", robot.links[i].name));
    }
    check_link(robot, i);
  }
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (!joints.insert(robot.joints[i].name).second) {
      throw InputError(fmt::format("joint '{}' is there twice", robot.joints[i].name));
    }
    check_joint(robot, i);
  }
}

std::vector<Pose> robot_from_links(const Robot& robot, const JointPositions& joints) {
  validate(robot);
  std::vector<double> positions(robot.joints.size(), 0.0);
  apply_positions(robot, joints, positions);
  std::vector<Pose> poses;
  find_link_poses(robot, positions, poses);
  return poses;
}

PlacedRobot::PlacedRobot(Scene& scene, Robot robot, const RobotPlace& place)
    : robot_(std::move(robot)), parent_(place.parent), parent_from_robot_(place.parent_from_robot) {
  validate(robot_);
  check_place(scene, robot_, place);
  positions_.assign(robot_.joints.size(), 0.0);
  apply_positions(robot_, place.joints, positions_);
  carriers_ = find_carriers(robot_);
  for (std::size_t i = 0; i < robot_.links.size(); ++i) index_.emplace(robot_.links[i].name, i);
  entities_.assign(robot_.links.size(), kNoEntity);
  find_link_poses(robot_, positions_, robot_from_link_);
  std::vector<Trajectory> poses;
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    const std::string& name = robot_.links[i].name;
    poses.push_back(
        with_prefix(fmt::format("link '{}'", name), [&] { return Trajectory(carrier_of(i).parent_from_link); }));
  }
  std::vector<std::optional<MeshId>> meshes(robot_.meshes.size());
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    const Robot::Link& link = robot_.links[i];
    if (!link.mesh) continue;
    auto& mesh = meshes[*link.mesh];
    if (!mesh) mesh = scene.add_mesh(std::move(robot_.meshes[*link.mesh]), place.prefix + link.name);
    Entity entity;
    entity.name = place.prefix + link.name;
    entity.mesh = *mesh;
    entity.parent_from_entity = std::move(poses[i]);
    entity.parent = carrier_of(i).parent;
    entity.reflectivity = place.reflectivity, entity.one_sided = place.one_sided;
    entity.groups = place.groups, entity.label = place.label;
    entities_[i] = scene.add_entity(std::move(entity));
  }
}

PlacedRobot::Mount PlacedRobot::carrier_of(std::size_t link) const {
  const std::size_t carrier = carriers_[link];
  if (carrier == robot_.links.size()) return {parent_, parent_from_robot_ * robot_from_link_[link]};
  return {entities_[carrier], inverse(robot_from_link_[carrier]) * robot_from_link_[link]};
}

PlacedRobot::Mount PlacedRobot::mount(std::size_t link) const {
  if (entities_[link] != kNoEntity) return {entities_[link], {}};
  return carrier_of(link);
}

std::size_t PlacedRobot::find_link(std::string_view name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const Robot::Link& link : robot_.links) names.emplace_back(link.name);
  throw InputError(fmt::format("there is no link '{}'{}", name, nearest_hint(name, names)));
}

EntityId PlacedRobot::entity(std::string_view link) const { return entities_[find_link(link)]; }

PlacedRobot::Mount PlacedRobot::mount(std::string_view link) const { return mount(find_link(link)); }

void PlacedRobot::pose_entities(Scene& scene) const {
  std::vector<std::pair<EntityId, Pose>> poses;
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    if (entities_[i] == kNoEntity) continue;
    const Pose pose = carrier_of(i).parent_from_link;
    with_prefix(fmt::format("link '{}'", robot_.links[i].name), [&] { return Trajectory(pose); });
    poses.emplace_back(entities_[i], pose);
  }
  for (const auto& [entity, pose] : poses) scene.set_pose(entity, pose);
}

void PlacedRobot::set_joints(Scene& scene, const JointPositions& joints) {
  auto positions = positions_;
  auto links = robot_from_link_;
  apply_positions(robot_, joints, positions);
  find_link_poses(robot_, positions, links);
  links.swap(robot_from_link_);
  try {
    pose_entities(scene);
  } catch (...) {
    links.swap(robot_from_link_);
    throw;
  }
  positions_ = std::move(positions);
}

void PlacedRobot::set_pose(Scene& scene, const Pose& parent_from_robot) {
  const Trajectory checked(parent_from_robot);
  const Pose before = std::exchange(parent_from_robot_, checked.keys().front().pose);
  try {
    pose_entities(scene);
  } catch (...) {
    parent_from_robot_ = before;
    throw;
  }
}

}  // namespace fathom
