// SPDX-License-Identifier: MIT
#pragma once
// The messages of a simulation: what the robot's sensors would publish in ROS 2.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/files/clouds.hpp>
#include <fathom/outputs/depth_image.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/simulator.hpp>

#include "message/camera_info.hpp"
#include "message/laser_scan.hpp"
#include "message/message_sink.hpp"
#include "message/tf_message.hpp"

namespace fathom {

/// Topics of a sensor: /NAME/scan (LaserScan) of a 2-D laser, /NAME/depth and /NAME/camera_info of a camera, and else
/// /NAME/points (PointCloud2), with /NAME/points_world where the scene file asks for a `pointcloud2` in the frame of
/// the world; /tf, /tf_static and /clock. The frame `world` holds the entities that carry sensors, and these. A camera
/// has a second frame, NAME_optical, in which its images are. Points lie, and images are encoded, as the sensor's first
/// output `pointcloud2` of that frame and its output `depth_image` say.
class SensorTopics {
 public:
  /// Of a simulator that has these sensors, in their order, and must outlive this; sends nothing. Throws InputError
  /// where two frames of tf would have one name, as when an entity that carries a sensor has the name of another.
  SensorTopics(Simulator& simulator, std::span<const SensorSetup> sensors);

  /// Channels that add() needs of a sensor's frames.
  static ChannelSet channels(const SensorSetup& setup);

  /// Adds all topics to where they go from now on, which must outlive this.
  void open(MessageSink& sink);
  /// Clock and transforms, before the sensors of frame `index`.
  void begin_frame(std::uint32_t index);
  /// A frame that arrives. It is sent at the stamp in its header; of a sensor with a timing, whose frames come between
  /// those of the scene, at its delivery: the clock then moves there, and tf has the stamp of measuring, too.
  void add(SensorId sensor, const Frame& frame);

 private:
  /// A frame of tf and what it hangs on.
  struct Link {
    std::string parent, child;
    EntityId parent_entity = kNoEntity;
    EntityId entity = kNoEntity;  ///< that it is; kNoEntity: a sensor
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
  void tell_transforms(double stamp_s, double sent_s);
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
  std::optional<double> told_s_;  // the stamp of the transforms that were sent last
};

}  // namespace fathom
