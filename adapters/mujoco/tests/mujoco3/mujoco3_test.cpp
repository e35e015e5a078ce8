// SPDX-License-Identifier: MIT
// The mirror over arrays of MuJoCo 3.3.8, against that MuJoCo's answers for the same models. The laws are as in
// adapters/mujoco/tests/mirror_rays_test.cpp.

#include <fathom/mujoco.hpp>
#include <fathom/simulate/simulator.hpp>

#include "mujoco/tests/mujoco3/arrays_of_file.hpp"

namespace fathom::test {
namespace {

RayPattern rays_of(const Json& json) {
  const auto origins = json.at("origins").get<std::vector<float>>();
  const auto directions = json.at("directions").get<std::vector<float>>();
  RayPattern pattern;
  pattern.rows = 1, pattern.cols = static_cast<std::uint32_t>(origins.size() / 3);
  pattern.min_range_m = {0.0F}, pattern.max_range_m = {1e6F};
  for (std::size_t i = 0; i < origins.size(); i += 3) {
    pattern.origin_x.push_back(origins[i]), pattern.direction_x.push_back(directions[i]);
    pattern.origin_y.push_back(origins[i + 1]), pattern.direction_y.push_back(directions[i + 1]);
    pattern.origin_z.push_back(origins[i + 2]), pattern.direction_z.push_back(directions[i + 2]);
  }
  return pattern;
}

Frame cast_rays(Scene scene, const RayPattern& rays) {
  Simulator simulator(std::move(scene), {.compute = {.threads = 1}});
  Sensor sensor;
  sensor.name = "rays", sensor.model = rays;
  const SensorId id = simulator.add_sensor(std::move(sensor));
  Frame frame({Channel::kCleanRange, Channel::kEntityId, Channel::kIncidence});
  simulator.render(id, 0, frame);
  return frame;
}

MirrorOptions options_of(const Json& filter, const mjModel& model) {
  MirrorOptions options;
  options.segments = answers().at("segments").get<std::uint32_t>(), options.infinite_plane_m = 1e6;
  options.statics = filter.at("statics").get<bool>();
  for (std::size_t g = 0; g < options.groups.size(); ++g) options.groups[g] = filter.at("groups").at(g).get<int>() != 0;
  const int body = filter.at("body").get<int>();
  if (body >= 0) options.exclude_bodies = {model.names + model.name_bodyadr[body]};
  return options;
}

void expect_agreement(const Json& one) {
  ArraysOfFile arrays(one.at("model"));
  const MujocoMirror mirror(&arrays.model, options_of(one.at("filter"), arrays.model));
  const Frame frame = cast_rays(mirror.scene(&arrays.data), rays_of(one.at("rays")));
  const Json &nearest = one.at("nearest"), &farthest = one.at("farthest");
  std::size_t hits = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const int near = nearest.at("geoms").at(i).get<int>(), far = farthest.at("geoms").at(i).get<int>();
    const int geom = mirror.geom_id(frame.entity_id()[i]);
    if (near == far) {
      ASSERT_EQ(geom, near) << "ray " << i;
    }
    if (near < 0) continue;
    ++hits;
    const double incidence = geom < 0 ? 0.0 : double{frame.incidence_rad()[i]};
    const double slack_m = 24.0 * 0x1p-22 / std::max(std::cos(incidence), 1e-3);  // rounding at coordinates up to 24 m
    ASSERT_GE(frame.clean_range_m()[i], nearest.at("ranges").at(i).get<double>() - slack_m) << "ray " << i;
    if (far >= 0) {
      ASSERT_LE(frame.clean_range_m()[i], farthest.at("ranges").at(i).get<double>() + slack_m) << "ray " << i;
    }
  }
  EXPECT_GT(hits, 0U);
}

TEST(Mujoco3, RaysMeetTheGeomsThatMjRayMeets) {
  ASSERT_GE(answers().at("cases").size(), 6U);
  for (const Json& one : answers().at("cases")) {
    SCOPED_TRACE("seed " + one.at("seed").dump());
    ASSERT_NO_FATAL_FAILURE(expect_agreement(one));
  }
}

TEST(Mujoco3, CamerasHaveTheFrustumOfMujocosRenderer) {
  const Json& one = answers().at("cases").at(0);
  ArraysOfFile arrays(one.at("model"));
  const MujocoMirror mirror(&arrays.model);
  const Json &lens = one.at("frustums").at(0), &fovy = one.at("frustums").at(1);
  const StereoCamera camera = mirror.camera("lens");
  ASSERT_EQ(camera.width, 64U);  // the model's resolution
  ASSERT_EQ(camera.height, 48U);
  const Intrinsics k = intrinsics(camera);
  // Edges of the image on a plane at distance 1, to the right and up.
  EXPECT_NEAR((63.5 - k.cx) / k.fx, lens.at("center").get<double>() + lens.at("half_width").get<double>(), 1e-6);
  EXPECT_NEAR((-0.5 - k.cx) / k.fx, lens.at("center").get<double>() - lens.at("half_width").get<double>(), 1e-6);
  EXPECT_NEAR(-(-0.5 - k.cy) / k.fy, lens.at("top").get<double>(), 1e-6);
  EXPECT_NEAR(-(47.5 - k.cy) / k.fy, lens.at("bottom").get<double>(), 1e-6);

  const Intrinsics plain = intrinsics(mirror.camera("fovy", {.width = 100, .height = 60}));
  EXPECT_NEAR(-(-0.5 - plain.cy) / plain.fy, fovy.at("top").get<double>(), 1e-6);
  EXPECT_NEAR(-(59.5 - plain.cy) / plain.fy, fovy.at("bottom").get<double>(), 1e-6);
  EXPECT_EQ(plain.fx, plain.fy);
  EXPECT_EQ(plain.cx, 49.5);
}

TEST(Mujoco3, CamerasWithoutAResolutionNeedASize) {
  ArraysOfFile arrays(answers().at("cases").at(0).at("model"));
  const MujocoMirror mirror(&arrays.model);
  EXPECT_THROW(static_cast<void>(mirror.camera("fovy")), InputError);
  EXPECT_EQ(mirror.camera("lens", {.width = 32, .height = 24}).width, 32U);
}

TEST(Mujoco3, CamerasWithoutACentreAreRefused) {
  ArraysOfFile arrays(answers().at("cases").at(0).at("model"));
  const MujocoMirror mirror(&arrays.model);
  EXPECT_NO_THROW(static_cast<void>(mirror.camera("lens")));
  arrays.model.cam_orthographic[0] = 1;
  EXPECT_THROW(static_cast<void>(mirror.camera("lens")), InputError);
}

}  // namespace
}  // namespace fathom::test
