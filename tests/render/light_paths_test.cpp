// SPDX-License-Identifier: MIT
// Light through glass and over mirrors: closed forms, and an oracle in double precision.

#include "render/light_paths.hpp"

#include "render/any_sensors.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

/// One ray from the origin along each direction.
Sensor make_rays_along(const std::vector<Vec3>& directions) {
  RayPattern pattern;
  pattern.rows = 1, pattern.cols = static_cast<std::uint32_t>(directions.size());
  for (const Vec3& d : directions) {
    pattern.direction_x.push_back(static_cast<float>(d.x));
    pattern.direction_y.push_back(static_cast<float>(d.y));
    pattern.direction_z.push_back(static_cast<float>(d.z));
  }
  pattern.min_range_m = {0}, pattern.max_range_m = {1000};
  return make_sensor(pattern);
}

Vec3 level(double angle_rad) { return {std::cos(angle_rad), std::sin(angle_rad), 0}; }

/// Surfaces across the x axis, each turned about z.
struct Sheet {
  std::string material;
  double x_m, angle_rad = 0.0;
};

/// The last sheet is a matt wall of reflectivity 0.8.
Scene make_sheets(const SurfaceOptics& glass, const std::vector<Sheet>& sheets) {
  Scene scene;
  const MeshId plane = scene.add_mesh(make_plane(400, 400));
  scene.add_material({.name = "glass", .optics = glass});
  scene.add_material({.name = "wall", .reflectivity = 0.8F});
  for (const Sheet& sheet : sheets) {
    scene.add_entity(
        {.name = std::to_string(scene.entities().size()),
         .mesh = plane,
         .parent_from_entity = Pose{{sheet.x_m, 0, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, sheet.angle_rad)},
         .material = sheet.material});
  }
  return scene;
}

/// By sines and tangents, unlike the library.
double fresnel_of(double n, double a) {
  if (a < 1e-6) return std::pow((n - 1) / (n + 1), 2);
  const double b = std::asin(std::sin(a) / n);
  return 0.5 * (std::pow(std::sin(a - b) / std::sin(a + b), 2) + std::pow(std::tan(a - b) / std::tan(a + b), 2));
}

double passed_by_pane(double n, double a) {
  const double r = fresnel_of(n, a);
  return 1 - 2 * r / (1 + r);
}

TEST(LightPaths, PassesAPane) {
  const SurfaceOptics glass = {.refractive_index = 1.52F, .thickness_m = 0.01F};
  for (const double a : {0.0, 45 * kDeg, 80 * kDeg}) {
    Sensor sensor = make_rays_along({{1, 0, 0}});
    // Head-on the pane dazzles, and far from it the wall is mirrored too.
    sensor.returns = {a == 0.0 ? ReturnChoice::kLast : ReturnChoice::kFirst};
    const Frame f = render_once(make_sheets(glass, {{"glass", 2, a}, {"wall", 300}}), sensor);
    const double n = 1.52F, delay = 0.01F * (std::sqrt(n * n - std::pow(std::sin(a), 2)) - std::cos(a));
    EXPECT_EQ(f.reason()[0], Reason::kHit);
    EXPECT_NEAR(f.range_m()[0], 300 + delay, 1e-4) << a;
    EXPECT_NEAR(f.intensity()[0], 0.8 * std::pow(passed_by_pane(n, a), 2), 2e-5) << a;
    EXPECT_EQ(f.path()[0], kThroughGlass);
    EXPECT_EQ(f.entity_id()[0], 1U);
  }
}

TEST(LightPaths, PassesAsManyPanesAsItHasBounces) {
  const SurfaceOptics glass = {.refractive_index = 1.5F};
  Sensor sensor = make_rays_along({{1, 0, 0}});
  sensor.returns = {ReturnChoice::kLast};
  const Scene scene = make_sheets(glass, {{"glass", 2}, {"glass", 5}, {"wall", 10}});
  const Frame f = render_once(scene, sensor);
  EXPECT_NEAR(f.range_m()[0], 10, 1e-5);
  EXPECT_NEAR(f.intensity()[0], 0.8 * std::pow(passed_by_pane(1.5, 0), 4), 1e-5);
  sensor.light_paths.bounces = 1;
  sensor.parent_from_sensor = Pose{{}, from_roll_pitch_yaw(0, 0, 0.2)};
  EXPECT_EQ(render_once(scene, sensor).reason()[0], Reason::kSpecular);
}

