// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/frame/channel_list.hpp>
#include <fathom/frame/frame.hpp>

#include "text/npy.hpp"

namespace fathom {

/// The elements of a channel as they lie in the frame, points as three planes. Throws InputError when the frame lacks
/// it.
std::span<const std::byte> elements_of(const Frame& frame, Channel channel);

/// The shape of a channel's file: [rows, cols], of points [rows, cols, 3]; with several returns these in front.
std::vector<std::size_t> shape_of(const Frame& frame, Channel channel);

/// The type of elements in a NPY file.
npy::Type npy_type(ElementType type);

}  // namespace fathom
