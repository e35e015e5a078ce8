// SPDX-License-Identifier: MIT
// Entities that move while a rolling sensor scans, and the channel velocity: against each ray alone in the scene of its
// time, in double precision.

#include "core/compute.hpp"
#include "render/any_sensors.hpp"
#include "scene/poses.hpp"
#include "support/brute_caster.hpp"
#include "support/casters.hpp"
#include "trace/caster.hpp"
#include "trace/tree/layout.hpp"

namespace fathom::test {
namespace {

Trajectory straight(const Vec3& from, const Vec3& velocity_m_s, double turn_rad = 0.0) {
  return Trajectory({{-1.0, {from - velocity_m_s, from_roll_pitch_yaw(0, 0, -turn_rad)}},
                     {1.0, {from + velocity_m_s, from_roll_pitch_yaw(0, 0, turn_rad)}}});
}

/// A truck, a propeller on it that turns fast, a looping shuttle that turns back within the scan, a mirrored body.
Scene make_traffic() {
  Scene scene = make_room_scene();
  const MeshId box{0}, ball{1};
  const EntityId truck = scene.add_entity(
      {.name = "truck", .mesh = box, .parent_from_entity = straight({-4, 2, 0}, {30, 0, 0}), .scale = {3, 1, 2}});
  const EntityId hub =
      scene.add_entity({.name = "hub",
                        .mesh = kNoMesh,
                        .parent_from_entity = Trajectory({{0.0, {{1.6, 0, 0}, {}}},
                                                          {0.0303, {{1.6, 0, 0}, from_roll_pitch_yaw(2, 0, 0)}},
                                                          {0.0606, {{1.6, 0, 0}, from_roll_pitch_yaw(4, 0, 0)}}}),
                        .parent = truck});
  scene.add_entity({.name = "blade",
                    .mesh = box,
                    .parent_from_entity = Pose{{0, 0, 0.1}, from_roll_pitch_yaw(0.3, 0, 0)},
                    .scale = {0.1, 1.6, 0.2},
                    .parent = hub,
                    .one_sided = true});
  scene.add_entity({.name = "shuttle",
                    .mesh = ball,
                    .parent_from_entity = Trajectory({{0.0, {{3, -3, 0}, {}}},
                                                      {0.0131, {{3, -2.4, 0.3}, from_roll_pitch_yaw(0, 1, 0)}},
                                                      {0.0203, {{3, -3, 0}, {}}}},
                                                     true),
                    .scale = {1, 2, 1}});
  scene.add_entity({.name = "mirrored",
                    .mesh = box,
                    .parent_from_entity = straight({-1, -3, 0.5}, {1, 2, -3}, 6.0),
                    .scale = {-0.7, 0.5, 1.5}});
  scene.add_entity({.name = "parked",
                    .mesh = ball,
                    .parent_from_entity = Trajectory({{5.0, {{1, 3, 0}, {}}}, {6.0, {{2, 3, 0}, {}}}})});
  return scene;
}

Sensor rolling_sensor() {
  Sensor sensor = make_sensor(make_lidar(12, 300));
  sensor.parent_from_sensor =
      Trajectory({{0.0, {{0.2, 0.1, 0}, {}}}, {0.1, {{0.9, -0.4, 0.2}, from_roll_pitch_yaw(0.1, 0, 1)}}});
  sensor.rolling = true;
  return sensor;
}

struct Ray64 {
  double time_s;
  Vec3 origin, direction;
  Vec3 start;  ///< the origin in the sensor frame
};

Ray64 ray_of(const Sensor& sensor, const RayPattern& pattern, std::size_t i) {
  const auto time_s = double{pattern.time_offset_s[i]};
  const Pose pose = sensor.parent_from_sensor.at(time_s);
  const bool is_beside = !pattern.origin_x.empty();
  const Vec3 start = is_beside ? Vec3{pattern.origin_x[i], pattern.origin_y[i], pattern.origin_z[i]} : Vec3{};
  return {time_s, pose * start,
          rotate(pose.rotation, {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]}), start};
}

/// Whether a ray beside this one has that range: it runs along an edge, where rounding decides.
bool is_at_edge(const BruteCaster& brute, const Ray64& ray, double range_m) {
  for (const Vec3 by : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}}) {
    const double off = std::abs(brute.cast(ray.origin, ray.direction + 1e-5 * by).range_m - range_m);
    if (off < 1e-3) return true;
  }
  return false;
}

