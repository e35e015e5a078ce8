// SPDX-License-Identifier: MIT
#include "mesh/polygon.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>

#include "support/error_text.hpp"

namespace fathom::polygon_test {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// Twice the area vector: that of a closed outline does not depend on how it is cut.
Vec3 outline_area2(const std::vector<Vec3>& corners) {
  Vec3 sum;
  for (std::size_t i = 0; i < corners.size(); ++i) sum = sum + cross(corners[i], corners[(i + 1) % corners.size()]);
  return sum;
}

/// A star-shaped outline around the origin, tilted out of every plane of two axes.
std::vector<Vec3> star(const std::vector<double>& radii) {
  const Quaternion tilt = from_roll_pitch_yaw(0.3, -0.7, 1.1);
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const double a = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(radii.size());
    corners.push_back(rotate(tilt, {radii[i] * std::cos(a), radii[i] * std::sin(a), 0.0}));
  }
  return corners;
}

/// Triangles that leave the outline, as a fan's do, have areas that are negative or add up to more than the outline's.
void expect_exact_cover(const std::vector<Vec3>& corners) {
  const Triangles triangles = triangulate(corners);
  ASSERT_EQ(triangles.size(), corners.size() - 2);
  const Vec3 whole = outline_area2(corners);
  double sum = 0.0;
  for (const auto& [a, b, c] : triangles) {
    const Vec3 part = cross(corners[b] - corners[a], corners[c] - corners[a]);
    EXPECT_GT(dot(part, whole), -1e-9);
    sum += norm(part);
  }
  EXPECT_NEAR(sum, norm(whole), 1e-9 * norm(whole));
}

TEST(PolygonTest, MakesAFanOfConvexOutlines) {
  EXPECT_EQ(triangulate(star({1, 1, 1})), (Triangles{{0, 1, 2}}));
  EXPECT_EQ(triangulate(star({1, 1, 1, 1, 1})), (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
  EXPECT_EQ(triangulate(star(std::vector<double>(5000, 1.0))).size(), 4998U) << "however many corners";
}

TEST(PolygonTest, CutsAnArrowInsideItsOutline) {
  // The fan around corner 0 would cross the notch at corner 2.
  const std::vector<Vec3> arrow = {{0, 0, 5}, {2, -1, 5}, {1, 0, 5}, {2, 1, 5}};
  expect_exact_cover(arrow);
  for (std::size_t first = 0; first < 4; ++first) {
    std::vector<Vec3> turned(arrow.begin() + static_cast<std::ptrdiff_t>(first), arrow.end());
    turned.insert(turned.end(), arrow.begin(), arrow.begin() + static_cast<std::ptrdiff_t>(first));
    expect_exact_cover(turned);
    expect_exact_cover({turned.rbegin(), turned.rend()});
  }
}

RC_GTEST_PROP(PolygonTest, CutsStarsInsideTheirOutline, ()) {
  const auto tenths =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(4, 40), rc::gen::inRange(1, 40));
  std::vector<double> radii;
  for (const int t : tenths) radii.push_back(0.1 * t);
  expect_exact_cover(star(radii));
}

TEST(PolygonTest, CutsASpiralInsideItsOutline) {
  // A ribbon wound up: all its ears are at the two ends, far from the first corner, where the search begins.
  std::vector<Vec3> ribbon;
  for (int i = 0; i < 1024; ++i) {
    const int step = i < 512 ? i : 1023 - i;
    const double radius = (i < 512 ? 1.0 : 0.8) + 0.05 * step, angle = 0.2 * step;
    ribbon.push_back({radius * std::cos(angle), radius * std::sin(angle), 3.0});
  }
  expect_exact_cover(ribbon);
  expect_exact_cover({ribbon.rbegin(), ribbon.rend()});
}

TEST(PolygonTest, CutsAnOutlineThatTouchesItself) {
  // A square with a hole, which a bridge there and back joins to the outline.
  expect_exact_cover(
      {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}});
}

TEST(PolygonTest, TakesWhatHasNoAreaOrCrossesItself) {
  EXPECT_TRUE(triangulate({}).empty());
  EXPECT_TRUE(triangulate(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}}).empty());
  EXPECT_EQ(triangulate(std::vector<Vec3>(6)).size(), 4U);
  EXPECT_EQ(triangulate(std::vector<Vec3>{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2U);
  const double nan = std::nan("");
  EXPECT_EQ(triangulate(std::vector<Vec3>{{0, 0, 0}, {1, nan, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2U);
}

TEST(PolygonTest, RefusesMoreConcaveCornersThanItCanCutInTime) {
  std::vector<double> radii(1026, 1.0);
  for (std::size_t i = 0; i < radii.size(); i += 2) radii[i] = 0.5;
  const auto message = test::message_of<InputError>([&] { triangulate(star(radii)); });
  EXPECT_EQ(message, "a polygon of 1026 corners is not convex, the limit of such is 1024 corners");
  radii.resize(1024);
  expect_exact_cover(star(radii));
}

}  // namespace
}  // namespace fathom::polygon_test
