// SPDX-License-Identifier: MIT
#pragma once
// The NumPy arrays that a run wrote of a sensor: "range_000012.npy" is channel `range` of frame 12.

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace fathom {

/// `folder`: that of the sensor.
std::filesystem::path channel_file(const std::filesystem::path& folder, std::string_view channel, std::uint32_t frame);

/// The frames of which there is a file of this channel, ascending: a sensor may have dropped some. None where there is
/// no such folder.
std::vector<std::uint32_t> frames_with(const std::filesystem::path& folder, std::string_view channel);

}  // namespace fathom
