// SPDX-License-Identifier: MIT
#include <fathom/scene/height_field.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scene/mesh_checks.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

HeightField any_field(double base_m) {
  HeightField field;
  field.rows = *rc::gen::inRange(2, 12);
  field.cols = *rc::gen::inRange(2, 12);
  field.size_x_m = 0.1 * *rc::gen::inRange(1, 100);
  field.size_y_m = 0.1 * *rc::gen::inRange(1, 100);
  field.base_m = base_m;
  for (std::uint32_t i = 0; i < field.rows * field.cols; ++i) {
    field.heights_m.push_back(0.01F * static_cast<float>(*rc::gen::inRange(-99, 300)));
  }
  return field;
}

double height_at(const HeightField& field, std::uint32_t row, std::uint32_t col) {
  return field.heights_m[row * field.cols + col];
}

RC_GTEST_PROP(HeightField, WithABaseIsClosedAndHasItsVolume, ()) {
  const HeightField field = any_field(1);
  const Mesh mesh = make_height_field(field);
  RC_ASSERT(is_closed(mesh));
  RC_ASSERT(input_error([&] { validate(mesh); }).empty());
  // Every cell is two prisms; the one of a triangle has its area times the mean of its three heights.
  double heights = 0;
  for (std::uint32_t r = 0; r + 1 < field.rows; ++r) {
    for (std::uint32_t c = 0; c + 1 < field.cols; ++c) {
      const double shared = height_at(field, r, c) + height_at(field, r + 1, c + 1);
      heights += (2 * shared + height_at(field, r, c + 1) + height_at(field, r + 1, c)) / 3;
    }
  }
  const double cell = field.size_x_m / (field.cols - 1) * field.size_y_m / (field.rows - 1);
  const double volume = cell / 2 * heights + field.base_m * field.size_x_m * field.size_y_m;
  RC_ASSERT(std::abs(size_of(mesh).volume - volume) < 1e-4 * (1 + volume));
}

RC_GTEST_PROP(HeightField, WithoutABaseIsASurfaceThatFacesUp, ()) {
  const HeightField field = any_field(0);
  const Mesh mesh = make_height_field(field);
  RC_ASSERT(mesh.triangles.size() == 2 * (field.rows - 1) * (field.cols - 1));
  RC_ASSERT(mesh.vertices_m.size() == field.heights_m.size());
  for (const auto& t : mesh.triangles) {
    const Vec3 a = vertex(mesh, t[0]);
    RC_ASSERT(cross(vertex(mesh, t[1]) - a, vertex(mesh, t[2]) - a).z > 0);
  }
}

TEST(HeightField, OfASlopeHasTheAreaOfThePlane) {
  HeightField field{.rows = 5, .cols = 9, .heights_m = {}, .size_x_m = 8, .size_y_m = 2, .base_m = 0};
  const double gx = 0.5, gy = -0.25;
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 9; ++c) field.heights_m.push_back(static_cast<float>(gx * (c - 4) + gy * 0.5 * (r - 2)));
  }
  EXPECT_NEAR(size_of(make_height_field(field)).area, 8 * 2 * std::sqrt(1 + gx * gx + gy * gy), 1e-5);
}

TEST(HeightField, BeginsAtTheLeastXAndY) {
  const HeightField field{
      .rows = 2, .cols = 3, .heights_m = {1, 2, 3, 4, 5, 6}, .size_x_m = 8, .size_y_m = 6, .base_m = 0.5};
  const Mesh mesh = make_height_field(field);
  using V = std::array<float, 3>;
  const std::vector<V> top(mesh.vertices_m.begin(), mesh.vertices_m.begin() + 6);
  EXPECT_EQ(top, (std::vector<V>{{-4, -3, 1}, {0, -3, 2}, {4, -3, 3}, {-4, 3, 4}, {0, 3, 5}, {4, 3, 6}}));
  for (std::size_t i = 6; i < mesh.vertices_m.size(); ++i) EXPECT_EQ(mesh.vertices_m[i][2], -0.5F);
}

TEST(HeightField, NamesWhatIsWrong) {
  const HeightField good{.rows = 2, .cols = 2, .heights_m = {0, 0, 0, 0}, .size_x_m = 1, .size_y_m = 1, .base_m = 0};
  const auto error = [&](auto change) {
    HeightField field = good;
    change(field);
    return input_error([&] { make_height_field(field); });
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error([](HeightField&) {}), "");
  EXPECT_EQ(error([](HeightField& f) { f.size_x_m = 0; }), "height_field.size_x_m = 0 is not in (0, 1000000] m");
  EXPECT_EQ(error([&](HeightField& f) { f.size_y_m = nan; }), "height_field.size_y_m = nan is not in (0, 1000000] m");
  EXPECT_EQ(error([&](HeightField& f) { f.base_m = -1; }), "height_field.base_m = -1 is not in [0, 1000000] m");
  EXPECT_EQ(error([&](HeightField& f) { f.base_m = nan; }), "height_field.base_m = nan is not in [0, 1000000] m");
  EXPECT_EQ(error([](HeightField& f) { f.rows = 1; }),
            "height_field has 1 x 2 heights; it needs 2 rows and 2 columns or more");
  EXPECT_EQ(error([](HeightField& f) { f.cols = 3; }),
            "height_field.heights_m has 4 values; 2 rows of 3 columns need 6");
  EXPECT_EQ(error([&](HeightField& f) { f.heights_m[2] = nan; }),
            "height_field.heights_m[1, 0] = nan is not in [-1000000, 1000000] m");
  EXPECT_EQ(error([&](HeightField& f) {
              f.base_m = 1;
              f.heights_m[3] = -1;
            }),
            "height_field.heights_m[1, 1] = -1 is not above the bottom, at -1 m (base_m)");
  EXPECT_EQ(error([](HeightField& f) {
              f.rows = f.cols = 2900;
              f.heights_m.assign(std::size_t{2900} * 2900, 0);
            }),
            "height_field of 2900 x 2900 heights makes 16808402 triangles, more than 16777216");
}

}  // namespace
}  // namespace fathom::test
