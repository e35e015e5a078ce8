// SPDX-License-Identifier: MIT
// The contents of a mirror, their poses as a world moves, and the sensors on it.

#ifdef FATHOM_MUJOCO

#include <fathom/frame/digest.hpp>
#include <fathom/noise/dropout.hpp>
#include <fathom/simulate/environments.hpp>

#include "mujoco/tests/worlds.hpp"
#include "support/allocations.hpp"

namespace fathom::test {
namespace {

/// A falling box beside a standing one, a camera and a site on the falling box, and parts that are not mirrored.
constexpr const char* kFalling = R"(<mujoco>
  <asset><material name='air' rgba='1 1 1 0'/></asset>
  <worldbody>
    <geom name='floor' type='plane' size='0 0 1'/>
    <geom type='box' size='.2 .2 .2' pos='1 0 .2'/>
    <geom name='camera/eyes' type='sphere' size='.1' pos='2 1 .1'/>
    <geom name='ghost' type='sphere' size='.3' rgba='1 1 1 0'/>
    <geom name='wind' type='sphere' size='.3' material='air' rgba='1 1 1 1'/>
    <camera name='watch' pos='-2 .5 2.2' xyaxes='.1 -1 0 .2 .1 1' fovy='70'/>
    <body name='falling' pos='0 0 3' quat='1 .2 .3 .1'>
      <freejoint/>
      <geom name='shell' type='box' size='.3 .2 .1' group='2'/>
      <geom name='hat' type='box' size='.05 .05 .05' pos='0 0 .2' group='3'/>
      <camera name='eyes' pos='0 0 -.05' zaxis='0 0 1' fovy='60'/>
      <site name='nose' pos='.1 0 0' euler='0 90 0'/>
    </body>
  </worldbody></mujoco>)";

std::string digest_of(const Frame& frame) {
  FrameDigest digest;
  digest.add(frame);
  return digest.text();
}

StereoCamera small_camera(const MujocoMirror& mirror, std::string_view name) {
  StereoCamera camera = mirror.camera(name, {.width = 32, .height = 24});
  camera.max_range_m = 1e5, camera.baseline_m = 0.05;
  return camera;
}

TEST(MujocoMirror, EntitiesAreGeomsByTheirNames) {
  const MujocoWorld world = make_world(kFalling);
  const MujocoMirror mirror(world.model.get());
  const Scene scene = mirror.scene(world.data.get());
  const std::vector<int> expected = {0, 1, 2, 5, 6};  // neither alpha 0
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), mirror.geom_ids().begin(), mirror.geom_ids().end()));
  const std::vector<std::string> names = {"floor", "geom_1",       "camera/eyes",  "shell",
                                          "hat",   "camera/watch", "camera/eyes_", "site/nose"};
  ASSERT_EQ(scene.entities().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(scene.entities()[i].name, names[i]);
  EXPECT_EQ(mirror.geom("shell"), EntityId{3});
  EXPECT_EQ(mirror.geom(6), EntityId{4});
  EXPECT_EQ(mirror.geom_id(4), 6);
  EXPECT_EQ(mirror.geom_id(index(kNoEntity)), -1);
  EXPECT_EQ(scene.entities()[3].groups, (std::vector<std::string>{"group/2", "body/falling"}));
  EXPECT_EQ(scene.meshes().size(), 3U);  // a plane, a box for all boxes, a sphere
}

TEST(MujocoMirror, UpdateMovesWhatMoved) {
  const MujocoWorld world = make_world(kFalling);
  MujocoMirror mirror(world.model.get());
  Simulator simulator(mirror.scene(world.data.get()), {.seed = 3, .compute = {.threads = 1}});
  const SensorId watch = simulator.add_sensor(mirror.on_camera("watch", small_camera(mirror, "watch")));
  Frame moved({Channel::kRange, Channel::kEntityId, Channel::kNormal});
  for (std::uint32_t t = 0; t < 300; ++t) {
    mj_step(world.model.get(), world.data.get());
    mj_forward(world.model.get(), world.data.get());
    ASSERT_EQ(mirror.update(world.data.get(), simulator.scene()), 4U);  // two geoms, a camera and a site
    const std::uint64_t revision = simulator.scene().revision();
    ASSERT_EQ(mirror.update(world.data.get(), simulator.scene()), 0U);
    ASSERT_EQ(simulator.scene().revision(), revision);
    if (t % 60 != 0) continue;
    simulator.render(watch, t, moved);
    Simulator fresh(mirror.scene(world.data.get()), {.seed = 3, .compute = {.threads = 1}});
    Frame anew(moved.channels());
    fresh.render(fresh.add_sensor(mirror.on_camera("watch", small_camera(mirror, "watch"))), t, anew);
    ASSERT_EQ(digest_of(moved), digest_of(anew)) << t;
  }
}

