// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include <fathom/frame/frame.hpp>

namespace fathom {

/// The elements of a channel as they lie in the frame, points as three planes. Throws InputError when the frame lacks
/// it.
std::span<const std::byte> elements_of(const Frame& frame, Channel channel);

}  // namespace fathom
