// SPDX-License-Identifier: MIT
#pragma once
// Frames as the live page gets them.

#include <string>
#include <string_view>

#include <fathom/frame/frame.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// The channels that points_message() and the statistics need.
inline constexpr ChannelSet kLiveChannels = {Channel::kRange, Channel::kCleanRange, Channel::kHitSensor,
                                             Channel::kEntityId, Channel::kReason};

/// A PointCloud2 of a point for every ray, [rows, cols], in the sensor's frame: x y z as float32 in metres, noise
/// applied, NaN where lost; clean_range as float32 in metres, NaN where the noise-free ray meets nothing; entity as
/// uint32, 0xffffffff where there is none; reason as uint8.
std::string points_message(const Frame& frame, std::string_view frame_id);

/// A PointCloud2 [rows, cols] of the unit directions of the noise-free rays, x y z as float32.
std::string rays_message(const RayPattern& pattern, double stamp_s, std::string_view frame_id);

}  // namespace fathom
