// SPDX-License-Identifier: MIT
#pragma once
// The source of the device, compiled for this computer and run thread by thread: so a computer without a GPU can see
// that a device gives the bits of the processor.

#include <memory>

#include "render/render.hpp"

namespace fathom::test {

/// For SharedTrees::render_on.
std::unique_ptr<FrameDevice> make_host_device();

/// How many frames host devices have rendered in this program, so that a test can tell that they did.
std::uint64_t host_device_frames();

}  // namespace fathom::test
