// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/robot.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "world/joint_positions.hpp"

namespace fathom {

namespace {

/// The nearest link above each that has a shape; the number of links where there is none.
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

/// What Scene would refuse, before anything is added.
void check_place(const Scene& scene, const Robot& robot, const RobotPlace& place) {
  if (place.parent != kNoEntity && index(place.parent) >= scene.entities().size()) {
    throw InputError(fmt::format("parent {} is not in [0, {})", index(place.parent), scene.entities().size()));
  }
  check_surface(scene, place);
  std::set<std::string_view> taken;
  for (const Entity& entity : scene.entities()) taken.insert(entity.name);
  for (const RobotLink& link : robot.links) {
    const std::string name = place.prefix + link.name;
    if (name.empty()) throw InputError("a link needs a name");
    if (taken.contains(name)) {
      throw InputError(fmt::format("link '{}': the name is taken; give the robot a prefix", name));
    }
    if (link.mesh) with_prefix(fmt::format("link '{}'", name), [&] { validate(robot.meshes[*link.mesh]); });
  }
}

}  // namespace

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
    const RobotLink& link = robot_.links[i];
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

LinkMount PlacedRobot::carrier_of(std::size_t link) const {
  const std::size_t carrier = carriers_[link];
  if (carrier == robot_.links.size()) return {parent_, parent_from_robot_ * robot_from_link_[link]};
  return {entities_[carrier], inverse(robot_from_link_[carrier]) * robot_from_link_[link]};
}

LinkMount PlacedRobot::mount(std::size_t link) const {
  if (entities_[link] != kNoEntity) return {entities_[link], {}};
  return carrier_of(link);
}

std::size_t PlacedRobot::find_link(std::string_view name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const RobotLink& link : robot_.links) names.emplace_back(link.name);
  throw InputError(fmt::format("there is no link '{}'{}", name, nearest_hint(name, names)));
}

EntityId PlacedRobot::entity(std::string_view link) const { return entities_[find_link(link)]; }

LinkMount PlacedRobot::mount(std::string_view link) const { return mount(find_link(link)); }

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
