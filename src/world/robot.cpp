// SPDX-License-Identifier: MIT
#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/robot.hpp>

#include "base/coordinates.hpp"

namespace fathom {

namespace {

bool is_proper(const Pose& pose) {
  const Vec3& t = pose.translation_m;
  return is_about_one(std::sqrt(dot(pose.rotation, pose.rotation))) && std::isfinite(t.x) && std::isfinite(t.y) &&
         std::isfinite(t.z) && !coordinate_beyond_limits(t);
}

void check_link(const Robot& robot, std::size_t i) {
  const RobotLink& link = robot.links[i];
  const auto fail = [&](std::string_view what) { throw InputError(fmt::format("link '{}': {}", link.name, what)); };
  if (link.parent && *link.parent >= i) fail("its parent does not stand before it");
  if (link.joint && *link.joint >= robot.joints.size()) fail("its joint is not there");
  if (link.mesh && *link.mesh >= robot.meshes.size()) fail("its mesh is not there");
  if (!is_proper(link.parent_from_joint) || !is_proper(link.joint_from_link)) {
    fail(fmt::format("its pose is not finite, not of length 1, or not in {}", kCoordinateLimits));
  }
}

void check_joint(const Robot& robot, std::size_t i) {
  const RobotJoint& joint = robot.joints[i];
  const auto fail = [&](std::string_view what) { throw InputError(fmt::format("joint '{}': {}", joint.name, what)); };
  if (joint.kind != JointKind::kFixed && !is_about_one(norm(joint.axis))) fail("its axis is not of length 1");
  if (!(joint.lower <= joint.upper)) fail("its lower limit is not below the upper one");
  if (!joint.mimic) return;
  if (joint.mimic->joint >= robot.joints.size()) fail("the joint that it follows is not there");
  if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset)) fail("its mimic is not finite");
  std::size_t steps = 0;
  for (std::size_t at = i; robot.joints[at].mimic; at = robot.joints[at].mimic->joint) {
    if (robot.joints[at].mimic->joint >= robot.joints.size()) return;  // told of at its own turn
    if (++steps > robot.joints.size()) fail("joints follow each other in a circle");
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

}  // namespace fathom
