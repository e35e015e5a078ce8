// SPDX-License-Identifier: MIT
// Places and vertices have limits, and within them nothing that is built of them ends the process.

#include <fathom/scene/expected_ranges.hpp>

#include "render/test_scenes.hpp"

namespace fathom::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Scene scene_with(const Pose& pose, const Vec3& scale = {1, 1, 1}) {
  Scene scene;
  scene.add_entity(
      {.name = "box", .mesh = scene.add_mesh(make_box({1, 1, 1}), "m"), .parent_from_entity = pose, .scale = scale});
  return scene;
}

TEST(FarPlaces, PosesBeyondTheLimitAreRefused) {
  Scene scene = scene_with({{1e9, -1e9, 0}, {}});
  for (const double far : {1.0000001e9, 1e19, -1e30, kInfinity, std::nan("")}) {
    EXPECT_NE(input_error([&] { scene.set_pose(EntityId{0}, {{0, far, 0}, {}}); }), "") << far;
    EXPECT_NE(input_error([&] { Trajectory({{0, {}}, {0.1, {{0, 0, far}, {}}}}); }), "") << far;
  }
  EXPECT_EQ(input_error([&] {
              Trajectory({{0, {}}, {0.1, {{1e19, 0, 0}, {}}}});
            }),
            "trajectory pose 1: position 1e+19 m is not in [-1e9, 1e9] m");
}

TEST(FarPlaces, VerticesBeyondTheLimitAreRefusedScaledToo) {
  Mesh mesh = make_box({1, 1, 1});
  mesh.vertices_m[2] = {0, 2e9F, 0};
  Scene scene;
  EXPECT_TRUE(contains(input_error([&] { scene.add_mesh(mesh, "m"); }), "vertex 2 = 2"));
  mesh.vertices_m[2] = {0, 2e3F, 0};
  const MeshId id = scene.add_mesh(mesh, "m");
  EXPECT_TRUE(contains(input_error([&] {
                         scene.add_entity({.name = "e", .mesh = id, .scale = {1, 1e6, 1}});
                       }),
                       "entity 'e': scaled, mesh 'm' reaches"));
  scene.add_entity({.name = "e", .mesh = id, .scale = {1, 1e5, 1}});
  auto vertices = mesh.vertices_m;
  vertices[0] = {0, 2e4F, 0};
  EXPECT_NE(input_error([&] { scene.replace_vertices(id, vertices); }), "");
  EXPECT_EQ(scene.meshes()[index(id)].vertices_m, mesh.vertices_m);
  vertices[0] = {0, 1e4F, 0};
  scene.replace_vertices(id, vertices);
}

