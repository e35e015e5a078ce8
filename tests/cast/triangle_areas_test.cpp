// SPDX-License-Identifier: MIT
// Areas of triangles against closed forms, over more triangles than one task takes.

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/executor.hpp"
#include "cast/triangle_areas.hpp"

namespace fathom::test {
namespace {

TEST(TriangleAreas, AreThoseOfRightTrianglesOfGrowingSize) {
  constexpr std::uint32_t kCount = 40000;
  std::vector<std::array<float, 3>> vertices = {{1, 2, 3}};
  std::vector<std::array<std::uint32_t, 3>> triangles;
  vertices.reserve(2 * kCount + 1), triangles.reserve(kCount);
  double sum = 0.0, sum_of_squares = 0.0;
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    const auto leg = static_cast<float>(i) / 1024.0F;  // exact, and so is what it is added to
    vertices.push_back({1 + leg, 2, 3});
    vertices.push_back({1, 2, 3 - leg});
    triangles.push_back({0, 2 * i - 1, 2 * i});
    const double area = 0.5 * double{leg} * double{leg};
    sum += area, sum_of_squares += area * area;
  }
  const auto alone = make_executor(1), crew = make_executor(4);
  const TriangleAreas areas = add_up_areas(vertices, triangles, *alone);
  EXPECT_NEAR(areas.sum / sum, 1.0, 1e-12);
  EXPECT_NEAR(areas.sum_of_squares / sum_of_squares, 1.0, 1e-12);
  EXPECT_NEAR(areas.typical() / (sum_of_squares / sum), 1.0, 1e-12);
  const TriangleAreas shared = add_up_areas(vertices, triangles, *crew);
  EXPECT_EQ(shared.sum, areas.sum);
  EXPECT_EQ(shared.sum_of_squares, areas.sum_of_squares);
}

TEST(TriangleAreas, GrowWithTheScaleAndAreZeroOfNothing) {
  const auto executor = make_executor(1);
  EXPECT_EQ(add_up_areas({}, {}, *executor).typical(), 0.0);
  TriangleAreas twice;
  twice.add({3.0, 5.0}, 4.0);
  EXPECT_EQ(twice.sum, 12.0);
  EXPECT_EQ(twice.sum_of_squares, 80.0);
  EXPECT_EQ(twice.typical(), 4.0 * (5.0 / 3.0));
}

}  // namespace
}  // namespace fathom::test
