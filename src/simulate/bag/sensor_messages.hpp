// SPDX-License-Identifier: MIT
#pragma once
// What a sensor of fathom publishes in ROS 2: a 2-D laser scans, a camera depth images, any other sensor clouds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/outputs/depth_image.hpp>
#include <fathom/sensor/model.hpp>

#include "message/camera_info.hpp"
#include "message/geometry.hpp"
#include "message/image.hpp"
#include "message/laser_scan.hpp"

namespace fathom {

/// The constants of the scans of a sensor. Nothing: its rays are no fan in the plane z = 0 with even steps, from one
/// point, so that it has no scans. A single ray makes a scan only for a laser_2d. `scan_time_s`: between scans.
std::optional<msg::LaserScan> scan_constants(const SensorModel& model, const RayPattern& pattern,
                                             std::string_view frame_id, double scan_time_s);

/// Stamp and ranges of a frame, which has range and reason. A range is +inf beyond what the sensor measures, -inf
/// nearer than that, NaN where it is lost (REP 117).
void set_scan(msg::LaserScan& scan, const Frame& frame, const RayPattern& pattern);

/// What projects the pixels of a camera; nothing for a sensor that is none. `optical`: name of its optical frame.
std::optional<msg::CameraInfo> camera_constants(const SensorModel& model, std::string_view optical);

/// The depth of a frame, 32FC1, NaN where it is lost. The message shows the frame's own memory.
msg::Image depth_image(const Frame& frame, std::string_view optical);

/// The depth of a frame in either encoding.
class DepthImageMessage {
 public:
  /// The frame must outlive this.
  DepthImageMessage(const Frame& frame, std::string_view optical, DepthEncoding encoding);
  [[nodiscard]] const msg::Image& message() const { return image_; }

 private:
  std::vector<std::uint16_t> millimetres_;  // which the message shows
  msg::Image image_;
};

/// The frame of a camera's images.
std::string optical_frame(std::string_view sensor);

/// From the axes of a camera in fathom, x forward, y left, z up, to an optical frame: z forward, x right, y down (REP
/// 103).
Quaternion camera_from_optical();

/// A pose as tf has it, at a stamp.
msg::TransformStamped transform_of(const Pose& parent_from_child, double stamp_s, std::string_view parent,
                                   std::string_view child);

}  // namespace fathom