#if !FATHOM_SANITIZED
TEST(MujocoMirror, UpdateAllocatesNothing) {
  const MujocoWorld world = make_world(kFalling);
  MujocoMirror mirror(world.model.get());
  Scene scene = mirror.scene(world.data.get());
  for (int t = 0; t < 5; ++t) {
    mj_step(world.model.get(), world.data.get());
    const std::size_t count = allocations_in([&] { mirror.update(world.data.get(), scene); });
    if (t > 1) {
      EXPECT_EQ(count, 0U);
    }
  }
}
#endif

/// Through the middle of a pixel, in the frame of MuJoCo's camera: it looks along -z, with y up.
std::array<double, 3> ray_of_pixel(int u, int v, int width, int height, double fovy_deg) {
  const double f = 0.5 * height / std::tan(0.5 * fovy_deg * kRadPerDeg);
  std::array<double, 3> d = {(u + 0.5 - 0.5 * width) / f, -(v + 0.5 - 0.5 * height) / f, -1.0};
  const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (double& x : d) x /= length;
  return d;
}

TEST(MujocoMirror, CamerasSeeWhatMujocosCamerasSee) {
  const MujocoWorld world = make_world(kFalling);
  MujocoMirror mirror(world.model.get());
  Simulator simulator(mirror.scene(world.data.get()), {.compute = {.threads = 1}});
  for (int camera = 0; camera < world.model->ncam; ++camera) {
    const std::string name = world.model->names + world.model->name_camadr[camera];
    const SensorId id = simulator.add_sensor(mirror.on_camera(name, small_camera(mirror, name), false));
    Frame frame({Channel::kCleanRange, Channel::kEntityId});
    simulator.render(id, 0, frame);
    const mjtNum *from = world.data->cam_xpos + 3 * camera, *turn = world.data->cam_xmat + 9 * camera;
    const int body = world.model->cam_bodyid[camera];
    std::size_t hits = 0, i = 0;
    for (int v = 0; v < 24; ++v) {
      for (int u = 0; u < 32; ++u, ++i) {
        const auto d = ray_of_pixel(u, v, 32, 24, static_cast<double>(world.model->cam_fovy[camera]));
        mjtNum way[3];
        for (int k = 0; k < 3; ++k) way[k] = turn[3 * k] * d[0] + turn[3 * k + 1] * d[1] + turn[3 * k + 2] * d[2];
        int geom = -1;
        const double range_m =
            mj_ray(world.model.get(), world.data.get(), from, way, nullptr, 1, body == 0 ? -1 : body, &geom);
        ASSERT_EQ(mirror.geom_id(frame.entity_id()[i]), geom) << name << " " << u << " " << v;
        if (geom < 0) continue;
        ++hits;
        ASSERT_NEAR(frame.clean_range_m()[i], range_m, 1e-4 * range_m) << name << " " << u << " " << v;
      }
    }
    EXPECT_GT(hits, 100U) << name;
  }
}

TEST(MujocoMirror, SensorsPassThroughTheBodyThatCarriesThem) {
  const MujocoWorld world = make_world(kFalling);
  const MujocoMirror mirror(world.model.get());
  Simulator simulator(mirror.scene(world.data.get()), {.compute = {.threads = 1}});
  Laser2d laser;
  laser.rays = 64, laser.min_azimuth_rad = -3.0, laser.max_azimuth_rad = 3.0;
  Frame blind({Channel::kEntityId}), seeing({Channel::kEntityId}), grouped({Channel::kEntityId});
  Sensor off = mirror.on_site("nose", laser), on = mirror.on_site("nose", laser, true), half = on;
  on.name = "seeing", half.name = "half";
  half.ignore_groups = {MujocoMirror::geom_group(2)};
  simulator.render(simulator.add_sensor(off), 0, blind);
  simulator.render(simulator.add_sensor(on), 0, seeing);
  simulator.render(simulator.add_sensor(half), 0, grouped);
  const auto count = [](const Frame& frame, EntityId entity) {
    return std::count(frame.entity_id().begin(), frame.entity_id().end(), index(entity));
  };
  EXPECT_EQ(off.ignore_groups, std::vector<std::string>{mirror.body_group("falling")});
  EXPECT_EQ(count(blind, mirror.geom("shell")), 0);
  EXPECT_EQ(count(seeing, mirror.geom("shell")), 64);
  EXPECT_EQ(count(grouped, mirror.geom("shell")), 0);
  const Pose site = simulator.world_from_sensor(SensorId{0}, 0.0);
  EXPECT_NEAR(site.translation_m.x, static_cast<double>(world.data->site_xpos[0]), 1e-12);
  const Vec3 forward = rotate(site.rotation, {1, 0, 0});
  EXPECT_NEAR(forward.x, static_cast<double>(world.data->site_xmat[0]), 1e-9);
  EXPECT_NEAR(forward.z, static_cast<double>(world.data->site_xmat[6]), 1e-9);
}

