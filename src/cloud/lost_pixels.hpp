// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <fathom/frame/lost_value.hpp>

namespace fathom {

/// A float channel of one value per ray with its lost pixels (NaN or +inf) replaced, [rows, cols]. Throws InputError
/// for kMax without a maximum above 0, or a channel of points or of no floats.
std::vector<float> replace_lost(const Frame& frame, Channel channel, const LostPolicy& policy);

}  // namespace fathom
