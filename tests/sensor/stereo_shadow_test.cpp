// What the left and right camera see of a hit point, against closed forms and the brute-force caster.

#include <fathom/noise/stereo_shadow.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <fathom/error.hpp>

#include "cast/brute/brute_caster.hpp"
#include "cast/caster.hpp"
#include "sensor/stereo_scenes.hpp"

namespace fathom {
namespace {

using test::count_in_row;
using test::count_of;
using test::make_plane_scene;
using test::make_post_scene;
using test::make_room_scene;
using test::make_sensor;
using test::make_stereo;
using test::render_once;
using test::TiltedPlane;

constexpr double kNear = 2.0, kFar = 4.0, kFx = 600.0, kBaseline = 0.1;
constexpr double kWidth = kFx * kBaseline * (1 / kNear - 1 / kFar);  // 15 px

Frame post_frame(CameraReference reference) {
  return render_once(make_post_scene(kNear, kFar, 0.2),
                     make_sensor(make_stereo(321, 5, kFx, kBaseline, reference), {StereoShadow{}}));
}

TEST(StereoShadow, WidthBehindAPostIsTheClosedFormOnOneSideForLeft) {
  const Frame frame = post_frame(CameraReference::kLeft);
  EXPECT_NEAR(count_in_row(frame, 2, Reason::kHiddenRight), kWidth, 1.0);
  EXPECT_EQ(count_of(frame, Reason::kHiddenLeft) + count_of(frame, Reason::kHiddenBoth), 0U);
  // The right camera looks past the right side of the post: what it misses lies left of it in the image.
  for (std::uint32_t u = 160; u < 321; ++u) EXPECT_NE(frame.reason()[2 * 321 + u], Reason::kHiddenRight);
}

TEST(StereoShadow, WidthBehindAPostIsTheClosedFormOnOneSideForRight) {
  const Frame frame = post_frame(CameraReference::kRight);
  EXPECT_NEAR(count_in_row(frame, 2, Reason::kHiddenLeft), kWidth, 1.0);
  EXPECT_EQ(count_of(frame, Reason::kHiddenRight) + count_of(frame, Reason::kHiddenBoth), 0U);
  for (std::uint32_t u = 0; u < 160; ++u) EXPECT_NE(frame.reason()[2 * 321 + u], Reason::kHiddenLeft);
}

TEST(StereoShadow, HalfTheWidthOnEachSideForCenter) {
  const Frame frame = post_frame(CameraReference::kCenter);
  EXPECT_NEAR(count_in_row(frame, 2, Reason::kHiddenRight), kWidth / 2, 1.0);
  EXPECT_NEAR(count_in_row(frame, 2, Reason::kHiddenLeft), kWidth / 2, 1.0);
  EXPECT_EQ(count_of(frame, Reason::kHiddenBoth), 0U);
}

// How the cameras are turned is accepted, and changes nothing.
TEST(StereoShadow, PosesOfTheCamerasAreTheSameAsABaseline) {
  StereoCamera placed = make_stereo(321, 5, kFx, 0.0);
  placed.left_camera = Pose{{0, 0.05, 0}, from_roll_pitch_yaw(0.1, -0.2, 0.3)};
  placed.right_camera = Pose{{0, -0.05, 0}, from_roll_pitch_yaw(0, 0, -0.3)};
  const Frame a = post_frame(CameraReference::kCenter);
  const Frame b = render_once(make_post_scene(kNear, kFar, 0.2), make_sensor(placed, {StereoShadow{}}));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.reason()[i], b.reason()[i]);
}

TEST(StereoShadow, APointThatNeitherCameraSeesIsHiddenFromBoth) {
  Scene scene = make_post_scene(kNear, kFar, 0.2);
  // Two blinders right before the cameras, the emitter between them.
  const MeshId blinder = scene.add_mesh(make_plane(0.2, 0.09));
  scene.add_entity({.name = "l",
                    .mesh = blinder,
                    .parent_from_entity = Pose{{0.1, 0.5, 0}, from_roll_pitch_yaw(0, -test::kPi / 2, 0)}});
  scene.add_entity({.name = "r",
                    .mesh = blinder,
                    .parent_from_entity = Pose{{0.1, -0.5, 0}, from_roll_pitch_yaw(0, -test::kPi / 2, 0)}});
  const Frame frame = render_once(scene, make_sensor(make_stereo(21, 5, 6000, 1.0), {StereoShadow{}}));
  EXPECT_EQ(count_of(frame, Reason::kHiddenBoth), frame.size());
}

TEST(StereoShadow, AgreesWithTheBruteForceCaster) {
  const Pose pose{{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 0.7)};
  const Scene scene = make_room_scene();
  const StereoCamera camera = make_stereo(96, 64, 40, 1.2);
  const Frame frame = render_once(scene, make_sensor(camera, {StereoShadow{}}, pose));
  const BruteCaster brute(scene, 0.0);
  const RayPattern pattern = make_pattern(camera);
  const StereoRig rig = stereo_rig(camera);
  std::size_t hidden = 0, disagree = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Vec3 direction = rotate(pose.rotation, test::direction_of(pattern, i));
    const Vec3 hit = pose.translation_m + brute.cast(pose.translation_m, direction).range_m * direction;
    const auto seen = [&](const Vec3& at) {
      const Vec3 eye = pose * at, way = hit - eye;
      return brute.cast(eye, (1 / norm(way)) * way).range_m > norm(way) * (1 - 1e-6);
    };
    const bool left = seen(rig.left_m), right = seen(rig.right_m);
    const Reason expected = left && right ? Reason::kHit
                            : left        ? Reason::kHiddenRight
                            : right       ? Reason::kHiddenLeft
                                          : Reason::kHiddenBoth;
    hidden += expected != Reason::kHit;
    disagree += frame.reason()[i] != expected;
  }
  EXPECT_GT(hidden, 100U);
  EXPECT_LE(disagree, 2U);  // rays through the very edge of a triangle
}