TEST(LightPaths, ZigzagsInACorridorOfMirrors) {
  Scene scene = make_sheets({.mirror = 0.9F}, {{"wall", 10}});
  const MeshId plane{0};
  for (const double y : {-1.0, 1.0}) {
    scene.add_entity({.name = y < 0 ? "right" : "left",
                      .mesh = plane,
                      .parent_from_entity = Pose{{0, y, 0}, from_roll_pitch_yaw(std::numbers::pi / 2, 0, 0)},
                      .material = "glass"});
  }
  Sensor sensor = make_rays_along({level(0), level(15 * kDeg), level(25 * kDeg), level(35 * kDeg)});
  sensor.light_paths.bounces = 4;
  const Frame f = render_once(scene, sensor);
  const double bounces[] = {0, 1, 2, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    const double a = std::array{0.0, 15.0, 25.0, 35.0}[i] * kDeg;
    EXPECT_NEAR(f.range_m()[i], 10 / std::cos(a), 1e-5) << i;
    EXPECT_NEAR(f.intensity()[i], 0.8 * std::cos(a) * std::pow(0.9, 2 * bounces[i]), 1e-5) << i;
    EXPECT_EQ(f.path()[i], bounces[i] > 0 ? kMirrored : 0U) << i;
    EXPECT_EQ(f.entity_id()[i], 0U);
  }
}

TEST(LightPaths, GivesOneReturnOrTwoByPower) {
  const Scene scene = make_sheets({.refractive_index = 1.5F, .diffuse = 0.1F}, {{"glass", 2}, {"wall", 10}});
  Sensor sensor = make_rays_along({level(5 * kDeg)});
  sensor.divergence = {.horizontal_rad = 0.002F, .vertical_rad = 0.002F};
  sensor.returns = {ReturnChoice::kStrongest, ReturnChoice::kLast};
  const auto returns = [&](float reach_10_m) {
    sensor.detection.reach_10_m = reach_10_m;
    return render_once(scene, sensor);
  };
  const Frame both = returns(20), one = returns(3);  // powers: 0.025 and 0.005, least 0.00025 and 0.011
  EXPECT_NEAR(both.range_m()[0], 2 / std::cos(5 * kDeg), 1e-3);
  EXPECT_NEAR(both.range_m()[1], 10 / std::cos(5 * kDeg), 1e-3);
  EXPECT_EQ(both.path()[0], 0U);
  EXPECT_EQ(both.path()[1], kThroughGlass);
  const double cosine = std::cos(5 * kDeg);
  EXPECT_NEAR(both.intensity()[0], 0.1 * cosine, 1e-4);
  EXPECT_NEAR(both.intensity()[1], 0.8 * cosine * std::pow(0.9 * passed_by_pane(1.5, 5 * kDeg), 2), 1e-4);
  EXPECT_NEAR(one.range_m()[0], 2 / std::cos(5 * kDeg), 1e-3);
  EXPECT_EQ(one.reason()[1], Reason::kNoFurtherReturn);
}

TEST(LightPaths, ChoosesAmongTheEchoesOfALine) {
  const Scene scene = make_sheets({.refractive_index = 1.5F, .diffuse = 0.05F}, {{"glass", 2}, {"wall", 10}});
  Sensor sensor = make_rays_along({level(5 * kDeg)});
  for (const auto& [choice, range] : {std::pair(ReturnChoice::kFirst, 2.0), std::pair(ReturnChoice::kLast, 10.0)}) {
    sensor.returns = {choice};
    EXPECT_NEAR(render_once(scene, sensor).clean_range_m()[0], range / std::cos(5 * kDeg), 1e-5);
  }
  sensor.divergence.separation_m = 20;
  const double joined = render_once(scene, sensor).range_m()[0];
  EXPECT_TRUE(joined > 2.1 && joined < 10) << "one pulse: the mean by power";
}

