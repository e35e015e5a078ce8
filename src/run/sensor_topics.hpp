// SPDX-License-Identifier: MIT
#pragma once
// What the sensors of a simulation publish in ROS 2: a 2-D laser publishes scans, a camera depth images, any other
// sensor clouds.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/output_kinds.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/simulator.hpp>

#include "io/message/geometry.hpp"
#include "io/message/message_type.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

/// The constants of the scans of a sensor; nothing for a sensor without scans. Scans need rays that form a fan in the
/// plane z = 0, with even steps, from one point. A single ray makes a scan only for a laser_2d. `scan_time_s`: between
/// scans.
std::optional<msg::LaserScan> scan_constants(const SensorModel& model, const RayPattern& pattern,
                                             std::string_view frame_id, double scan_time_s);

/// The range of a ray (of return 0): +inf without a return, -inf below the limits of the sensor, NaN if it is masked
/// (REP 117).
float scan_range(const Frame& frame, std::size_t ray);

/// Sets stamp and ranges of a frame with range and reason.
void set_scan(msg::LaserScan& scan, const Frame& frame, const RayPattern& pattern);

/// The projection of a camera; nothing for other sensors. `optical`: name of its optical frame.
std::optional<msg::CameraInfo> camera_constants(const Sensor& sensor, std::string_view optical);

/// The depth of a frame, 32FC1, NaN where it is lost. The message shows the frame's own memory.
msg::Image depth_image(const Frame& frame, std::string_view optical);

/// The depth of a frame in either encoding.
class DepthImageMessage {
 public:
  /// The frame must outlive this.
  DepthImageMessage(const Frame& frame, std::string_view optical, DepthEncoding encoding);
  [[nodiscard]] const msg::Image& message() const { return image_; }

 private:
  std::vector<std::uint16_t> millimetres_;  // the data of image_, if 16UC1
  msg::Image image_;
};

/// The frame of a camera's images.
std::string optical_frame(std::string_view sensor);

/// Rotates the axes of a camera in fathom, x forward, y left, z up, to an optical frame: z forward, x right, y down
/// (REP 103).
Quaternion camera_from_optical();

/// A pose as tf has it, at a stamp.
msg::TransformStamped transform_of(const Pose& parent_from_child, double stamp_s, std::string_view parent,
                                   std::string_view child);

/// Topics: /tf, /tf_static and /clock; /NAME/scan (LaserScan) of a 2-D laser, /NAME/depth and /NAME/camera_info of a
/// camera, /NAME/points (PointCloud2) of any other sensor, with /NAME/points_world if the scene file asks for a
/// `pointcloud2` in the frame of the world. The frame `world` is the parent of sensors and of the entities that carry
/// them. A camera has a second frame, NAME_optical, for its images. The layout of points is that of the sensor's first
/// output `pointcloud2` in the same frame, the encoding of images that of its output `depth_image`.
class SensorTopics {
 public:
  /// `simulator` has these sensors, in their order, and outlives this. Sends nothing. Throws InputError when two frames
  /// of tf would have the same name, for example an entity that carries a sensor and another sensor.
  SensorTopics(Simulator& simulator, std::span<const SensorSetup> sensors);

  /// Channels that add() needs of a sensor's frames.
  static ChannelSet channels(const SensorSetup& setup);

  /// Adds all topics to `sink`, which gets all following messages and outlives this.
  void open(MessageSink& sink);
  /// Sends clock and transforms, before the sensors of frame `index`.
  void begin_frame(std::uint32_t index);
  /// Sends a frame that arrives, at the stamp in its header. Frames of a sensor with a timing come between frames of
  /// the scene and are sent at their delivery: the clock moves there, and tf also gets the stamp of measuring.
  void add(SensorId sensor, const Frame& frame);

 private:
  /// A frame of tf and its parent.
  struct Link {
    std::string parent, child;
    EntityId parent_entity = kNoEntity;
    EntityId entity = kNoEntity;  ///< that the frame belongs to; kNoEntity: it belongs to a sensor
    SensorId sensor = {};
    bool moves = false;
  };
  struct Topics {
    std::string frame_id;
    std::uint16_t data = 0, info = 0, world = 0;
    bool is_scan = false, is_camera = false;
    CloudOptions points = {};
    std::optional<CloudOptions> points_world = {};
    DepthEncoding depth = DepthEncoding::k32FC1;
    msg::LaserScan scan = {};
    msg::CameraInfo camera = {};
  };

  void add_sensor(SensorId id, const SensorSetup& setup);
  void set_clock(double time_s);
  void send_transforms(double stamp_s, double sent_s);
  void send_cloud(std::uint16_t topic, const Frame& frame, const CloudOptions& options, std::string_view frame_id,
                  const std::optional<msg::Time>& delivered);
  void add_link(Link link);
  [[nodiscard]] Pose pose_of(const Link& link, double stamp_s) const;
  void write_transforms(std::uint16_t topic, double stamp_s, double sent_s, bool moving);

  Simulator& simulator_;
  MessageSink* sink_ = nullptr;
  std::uint16_t clock_ = 0, tf_ = 0, tf_static_ = 0;
  std::vector<Link> links_;
  std::vector<Topics> topics_;  // [sensors]
  bool begun_ = false;
  std::optional<double> transforms_s_;  // stamp of the last transforms
};

}  // namespace fathom
