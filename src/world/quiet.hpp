// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

namespace fathom {

/// urdfdom and libsdformat report through objects of the whole process, which are taken over while they read; so one
/// thread at a time may.
std::mutex& robot_library_mutex();

}  // namespace fathom
