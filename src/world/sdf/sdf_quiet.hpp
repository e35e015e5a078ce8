// SPDX-License-Identifier: MIT
#pragma once

#include <ostream>
#include <sstream>
#include <string>

#include "world/urdf/console_capture.hpp"

namespace fathom {

/// Keeps what libsdformat, and urdfdom inside of it, would print, as long as it lives. robot_library_mutex() must be
/// held. libsdformat's log in ~/.sdformat cannot be helped.
class SdfQuiet {
 public:
  SdfQuiet();
  ~SdfQuiet();
  SdfQuiet(const SdfQuiet&) = delete;
  SdfQuiet& operator=(const SdfQuiet&) = delete;

  /// The first error that was told, without colours and places in libsdformat's own source; empty: none.
  [[nodiscard]] std::string first_error() const;

 private:
  ConsoleCapture urdfdom_;
  std::ostringstream text_;
  std::ostream* before_;
};

}  // namespace fathom
