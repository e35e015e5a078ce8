// SPDX-License-Identifier: MIT
// A tolerance of the user's: which surfaces it forgives, and whose row it is.

#include <fathom/noise/stereo_shadow.hpp>

#include "render/stereo_scenes.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

constexpr double kWall = 2.0, kFineFx = 30000, kFineBaseline = 0.5;
constexpr EntityId kWallId = EntityId{0};

/// A sheet `gap_m` before the wall, in the wall's frame (z towards the camera). Its edge lies straight ahead, and it
/// covers the image to the right of that.
Mesh make_sheet(double gap_m) {
  Mesh sheet = make_plane(100, 0.2);
  for (auto& v : sheet.vertices_m) v[1] -= 0.1F, v[2] += static_cast<float>(gap_m);
  return sheet;
}

/// A wall with sheets before it: some are part of it, others are separate entities.
Scene make_layers(const std::vector<double>& own_gaps_m, const std::vector<double>& other_gaps_m = {}) {
  Mesh wall = make_plane(100, 100);
  for (const double gap : own_gaps_m) append(wall, make_sheet(gap));
  Scene scene;
  const Pose pose = TiltedPlane{kWall, 0}.pose();
  scene.add_entity({.name = "wall", .mesh = scene.add_mesh(wall), .parent_from_entity = pose});
  for (const double gap : other_gaps_m) {
    scene.add_entity(
        {.name = "other" + std::to_string(gap), .mesh = scene.add_mesh(make_sheet(gap)), .parent_from_entity = pose});
  }
  return scene;
}

StereoCamera make_camera() { return make_stereo(641, 3, kFineFx, kFineBaseline, CameraReference::kLeft); }

/// Pixels of the wall that a sheet hides from the right camera.
double shadow_px(double gap_m) { return kFineFx * kFineBaseline * (1 / (kWall - gap_m) - 1 / kWall); }

std::uint32_t hidden(const Scene& scene, const Sensor& sensor) {
  const Frame frame = render_once(scene, sensor);
  EXPECT_EQ(count_of(frame, Reason::kHiddenLeft) + count_of(frame, Reason::kHiddenBoth), 0U);
  return count_in_row(frame, 1, Reason::kHiddenRight);
}

std::uint32_t hidden(const Scene& scene, float tolerance) {
  return hidden(scene, make_sensor(make_camera(), {StereoShadow{.tolerance = tolerance}}));
}

TEST(ShadowTolerance, ForgivesTheEntityItselfAndNoOther) {
  EXPECT_NEAR(hidden(make_layers({0.01}), 0.0F), shadow_px(0.01), 1.0);
  EXPECT_EQ(hidden(make_layers({0.01}), 0.02F), 0U);                               // 1 cm of 2 m is within 2 %
  EXPECT_NEAR(hidden(make_layers({0.01}), 0.004F), shadow_px(0.01), 1.0);          // but not within 0.4 %
  EXPECT_NEAR(hidden(make_layers({}, {0.01}), 0.02F), shadow_px(0.01), 1.0);       // nor of the same entity
  EXPECT_NEAR(hidden(make_layers({0.06, 0.01}), 0.02F), shadow_px(0.06), 1.0);     // a farther part of it hides
  EXPECT_NEAR(hidden(make_layers({0.005}, {0.01}), 0.02F), shadow_px(0.01), 1.0);  // another entity before its own
}

// The first thing that a line of sight meets does not decide: what stands behind it counts as well.
TEST(ShadowTolerance, AnotherEntityHidesFromBehindAnOwnSurfaceToo) {
  EXPECT_NEAR(hidden(make_layers({0.01}, {0.005}), 0.02F), shadow_px(0.005), 1.0);
  EXPECT_NEAR(hidden(make_layers({0.01, 0.008, 0.006}, {0.004}), 0.02F), shadow_px(0.004), 1.0);
  EXPECT_NEAR(hidden(make_layers({0.01, 0.008}, {0.0002}), 0.02F), shadow_px(0.0002), 1.0);
}

TEST(ShadowTolerance, SixteenOwnSurfacesAreLookedThrough) {
  std::vector<double> gaps;
  while (gaps.size() < 16) gaps.push_back(0.002 + 0.001 * static_cast<double>(gaps.size()));
  EXPECT_EQ(hidden(make_layers(gaps), 0.02F), 0U);
  gaps.push_back(0.001);
  EXPECT_NEAR(hidden(make_layers(gaps), 0.02F), shadow_px(0.001), 1.0);  // all 17 are in the way
}