TEST(FarPlaces, ParentsThatLeadBeyondTheLimitAreRefusedWhenTheyAreCast) {
  Scene scene = scene_with({{9e8, 0, 0}, {}});
  scene.add_entity(
      {.name = "child", .mesh = MeshId{0}, .parent_from_entity = Pose{{9e8, 0, 0}, {}}, .parent = EntityId{0}});
  Simulator simulator(scene, {.compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(make_sensor(make_lidar(2, 8)));
  Frame frame(all_channels());
  EXPECT_EQ(input_error([&] { simulator.render(id, 0, frame); }),
            "entity 'child': its place in the world, 1800000000 m, is not in [-1e9, 1e9] m");
  Sensor riding = make_sensor(make_lidar(2, 8), {}, {{5e8, 0, 0}, {}}, "riding");
  riding.parent = EntityId{0};
  Simulator other(scene_with({{9e8, 0, 0}, {}}), {.compute = {.threads = 1}});
  const SensorId far = other.add_sensor(riding);
  EXPECT_TRUE(contains(input_error([&] { other.render(far, 0, frame); }), "sensor 'riding': its place in the world"));
}

TEST(FarPlaces, ExpectedRangesRefuseThem) {
  const auto ranges = make_scene_ranges(scene_with({}), {.compute = {.threads = 1}});
  const RayFan fan = RayFan::of(make_pattern(make_lidar(1, 8)));
  std::vector<float> range_m(8);
  const auto cast_from = [&](double x) { ranges->cast(std::vector<Pose>{{{x, 0, 0}, {}}}, fan, 10.0, range_m); };
  EXPECT_EQ(input_error([&] { cast_from(1e9); }), "");
  for (const double far : {1e10, -1e30, kInfinity, std::nan("")}) EXPECT_NE(input_error([&] { cast_from(far); }), "");
}

/// A number that was chosen to hurt.
double nasty() {
  constexpr std::array<double, 24> kNumbers = {0,    1e-320, 1e-45, 1e-38, 1e-7, 0.5,   1,    3,
                                               64,   1e3,    1e6,   1e8,   5e8,  9.9e8, 1e9,  1.1e9,
                                               1e10, 1e12,   1e18,  2e18,  1e19, 1e30,  3e38, 1e300};
  // Most lie within the limits, so that most scenes are cast.
  const double value =
      kNumbers[*rc::gen::weightedOneOf<int>({{9, rc::gen::inRange(0, 15)}, {1, rc::gen::inRange(15, 24)}})];
  return *rc::gen::arbitrary<bool>() ? value : -value;
}
Vec3 nasty_place() { return {nasty(), nasty(), nasty()}; }
Pose nasty_pose() { return {nasty_place(), from_roll_pitch_yaw(nasty(), nasty(), nasty())}; }

Mesh nasty_mesh() {
  Mesh mesh = make_box({1, 1, 1});
  for (auto& vertex : mesh.vertices_m) {
    if (*rc::gen::inRange(0, 3) != 0) continue;
    for (float& c : vertex) c = static_cast<float>(nasty());
  }
  return mesh;
}

double nasty_scale() {
  constexpr double kScales[] = {1, 1, 1e-6, 1e6, -1e3, 1e-3};
  return kScales[*rc::gen::inRange(0, 6)];
}

Scene nasty_scene() {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    Entity entity;
    entity.name = std::to_string(i);
    entity.mesh = scene.add_mesh(nasty_mesh());
    entity.parent_from_entity =
        *rc::gen::arbitrary<bool>() ? Trajectory(nasty_pose()) : Trajectory({{0, nasty_pose()}, {0.1, nasty_pose()}});
    entity.scale = {nasty_scale(), nasty_scale(), nasty_scale()};
    if (i > 0 && *rc::gen::arbitrary<bool>()) entity.parent = static_cast<EntityId>(i - 1);
    scene.add_entity(entity);
  }
  return scene;
}

Sensor nasty_sensor() {
  StereoCamera camera;
  camera.width = camera.height = 8;
  camera.fx = 8;
  camera.baseline_m = 0.1;
  RayPattern rays = make_pattern(make_lidar(2, 8));
  rays.origin_x.assign(16, static_cast<float>(nasty()));
  rays.origin_y.assign(16, static_cast<float>(nasty()));
  rays.origin_z.assign(16, 0.0F);
  rays.time_offset_s.assign(16, static_cast<float>(nasty()));
  const std::vector<SensorModel> models = {make_lidar(2, 8), camera, rays};
  Sensor sensor = make_sensor(models[*rc::gen::inRange<std::size_t>(0, 3)]);
  if (std::holds_alternative<StereoCamera>(sensor.model)) {
    sensor.noise = {StereoShadow{}, StereoEnergy{}, Disparity{.stddev_px = 0.1F}};
  }
  sensor.parent_from_sensor = Trajectory({{0, nasty_pose()}, {0.1, nasty_pose()}}, *rc::gen::arbitrary<bool>());
  sensor.rolling = !std::holds_alternative<StereoCamera>(sensor.model) && *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) sensor.parent = EntityId{0};
  return sensor;
}

RC_GTEST_PROP(FarPlaces, NothingThatIsAcceptedEndsTheProcess, ()) {
  bool cast = false;
  const std::string refusal = input_error([&] {
    Simulator simulator(nasty_scene(), {.compute = {.threads = 1}, .start_s = nasty()});
    const SensorId id = simulator.add_sensor(nasty_sensor());
    Frame frame(all_channels());
    simulator.render(id, 0, frame);
    simulator.render(id, 1, frame);
    cast = true;
  });
  RC_CLASSIFY(cast);
  RC_ASSERT(cast == refusal.empty());
}

}  // namespace
}  // namespace fathom::test
