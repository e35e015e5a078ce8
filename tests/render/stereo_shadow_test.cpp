// SPDX-License-Identifier: MIT
// What the left and right camera see of a hit point, against closed forms and the brute-force caster.

#include <fathom/noise/stereo_shadow.hpp>

#include "render/stereo_scenes.hpp"
#include "sensor/sensor_view.hpp"
#include "support/brute_caster.hpp"
#include "support/casters.hpp"
#include "trace/caster.hpp"

namespace fathom::stereo_shadow_test {
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
                    .parent_from_entity = Pose{{0.1, 0.5, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, 0)}});
  scene.add_entity({.name = "r",
                    .mesh = blinder,
                    .parent_from_entity = Pose{{0.1, -0.5, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, 0)}});
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

TEST(StereoShadow, SameReasonsForAnyNumberOfThreadsAndInstructionSet) {
  const Sensor sensor = make_sensor(make_stereo(161, 119, 80, 1.2), {StereoShadow{}},
                                    Pose{{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 0.7)});
  for (const Scene& scene : {make_room_scene(), make_post_scene(kNear, kFar, 0.2)}) {
    const Frame expected = render_once(scene, sensor);
    EXPECT_GT(expected.size() - count_of(expected, Reason::kHit), 400U);
    for (Compute compute : test::every_isa(1)) {
      const Frame one = render_once(scene, sensor, {Channel::kReason}, {.seed = 7, .compute = compute});
      compute.threads = 3;
      const Frame three = render_once(scene, sensor, {Channel::kReason}, {.seed = 7, .compute = compute});
      for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_EQ(three.reason()[i], one.reason()[i]) << i;
        ASSERT_EQ(one.reason()[i], expected.reason()[i]) << to_string(compute.isa) << " " << i;
      }
    }
  }
}

std::uint64_t hidden_in(const Frame& frame) {
  return count_of(frame, Reason::kHiddenLeft) + count_of(frame, Reason::kHiddenRight) +
         count_of(frame, Reason::kHiddenBoth);
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
    EXPECT_EQ(hidden_in(frame), 0U) << place.name;
    EXPECT_GT(count_of(frame, Reason::kHit), 1000U) << place.name;
  }
}

// Casting has its origin up to 55 m from the sensor, and scenes reach out from there.
TEST(StereoShadow, NoFalseShadowWhereCoordinatesAreLargest) {
  for (const double offset : {350.0, 400.0, 490.0}) {
    for (const double distance : {0.1, 3.0, 100.0}) {
      for (const double tilt : {0.0, 60.0, 80.0, 89.0}) {
        for (int turn = 0; turn < 6; ++turn) {
          const Quaternion attitude = from_roll_pitch_yaw(0.9 * turn, 0.3 * turn - 0.8, 1.7 * turn);
          const Pose pose{rotate(attitude, {0.6 * offset, -0.8 * offset, 0}),
                          from_roll_pitch_yaw(turn, 0.1, 2.1 * turn)};
          const double size = std::max(20.0, 10 * distance);
          const Scene scene = make_plane_scene({distance, tilt * test::kDeg, size}, pose);
          const StereoCamera camera = make_stereo(80, 60, 75, 0.05);
          const Frame frame = render_once(scene, make_sensor(camera, {StereoShadow{}}, pose));
          EXPECT_EQ(hidden_in(frame), 0U)
              << offset << " m, " << distance << " m, " << tilt << " degrees, turn " << turn;
          EXPECT_GT(count_of(frame, Reason::kHit), 100U);
        }
      }
    }
  }
}