TEST(MujocoMirror, RowsOfNoiseAreByGeom) {
  const MujocoWorld world = make_world(kFalling);
  const MujocoMirror mirror(world.model.get());
  Simulator simulator(mirror.scene(world.data.get()), {.compute = {.threads = 1}});
  Sensor sensor = mirror.on_camera("watch", small_camera(mirror, "watch"));
  sensor.noise = {{Dropout{.probability = 0.0F},
                   {mirror.row("shell", Dropout{.probability = 1.0F}), mirror.row(1, Dropout{.probability = 1.0F})}}};
  Frame frame({Channel::kReason, Channel::kEntityId});
  simulator.render(simulator.add_sensor(sensor), 0, frame);
  std::array<int, 2> seen = {};
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const int geom = mirror.geom_id(frame.entity_id()[i]);
    if (geom < 0) continue;
    const bool lost = geom == 1 || geom == 5;
    ++seen[lost ? 1 : 0];
    ASSERT_EQ(frame.reason()[i], lost ? Reason::kDropout : Reason::kHit) << "geom " << geom;
  }
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

TEST(MujocoMirror, PosesInBulkMoveEnvironments) {
  const MujocoWorld world = make_world(kFalling);
  MujocoMirror mirror(world.model.get());
  Environments batch(mirror.scene(world.data.get()), {.simulator = {.seed = 1, .compute = {.threads = 1}}, .count = 3});
  const SensorId watch = batch.add_sensor(mirror.on_camera("watch", small_camera(mirror, "watch")));
  std::vector<double> positions_m, quaternions;
  std::vector<float> alone;
  for (std::uint32_t e = 0; e < 3; ++e) {
    for (std::uint32_t t = 0; t < 100; ++t) mj_step(world.model.get(), world.data.get());
    mj_forward(world.model.get(), world.data.get());
    mirror.append_poses(world.data.get(), positions_m, quaternions);
    Simulator simulator(mirror.scene(world.data.get()), {.compute = {.threads = 1}});
    Frame frame({Channel::kCleanDepth});
    simulator.render(simulator.add_sensor(mirror.on_camera("watch", small_camera(mirror, "watch"))), 0, frame);
    alone.insert(alone.end(), frame.clean_depth_m().begin(), frame.clean_depth_m().end());
  }
  batch.set_entity_poses(mirror.entities(), positions_m, quaternions);
  Frame frame({Channel::kCleanDepth});
  batch.render(watch, 0, frame);
  ASSERT_TRUE(std::equal(alone.begin(), alone.end(), frame.clean_depth_m().begin(), frame.clean_depth_m().end()));
  ASSERT_NE(std::vector<float>(alone.begin(), alone.begin() + 768),
            std::vector<float>(alone.begin() + 768, alone.begin() + 1536));
}

TEST(MujocoMirror, RefusesWhatIsNotThere) {
  const MujocoWorld world = make_world(kFalling);
  const mjModel* model = world.model.get();
  MujocoMirror mirror(model);
  EXPECT_EQ(input_error([&] { MujocoMirror{nullptr}; }), "the model of MuJoCo is null");
  EXPECT_EQ(input_error([&] {
              MujocoMirror(model, {.exclude_bodies = {"falling", "fallen"}});
            }),
            "body 'fallen' is not in the model, which has world, falling");
  EXPECT_EQ(input_error([&] { static_cast<void>(mirror.camera("eye", {.width = 4, .height = 4})); }),
            "camera 'eye' is not in the model, which has watch, eyes");
  EXPECT_EQ(input_error([&] { static_cast<void>(mirror.camera("eyes")); }),
            "camera 'eyes' has no resolution in the model: give width and height");
  EXPECT_EQ(input_error([&] { static_cast<void>(mirror.on_site("", small_camera(mirror, "eyes"))); }),
            "site '' is not in the model, which has nose");
  EXPECT_EQ(input_error([&] { static_cast<void>(mirror.geom(7)); }), "geom 7 is not in [0, 7)");
  EXPECT_EQ(input_error([&] { static_cast<void>(mirror.geom("ghost")); }),
            "geom 3 is not mirrored: the options or its alpha of 0 leave it out");
  EXPECT_EQ(input_error([&] { MujocoMirror(model, {.infinite_plane_m = std::nan("")}); }),
            "infinite_plane_m is not in (0, 1e6] m");
  MirrorOptions none;
  none.groups = {};
  EXPECT_EQ(input_error([&] { MujocoMirror(model, none); }), "the model of MuJoCo has no geom that the options leave");
  Scene other;
  EXPECT_EQ(input_error([&] { mirror.update(world.data.get(), other); }), "the scene is not one that the mirror made");
}

}  // namespace
}  // namespace fathom::test

#endif