/// The velocity by differences of the places of the point that was met.
double velocity_by_differences(const Scene& scene, const Sensor& sensor, const Ray64& ray, std::uint32_t entity,
                               double range_m) {
  constexpr double kStepS = 1e-7;
  const Vec3 p =
      inverse(scene.world_from_entity(EntityId{entity}, ray.time_s)) * (ray.origin + range_m * ray.direction);
  const auto place = [&](double time_s) {
    return scene.world_from_entity(EntityId{entity}, time_s) * p - sensor.parent_from_sensor.at(time_s) * ray.start;
  };
  return dot(place(ray.time_s + kStepS) - place(ray.time_s), ray.direction) / kStepS;
}

void expect_each_ray_alone(const Scene& scene, const Sensor& sensor) {
  const RayPattern pattern = make_pattern(sensor.model);
  const Frame frame = render_once(scene, sensor);
  std::vector<std::size_t> met(scene.entities().size());
  std::size_t at_edges = 0;
  for (std::size_t col = 0; col < pattern.cols; ++col) {
    const BruteCaster brute(scene, double{pattern.time_offset_s[col]});
    for (std::size_t i = col; i < frame.size(); i += pattern.cols) {
      const Ray64 ray = ray_of(sensor, pattern, i);
      const BruteCaster::Hit hit = brute.cast(ray.origin, ray.direction);
      const double tolerance = 1e-5 * std::max(1.0, hit.range_m / std::max(0.1, -dot(hit.normal, ray.direction)));
      if (std::abs(frame.range_m()[i] - hit.range_m) > tolerance) {
        ASSERT_TRUE(is_at_edge(brute, ray, frame.range_m()[i]))
            << i << ": " << frame.range_m()[i] << " " << hit.range_m;
        ++at_edges;
        continue;
      }
      if (frame.entity_id()[i] != hit.entity || hit.entity >= met.size()) continue;
      ++met[hit.entity];
      const double velocity = velocity_by_differences(scene, sensor, ray, hit.entity, hit.range_m);
      ASSERT_NEAR(frame.velocity_m_s()[i], velocity, 2e-3 + 3e-4 * std::abs(velocity)) << i << " of " << hit.entity;
      const Vec3 normal = {frame.normal_world().x[i], frame.normal_world().y[i], frame.normal_world().z[i]};
      ASSERT_LT(norm(normal - hit.normal), 1e-4);
    }
  }
  EXPECT_LT(at_edges, frame.size() / 200);
  for (const char* name : {"truck", "blade", "shuttle", "mirrored", "parked"}) {
    EXPECT_GT(met[index(scene.find_entity(name))], 3U) << name;
  }
}

TEST(MotionInScan, EqualsEachRayAloneInTheSceneOfItsTime) {
  Sensor sensor = rolling_sensor();
  for (const double beam_origin_m : {0.0, 0.15}) {
    std::get<SpinningLidar>(sensor.model).beam_origin_m = beam_origin_m;
    expect_each_ray_alone(make_traffic(), sensor);
  }
}

