// SPDX-License-Identifier: MIT
#include "world/quiet.hpp"

namespace fathom {

std::mutex& robot_library_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace fathom