TEST(LightPaths, LosesWhatLeaves) {
  Scene scene = make_sheets({.mirror = 1.0F}, {{"glass", 3, 0.5}});
  const Frame f = render_once(scene, make_rays_along({{1, 0, 0}, {-1, 0, 0}}));
  EXPECT_EQ(f.reason()[0], Reason::kSpecular);
  EXPECT_NEAR(f.clean_range_m()[0], 3, 1e-6);
  EXPECT_EQ(f.entity_id()[0], 0U);
  EXPECT_EQ(f.intensity()[0], 0.0F);
  EXPECT_TRUE(std::isnan(f.range_m()[0]));
  EXPECT_EQ(f.reason()[1], Reason::kMiss);
}

TEST(LightPaths, DazzleHeadOn) {
  const Scene scene = make_sheets({.refractive_index = 1.33F, .roughness_rad = 0.05F, .opaque = true}, {{"glass", 3}});
  const Frame f = render_once(scene, make_rays_along({level(0.049), level(0.051)}));
  EXPECT_NEAR(f.intensity()[0], fresnel_of(1.33, 0.049) / (4 * 0.05 * 0.05), 1e-3);
  EXPECT_EQ(f.reason()[0], Reason::kHit);
  EXPECT_EQ(f.reason()[1], Reason::kSpecular);
}

double any_share() { return *rc::gen::inRange(0, 1001) * 1e-3; }

SurfaceOptics any_optics() {
  SurfaceOptics surface;
  surface.diffuse = 0.9F * static_cast<float>(any_share());
  if (*rc::gen::arbitrary<bool>()) {
    surface.mirror = (1.0F - surface.diffuse) * static_cast<float>(0.01 + 0.98 * any_share());
    return surface;
  }
  surface.refractive_index = static_cast<float>(1.001 + 3.9 * any_share());
  surface.opaque = *rc::gen::arbitrary<bool>();
  if (!surface.opaque) surface.thickness_m = static_cast<float>(0.1 * any_share());
  return surface;
}

RC_GTEST_PROP(LightPaths, NoLightIsMade, ()) {
  const SurfaceOptics surface = any_optics();
  const LightShares shares = shares_of(surface, static_cast<float>(0.001 + 0.999 * any_share()));
  const double sum = double{surface.diffuse} + double{shares.passed} + double{shares.mirrored};
  RC_ASSERT(shares.passed >= 0.0F && shares.mirrored >= 0.0F && sum <= 1 + 1e-6);
  if (surface.mirror == 0.0F && !surface.opaque) RC_ASSERT(sum > 1 - 1e-6);
}

/// A sheet of make_sheets(); without optics it is the wall.
struct OracleSheet {
  double x_m, angle_rad;
  const SurfaceOptics* optics = nullptr;
};

/// All that returns to a sensor, in double precision.
struct AllReturns {
  const std::vector<OracleSheet>& sheets;
  double power = 0, range_m = 0;  // the range is weighed by power, and divided by it at the end
  double most = 0, second = 0;    // powers of single returns
  std::uint32_t path = 0;         // of the strongest
  std::size_t sheet = 0;
  bool dazzles = false;

  /// Adds what a line from o along d meets; `left`: bounces; `from`: the sheet that the line leaves.
  void add(const Vec3& o, const Vec3& d, double way, double light, int left, std::uint32_t way_path, std::size_t from) {
    double ahead = 1e9;
    std::size_t met = sheets.size();
    for (std::size_t k = 0; k < sheets.size(); ++k) {
      const Vec3 n = level(sheets[k].angle_rad);
      const double t = dot(Vec3{sheets[k].x_m, 0, 0} - o, n) / dot(d, n);
      if (k != from && t > 0 && t < ahead) ahead = t, met = k;
    }
    if (met == sheets.size()) return;
    const Vec3 n = level(sheets[met].angle_rad), at = o + ahead * d;
    const double cosine = std::abs(dot(d, n)), a = std::acos(std::min(cosine, 1.0));
    const SurfaceOptics* optics = sheets[met].optics;
    take(way + ahead, light * cosine * (optics == nullptr ? 0.8 : double{optics->diffuse}), way_path, met);
    if (optics == nullptr) return;
    dazzles = dazzles || a < 0.002;
    if (left == 0) return;
    const double index = double{optics->refractive_index}, rest = 1 - double{optics->diffuse};
    double passed = 0, mirrored = double{optics->mirror};
    if (optics->mirror == 0.0F) {
      passed = optics->opaque ? 0 : rest * passed_by_pane(index, a);
      mirrored = optics->opaque ? rest * fresnel_of(index, a) : rest - passed;
    }
    const double delay = double{optics->thickness_m} * (std::sqrt(index * index - std::pow(std::sin(a), 2)) - cosine);
    const double through = light * passed * passed, back = light * mirrored * mirrored;
    if (through >= 1e-5) add(at, d, way + ahead + delay, through, left - 1, way_path | kThroughGlass, met);
    if (back >= 1e-5) add(at, d + (-2 * dot(d, n)) * n, way + ahead, back, left - 1, way_path | kMirrored, met);
  }