/// Hits of rays with times, cast as one ray after the other, as tiles, and in reverse order.
TEST(MotionInScan, DoesNotDependOnInstructionsOrNeighbours) {
  const Scene scene = make_traffic();
  const Sensor sensor = rolling_sensor();
  const RayPattern pattern = make_pattern(sensor.model);
  const std::size_t count = pattern.direction_x.size();
  std::vector<float> times(pattern.time_offset_s.begin(), pattern.time_offset_s.begin() + pattern.cols);
  std::vector<float> in[7], first;
  for (std::size_t i = 0; i < count; ++i) {
    const Ray64 ray = ray_of(sensor, pattern, i);
    const double values[7] = {ray.origin.x,    ray.origin.y,    ray.origin.z, ray.direction.x,
                              ray.direction.y, ray.direction.z, ray.time_s};
    for (int k = 0; k < 7; ++k) in[k].push_back(static_cast<float>(values[k]));
  }
  for (const Isa isa : usable_isas()) {
    const auto executor = make_executor(2);
    const auto caster = make_caster(isa, *executor);
    caster->place(scene, 0.0, {}, Walker::kProcessor, times);
    caster->commit(Walker::kProcessor);
    for (const unsigned how : {0U, 1U, 2U, 3U}) {
      std::vector<float> range(count), nx(count), ny(count), nz(count), speed(count);
      const bool reversed = (how & 2U) != 0;
      std::vector<float> rays[7];
      for (int k = 0; k < 7; ++k) {
        rays[k] = in[k];
        if (reversed) std::reverse(rays[k].begin(), rays[k].end());
      }
      const CastRays cast = {.ox = rays[0].data(),
                             .oy = rays[1].data(),
                             .oz = rays[2].data(),
                             .dx = rays[3].data(),
                             .dy = rays[4].data(),
                             .dz = rays[5].data(),
                             .count = static_cast<std::uint32_t>(count),
                             .coherent = (how & 1U) != 0,
                             .times_s = rays[6].data()};
      caster->cast(
          cast,
          {.range_m = range.data(), .nx = nx.data(), .ny = ny.data(), .nz = nz.data(), .speed_m_s = speed.data()});
      std::vector<float> all;
      for (std::vector<float>* values : {&range, &nx, &ny, &nz, &speed}) {
        if (reversed) std::reverse(values->begin(), values->end());
        all.insert(all.end(), values->begin(), values->end());
      }
      if (first.empty()) first = all;
      ASSERT_TRUE(same_bits(std::span<const float>(first), std::span<const float>(all))) << to_string(isa) << how;
    }
  }
}

TEST(MotionInScan, GivesTheSameFrameOnAnyThreads) {
  Sensor sensor = rolling_sensor();
  sensor.noise = three_gaussians(), sensor.velocity_noise = {DistanceNoise{.stddev_m = 0.1F}};
  const Frame one = render_once(make_traffic(), sensor);
  for (const int threads : {2, 3}) {
    const Frame many =
        render_once(make_traffic(), sensor, all_channels(), {.seed = 7, .compute = {.threads = threads}});
    EXPECT_EQ(channels_that_differ(one, many), "");
  }
}

TEST(MotionInScan, SeesATruckWhereItIsAtTheTimeOfTheRay) {
  Scene scene;
  scene.add_entity({.name = "truck",
                    .mesh = scene.add_mesh(make_box({1, 20, 3})),
                    .parent_from_entity = Trajectory({{0.0, {{10, 0, 0}, {}}}, {1.0, {{40, 0, 0}, {}}}})});
  Laser2d laser;  // half a turn in 0.05 s
  laser.rays = 3, laser.min_azimuth_rad = -kRadPerDeg, laser.max_azimuth_rad = kRadPerDeg, laser.rate_hz = 10;
  laser.max_range_m = 100;
  Sensor sensor = make_sensor(laser);
  const RayPattern pattern = make_pattern(laser);
  for (const bool rolling : {false, true}) {
    sensor.rolling = rolling;
    const Frame frame = render_once(scene, sensor);
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = 9.5 + (rolling ? 30.0 * double{pattern.time_offset_s[i]} : 0.0);
      EXPECT_NEAR(frame.range_m()[i] * pattern.direction_x[i], x, 1e-5);
      EXPECT_NEAR(frame.velocity_m_s()[i], 30.0 * pattern.direction_x[i], 1e-4);
    }
  }
}

TEST(MotionInScan, CostsNothingWhereNothingMoves) {
  const auto executor = make_executor(1);
  const auto caster = make_caster(detect_isa(), *executor);
  const float times[] = {0.0F, 0.05F, 0.1F};
  const auto keys_at = [&](const Scene& scene, double stamp_s) {
    caster->place(scene, stamp_s, {}, Walker::kProcessor, times);
    caster->commit(Walker::kProcessor);
    return caster->world()->key_count;
  };
  const Scene scene = make_traffic();
  EXPECT_GT(keys_at(scene, 0.0), 10U);
  Scene held = make_room_scene();
  held.set_motion(EntityId{1}, Trajectory({{5.0, {{1, 3, 0}, {}}}, {6.0, {{2, 3, 0}, {}}}}));
  EXPECT_EQ(keys_at(held, 0.0), 0U);
  EXPECT_EQ(keys_at(held, 5.5), 2U);
  const Pose there = {{2, 3, 0}, {}};
  held.set_motion(EntityId{1}, Trajectory({{0.0, {{1, 3, 0}, {}}}, {5e-8, there}, {1e-7, {{1, 3, 0}, {}}}}, true));
  EXPECT_LE(keys_at(held, 1e10), 3U);  // its laps are above 2^53
}

