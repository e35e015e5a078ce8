// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>

#include <sdf/Root.hh>

#include <fathom/files/robot.hpp>

#include "io/world/robot_files.hpp"
#include "io/world/sdf/sdf_preparation.hpp"
#include "io/world/urdf/console_capture.hpp"

namespace fathom {

/// Reads a text into a root. Throws InputError.
using LoadSdf = std::function<void(sdf::Root& root, const std::string& text)>;

/// Fills the robot with the links and joints of all models. Only one piece at a time is in memory. Throws InputError
/// without the file's name.
void walk_sdf(std::span<const SdfPiece> pieces, const LoadSdf& load, RobotFiles& files, Robot& robot);

/// Captures the output of libsdformat, and of urdfdom inside it, during its lifetime. The caller holds
/// robot_library_mutex(). Nothing prevents libsdformat's log in ~/.sdformat.
class SdfQuiet {
 public:
  SdfQuiet();
  ~SdfQuiet();
  SdfQuiet(const SdfQuiet&) = delete;
  SdfQuiet& operator=(const SdfQuiet&) = delete;

  /// The first error, without colours and places in libsdformat's source; empty without errors.
  [[nodiscard]] std::string first_error() const;

 private:
  ConsoleCapture urdfdom_;
  std::ostringstream text_;
  std::ostream* before_;
};

}  // namespace fathom