  void take(double range, double intensity, std::uint32_t of_path, std::size_t of_sheet) {
    const double part = intensity / (range * range);
    power += part, range_m += part * range;
    if (part > most) path = of_path, sheet = of_sheet;
    second = std::max(second, std::min(part, most)), most = std::max(part, most);
  }
};

/// One pulse joins the returns of all branches, so that its power is their sum.
RC_GTEST_PROP(LightPaths, AllBranchesReturnTheirLight, ()) {
  const auto angle = [] { return 0.2 * any_share() - 0.1; };
  const SurfaceOptics first = any_optics(), second = any_optics();
  const std::vector<OracleSheet> sheets = {{2, angle(), &first}, {9, angle()}, {-7, angle()}, {5, angle(), &second}};
  Scene scene = make_sheets(
      first, {{"glass", 2, sheets[0].angle_rad}, {"wall", 9, sheets[1].angle_rad}, {"wall", -7, sheets[2].angle_rad}});
  scene.add_material({.name = "other", .optics = second});
  const Pose pose = {{5, 0, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, sheets[3].angle_rad)};
  scene.add_entity({.name = "other", .mesh = MeshId{0}, .parent_from_entity = pose, .material = "other"});
  const std::vector<Vec3> directions = {level(0.1), level(0.25), level(-0.3), level(angle())};
  Sensor sensor = make_rays_along(directions);
  sensor.divergence.separation_m = 100;
  sensor.light_paths.bounces = static_cast<std::uint32_t>(*rc::gen::inRange(0, 5));
  const Frame f = render_once(scene, sensor);
  for (std::size_t i = 0; i < directions.size(); ++i) {
    AllReturns all{sheets};
    all.add({}, directions[i], 0, 1, static_cast<int>(sensor.light_paths.bounces), 0, sheets.size());
    if (all.dazzles) continue;
    RC_ASSERT(f.reason()[i] == (all.power > 0 ? Reason::kHit : Reason::kSpecular));
    if (!(all.power > 0)) continue;
    const double range = double{f.range_m()[i]}, power = double{f.intensity()[i]} / (range * range);
    RC_ASSERT(std::abs(range - all.range_m / all.power) < 1e-4 * range);
    RC_ASSERT(std::abs(power - all.power) < 1e-3 * all.power);
    if (all.most < 1.01 * all.second) continue;
    RC_ASSERT(f.path()[i] == all.path);
    RC_ASSERT(f.entity_id()[i] == all.sheet);
  }
}

/// The way from o along d to the walls of a room from -half to half.
double to_walls(const Vec3& o, const Vec3& d, const Vec3& half) {
  double way = 1e9;
  const double from[] = {o.x, o.y, o.z}, along[] = {d.x, d.y, d.z}, at[] = {half.x, half.y, half.z};
  for (int k = 0; k < 3; ++k) way = std::min(way, ((along[k] > 0 ? at[k] : -at[k]) - from[k]) / along[k]);
  return way;
}

