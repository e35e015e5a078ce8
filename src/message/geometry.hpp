// SPDX-License-Identifier: MIT
#pragma once
// The parts of geometry_msgs that other messages are made of. Metres, radians; rotations are unit quaternions.

#include <array>
#include <string>

#include "message/header.hpp"

namespace fathom::msg {

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

}  // namespace fathom::msg
