// SPDX-License-Identifier: MIT
#pragma once
// Clouds in files, as the live page gets them.

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include <fathom/core/geometry.hpp>

#include "io/cloud/cloud_message.hpp"
#include "io/message/sensors.hpp"
#include "live/topic_hub.hpp"

namespace fathom {

/// Renames fields for the page: entity_id becomes `entity`.
void name_for_page(msg::PointCloud2& cloud);

/// Single precision cannot show a cloud whose middle is farther from the origin.
inline constexpr double kFarCloudM = 16384.0;
/// The middle of the cloud along each axis where it is that far, rounded to 64 m; 0 along the other axes.
Vec3 far_origin(const msg::PointCloud2& cloud);
/// Subtracts it from all points, in double precision.
void subtract(const Vec3& origin_m, CloudMessage& cloud);

/// The content of /SENSOR/statistics that the cloud determines: reasons if it has `reason`, errors if it has
/// `clean_range` and is in the frame of its sensor.
std::string cloud_statistics(const msg::PointCloud2& cloud, std::uint32_t frame, double stamp_s,
                             bool is_in_sensor_frame);

/// The topics /NAME/points and /NAME/statistics.
LiveTopic points_topic(const std::string& sensor);
LiveTopic statistics_topic(const std::string& sensor);
LiveTopic cdr_topic(std::string name, const MessageType& type, bool keeps = false);

/// A sensor in /fathom/state.
nlohmann::ordered_json sensor_state(const std::string& name, std::uint32_t rows, std::uint32_t cols,
                                    const std::string& frame_id);

/// The cloud [rows, cols] of the channels that `npy` outputs wrote of a frame: hit_sensor, hit_world, or range with
/// azimuth (and elevation, else 0); with clean_range, entity_id and reason if they exist. Throws InputError
/// naming the file.
CloudMessage cloud_of_channels(const std::filesystem::path& folder, std::uint32_t frame);

}  // namespace fathom
