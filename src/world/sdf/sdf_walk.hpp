// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>

#include <sdf/Root.hh>

#include <fathom/files/robot.hpp>

#include "world/robot_files.hpp"
#include "world/sdf/sdf_pieces.hpp"

namespace fathom {

/// Reads a text into a root. Throws InputError.
using LoadSdf = std::function<void(sdf::Root& root, const std::string& text)>;

/// The links of all models, hung on each other by their joints. One piece at a time is in memory. Throws InputError,
/// without the name of the file.
void walk_sdf(std::span<const SdfPiece> pieces, const LoadSdf& load, RobotFiles& files, Robot& robot);

}  // namespace fathom
