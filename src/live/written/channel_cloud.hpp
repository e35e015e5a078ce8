// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "cloud/cloud_message.hpp"

namespace fathom {

/// The cloud [rows, cols] of the channels that `npy` outputs wrote of a frame: hit_sensor, hit_world, or range with
/// azimuth (and elevation, else 0); with clean_range, entity_id and reason where they are there. Throws InputError
/// naming the file.
CloudMessage cloud_of_channels(const std::filesystem::path& folder, std::uint32_t frame);

}  // namespace fathom
