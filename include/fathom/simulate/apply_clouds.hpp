// SPDX-License-Identifier: MIT
#pragma once
// Clouds of other programs, with all their fields, through SensorNoise.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/sensor_noise.hpp>

namespace fathom {

/// Gives a serialised sensor_msgs/msg/PointCloud2 (CDR) the noise of frame `index`. x, y and z change; all other fields
/// stay. A field `ring` goes into GivenCloud. Lost points are NaN in a cloud of several rows, and leave a cloud of one
/// row. Adds to `counts`. Throws InputError for a damaged message, for an x, y or z that is neither float32 nor
/// float64, and as SensorNoise::apply() does.
FATHOM_API std::vector<std::byte> apply_to_cloud_message(SensorNoise& noise, std::uint32_t index,
                                                         std::span<const std::byte> message, ReasonCounts& counts);

/// The same for a file of points: PCD, PLY, NPY [points, 3 or 4] or [rows, cols, 3 or 4], KITTI's .bin, or such a
/// message. `noisy` gets the same format and fields, in binary; it appears whole or not at all. Throws InputError
/// naming `clean`.
FATHOM_API void apply_to_cloud_file(SensorNoise& noise, std::uint32_t index, const std::filesystem::path& clean,
                                    const std::filesystem::path& noisy, ReasonCounts& counts);

/// Whether a file holds points: by its extension, and for NPY by its shape.
FATHOM_API bool is_cloud_file(const std::filesystem::path& file);

}  // namespace fathom
