// SPDX-License-Identifier: MIT
#pragma once
// The bag of a run: what the robot's sensors would have published in ROS 2.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/simulate/simulator.hpp>

#include "bag/mcap_writer.hpp"
#include "message/camera_info.hpp"
#include "message/laser_scan.hpp"
#include "message/tf_message.hpp"

namespace fathom {

/// Topics of a sensor: /NAME/scan (LaserScan) of a 2-D laser, /NAME/depth and /NAME/camera_info of a camera, and else
/// /NAME/points (PointCloud2); /tf, /tf_static and /clock. The frame `world` holds the entities that carry sensors, and
/// these. A camera has a second frame, NAME_optical, in which its images are.
class RunBag {
 public:
  /// Of a simulator with so many sensors; writes nothing. Throws InputError where two frames of tf would have one name,
  /// as when an entity that carries a sensor has the name of another sensor.
  RunBag(Simulator& simulator, std::size_t sensors);

  /// Channels that add() needs of a sensor's frames.
  static ChannelSet channels(const Sensor& sensor);

  /// The bag gets its name at commit(); until then there is no such file. Throws SystemError.
  void open(const std::filesystem::path& file);
  /// Clock and transforms, before the sensors of frame `index`.
  void begin_frame(std::uint32_t index);
  void add(SensorId sensor, const Frame& frame);
  void commit() { bag_->commit(); }

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
    std::uint16_t data = 0, info = 0;
    bool is_scan = false, is_camera = false;
    msg::LaserScan scan = {};
    msg::CameraInfo camera = {};
  };

  void add_sensor(SensorId id);
  void add_link(Link link);
  [[nodiscard]] Pose pose_of(const Link& link, double stamp_s) const;
  void write_transforms(std::uint16_t topic, double stamp_s, bool moving);

  Simulator& simulator_;
  std::optional<McapWriter> bag_;
  std::uint16_t clock_ = 0, tf_ = 0, tf_static_ = 0;
  std::vector<Link> links_;
  std::vector<Topics> topics_;  // [sensors]
  bool begun_ = false;
};

/// Throws InputError when a bag of this name would replace one of the inputs or, unless `force`, anything.
void check_bag_file(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs, bool force);

}  // namespace fathom
