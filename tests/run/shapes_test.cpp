// SPDX-License-Identifier: MIT
// Shapes in scene files become the meshes that C++ makes from the same numbers.

#include <fathom/scene/mesh.hpp>

#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

const std::string kPgm = "P2 3 2 100 0 50 100 20 40 60";

/// The mesh that replaces the crate's box.
Mesh read_shape(const std::string& shape) {
  const TemporaryFolder folder;
  folder.write("hills.pgm", kPgm);
  const auto file = folder.write("s.yaml", replaced(kScene, "{box: {size_m: [1, 1, 1]}}", shape));
  return read_scene_file(file).scene.meshes()[1];
}

std::string refusal_of(const std::string& shape) {
  const std::string text = input_error([&] { read_shape(shape); });
  return text.substr(text.rfind("s.yaml") + 6);
}

void expect_same(const Mesh& read, const Mesh& made) {
  EXPECT_EQ(read.vertices_m, made.vertices_m);
  EXPECT_EQ(read.triangles, made.triangles);
}

TEST(Shapes, AreThoseOfTheirWords) {
  expect_same(read_shape("{capsule: {radius_m: 0.3, height_m: 2}}"), make_capsule(0.3, 2));
  expect_same(read_shape("{capsule: {radius_m: 0.3, height_m: 2, segments: 9}}"), make_capsule(0.3, 2, 9));
  expect_same(read_shape("{ellipsoid: {radii_m: [1, 2, 3]}}"), make_ellipsoid({1, 2, 3}));
  expect_same(read_shape("{ellipsoid: {radii_m: [1, 2, 3], segments: 12}}"), make_ellipsoid({1, 2, 3}, 12));
}

TEST(Shapes, HeightFieldsStandInTheFileOrBesideIt) {
  HeightField field{.rows = 2, .cols = 3, .heights_m = {0, 1, 2, 3, 4, 5}, .size_x_m = 6, .size_y_m = 4, .base_m = 0};
  expect_same(read_shape("{height_field: {heights_m: [[0, 1, 2], [3, 4, 5]], size_m: [6, 4]}}"),
              make_height_field(field));
  field.base_m = 0.5;
  field.heights_m = {2, 4, 6, 0, 5, 10};
  expect_same(read_shape("{height_field: {file: hills.pgm, size_m: [6, 4], elevation_m: 10, base_m: 0.5}}"),
              make_height_field(field));
}

TEST(Shapes, AreRefusedWithPlaceKeyAndLimit) {
  EXPECT_EQ(refusal_of("{capsule: {radius_m: 0, height_m: 2}}"),
            ":23:31: scene.meshes.box.capsule.radius_m = 0 is not in [1e-06, 1000000] m");
  EXPECT_EQ(refusal_of("{capsule: {radius_m: 1}}"), ":23:20: scene.meshes.box.capsule: the key 'height_m' is missing");
  EXPECT_EQ(refusal_of("{ellipsoid: {radii_m: [1, 2]}}"),
            ":23:32: scene.meshes.box.ellipsoid.radii_m = [1, 2] is not a list of 3 numbers");
  EXPECT_EQ(refusal_of("{ellipsoid: {radii_m: [1, 2, .nan]}}"),
            ":23:39: scene.meshes.box.ellipsoid.radii_m.2 = .nan is not a finite number");
  EXPECT_EQ(refusal_of("{height_field: {heights_m: [[0, 1], [2]], size_m: [6, 4]}}"),
            ":23:46: scene.meshes.box.height_field.heights_m.1 = [2] has 1 heights, the rows before it 2");
  EXPECT_EQ(refusal_of("{height_field: {heights_m: [[0, 1]], size_m: [6, 4]}}"),
            ":23:25: scene.meshes.box.height_field: height_field has 1 x 2 heights; it needs 2 rows and 2 columns or "
            "more");
  EXPECT_EQ(refusal_of("{height_field: {size_m: [6, 4]}}"),
            ":23:25: scene.meshes.box.height_field = {size_m: [6, 4]} has no heights: give 'file' (PNG, PGM or NPY) or "
            "'heights_m'");
  EXPECT_EQ(refusal_of("{height_field: {file: hills.pgm, size_m: [6, 4]}}"),
            ":23:25: scene.meshes.box.height_field: the key 'elevation_m' is missing");
}

}  // namespace
}  // namespace fathom::test