RC_GTEST_PROP(LightPaths, GhostsLieWhereAMirrorShowsThem, ()) {
  const auto number = [](int low, int high) { return *rc::gen::inRange(low * 1000, high * 1000) * 1e-3; };
  const Quaternion turn = from_roll_pitch_yaw(number(-3, 3), number(-1, 1), number(-3, 3));
  const Vec3 at = {number(1, 2), number(-1, 1), number(-1, 1)}, n = rotate(turn, {0, 0, 1});
  Scene scene;
  scene.add_entity({.name = "room", .mesh = scene.add_mesh(make_box({8.0001, 6.0001, 4.0001}))});
  scene.add_material({.name = "mirror", .optics = {.mirror = 1.0F}});
  scene.add_entity({.name = "mirror",
                    .mesh = scene.add_mesh(make_plane(0.8, 0.8)),
                    .parent_from_entity = Pose{at, turn},
                    .material = "mirror"});
  std::vector<Vec3> directions;
  for (int i = 0; i < 40; ++i) {
    const Vec3 to = at + rotate(turn, {number(-1, 1) * 0.38, number(-1, 1) * 0.38, 0});
    directions.push_back((1 / std::sqrt(dot(to, to))) * to);
  }
  const Frame f = render_once(scene, make_rays_along(directions));
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const Vec3& d = directions[i];
    const double way = dot(at, n) / dot(d, n);
    const Vec3 struck = way * d, mirrored = d + (-2 * dot(d, n)) * n;
    if (std::abs(dot(d, n)) < 0.2 || to_walls({}, d, {4.00005, 3.00005, 2.00005}) < way) continue;
    const double behind = to_walls(struck, mirrored, {4.00005, 3.00005, 2.00005});
    const Vec3 end = struck + behind * mirrored, ghost = (way + behind) * d;
    const bool at_x = std::abs(std::abs(end.x) - 4) < 1e-3, at_y = std::abs(std::abs(end.y) - 3) < 1e-3,
               at_z = std::abs(std::abs(end.z) - 2) < 1e-3;
    if (int{at_x} + int{at_y} + int{at_z} != 1) continue;  // an edge of the room
    const Vec3 wall = {at_x ? -std::copysign(1.0, end.x) : 0, at_y ? -std::copysign(1.0, end.y) : 0,
                       at_z ? -std::copysign(1.0, end.z) : 0};
    RC_ASSERT(f.path()[i] == kMirrored);
    RC_ASSERT(f.entity_id()[i] == 0U);
    const Frame::Points hit = f.hit_sensor_m();
    RC_ASSERT(std::abs(double{hit.x[i]} - ghost.x) < 1e-5 * (1 + way + behind));
    RC_ASSERT(std::abs(double{hit.y[i]} - ghost.y) < 1e-5 * (1 + way + behind));
    RC_ASSERT(std::abs(double{hit.z[i]} - ghost.z) < 1e-5 * (1 + way + behind));
    const Frame::Points normal = f.normal_world();
    const Vec3 seen = {normal.x[i], normal.y[i], normal.z[i]}, off = seen - (wall + (-2 * dot(wall, n)) * n);
    RC_ASSERT(dot(off, off) < 1e-10);
    RC_ASSERT(std::abs(std::cos(double{f.incidence_rad()[i]}) + dot(wall, mirrored)) < 1e-5);
  }
}

/// A room with a pane, a mirror and water.
Scene make_glass_room(bool is_clear = true) {
  Scene scene = make_room_scene();
  const MeshId plane = scene.add_mesh(make_plane(3, 3));
  const Pose poses[] = {{{2, 0, 0}, from_roll_pitch_yaw(0, 1.5, 0.3)},
                        {{0, 2.5, 0}, from_roll_pitch_yaw(1.5, 0, 0)},
                        {{-2, 0, -1.4}, {}}};
  for (std::size_t i = 0; i < 3; ++i) {
    Material material = preset_material(std::string(kMaterialPresets[i]), kMaterialPresets[i]);
    if (!is_clear) material.optics = {};
    scene.add_material(material);
    scene.add_entity({.name = material.name, .mesh = plane, .parent_from_entity = poses[i], .material = material.name});
  }
  return scene;
}

TEST(LightPaths, DependOnNeitherThreadsNorTilesNorInstructions) {
  for (const float divergence : {0.0F, 0.003F}) {
    SpinningLidar lidar = make_lidar(16, 240);
    Sensor sensor = make_sensor(lidar, three_gaussians());
    sensor.divergence.horizontal_rad = divergence, sensor.detection.reach_10_m = 20;
    const Frame one = render_once(make_glass_room(), sensor);
    std::array<int, 4> paths = {};
    for (const std::uint8_t path : one.path()) ++paths[path];
    EXPECT_TRUE(paths[0] > 500 && paths[1] > 100 && paths[2] > 50) << paths[1] << " " << paths[2];
    for (const Isa isa : usable_isas()) {
      const SimulatorOptions options = {.seed = 7, .compute = {.threads = 4, .isa = isa}};
      const Frame other = render_once(make_glass_room(), sensor, all_channels(), options);
      EXPECT_EQ(channels_that_differ(one, other), "");
    }
    sensor.noise = {};
    const Frame straight = render_once(make_glass_room(), sensor);
    Environments many(make_glass_room(), {.simulator = {.compute = {.threads = 2}}, .count = 2});
    Frame frames({Channel::kRange, Channel::kPath});
    many.render(many.add_sensor(sensor), 0, frames);
    EXPECT_TRUE(same_bits(frames.range_m().subspan(straight.size()), straight.range_m()));
    EXPECT_TRUE(same_bits(frames.path().first(straight.size()), straight.path()));
    // The same rays in one row lie in other tiles.
    RayPattern row = make_pattern(lidar);
    row.cols *= row.rows, row.rows = 1, row.ring.clear();
    sensor.model = row;
    const Frame flat = render_once(make_glass_room(), sensor);
    EXPECT_TRUE(same_bits(straight.clean_range_m(), flat.clean_range_m()));
    EXPECT_TRUE(same_bits(straight.entity_id(), flat.entity_id()));
    EXPECT_TRUE(same_bits(straight.path(), flat.path()));
  }
}