// A small plane far away, seen head-on: eye and hit point have few roundings, the plane has the roundings of its
// corners.
TEST(StereoShadow, NoFalseShadowOnASmallPlaneFarAway) {
  for (int turn = 0; turn < 40; ++turn) {
    const Pose pose{{}, from_roll_pitch_yaw(turn, 0.5 * std::sin(turn), 2.1 * turn)};
    const Scene scene = make_plane_scene({300, 0, 100}, pose);
    const Frame frame = render_once(scene, make_sensor(make_stereo(80, 60, 240, 0.5), {StereoShadow{}}, pose));
    EXPECT_EQ(hidden_in(frame), 0U) << turn;
    EXPECT_GT(count_of(frame, Reason::kHit), 1000U);
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

/// A wall before the camera, turned by `tilt_deg`, and a sheet just before its right half, part of the wall or another
/// entity.
struct Sheet {
  double distance_m, tilt_deg;
  Pose world_from_sensor;
  double size_m, baseline_m;

  [[nodiscard]] TiltedPlane wall() const { return {distance_m, tilt_deg * test::kDeg}; }
  [[nodiscard]] Pose world_from_wall() const { return world_from_sensor * wall().pose(); }
  /// In the frame of the wall; `ahead_m`: by how much sooner the optical axis meets it, at its very edge.
  [[nodiscard]] Mesh sheet(double ahead_m) const {
    const Vec3 by = inverse(wall().pose()) * Vec3{distance_m - ahead_m, 0, 0} - Vec3{0, size_m / 2, 0};
    Mesh mesh = make_plane(size_m, size_m);
    for (auto& v : mesh.vertices_m) {
      v = {v[0] + static_cast<float>(by.x), v[1] + static_cast<float>(by.y), v[2] + static_cast<float>(by.z)};
    }
    return mesh;
  }
  [[nodiscard]] Scene scene(double gap_m, bool one_entity) const {
    Mesh mesh = make_plane(size_m, size_m);
    const Mesh before = sheet(gap_m / std::cos(tilt_deg * test::kDeg));
    if (one_entity) test::append(mesh, before);
    Scene scene;
    scene.add_entity({.name = "wall", .mesh = scene.add_mesh(mesh), .parent_from_entity = world_from_wall()});
    if (one_entity) return scene;
    scene.add_entity({.name = "sheet", .mesh = scene.add_mesh(before), .parent_from_entity = world_from_wall()});
    return scene;
  }
  /// The largest coordinate there is, from the origin of casting.
  [[nodiscard]] double coordinate() const {
    const Vec3 origin = origin_near(world_from_sensor.translation_m);
    double largest = distance_m;
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-1.0, -0.5, 0.5}) {
        const Vec3 corner = world_from_wall() * Vec3{x * size_m, y * size_m, 0} - origin;
        largest = std::max({largest, std::abs(corner.x), std::abs(corner.y), std::abs(corner.z)});
      }
    }
    return largest;
  }
  /// Gap to the wall, along its normal, that single precision resolves.
  [[nodiscard]] double resolution_m() const { return 8 * 0x1p-24 * coordinate(); }
  /// The same as a share of the way from the right camera, along which the rule has its limit of 1e-3.
  [[nodiscard]] double share() const {
    return resolution_m() / std::abs(dot(wall().normal(), Vec3{distance_m, baseline_m, 0}));
  }
  /// Where the line from the right camera past the edge meets the wall, as y / x: the shadow reaches from 0 to there.
  [[nodiscard]] double shadow(double gap_m) const {
    const Vec3 eye{0, -baseline_m, 0}, edge{distance_m - gap_m / std::cos(tilt_deg * test::kDeg), 0, 0};
    const Vec3 n = wall().normal();
    const Vec3 hit = eye + dot(n, Vec3{distance_m, 0, 0} - eye) / dot(n, edge - eye) * (edge - eye);
    return hit.y / hit.x;
  }
  /// Focal length for a shadow of 100 pixels, or the largest there is.
  [[nodiscard]] double fx(double gap_m) const { return std::min(100 / shadow(gap_m), 1e7); }
  /// Pixels that the sheet hides.
  [[nodiscard]] std::uint32_t hidden(double gap_m, double fx, float tolerance = 0, bool one_entity = false) const {
    const StereoCamera camera = make_stereo(401, 1, fx, baseline_m, CameraReference::kLeft);
    const Sensor sensor = make_sensor(camera, {StereoShadow{.tolerance = tolerance}}, world_from_sensor);
    return count_in_row(render_once(scene(gap_m, one_entity), sensor), 0, Reason::kHiddenRight);
  }
  friend std::ostream& operator<<(std::ostream& out, const Sheet& s) {
    return out << s.distance_m << " m, " << s.tilt_deg << " degrees, " << norm(s.world_from_sensor.translation_m)
               << " m from the origin";
  }
};

