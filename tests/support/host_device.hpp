// SPDX-License-Identifier: MIT
#pragma once
// The source of the device, compiled for this computer and run thread by thread. So a computer without a GPU can check
// that a device gives the bits of the processor.

#include <memory>

#include "render/render.hpp"

namespace fathom::test {

/// For SharedTrees::render_on.
std::unique_ptr<FrameDevice> make_host_device();

/// The number of frames that host devices have rendered in this program, to check that they were used.
std::uint64_t host_device_frames();

}  // namespace fathom::test
