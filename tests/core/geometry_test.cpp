// SPDX-License-Identifier: MIT

#include <fathom/core/geometry.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

/// A number in [-limit, limit], in steps fine enough to be anything.
double any(double limit) { return limit * *rc::gen::inRange(-1'000'000, 1'000'001) * 1e-6; }
Vec3 any_vector(double limit = 100.0) { return {any(limit), any(limit), any(limit)}; }
Quaternion any_rotation() { return from_roll_pitch_yaw(any(4.0), any(4.0), any(4.0)); }
Pose any_pose() { return {any_vector(), any_rotation()}; }

void require_near(Vec3 a, Vec3 b, double tolerance = 1e-10) { RC_ASSERT(norm(a - b) <= tolerance); }

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}
Vec3 operator*(const Matrix& m, Vec3 v) {
  return {m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
          m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

RC_GTEST_PROP(Geometry, RollPitchYawIsTheProductOfThreeMatrices, ()) {
  const double r = any(7.0), p = any(7.0), y = any(7.0);
  const Matrix rx = {{{1, 0, 0}, {0, std::cos(r), -std::sin(r)}, {0, std::sin(r), std::cos(r)}}};
  const Matrix ry = {{{std::cos(p), 0, std::sin(p)}, {0, 1, 0}, {-std::sin(p), 0, std::cos(p)}}};
  const Matrix rz = {{{std::cos(y), -std::sin(y), 0}, {std::sin(y), std::cos(y), 0}, {0, 0, 1}}};
  const Vec3 v = any_vector();
  require_near(rotate(from_roll_pitch_yaw(r, p, y), v), (rz * (ry * rx)) * v);
}

RC_GTEST_PROP(Geometry, RotationKeepsLengthsAnglesAndHandedness, ()) {
  const Quaternion q = any_rotation();
  const Vec3 a = any_vector(), b = any_vector();
  RC_ASSERT(std::abs(dot(rotate(q, a), rotate(q, b)) - dot(a, b)) <= 1e-9);
  require_near(cross(rotate(q, a), rotate(q, b)), rotate(q, cross(a, b)), 1e-9);
}

RC_GTEST_PROP(Geometry, PosesFormAGroup, ()) {
  const Pose a = any_pose(), b = any_pose(), c = any_pose();
  const Vec3 p = any_vector();
  require_near((a * b) * p, a * (b * p));
  require_near(((a * b) * c) * p, (a * (b * c)) * p);
  require_near(inverse(a) * (a * p), p);
  require_near((a * inverse(a)) * p, p);
  require_near(inverse(a * b) * p, (inverse(b) * inverse(a)) * p);
  RC_ASSERT(Pose{} * a == a);
}

RC_GTEST_PROP(Geometry, SlerpTurnsAtConstantSpeedOnTheShorterArc, ()) {
  const Quaternion a = any_rotation(), b = any_rotation();
  const double u = *rc::gen::inRange(0, 1001) * 1e-3;
  const auto angle = [](Quaternion p, Quaternion q) {
    const Quaternion d = conjugate(p) * q;
    return 2.0 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::abs(d.w));
  };
  const double whole = angle(a, b);
  RC_PRE(whole < 3.1);  // half a turn has two shorter arcs
  const Quaternion m = slerp(a, b, u);
  RC_ASSERT(std::abs(dot(m, m) - 1.0) <= 1e-12);
  // Where the arc is short its chord is taken instead, which is off by less than 3e-6 rad in the middle.
  RC_ASSERT(std::abs(angle(a, m) - u * whole) <= 1e-5);
  RC_ASSERT(std::abs(angle(a, m) + angle(m, b) - whole) <= 1e-7);
  const Quaternion other = {-b.w, -b.x, -b.y, -b.z};  // the same rotation
  RC_ASSERT(angle(slerp(a, other, u), m) <= 1e-7);
}

TEST(Geometry, InterpolateHitsBothEnds) {
  const Pose a = {{1, 2, 3}, from_roll_pitch_yaw(0.1, 0.2, 0.3)}, b = {{-4, 0, 9}, from_roll_pitch_yaw(1, -0.5, 2)};
  for (const auto& [u, expected] : {std::pair{0.0, a}, std::pair{1.0, b}}) {
    const Pose got = interpolate(a, b, u);
    EXPECT_LT(norm(got.translation_m - expected.translation_m), 1e-15);
    EXPECT_NEAR(std::abs(dot(got.rotation, expected.rotation)), 1.0, 1e-15);
  }
}

TEST(Geometry, QuarterTurnsAreRightHanded) {
  const double quarter = std::acos(0.0);
  EXPECT_LT(norm(rotate(from_roll_pitch_yaw(quarter, 0, 0), {0, 1, 0}) - Vec3{0, 0, 1}), 1e-15);
  EXPECT_LT(norm(rotate(from_roll_pitch_yaw(0, quarter, 0), {0, 0, 1}) - Vec3{1, 0, 0}), 1e-15);
  EXPECT_LT(norm(rotate(from_roll_pitch_yaw(0, 0, quarter), {1, 0, 0}) - Vec3{0, 1, 0}), 1e-15);
}

}  // namespace
}  // namespace fathom::test