/// Rays along x at these times.
Sensor rays_at(std::vector<float> times_s) {
  RayPattern rays;
  rays.rows = 1, rays.cols = static_cast<std::uint32_t>(times_s.size());
  rays.direction_x.assign(times_s.size(), 1.0F);
  rays.direction_y = rays.direction_z = std::vector<float>(times_s.size(), 0.0F);
  rays.min_range_m = {0}, rays.max_range_m = {100};
  rays.time_offset_s = std::move(times_s);
  Sensor sensor = make_sensor(rays);
  sensor.rolling = true;
  return sensor;
}

TEST(MotionInScan, NeedsNoRayAtTheStamp) {
  Scene scene;
  scene.add_entity({.name = "door",
                    .mesh = scene.add_mesh(make_box({1, 2, 3})),
                    .parent_from_entity = Trajectory({{0.0, {{10, -50, 0}, {}}}, {0.01, {{20, 0, 0}, {}}}})});
  for (const auto& times : {std::vector<float>{0.02F, 0.05F}, std::vector<float>{0.05F, 0.05F}}) {
    const Frame frame = render_once(scene, rays_at(times));
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(frame.range_m()[i], 19.5F, 1e-4F) << times[0];
    EXPECT_EQ(frame.velocity_m_s()[1], 0.0F);
  }
}

TEST(MotionInScan, LeavesOtherSensorsAlone) {
  Sensor sensors[] = {make_sensor(make_lidar(8, 100), {}, {{0.2, 0.1, 0}, {}}, "still"), rolling_sensor(),
                      rolling_sensor()};
  sensors[2].name = "other", sensors[2].model = make_lidar(8, 100);
  Simulator all(make_traffic(), {.seed = 7, .compute = {.threads = 1}});
  std::vector<SensorId> ids;
  for (const Sensor& sensor : sensors) ids.push_back(all.add_sensor(sensor));
  Frame ranges({Channel::kRange});
  all.render(ids[0], 0, ranges);  // places the scene without velocities
  for (const std::size_t i : {0U, 1U, 2U, 1U, 0U, 2U}) {
    Frame frame(all_channels());
    all.render(ids[i], 0, frame);
    EXPECT_EQ(channels_that_differ(render_once(make_traffic(), sensors[i]), frame), "") << i;
  }
}

TEST(MotionInScan, PlacesAllAgainAfterARefusal) {
  Scene scene = make_room_scene();
  const EntityId far = scene.add_entity({.name = "far", .mesh = kNoMesh, .parent_from_entity = Pose{{9e8, 0, 0}, {}}});
  scene.add_entity({.name = "rocket",
                    .mesh = MeshId{0},
                    .parent_from_entity = Trajectory({{0.0, Pose{}}, {1.0, {{9e8, 0, 0}, {}}}}),
                    .parent = far});
  const auto executor = make_executor(1);
  const auto caster = make_caster(detect_isa(), *executor), fresh = make_caster(detect_isa(), *executor);
  const float times[] = {0.0F, 0.5F};
  const Vec3 origin = {64, 0, 0};
  caster->update(scene, 0.0, {});
  EXPECT_THROW(caster->place(scene, 0.0, origin, Walker::kProcessor, times), InputError);
  caster->update(scene, 0.0, origin);
  fresh->update(scene, 0.0, origin);
  for (std::uint32_t i = 0; i < fresh->world()->instance_count; ++i) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(caster->world()->boxes[i].lo[a], fresh->world()->boxes[i].lo[a]) << i;
  }
}

