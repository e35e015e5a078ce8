// SPDX-License-Identifier: MIT
#pragma once
// The channels of a frame as arrays of files.

#include <cstddef>
#include <vector>

#include <fathom/frame/frame.hpp>

#include "core/text/formats.hpp"
#include "frame/frame_writer.hpp"

namespace fathom {

/// The shape of a channel's file: [rows, cols], of points [rows, cols, 3]; several returns come first.
std::vector<std::size_t> shape_of(const Frame& frame, Channel channel);

/// The type of elements in an NPY file.
npy::Type npy_type(ElementType type);

/// A float channel of one value per ray, [rows, cols], with its lost pixels (NaN or +inf) replaced. Throws InputError
/// for kMax without a maximum above 0, and for other channels.
std::vector<float> replace_lost(const Frame& frame, Channel channel, const LostPolicy& policy);

}  // namespace fathom
