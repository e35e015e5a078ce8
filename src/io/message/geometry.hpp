// SPDX-License-Identifier: MIT
#pragma once
// Messages of ROS 2 with times, poses, transforms and maps. Metres, radians; rotations are unit quaternions.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/message/message_type.hpp"

namespace fathom::msg {

struct Time {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;  ///< above the seconds, 0 to 999 999 999

  static constexpr MessageType kType = {"builtin_interfaces/msg/Time", "int32 sec\nuint32 nanosec\n", {}, {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.sec, m.nanosec);
  }
};

/// Whole seconds rounded down, and the nanoseconds above them. Throws InputError outside [-2^31, 2^31) s.
Time time_of(double stamp_s);

/// The time of bags, exact to the nanosecond; 0 for a time before 0.
std::uint64_t nanoseconds(const Time& time);

struct Header {
  Time stamp;
  std::string frame_id;

  static constexpr std::array kParts = {&Time::kType};
  static constexpr MessageType kType = {
      "std_msgs/msg/Header", "builtin_interfaces/Time stamp\nstring frame_id\n", {}, kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.stamp, m.frame_id);
  }
};

struct Vector3 {
  double x = 0, y = 0, z = 0;

  static constexpr MessageType kType = {"geometry_msgs/msg/Vector3", "float64 x\nfloat64 y\nfloat64 z\n", {}, {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.x, m.y, m.z);
  }
};

struct Point {
  double x = 0, y = 0, z = 0;

  static constexpr MessageType kType = {"geometry_msgs/msg/Point", "float64 x\nfloat64 y\nfloat64 z\n", {}, {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.x, m.y, m.z);
  }
};

struct Quaternion {
  double x = 0, y = 0, z = 0, w = 1;

  static constexpr MessageType kType = {
      "geometry_msgs/msg/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n", {}, {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.x, m.y, m.z, m.w);
  }
};

struct Pose {
  Point position;
  Quaternion orientation;

  static constexpr std::array kParts = {&Point::kType, &Quaternion::kType};
  static constexpr MessageType kType = {
      "geometry_msgs/msg/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n", {}, kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.position, m.orientation);
  }
};

struct Transform {
  Vector3 translation;
  Quaternion rotation;

  static constexpr std::array kParts = {&Vector3::kType, &Quaternion::kType};
  static constexpr MessageType kType = {"geometry_msgs/msg/Transform",
                                        "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
                                        {},
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.translation, m.rotation);
  }
};

/// Points of `child_frame_id` in `header.frame_id`: p_parent = rotation p_child + translation.
struct TransformStamped {
  Header header;
  std::string child_frame_id;
  Transform transform;

  static constexpr std::size_t kLeastBytes = 72;  ///< with empty names
  static constexpr std::array kParts = {&Header::kType, &Transform::kType};
  static constexpr MessageType kType = {
      "geometry_msgs/msg/TransformStamped",
      "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
      {},
      kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.child_frame_id, m.transform);
  }
};

/// Covariance of (x, y, z, rotations about x, y, z), row-major [6, 6], m and rad.
struct PoseWithCovariance {
  Pose pose;
  std::array<double, 36> covariance{};

  static constexpr std::array kParts = {&Pose::kType};
  static constexpr MessageType kType = {
      "geometry_msgs/msg/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n", {}, kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.pose, m.covariance);
  }
};

struct Twist {
  Vector3 linear;   ///< m/s
  Vector3 angular;  ///< rad/s

  static constexpr std::array kParts = {&Vector3::kType};
  static constexpr MessageType kType = {
      "geometry_msgs/msg/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n", {}, kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.linear, m.angular);
  }
};

struct TwistWithCovariance {
  Twist twist;
  std::array<double, 36> covariance{};

  static constexpr std::array kParts = {&Twist::kType};
  static constexpr MessageType kType = {
      "geometry_msgs/msg/TwistWithCovariance", "geometry_msgs/Twist twist\nfloat64[36] covariance\n", {}, kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.twist, m.covariance);
  }
};

/// Transforms between frames, valid at their stamps on /tf, and always on /tf_static.
struct TFMessage {
  std::vector<TransformStamped> transforms;

  static constexpr std::array kParts = {&TransformStamped::kType};
  static constexpr MessageType kType = {"tf2_msgs/msg/TFMessage", "geometry_msgs/TransformStamped[] transforms\n",
                                        "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.transforms);
  }
};

/// The pose of `child_frame_id` in `header.frame_id`, and its velocity in its own axes.
struct Odometry {
  Header header;
  std::string child_frame_id;
  PoseWithCovariance pose;
  TwistWithCovariance twist;

  static constexpr std::array kParts = {&Header::kType, &PoseWithCovariance::kType, &TwistWithCovariance::kType};
  static constexpr MessageType kType = {"nav_msgs/msg/Odometry",
                                        "std_msgs/Header header\n"
                                        "string child_frame_id\n"
                                        "geometry_msgs/PoseWithCovariance pose\n"
                                        "geometry_msgs/TwistWithCovariance twist\n",
                                        "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.child_frame_id, m.pose, m.twist);
  }
};

/// A pose in `header.frame_id` with its covariance.
struct PoseWithCovarianceStamped {
  Header header;
  PoseWithCovariance pose;

  static constexpr std::array kParts = {&Header::kType, &PoseWithCovariance::kType};
  static constexpr MessageType kType = {"geometry_msgs/msg/PoseWithCovarianceStamped",
                                        "std_msgs/Header header\n"
                                        "geometry_msgs/PoseWithCovariance pose\n",
                                        "RIHS01_26432f9803e43727d3c8f668d1fdb3c630f548af631e2f4e31382371bfea3b6e",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.pose);
  }
};

/// The time of a simulation.
struct Clock {
  Time clock;

  static constexpr std::array kParts = {&Time::kType};
  static constexpr MessageType kType = {"rosgraph_msgs/msg/Clock", "builtin_interfaces/Time clock\n",
                                        "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.clock);
  }
};

struct MapMetaData {
  Time map_load_time;
  float resolution = 0;  ///< m, side of a cell
  std::uint32_t width = 0, height = 0;
  Pose origin;  ///< the corner of cell (0, 0)

  static constexpr std::array kParts = {&Time::kType, &Pose::kType};
  static constexpr MessageType kType = {"nav_msgs/msg/MapMetaData",
                                        "builtin_interfaces/Time map_load_time\nfloat32 resolution\nuint32 width\n"
                                        "uint32 height\ngeometry_msgs/Pose origin\n",
                                        {},
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.map_load_time, m.resolution, m.width, m.height, m.origin);
  }
};

/// A map: occupancy in percent, -1 if unknown.
struct OccupancyGrid {
  Header header;
  MapMetaData info;
  std::vector<std::int8_t> data;  ///< [height, width], rows along x, from the smallest y

  static constexpr std::array kParts = {&Header::kType, &MapMetaData::kType};
  static constexpr MessageType kType = {"nav_msgs/msg/OccupancyGrid",
                                        "std_msgs/Header header\n"
                                        "nav_msgs/MapMetaData info\n"
                                        "int8[] data\n",
                                        "RIHS01_8d348150c12913a31ee0ec170fbf25089e4745d17035792a1ba94d6f0bc0cfc7",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.info, m.data);
  }
  /// Throws InputError unless there is a value for each cell.
  void check() const;
};

}  // namespace fathom::msg
