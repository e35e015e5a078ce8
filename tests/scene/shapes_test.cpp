// SPDX-License-Identifier: MIT

#include "scene/mesh_checks.hpp"

namespace fathom::test {
namespace {

/// Every face of a convex body around the origin looks away from it.
bool looks_outwards(const Mesh& mesh) {
  for (const auto& t : mesh.triangles) {
    const Vec3 a = vertex(mesh, t[0]), b = vertex(mesh, t[1]), c = vertex(mesh, t[2]);
    if (!(dot(cross(b - a, c - a), a + b + c) > 0)) return false;
  }
  return true;
}

double any_size() { return 0.01 * *rc::gen::inRange(1, 10'000); }
std::uint32_t any_segments() { return *rc::gen::inRange<std::uint32_t>(8, 200); }

RC_GTEST_PROP(Primitives, AreClosedAndLookOutwards, ()) {
  for (const Mesh& mesh :
       {make_box({any_size(), any_size(), any_size()}), make_sphere(any_size(), any_segments()),
        make_cylinder(any_size(), any_size(), any_segments()), make_capsule(any_size(), any_size(), any_segments()),
        make_ellipsoid({any_size(), any_size(), any_size()}, any_segments())}) {
    RC_ASSERT(is_closed(mesh));
    RC_ASSERT(looks_outwards(mesh));
    RC_ASSERT(input_error([&] { validate(mesh); }).empty());
  }
}

RC_GTEST_PROP(Box, HasItsAreaVolumeAndCentre, ()) {
  const Vec3 s = {any_size(), any_size(), any_size()};
  const Mesh mesh = make_box(s);
  const Size size = size_of(mesh);
  RC_ASSERT(std::abs(size.volume / (s.x * s.y * s.z) - 1) < 1e-6);
  RC_ASSERT(std::abs(size.area / (2 * (s.x * s.y + s.y * s.z + s.z * s.x)) - 1) < 1e-6);
  for (std::uint32_t i = 0; i < mesh.vertices_m.size(); ++i) {
    const Vec3 v = vertex(mesh, i);
    RC_ASSERT(std::abs(std::abs(v.x) - s.x / 2) < 1e-6 * s.x);
    RC_ASSERT(std::abs(std::abs(v.y) - s.y / 2) < 1e-6 * s.y);
    RC_ASSERT(std::abs(std::abs(v.z) - s.z / 2) < 1e-6 * s.z);
  }
}

TEST(Plane, IsARectangleThatFacesUp) {
  const Mesh mesh = make_plane(4, 6);
  EXPECT_DOUBLE_EQ(size_of(mesh).area, 24);
  for (const auto& t : mesh.triangles) {
    const Vec3 a = vertex(mesh, t[0]);
    const Vec3 n = cross(vertex(mesh, t[1]) - a, vertex(mesh, t[2]) - a);
    EXPECT_EQ(n.x, 0);
    EXPECT_EQ(n.y, 0);
    EXPECT_GT(n.z, 0);
  }
  for (const auto& v : mesh.vertices_m) {
    EXPECT_EQ(std::abs(v[0]), 2);
    EXPECT_EQ(std::abs(v[1]), 3);
    EXPECT_EQ(v[2], 0);
  }
}

/// The error of an inscribed surface falls with the square of the segments: doubling them divides it by 4.
template <class Make>
void expect_converges(Make make, double area, double volume) {
  const auto errors = [&](std::uint32_t segments) {
    const Size size = size_of(make(segments));
    return Size{1 - size.area / area, 1 - size.volume / volume};
  };
  const Size coarse = errors(64), fine = errors(128);
  EXPECT_GT(fine.area, 0) << "inscribed: smaller than the round body";
  EXPECT_GT(fine.volume, 0);
  EXPECT_NEAR(coarse.area / fine.area, 4, 0.05);
  EXPECT_NEAR(coarse.volume / fine.volume, 4, 0.05);
  EXPECT_LT(coarse.volume, 0.01);
}

TEST(Sphere, ConvergesToItsClosedForms) {
  const double r = 1.5;
  expect_converges([&](std::uint32_t n) { return make_sphere(r, n); }, 4 * std::numbers::pi * r * r,
                   4.0 / 3 * std::numbers::pi * r * r * r);
}

TEST(Cylinder, ConvergesToItsClosedForms) {
  const double r = 1.5, h = 4;
  expect_converges([&](std::uint32_t n) { return make_cylinder(r, h, n); }, 2 * std::numbers::pi * r * (r + h),
                   std::numbers::pi * r * r * h);
}

TEST(Capsule, ConvergesToItsClosedForms) {
  const double r = 1.5, h = 4;
  expect_converges([&](std::uint32_t n) { return make_capsule(r, h, n); },
                   2 * std::numbers::pi * r * h + 4 * std::numbers::pi * r * r,
                   std::numbers::pi * r * r * h + 4.0 / 3 * std::numbers::pi * r * r * r);
}

TEST(Ellipsoid, ConvergesToItsClosedForms) {
  // The area of an ellipsoid has a closed form when two of its axes are equal: https://en.wikipedia.org/wiki/Spheroid
  const double a = 2, flat = 1.2, tall = 3;
  const double e_flat = std::sqrt(1 - flat * flat / (a * a)), e_tall = std::sqrt(1 - a * a / (tall * tall));
  const auto volume = [&](double c) { return 4.0 / 3 * std::numbers::pi * a * a * c; };
  expect_converges(
      [&](std::uint32_t n) {
        return make_ellipsoid({a, a, flat}, n);
      },
      2 * std::numbers::pi * a * a + std::numbers::pi * flat * flat / e_flat * std::log((1 + e_flat) / (1 - e_flat)),
      volume(flat));
  expect_converges(
      [&](std::uint32_t n) {
        return make_ellipsoid({a, a, tall}, n);
      },
      2 * std::numbers::pi * a * a * (1 + tall / (a * e_tall) * std::asin(e_tall)), volume(tall));
}

TEST(Ellipsoid, HasItsAxesInOrderAndOfOneRadiusIsASphere) {
  const Mesh mesh = make_ellipsoid({1, 2, 3}, 64);
  Vec3 reach;
  for (std::uint32_t i = 0; i < mesh.vertices_m.size(); ++i) {
    const Vec3 v = vertex(mesh, i);
    EXPECT_NEAR(v.x * v.x + v.y * v.y / 4 + v.z * v.z / 9, 1, 1e-6);
    reach = {std::max(reach.x, v.x), std::max(reach.y, v.y), std::max(reach.z, v.z)};
  }
  EXPECT_NEAR(reach.x, 1, 1e-6);
  EXPECT_NEAR(reach.y, 2, 1e-6);
  EXPECT_NEAR(reach.z, 3, 1e-6);
  const Mesh round = make_ellipsoid({2, 2, 2}, 20), sphere = make_sphere(2, 20);
  EXPECT_EQ(round.triangles, sphere.triangles);
  for (std::uint32_t i = 0; i < round.vertices_m.size(); ++i) {
    EXPECT_LT(norm(vertex(round, i) - vertex(sphere, i)), 1e-6) << i;
  }
}

/// Depth of a point below the round surface, at the corners, edge middles and centres of all triangles and in between.
template <class Depth>
double deepest(const Mesh& mesh, Depth depth) {
  constexpr int kSteps = 12;
  double largest = -1;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = vertex(mesh, t[0]), b = vertex(mesh, t[1]), c = vertex(mesh, t[2]);
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; i + j <= kSteps; ++j) {
        const double u = double(i) / kSteps, v = double(j) / kSteps;
        largest = std::max(largest, depth((1 - u - v) * a + u * b + v * c));
      }
    }
  }
  return largest;
}

TEST(Sphere, LiesNoDeeperThanPromised) {
  const double r = 2;
  for (const std::uint32_t n : {8U, 17U, 64U, 101U}) {
    const Mesh mesh = make_sphere(r, n);
    for (std::uint32_t i = 0; i < mesh.vertices_m.size(); ++i) EXPECT_NEAR(norm(vertex(mesh, i)), r, 1e-6);
    // A facet sags across a meridian (pi / n to each side) and across a parallel (pi / (2 floor(n / 2))).
    const double bound = r * (1 - std::cos(std::numbers::pi / n) * std::cos(std::numbers::pi / (n / 2 * 2)));
    EXPECT_LE(deepest(mesh, [&](Vec3 p) { return r - norm(p); }), bound + 1e-6) << n;
    if (n % 2 == 0) {
      EXPECT_NEAR(bound, r * std::pow(std::sin(std::numbers::pi / n), 2), 1e-12) << "as mesh.hpp states it";
    }
  }
}

TEST(Cylinder, LiesNoDeeperThanPromised) {
  const double r = 2, h = 3;
  for (const std::uint32_t n : {8U, 17U, 64U}) {
    const Mesh mesh = make_cylinder(r, h, n);
    const auto depth = [&](Vec3 p) { return std::min(r - std::hypot(p.x, p.y), h / 2 - std::abs(p.z)); };
    EXPECT_LE(deepest(mesh, depth), r * (1 - std::cos(std::numbers::pi / n)) + 1e-6) << n;
  }
}

TEST(Capsule, LiesNoDeeperThanPromised) {
  const double r = 2, h = 3;
  for (const std::uint32_t n : {8U, 17U, 18U, 19U, 64U}) {
    const Mesh mesh = make_capsule(r, h, n);
    const auto depth = [&](Vec3 p) { return r - std::hypot(p.x, p.y, std::max(std::abs(p.z) - h / 2, 0.0)); };
    EXPECT_LE(deepest(mesh, depth), r * std::pow(std::sin(std::numbers::pi / n), 2) + 1e-6) << n;
    double top = 0;
    for (const auto& v : mesh.vertices_m) top = std::max<double>(top, v[2]);
    EXPECT_NEAR(top, r + h / 2, 1e-6);
  }
}

TEST(Primitives, NameTheSizeThatIsWrong) {
  EXPECT_EQ(input_error([] { make_plane(0, 1); }), "plane.size_x_m = 0 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_plane(1, NAN); }), "plane.size_y_m = nan is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_box({1, -2, 1}); }), "box.size_m.y = -2 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_box({1, 2, INFINITY}); }), "box.size_m.z = inf is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_sphere(-1); }), "sphere.radius_m = -1 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_sphere(1, 7); }), "sphere.segments = 7 is not in [8, 1024]");
  EXPECT_EQ(input_error([] { make_cylinder(1, 0); }), "cylinder.height_m = 0 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_cylinder(1, 1, 1025); }), "cylinder.segments = 1025 is not in [8, 1024]");
  EXPECT_EQ(input_error([] { make_capsule(NAN, 1); }), "capsule.radius_m = nan is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_capsule(1, -1); }), "capsule.height_m = -1 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_capsule(1, 1, 0); }), "capsule.segments = 0 is not in [8, 1024]");
  EXPECT_EQ(input_error([] { make_ellipsoid({1, 0, 1}); }), "ellipsoid.radii_m.y = 0 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_ellipsoid({1, 1, 2e6}); }), "ellipsoid.radii_m.z = 2000000 is not in (0, 1000000] m");
  EXPECT_EQ(input_error([] { make_ellipsoid({1, 1, 1}, 2000); }), "ellipsoid.segments = 2000 is not in [8, 1024]");
}

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
