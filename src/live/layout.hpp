// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "live/server_message.hpp"

namespace fathom {

/// A layout for Lichtblick and Foxglove that shows these topics: clouds in 3-D, images, and the parameters beside them.
std::string layout_text(std::span<const LiveTopic> topics);

}  // namespace fathom
