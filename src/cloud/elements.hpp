// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include <fathom/frame/channel_list.hpp>
#include <fathom/frame/frame.hpp>

#include "text/npy.hpp"

namespace fathom {

/// The elements of a channel as they lie in the frame, points as three planes. Throws InputError when the frame lacks
/// it.
std::span<const std::byte> elements_of(const Frame& frame, Channel channel);

/// The type of elements in a NPY file.
npy::Type npy_type(ElementType type);

}  // namespace fathom
