// SPDX-License-Identifier: MIT
#pragma once

#include "cloud/cloud_message.hpp"
#include "message/camera_info.hpp"
#include "message/image.hpp"
#include "message/laser_scan.hpp"

namespace fathom {

/// The points [1, rays] of a scan, x y z as float32 in its frame; NaN where a ray has no finite range.
CloudMessage cloud_of_scan(const msg::LaserScan& scan);

/// The points [height, width] of a depth image of 32FC1 or 16UC1, x y z as float32 in its optical frame; NaN where
/// depth is lost. `camera`: the K of its pinhole; distortion is not undone.
CloudMessage cloud_of_depth(const msg::Image& image, const msg::CameraInfo& camera);

}  // namespace fathom