const Pose kHere{};
const Pose kTurned{{}, from_roll_pitch_yaw(0.2, 0.1, 0.9)};
const Pose kAKilometreAway{{1024, -1024, 0}, from_roll_pitch_yaw(0.2, 0.1, 0.9)};
// As far from the origin of casting as may be, 55 m.
const Pose kFarOut{{287.9, -287.9, 287.9}, from_roll_pitch_yaw(0.2, 0.1, 0.9)};

/// From head-on to grazing, for emitter and camera; from near to far; and for large coordinates.
std::vector<Sheet> make_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& [tilt, baseline] : {std::pair{0.0, 1.0}, {60.0, 1.0}, {80.0, 0.1}, {89.0, 0.02}}) {
    for (const double distance : {0.1, 3.0, 100.0}) {
      for (const Pose& pose : {kHere, kTurned, kAKilometreAway, kFarOut}) {
        sheets.push_back({distance, tilt, pose, std::max(6.0, 3 * distance), baseline * distance});
      }
    }
  }
  return sheets;
}

// The tolerance is what the documentation says, from both sides: a sheet of another entity at half of the resolution
// before a wall hides nothing of it, at twice the resolution it hides all that it should. Where the resolution exceeds
// the limit of the tolerance, only the latter holds.
TEST(StereoShadow, AnotherEntityHidesFromTheResolutionOn) {
  std::size_t limited = 0;
  for (const Sheet& s : make_sheets()) {
    const double gap = 2 * s.resolution_m(), fx = s.fx(gap), width = fx * s.shadow(gap);
    ASSERT_GT(width, 10.0) << s;
    EXPECT_NEAR(s.hidden(gap, fx), width, 0.25 * width) << s;  // single precision places the edge
    if (s.share() > 1e-3) {
      ++limited;
    } else {
      EXPECT_EQ(s.hidden(gap / 4, fx), 0U) << s;
    }
  }
  EXPECT_EQ(limited, 1U);
}

// With a tolerance of the user's the same sheet passes where it is a part of the wall, and only there.
TEST(StereoShadow, EntitiesAreComparedWithinTheTolerance) {
  for (const Sheet& s : make_sheets()) {
    const double gap = 2 * s.resolution_m(), fx = s.fx(gap), width = fx * s.shadow(gap);
    EXPECT_NEAR(s.hidden(gap, fx, 0.1F, false), width, 0.25 * width) << s;
    EXPECT_EQ(s.hidden(gap, fx, 0.1F, true), 0U) << s;
    if (s.share() < 1e-3) {
      EXPECT_NEAR(s.hidden(gap, fx, 0, true), width, 0.25 * width) << s;
    }
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
  Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
  EXPECT_THROW(simulator.add_sensor(make_sensor(make_stereo(8, 8, 8, 0.0), {StereoShadow{}})), InputError);
  EXPECT_THROW(simulator.add_sensor(make_sensor(test::make_lidar(), {StereoShadow{}})), InputError);
  StereoCamera both = make_stereo(8, 8, 8, 0.1);
  both.left_camera = Pose{{0, 0.1, 0}, {}};
  EXPECT_THROW(simulator.add_sensor(make_sensor(both, {StereoShadow{}})), InputError);
  both.baseline_m = 0;
  EXPECT_THROW(simulator.add_sensor(make_sensor(both, {StereoShadow{}})), InputError);  // one pose alone
}

}  // namespace
}  // namespace fathom::stereo_shadow_test