TEST(LightPaths, LeaveOtherRaysAsTheyAre) {
  const Sensor sensor = make_sensor(make_lidar(16, 240), three_gaussians());
  const Frame clear = render_once(make_glass_room(), sensor), matt = render_once(make_glass_room(false), sensor);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < clear.size(); ++i) {
    if (matt.entity_id()[i] > 2) continue;
    ASSERT_EQ(clear.range_m()[i], matt.range_m()[i]);
    ASSERT_EQ(clear.intensity()[i], matt.intensity()[i]);
    ++compared;
  }
  EXPECT_GT(compared, 1000U);
}

TEST(LightPaths, KeepTheTimeOfTheRay) {
  const auto seen = [](const SurfaceOptics& optics) {
    Scene scene = make_sheets(optics, {{"glass", 2}});
    scene.add_entity({.name = "wall",
                      .mesh = MeshId{0},
                      .parent_from_entity = Trajectory({{0.0, {{10, 0, 0}, from_roll_pitch_yaw(0, -1.2, 0)}},
                                                        {1.0, {{40, 0, 0}, from_roll_pitch_yaw(0, -1.2, 0)}}})});
    SpinningLidar lidar = make_lidar(4, 64);
    Sensor sensor = make_sensor(lidar);
    sensor.rolling = true, sensor.light_paths.bounces = optics.is_clear() ? 1 : 0;
    if (!optics.is_clear()) sensor.ignore = {EntityId{0}};
    return render_once(scene, sensor);
  };
  const Frame through = seen({.refractive_index = 1.5F}), alone = seen({});
  std::size_t compared = 0;
  for (std::size_t i = 0; i < through.size(); ++i) {
    if (through.path()[i] != kThroughGlass) continue;
    ASSERT_NEAR(through.clean_range_m()[i], alone.clean_range_m()[i], 1e-6 * alone.clean_range_m()[i]);
    ASSERT_NEAR(through.velocity_m_s()[i], alone.velocity_m_s()[i], 1e-4);
    ++compared;
  }
  EXPECT_GT(compared, 20U);
}

/// A wall at 20 m, and a road 1.5 m below the sensor under this film of water.
Scene make_road(float water_film_mm) {
  Scene scene = make_sheets({}, {{"wall", 20}});
  scene.add_material({.name = "road", .reflectivity = 0.3F, .optics = {.water_film_mm = water_film_mm}});
  scene.add_entity(
      {.name = "road", .mesh = MeshId{0}, .parent_from_entity = Pose{{0, 0, -1.5}, {}}, .material = "road"});
  return scene;
}

