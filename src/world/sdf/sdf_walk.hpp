// SPDX-License-Identifier: MIT
#pragma once

#include <sdf/Root.hh>

#include <fathom/files/robot.hpp>

#include "world/robot_files.hpp"

namespace fathom {

/// The links of all models in a root, hung on each other by their joints. Throws InputError, without the name of the
/// file.
void walk_sdf(const sdf::Root& root, RobotFiles& files, Robot& robot);

}  // namespace fathom
