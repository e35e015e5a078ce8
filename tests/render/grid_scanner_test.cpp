// SPDX-License-Identifier: MIT
// Grids of parallel rays: where they start, where they point, what their axes follow.

#include <cmath>

#include <gtest/gtest.h>

#include "render/stereo_scenes.hpp"
#include "sensor/kinds.hpp"

namespace fathom {
namespace {

using test::make_sensor;
using test::render_once;

constexpr double kRoll = 0.2, kPitch = -0.3, kYaw = 0.6;

/// What the axes of a grid on a body of that roll, pitch and yaw shall be.
Quaternion axes_of(GridAlignment alignment) {
  switch (alignment) {
    case GridAlignment::kBase:
      return from_roll_pitch_yaw(kRoll, kPitch, kYaw);
    case GridAlignment::kYaw:
      return from_roll_pitch_yaw(0, 0, kYaw);
    case GridAlignment::kWorld:
      break;
  }
  return {};
}

TEST(GridScanner, PointsDownFromAnAlignedGrid) {
  GridScanner grid;
  grid.size_x_m = 1.6, grid.size_y_m = 1.0, grid.start_height_m = 5;
  EXPECT_EQ(shape_of(grid).cols, 17U);
  EXPECT_EQ(shape_of(grid).rows, 11U);
  const Pose body{{1, 2, 1}, from_roll_pitch_yaw(kRoll, kPitch, kYaw)};
  Scene scene;
  scene.add_entity({.name = "ground", .mesh = scene.add_mesh(make_plane(50, 50))});
  for (const GridAlignment alignment : {GridAlignment::kBase, GridAlignment::kYaw, GridAlignment::kWorld}) {
    grid.alignment = alignment;
    const Frame f = render_once(scene, make_sensor(grid, {}, body));
    ASSERT_EQ(f.size(), 17U * 11U);
    const Pose axes{body.translation_m, axes_of(alignment)};
    const Vec3 down = rotate(axes.rotation, {0, 0, -1});
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Vec3 start = axes * Vec3{(double(i % 17) - 8) * 0.1, (double(i / 17) - 5) * 0.1, 5};
      const double range = start.z / -down.z;  // the ground lies at z = 0
      const Vec3 hit = start + range * down;
      ASSERT_NEAR(f.range_m()[i], range, 1e-5);
      ASSERT_NEAR(f.hit_world_m().x[i], hit.x, 1e-5);
      ASSERT_NEAR(f.hit_world_m().y[i], hit.y, 1e-5);
      ASSERT_NEAR(f.hit_world_m().z[i], 0.0, 1e-5);
    }
  }
}

}  // namespace
}  // namespace fathom