TEST(LightPaths, AFilmOfWaterDimsTheRoadAndMirrorsTheWall) {
  for (const double down : {5 * kDeg, 30 * kDeg, 60 * kDeg}) {
    for (const double cover : {0.25, 1.0}) {
      const Scene scene = make_road(static_cast<float>(1.2 * cover));
      Sensor sensor = make_rays_along({{std::cos(down), 0, -std::sin(down)}});
      sensor.returns = {ReturnChoice::kFirst};  // at a grazing incidence the mirrored wall is stronger
      const double r = fresnel_of(1.328, std::numbers::pi / 2 - down);
      const Frame road = render_once(scene, sensor);
      const double film = 1 - cover + cover * std::pow(1 - r, 2) / (1 - 0.3 * r);
      EXPECT_NEAR(road.intensity()[0], 0.3 * std::sin(down) * film, 1e-6);
      EXPECT_NEAR(road.range_m()[0], 1.5 / std::sin(down), 1e-4);
      EXPECT_EQ(road.path()[0], 0U);
      sensor.returns = {ReturnChoice::kLast};
      const Frame ghost = render_once(scene, sensor);
      EXPECT_NEAR(ghost.intensity()[0], 0.8 * std::cos(down) * std::pow(cover * r, 2), 1e-6);
      EXPECT_NEAR(ghost.range_m()[0], 20 / std::cos(down), 1e-4);
      EXPECT_EQ(ghost.entity_id()[0], 0U);
      EXPECT_EQ(ghost.path()[0], kMirrored);
    }
  }
}

TEST(LightPaths, AWetRoadReturnsLessAtGrazingIncidence) {
  const auto count = [](float water_film_mm) {
    Sensor sensor = make_sensor(make_lidar(64, 64));
    sensor.detection.reach_10_m = 15;
    const Frame f = render_once(make_road(water_film_mm), sensor);
    std::size_t near = 0, far = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f.entity_id()[i] == 1 && f.path()[i] == 0) ++(f.clean_range_m()[i] < 6 ? near : far);
    }
    return std::pair(near, far);
  };
  const auto dry = count(0), damp = count(0.6F), wet = count(1.2F);
  EXPECT_EQ(dry.first, wet.first);
  EXPECT_GT(dry.second, damp.second);
  EXPECT_GT(damp.second, wet.second);
}

TEST(LightPaths, AFilmOfWaterDimsTheEnergyOfACamera) {
  Sensor camera = make_sensor(test::make_stereo(32, 24, 20, 0.1), {StereoShadow{}});
  camera.parent_from_sensor = Pose{{}, from_roll_pitch_yaw(0, 40 * kDeg, 0)};
  for (const double cover : {0.25, 1.0}) {
    const Frame dry = render_once(make_road(0), camera),
                wet = render_once(make_road(static_cast<float>(1.2 * cover)), camera);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < dry.size(); ++i) {
      ASSERT_EQ(wet.reason()[i], dry.reason()[i]);
      if (dry.entity_id()[i] != 1 || dry.reason()[i] != Reason::kHit) continue;
      const double r = fresnel_of(1.328, double{dry.incidence_rad()[i]});
      const double film = 1 - cover + cover * std::pow(1 - r, 2) / (1 - 0.3 * r);
      ASSERT_NEAR(wet.energy()[i] / dry.energy()[i], film, 1e-5) << i;
      ASSERT_EQ(wet.path()[i], 0U);
      ++compared;
    }
    EXPECT_GT(compared, 100U);
  }
}

TEST(LightPaths, ACameraSeesThroughPanesAndLosesMirrors) {
  Sensor camera = make_sensor(make_stereo(32, 8, 30, 0.1), {StereoShadow{}});
  const SurfaceOptics glass = {.refractive_index = 1.5F, .diffuse = 0.02F};
  const Frame pane = render_once(make_sheets(glass, {{"glass", 2}, {"wall", 6}}), camera);
  Sensor filtered = camera;
  filtered.filters.hole_filling = HoleFilling{};
  const Frame filled = render_once(make_sheets(glass, {{"glass", 2}, {"wall", 6}}), filtered);
  EXPECT_TRUE(same_bits(filled.path(), pane.path()) && pane.path()[0] == kThroughGlass);
  const Frame empty = render_once(make_sheets(glass, {{"glass", 2}}), camera);
  const Frame bare = render_once(make_sheets({.mirror = 0.9F}, {{"wall", 6}}), camera);
  const Frame near = render_once(make_sheets({.mirror = 0.9F}, {{"wall", 2}}), camera);
  const Scene mirror = make_sheets({.mirror = 0.9F}, {{"glass", 2, 0.5}, {"wall", 6}, {"wall", -5}});
  const Frame lost = render_once(mirror, camera);
  camera.light_paths.camera_ghosts = true;
  const Frame ghosts = render_once(mirror, camera);
  for (std::size_t i = 0; i < pane.size(); ++i) {
    EXPECT_EQ(pane.reason()[i], Reason::kHit);
    EXPECT_NEAR(pane.depth_m()[i], 6, 1e-5);
    const double a = double{bare.incidence_rad()[i]};
    EXPECT_NEAR(pane.energy()[i] / bare.energy()[i], std::pow(0.98 * passed_by_pane(1.5, a), 2), 1e-5);
    EXPECT_NEAR(empty.energy()[i] / near.energy()[i], 0.02, 1e-5) << "a pane before nothing is dim";
    EXPECT_EQ(lost.reason()[i], Reason::kSpecular);
    EXPECT_EQ(ghosts.reason()[i], Reason::kHit);
    EXPECT_EQ(ghosts.path()[i], kMirrored);
    EXPECT_GT(ghosts.depth_m()[i], 2.0F);
  }
}

