// SPDX-License-Identifier: MIT
#pragma once
// Forward kinematics of robots.

#include <vector>

#include <fathom/files/robot.hpp>

namespace fathom {

/// Puts the positions that are named into `positions` [joints], and lets the joints that follow others follow. Throws
/// InputError, and then changes nothing.
void apply_positions(const Robot& robot, const JointPositions& named, std::vector<double>& positions);

/// The pose of every link in the robot's frame.
void find_link_poses(const Robot& robot, const std::vector<double>& positions, std::vector<Pose>& robot_from_link);

}  // namespace fathom
