// SPDX-License-Identifier: MIT
#pragma once
// Random numbers, maps and rays that are the same with every standard library.

#include <fathom/core/geometry.hpp>

#include "parts/tracer.hpp"
#include "support/expect.hpp"

namespace fathom::test {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 8U) * 0x1p-24; }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_() % count); }
  Vec3 vector(double low, double high) {
    const double x = real(low, high), y = real(low, high);
    return {x, y, real(low, high)};
  }
  Vec3 unit() {
    for (;;) {
      const Vec3 v = vector(-1, 1);
      const double length = norm(v);
      if (length > 0.1 && length < 1) return (1 / length) * v;
    }
  }
  std::vector<float> floats(std::size_t count, double low, double high) {
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(real(low, high));
    return values;
  }

 private:
  std::mt19937 engine_;
};

/// A place and a turn; the third column points along `direction`, a unit vector.
inline Matrix34 looking_along(const Vec3& direction, const Vec3& from = {}) {
  const Vec3 helper = std::abs(direction.y) < 0.9 ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
  Vec3 x = cross(helper, direction);
  x = (1 / norm(x)) * x;
  const Vec3 y = cross(direction, x);
  const auto row = [](double a, double b, double c, double d) {
    return std::array<float, 4>{float(a), float(b), float(c), float(d)};
  };
  return {row(x.x, y.x, direction.x, from.x), row(x.y, y.y, direction.y, from.y), row(x.z, y.z, direction.z, from.z)};
}

/// Directions of a scanner about the y axis: `rows` rings of `row` rays, from -15 to 15 degrees.
inline std::vector<Matrix34> make_rings(std::uint32_t rows, std::uint32_t row) {
  std::vector<Matrix34> rays;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const double pitch = rows == 1 ? 0.0 : (r / (rows - 1.0) - 0.5) * 30 * kRadPerDeg;
    for (std::uint32_t c = 0; c < row; ++c) {
      const double yaw = 360 * kRadPerDeg * c / row;
      rays.push_back(
          looking_along({std::sin(yaw) * std::cos(pitch), std::sin(pitch), std::cos(yaw) * std::cos(pitch)}));
    }
  }
  return rays;
}

inline Affine affine_of(const Pose& pose, double scale = 1.0) {
  const Vec3 x = rotate(pose.rotation, {scale, 0, 0}), y = rotate(pose.rotation, {0, scale, 0}),
             z = rotate(pose.rotation, {0, 0, scale}), t = pose.translation_m;
  return {{{x.x, y.x, z.x, t.x}, {x.y, y.y, z.y, t.y}, {x.z, y.z, z.z, t.z}}};
}

}  // namespace fathom::test