TEST(MotionInScan, FollowsVerticesThatAreReplaced) {
  Scene scene = make_traffic();
  Simulator simulator(scene, {.seed = 7, .compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(rolling_sensor());
  Frame frame(all_channels());
  simulator.render(id, 0, frame);
  std::vector<std::array<float, 3>> vertices = scene.meshes()[1].vertices_m;
  for (auto& v : vertices) v[0] *= 1.3F, v[2] += 0.1F;
  simulator.scene().replace_vertices(MeshId{1}, vertices);
  scene.replace_vertices(MeshId{1}, vertices);
  simulator.render(id, 0, frame);
  EXPECT_EQ(channels_that_differ(frame, render_once(scene, rolling_sensor())), "");
}

TEST(Velocity, OfASensorThatMovesInAStillRoom) {
  Sensor sensor = make_sensor(make_lidar(4, 60));
  sensor.parent_from_sensor = straight({}, {3, -1, 0.5});
  const RayPattern pattern = make_pattern(sensor.model);
  const Frame frame = render_once(make_room_scene(), sensor);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Vec3 d = {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]};
    EXPECT_NEAR(frame.velocity_m_s()[i], -dot(Vec3{3, -1, 0.5}, d), 1e-5);
  }
}

TEST(Velocity, HasNoiseThatChangesNothingElse) {
  Sensor sensor = rolling_sensor();
  sensor.noise = three_gaussians();
  const Frame clean = render_once(make_traffic(), sensor);
  sensor.velocity_noise = {DistanceNoise{.mean_m = 0.5F, .stddev_m = 0.1F}};
  const Frame noisy = render_once(make_traffic(), sensor);
  EXPECT_EQ(channels_that_differ(clean, noisy), "velocity ");
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const double e = double{noisy.velocity_m_s()[i]} - clean.velocity_m_s()[i];
    sum += e, squares += e * e;
  }
  const auto n = static_cast<double>(clean.size());
  EXPECT_NEAR(sum / n, 0.5, 5 * 0.1 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n - sum / n * sum / n), 0.1, 0.01);
}

TEST(Velocity, HasTheSameNoiseWithoutOtherChannels) {
  Sensor sensor = rolling_sensor();
  sensor.velocity_noise = {DistanceNoise{.stddev_m = 0.1F}};
  const Frame all = render_once(make_traffic(), sensor);
  const Frame alone = render_once(make_traffic(), sensor, {Channel::kVelocity});
  EXPECT_TRUE(same_bits(all.velocity_m_s(), alone.velocity_m_s()));
}

TEST(Velocity, RefusesModelsThatAreNotOfRanges) {
  Sensor sensor = rolling_sensor();
  sensor.velocity_noise = {Dropout{.probability = 0.1F}};
  const std::string message = message_of<InputError>([&] { render_once(make_traffic(), sensor); });
  EXPECT_TRUE(contains(message, "velocity_noise: dropout does not act on a velocity"));
  const StudentNoise growing = {.scale_per_m = 0.1F};
  sensor.velocity_noise = {ChainEntry(StudentNoise{}, std::vector<RingEntry>{{1, growing}})};
  const std::string other = message_of<InputError>([&] { render_once(make_traffic(), sensor); });
  EXPECT_TRUE(contains(other, "student.scale_per_m does not act on a velocity"));
}

TEST(Velocity, IsNoNumberOnAMiss) {
  Scene scene;
  scene.add_entity(
      {.name = "box", .mesh = scene.add_mesh(make_box({1, 1, 1})), .parent_from_entity = Pose{{5, 0, 0}, {}}});
  const Frame frame = render_once(scene, make_sensor(make_lidar(2, 40)));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    EXPECT_EQ(std::isnan(frame.velocity_m_s()[i]), frame.reason()[i] == Reason::kMiss);
  }
}

/// Rays that start on a face leave it.
TEST(OnAFace, ASensorDoesNotMeetTheFaceItIsOn) {
  for (const bool rolling : {false, true}) {
    Scene scene;
    scene.add_entity({.name = "box", .mesh = scene.add_mesh(make_box({2, 2, 2}))});
    Sensor sensor = make_sensor(make_lidar(2, 8), {}, {{0.25, 0.25, 1}, {}});
    sensor.rolling = rolling;
    const RayPattern pattern = make_pattern(sensor.model);
    const Frame frame = render_once(scene, sensor);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const bool inside = pattern.direction_z[i] < 0;
      EXPECT_EQ(frame.clean_range_m()[i] < 4.0F, inside) << i;
      if (inside) {
        EXPECT_GT(frame.clean_range_m()[i], 0.5F) << i;
      }
    }
  }
}

}  // namespace
}  // namespace fathom::test
