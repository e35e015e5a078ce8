// SPDX-License-Identifier: MIT
#include "world/joint_positions.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/trigonometry.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

std::size_t find_joint(const Robot& robot, std::string_view name) {
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (robot.joints[i].name == name) return i;
  }
  std::vector<std::string_view> names;
  for (const RobotJoint& joint : robot.joints) names.emplace_back(joint.name);
  throw InputError(fmt::format("there is no joint '{}'{}", name, nearest_hint(name, names)));
}

void check_position(const Robot& robot, const RobotJoint& joint, double position) {
  if (joint.kind == JointKind::kFixed) {
    throw InputError(
        fmt::format("joint '{}' does not move: it is neither revolute, continuous nor prismatic", joint.name));
  }
  if (joint.mimic) {
    throw InputError(fmt::format("joint '{}' follows joint '{}'; give that one's position", joint.name,
                                 robot.joints[joint.mimic->joint].name));
  }
  const std::string_view unit = joint.kind == JointKind::kRevolute ? "rad" : "m";
  if (!std::isfinite(position)) {
    throw InputError(fmt::format("joint '{}' = {} is not finite", joint.name, number_text(position)));
  }
  if (!(position >= joint.lower && position <= joint.upper)) {
    throw InputError(fmt::format("joint '{}' = {} is not in [{}, {}] {}", joint.name, number_text(position),
                                 number_text(joint.lower), number_text(joint.upper), unit));
  }
}

/// The position of a joint that follows a chain of others, which validate() has found to end.
double followed(const Robot& robot, std::size_t joint, const std::vector<double>& positions) {
  double factor = 1.0, offset = 0.0;
  while (const auto& mimic = robot.joints[joint].mimic) {
    offset += factor * mimic->offset;
    factor *= mimic->multiplier;
    joint = mimic->joint;
  }
  return factor * positions[joint] + offset;
}

Pose joint_motion(const RobotJoint& joint, double position) {
  if (joint.kind == JointKind::kPrismatic) return {position * joint.axis, {}};
  const auto [s, c] = math::sincos(0.5 * position);
  return {{}, {c, s * joint.axis.x, s * joint.axis.y, s * joint.axis.z}};
}

}  // namespace

void apply_positions(const Robot& robot, const JointPositions& named, std::vector<double>& positions) {
  for (const auto& [name, position] : named) check_position(robot, robot.joints[find_joint(robot, name)], position);
  for (const auto& [name, position] : named) positions[find_joint(robot, name)] = position;
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (robot.joints[i].mimic) positions[i] = followed(robot, i, positions);
  }
}

void find_link_poses(const Robot& robot, const std::vector<double>& positions, std::vector<Pose>& robot_from_link) {
  robot_from_link.resize(robot.links.size());
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const RobotLink& link = robot.links[i];
    Pose parent_from_link = link.parent_from_joint;
    if (link.joint && robot.joints[*link.joint].kind != JointKind::kFixed) {
      parent_from_link = parent_from_link * joint_motion(robot.joints[*link.joint], positions[*link.joint]);
    }
    parent_from_link = parent_from_link * link.joint_from_link;
    robot_from_link[i] = link.parent ? robot_from_link[*link.parent] * parent_from_link : parent_from_link;
    robot_from_link[i].rotation = normalized(robot_from_link[i].rotation);
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

}  // namespace fathom