TEST(LightPaths, AHeightGridTakesWaterAsMatt) {
  Scene scene;
  scene.add_material(preset_material("pond", "still_water"));
  scene.add_entity({.name = "pond", .mesh = scene.add_mesh(make_plane(4, 4)), .material = "pond"});
  GridScanner grid;
  grid.size_x_m = grid.size_y_m = 1, grid.start_height_m = 1;
  const Frame f = render_once(scene, make_sensor(grid));
  EXPECT_GT(f.size(), 100U);
  for (std::size_t i = 0; i < f.size(); ++i) {
    EXPECT_EQ(f.reason()[i], Reason::kHit);
    EXPECT_NEAR(f.range_m()[i], 1, 1e-6);
    EXPECT_EQ(f.path()[i], 0U);
  }
}

TEST(LightPaths, OpticsAreChecked) {
  const auto text = [](const SurfaceOptics& optics) {
    return message_of<InputError>([&] { make_sheets(optics, {}); });
  };
  const std::string start = "material 'glass': optics.";
  EXPECT_EQ(text({.refractive_index = 0.5F}), start + "refractive_index = 0.5 is not in [1, 5]");
  EXPECT_EQ(text({.refractive_index = 1.5F, .mirror = 0.5F}),
            start + "refractive_index = 1.5 and mirror = 0.5 are both given; one is enough");
  EXPECT_EQ(text({.diffuse = 0.5F, .mirror = 0.6F}), start + "mirror = 0.6 and diffuse = 0.5 have a sum above 1");
  EXPECT_EQ(text({.thickness_m = 0.1F, .mirror = 0.6F}), start + "thickness_m is for a pane");
  EXPECT_EQ(text({.mirror = 0.6F, .opaque = true}),
            start + "opaque is for a refractive_index: a mirror passes no light");
  EXPECT_EQ(text({.mirror = 0.6F, .water_film_mm = 1}), start + "water_film_mm is for a matt surface");
  EXPECT_EQ(text({.diffuse = 0.5F}),
            "material 'glass': optics has neither a refractive_index above 1 nor a mirror above 0");
  EXPECT_EQ(message_of<InputError>([] { static_cast<void>(preset_material("x", "miror")); }),
            "there is no preset 'miror' of materials (nearest known: 'mirror')");
  Sensor sensor = make_rays_along({{1, 0, 0}});
  sensor.light_paths.bounces = 5;
  EXPECT_EQ(message_of<InputError>([&] { render_once(make_sheets({}, {}), sensor); }),
            "sensor 'lidar': light_paths.bounces = 5 is not in [0, 4]");
}

struct NoDevice : FrameDevice {
  void render(std::span<const RenderJob> /*jobs*/, Frame& /*frame*/) override {}
};

TEST(LightPaths, AreNotForGpus) {
  NoDevice gpu;
  const SurfaceTable glass(make_sheets({.mirror = 0.5F}, {{"glass", 1}})), matt(make_sheets({}, {{"wall", 1}}));
  Compute compute;
  compute.device.kind = DeviceKind::kCuda;
  EXPECT_EQ(message_of<InputError>([&] { device_for(&gpu, compute, {}, glass); }),
            "device cuda: the scene has materials that pass or mirror light; only the processor renders them");
  EXPECT_EQ(device_for(&gpu, compute, {}, matt), &gpu);
  compute.device.kind = DeviceKind::kAuto;
  EXPECT_EQ(device_for(&gpu, compute, {}, glass), nullptr);
  EXPECT_EQ(device_for(&gpu, compute, {}, matt), &gpu);
}

}  // namespace
}  // namespace fathom::test