struct Place {
  const char* name;
  double distance_m, tilt_deg, offset_m, size_m;
};

// A plane hides nothing of itself: every shadow found on it would be an error of the tolerance.
TEST(StereoShadow, NoFalseShadowNearFarGrazingAndFarFromTheOrigin) {
  for (const Place& place :
       {Place{"near", 0.1, 0, 0, 20}, Place{"near, oblique", 0.2, 70, 0, 20}, Place{"100 m", 100, 0, 0, 1000},
        Place{"100 m, oblique", 100, 80, 0, 4000}, Place{"grazing", 2, 89.0, 0, 1000},
        Place{"very grazing", 2, 89.9, 0, 4000}, Place{"1 km offset", 3, 0, 1000, 100},
        Place{"1 km offset, oblique", 3, 80, 1000, 1000}, Place{"beyond the rebase", 3, 60, 20000, 1000}}) {
    const Pose pose{{place.offset_m, -0.7 * place.offset_m, 0.1}, from_roll_pitch_yaw(0.2, 0.1, 0.9)};
    const Scene scene = make_plane_scene({place.distance_m, place.tilt_deg * test::kDeg, place.size_m}, pose);
    const Frame frame = render_once(scene, make_sensor(make_stereo(320, 240, 300, 0.05), {StereoShadow{}}, pose));
    EXPECT_EQ(count_of(frame, Reason::kHiddenLeft) + count_of(frame, Reason::kHiddenRight) +
                  count_of(frame, Reason::kHiddenBoth),
              0U)
        << place.name;
    EXPECT_GT(count_of(frame, Reason::kHit), 1000U) << place.name;
  }
}

// And the tolerance is no wider than it must be: a sheet of paper (0.1 mm) before a wall at 2 m still casts its shadow.
TEST(StereoShadow, AThinGapStillHides) {
  const double gap = 1e-4, z = 2.0;
  const Frame frame = render_once(
      make_post_scene(z - gap, z, 0.2),
      make_sensor(make_stereo(20001, 1, 2e6, 1.0, CameraReference::kLeft), {StereoShadow{}}, Pose{{0, 0.1, 0}, {}}));
  // f B (1 / z_near - 1 / z_far) with 2e6 px: 50 px; rays step by 1 micrometre across the wall.
  EXPECT_NEAR(count_in_row(frame, 0, Reason::kHiddenRight), 2e6 * (1 / (z - gap) - 1 / z), 3.0);
}

constexpr double kFinestPx = 1e7;  // the largest focal length there is: pixels 0.2 micrometres wide at 2 m

struct Sheet {
  const char* name;
  double distance_m, size_m, baseline_m, offset_m;
};