TEST(ShadowTolerance, IsThatOfTheRowOfTheEntityStruck) {
  const auto with_row = [&](float line, EntityId entity, float row) {
    Sensor sensor = make_sensor(make_camera(), {StereoShadow{.tolerance = line}});
    sensor.noise[0].by_entity = {{entity, StereoShadow{.tolerance = row}}};
    return hidden(make_layers({0.01}, {-1}), sensor);  // the other entity stands behind the wall
  };
  EXPECT_EQ(with_row(0, kWallId, 0.02F), 0U);
  EXPECT_NEAR(with_row(0.02F, kWallId, 0), shadow_px(0.01), 1.0);
  EXPECT_NEAR(with_row(0, EntityId{1}, 0.02F), shadow_px(0.01), 1.0);
  EXPECT_EQ(with_row(0.02F, EntityId{1}, 0), 0U);
}

TEST(ShadowTolerance, IsThatOfTheRowOfTheChannel) {
  Sensor sensor = make_sensor(make_camera(), {StereoShadow{}});
  sensor.noise[0].by_ring = {{1, StereoShadow{.tolerance = 0.02F}}};
  const Frame frame = render_once(make_layers({0.01}), sensor);
  EXPECT_EQ(count_in_row(frame, 1, Reason::kHiddenRight), 0U);
  for (const std::uint32_t row : {0U, 2U}) {
    EXPECT_NEAR(count_in_row(frame, row, Reason::kHiddenRight), shadow_px(0.01), 1.0);
  }
}

TEST(ShadowTolerance, DrawnForARowActs) {
  Sensor sensor = make_sensor(make_camera(), {StereoShadow{}});
  sensor.noise[0].by_entity = {{kWallId, StereoShadow{}}};
  const auto with_draw = [&](double value) {
    Environments::Options options;
    options.simulator.compute = {.threads = 1};
    options.ranges = {{.entry = 0, .field = "tolerance", .low = value, .high = value, .entity = kWallId}};
    Environments environments(make_layers({0.01}), sensor, options);
    Frame frame({Channel::kReason});
    environments.render(0, frame);
    return count_in_row(frame, 1, Reason::kHiddenRight);
  };
  EXPECT_NEAR(with_draw(0.004), shadow_px(0.01), 1.0);
  EXPECT_EQ(with_draw(0.006), 0U);
}

// Each of two models loses what it would lose alone, so that the smaller tolerance decides.
TEST(ShadowTolerance, OfTwoModelsTheSmallerDecides) {
  const auto both = [](float first, float second) {
    return hidden(make_layers({0.01}),
                  make_sensor(make_camera(), {StereoShadow{.tolerance = first}, StereoShadow{.tolerance = second}}));
  };
  EXPECT_EQ(both(0.006F, 0.02F), 0U);
  for (const auto& [first, second] : {std::pair{0.0F, 0.02F}, {0.004F, 0.02F}, {0.02F, 0.004F}, {0.02F, 0.0F}}) {
    EXPECT_NEAR(both(first, second), shadow_px(0.01), 1.0) << first << " " << second;
  }
}

TEST(ShadowTolerance, SameReasonsForAnyNumberOfThreadsAndInstructionSet) {
  const Scene scene = make_layers({0.01, 0.008, 0.003}, {0.005});
  const Sensor sensor = make_sensor(make_stereo(641, 41, kFineFx, kFineBaseline), {StereoShadow{.tolerance = 0.02F}},
                                    Pose{{0, 0.001, 0}, {}});
  const Frame expected = render_once(scene, sensor);
  EXPECT_GT(count_of(expected, Reason::kHiddenRight), 100U);
  for (Compute compute : every_isa(1)) {
    const Frame one = render_once(scene, sensor, {Channel::kReason}, {.seed = 7, .compute = compute});
    compute.threads = 3;
    const Frame three = render_once(scene, sensor, {Channel::kReason}, {.seed = 7, .compute = compute});
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(three.reason()[i], one.reason()[i]) << i;
      ASSERT_EQ(one.reason()[i], expected.reason()[i]) << to_string(compute.isa) << " " << i;
    }
  }
}

}  // namespace
}  // namespace fathom::test
