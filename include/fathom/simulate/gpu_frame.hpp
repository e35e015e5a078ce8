// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// A frame of this shape for good, with these channels in the memory of a GPU, which is given back with the last of the
/// frame and its copies. A Simulator or Environments of the same device fill it there, and Frame::data() says where the
/// arrays are. kAuto is the first GPU. Throws InputError when nothing is to be stored, for the processor, and when the
/// GPU, its driver or the code for it is not there; SystemError when its memory does not suffice.
FATHOM_API Frame make_gpu_frame(const Device& device, std::uint32_t rows, std::uint32_t cols, ChannelSet channels,
                                std::uint32_t returns = 1);

/// Waits until a GPU has done the work that is queued in this stream (a CUstream; 1 and 2 are CUDA's default streams).
/// `memory`: an address in the memory of that GPU. Throws InputError when no GPU has that address.
FATHOM_API void wait_for_stream(const void* memory, std::uintptr_t stream);

}  // namespace fathom