// The tolerance is what the documentation says, from both sides: a sheet of another entity at half of the resolution
// before a wall hides nothing of it, at twice the resolution it hides all that it should.
TEST(StereoShadow, AnotherEntityHidesFromTheResolutionOn) {
  for (const Sheet& s : {Sheet{"near", 0.1, 0.4, 0.08, 0}, Sheet{"usual", 2, 6, 2, 0}, Sheet{"100 m", 100, 300, 100, 0},
                         Sheet{"1 km offset", 2, 6, 2, 1000}, Sheet{"350 m offset", 2, 6, 2, 350}}) {
    const Pose pose{{s.offset_m, -0.7 * s.offset_m, 0}, {}};
    const auto hidden = [&](double gap_m) {
      Scene scene;
      const auto plane = [&](const char* name, double distance_m, double y_m) {
        const Pose middle{{distance_m, y_m, 0}, from_roll_pitch_yaw(0, -test::kPi / 2, 0)};
        scene.add_entity({.name = name,
                          .mesh = scene.add_mesh(make_plane(s.size_m, s.size_m)),
                          .parent_from_entity = pose * middle});
      };
      plane("wall", s.distance_m, 0);
      plane("sheet", s.distance_m - gap_m, -s.size_m / 2);  // its edge lies straight ahead
      const StereoCamera camera = make_stereo(401, 1, kFinestPx, s.baseline_m, CameraReference::kLeft);
      return count_in_row(render_once(scene, make_sensor(camera, {StereoShadow{}}, pose)), 0, Reason::kHiddenRight);
    };
    // The corners of the sheet are farthest away from the origin of casting.
    const Vec3 at = pose.translation_m - origin_near(pose.translation_m);
    const double reach =
        std::max({s.distance_m + at.x, s.size_m + std::abs(at.y), s.size_m / 2 + std::abs(at.z), std::abs(at.x)});
    const double resolution = 4 * 0x1p-24 * reach;
    const double width = kFinestPx * s.baseline_m * 2 * resolution / (s.distance_m * s.distance_m);
    EXPECT_EQ(hidden(resolution / 2), 0U) << s.name;
    EXPECT_GT(width, 10.0) << s.name;
    // Each end of the shadow is placed within a rounding of its coordinate; near the origin the pixels are coarser.
    const double rounding_px = 0x1p-24 * reach * kFinestPx / s.distance_m;
    EXPECT_NEAR(hidden(2 * resolution), width, std::max(6.0, 2 * rounding_px)) << s.name;
  }
}

// Documented: a sensor inside a solid sees the solid from within, and so too near when it has a minimum range.
TEST(StereoShadow, ASensorInsideAWallSeesItsInside) {
  Scene scene;
  scene.add_entity({.name = "wall", .mesh = scene.add_mesh(make_box({0.2, 10, 10}))});
  scene.add_entity(
      {.name = "beyond", .mesh = scene.add_mesh(make_box({1, 1, 1})), .parent_from_entity = Pose{{3, 0, 0}, {}}});
  StereoCamera camera = make_stereo(64, 48, 200, 0.05);
  const Frame inside = render_once(scene, make_sensor(camera, {StereoShadow{}}));
  EXPECT_EQ(count_of(inside, Reason::kHit), inside.size());
  for (std::size_t i = 0; i < inside.size(); ++i) {
    ASSERT_NEAR(inside.depth_m()[i], 0.1, 1e-6);
    ASSERT_EQ(inside.entity_id()[i], 0U);
  }
  camera.min_range_m = 0.3;
  const Frame near = render_once(scene, make_sensor(camera, {StereoShadow{}}));
  EXPECT_EQ(count_of(near, Reason::kBelowMinRange), near.size());
}

// Documented: a camera inside a solid sees nothing outside it.
TEST(StereoShadow, ACameraInsideAWallSeesNothing) {
  Scene scene = make_post_scene(kNear, kFar, 0.2);
  scene.add_entity({.name = "pillar",
                    .mesh = scene.add_mesh(make_box({0.1, 0.1, 0.1})),
                    .parent_from_entity = Pose{{0, 0.5, 0}, {}}});
  const Frame frame = render_once(scene, make_sensor(make_stereo(64, 48, 200, 1.0), {StereoShadow{}}));
  EXPECT_EQ(count_of(frame, Reason::kHiddenLeft) + count_of(frame, Reason::kHiddenBoth), frame.size());
}

TEST(StereoShadow, NeedsTwoCamerasApart) {
  Simulator simulator(make_room_scene(), {.threads = 1});
  EXPECT_THROW(simulator.add_sensor(make_sensor(make_stereo(8, 8, 8, 0.0), {StereoShadow{}})), InputError);
  EXPECT_THROW(simulator.add_sensor(make_sensor(test::make_lidar(), {StereoShadow{}})), InputError);
  StereoCamera both = make_stereo(8, 8, 8, 0.1);
  both.left_camera = Pose{{0, 0.1, 0}, {}};
  EXPECT_THROW(simulator.add_sensor(make_sensor(both, {StereoShadow{}})), InputError);
  both.baseline_m = 0;
  EXPECT_THROW(simulator.add_sensor(make_sensor(both, {StereoShadow{}})), InputError);  // one pose alone
}

}  // namespace
}  // namespace fathom
