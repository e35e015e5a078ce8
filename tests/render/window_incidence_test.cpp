// SPDX-License-Identifier: MIT
// What a pixel shows that a window gave a surface beside it.

#include <numbers>

#include <gtest/gtest.h>

#include <fathom/noise/matching_window.hpp>

#include "render/stereo_scenes.hpp"

namespace fathom {
namespace {

using test::make_sensor;
using test::make_stereo;
using test::render_once;

// The side of a box that the camera sees at a grazing angle grows over pixels whose own rays would meet that side from
// behind, which gave intensities below 0. What such a pixel shows is what the ray of the nearest pixel of the side met.
TEST(MatchingWindowFrames, ASurfaceThatGrowsIsNeverSeenFromBehind) {
  Scene scene;
  scene.add_entity({.name = "wall",
                    .mesh = scene.add_mesh(make_plane(100, 100)),
                    .parent_from_entity = test::TiltedPlane{10, 0}.pose()});
  scene.add_entity(
      {.name = "box",
       .mesh = scene.add_mesh(make_box({0.25, 1, 4})),
       .parent_from_entity = Pose{{1.125, -0.504, 0}, {}}});  // of its side, in y = -0.004, a pixel is seen
  const StereoCamera camera = make_stereo(81, 5, 600, 0.1, CameraReference::kLeft);
  const MatchingWindow window{.radius_px = 8, .max_step_px = 12};
  Sensor sensor = make_sensor(camera), matched = make_sensor(camera, {window});
  sensor.falloff = matched.falloff = {.law = FalloffLaw::kInverseSquare, .reference_m = 0.5F};
  const Frame off = render_once(scene, sensor), on = render_once(scene, matched);
  const RayPattern rays = make_pattern(camera);
  std::size_t behind = 0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    ASSERT_GE(on.intensity()[i], 0.0F);
    ASSERT_LE(on.incidence_rad()[i], std::numbers::pi_v<float> / 2);
    if (on.entity_id()[i] == off.entity_id()[i]) continue;
    ASSERT_EQ(on.entity_id()[i], 1U);  // the box grew
    const std::size_t row = i / 81 * 81;
    std::size_t nearest = row;
    for (std::size_t k = row; k < row + 81; ++k) {
      const auto distance = [&](std::size_t at) { return at > i ? at - i : i - at; };
      if (off.entity_id()[k] == 1 && (off.entity_id()[nearest] != 1 || distance(k) < distance(nearest))) nearest = k;
    }
    const auto normal = on.normal_world();
    const Vec3 n = {normal.x[i], normal.y[i], normal.z[i]};
    behind += dot(n, test::direction_of(rays, i)) > 0 ? 1 : 0;
    ASSERT_EQ(on.triangle_id()[i], off.triangle_id()[nearest]);
    ASSERT_EQ(on.incidence_rad()[i], off.incidence_rad()[nearest]);
    ASSERT_EQ(on.intensity()[i], off.intensity()[nearest]);
  }
  EXPECT_GT(behind, 0U);
}

}  // namespace
}  // namespace fathom
