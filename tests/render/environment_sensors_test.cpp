// SPDX-License-Identifier: MIT
// Batches with several sensors, poses given as arrays, parts of the environments, and episodes of many.

#include "render/parameter_range.hpp"
#include "render/stereo_scenes.hpp"

namespace fathom::test {
namespace {

constexpr EntityId kTable{1}, kBall{2};

/// What a rig carries: a stereo camera, a lidar far away, and a depth camera on the table, with ranges for two of them.
struct Rig {
  std::vector<Sensor> sensors;
  std::vector<std::vector<ParameterRange>> ranges;
};

Rig make_rig() {
  Rig rig;
  rig.sensors.push_back(make_sensor(make_stereo(37, 23, 25, 0.2),
                                    {StereoShadow{}, StereoEnergy{.min_energy = 0.2F, .pow = 2},
                                     EdgeLoss{.low_probability = 0.2F, .high_probability = 0.9F}},
                                    {}, "stereo"));
  rig.ranges.push_back({{.entry = 1, .field = "pow", .low = 1, .high = 20}});
  // More than half a step of the grid of origins away: it casts into its own tree.
  rig.sensors.push_back(
      make_sensor(make_lidar(5, 60), {DistanceNoise{.stddev_m = 0.02F}}, {{70, 0, 0}, {}}, "far_lidar"));
  rig.ranges.push_back({});
  Sensor carried =
      make_sensor(PinholeCamera::from_fov(16, 12, 1.2), {Dropout{.probability = 0.1F}}, {{0, 0, 1}, {}}, "carried");
  carried.parent = kTable;
  rig.sensors.push_back(carried);
  rig.ranges.push_back({{.entry = 0, .field = "probability", .low = 0.1, .high = 0.4}});
  return rig;
}

Environments::Options options_of(std::uint32_t first, std::uint32_t count, const Compute& compute = {.threads = 1}) {
  return {.simulator = {.seed = 5, .compute = compute}, .count = count, .first = first, .ranges = {}};
}

Environments make_batch_of(const Rig& rig, const Environments::Options& options) {
  Environments batch(make_room_scene(), options);
  for (std::size_t i = 0; i < rig.sensors.size(); ++i) batch.add_sensor(rig.sensors[i], rig.ranges[i]);
  return batch;
}

Pose table_pose(std::uint32_t e) { return {{2.5 + 0.01 * e, 1, -1}, from_roll_pitch_yaw(0, 0, 0.1 * e)}; }
Pose ball_pose(std::uint32_t e) { return {{-2, 0.1 * e, 0.02 * e}, {}}; }

/// Poses as a caller holds them.
struct Arrays {
  std::vector<double> positions_m, quaternions;

  void add(const Pose& pose) {
    const auto& [p, q] = pose;
    positions_m.insert(positions_m.end(), {p.x, p.y, p.z});
    quaternions.insert(quaternions.end(), {q.w, q.x, q.y, q.z});
  }
};

/// Moves table and ball in each of the environments.
void move_all(Environments& batch) {
  Arrays poses;
  for (std::uint32_t e = batch.first(); e < batch.first() + batch.count(); ++e) {
    poses.add(table_pose(e));
    poses.add(ball_pose(e));
  }
  batch.set_entity_poses(std::array{kTable, kBall}, poses.positions_m, poses.quaternions);
}

std::vector<Frame> frames_of(const Rig& rig) { return std::vector<Frame>(rig.sensors.size(), Frame(all_channels())); }

std::vector<Frame*> pointers(std::vector<Frame>& frames) {
  std::vector<Frame*> all;
  for (Frame& frame : frames) all.push_back(&frame);
  return all;
}

std::size_t rays_of(const Environments& batch, std::size_t i) {
  const auto id = static_cast<SensorId>(i);
  return std::size_t{batch.rows(id)} * batch.cols(id);
}

TEST(EnvironmentSensors, EachIsWhatItIsAlone) {
  const Rig rig = make_rig();
  for (const bool moved : {false, true}) {
    Environments all = make_batch_of(rig, options_of(2, 9, {.threads = 2}));
    if (moved) move_all(all);
    std::vector<Frame> frames = frames_of(rig);
    all.render(3, pointers(frames));
    for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
      Environments::Options options = options_of(2, 9, {.threads = 1});
      options.ranges = rig.ranges[i];
      Environments alone(make_room_scene(), rig.sensors[i], options);
      if (moved) move_all(alone);
      Frame one(all_channels()), again(all_channels());
      alone.render(3, one);
      all.render(static_cast<SensorId>(i), 3, again);
      for (std::uint32_t e = 0; e < 9; ++e) {
        EXPECT_TRUE(same_environment(frames[i], e, one, e, rays_of(all, i))) << i << ", " << e;
        EXPECT_TRUE(same_environment(again, e, one, e, rays_of(all, i))) << i << ", " << e;
      }
    }
  }
}

TEST(EnvironmentSensors, EachIsWhatASimulatorRendersInThatEpisode) {
  const Rig rig = make_rig();
  Environments batch = make_batch_of(rig, options_of(0, 4));
  move_all(batch);
  batch.reset({}, std::vector<std::uint32_t>{0, 7, 1, 2});
  std::vector<Frame> frames = frames_of(rig);
  batch.render(6, pointers(frames));
  for (const std::uint32_t e : {0U, 1U, 3U}) {
    Scene scene = make_room_scene();
    scene.set_pose(kTable, table_pose(e));
    scene.set_pose(kBall, ball_pose(e));
    const std::uint64_t seed = episode_seed(5, e, batch.episodes()[e]);
    Simulator simulator(scene, {.seed = seed, .compute = {.threads = 1}});
    for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
      Sensor drawn = rig.sensors[i];
      const auto values = draw_ranges(drawn, rig.ranges[i], seed);
      Frame one(all_channels());
      simulator.render(simulator.add_sensor(drawn), 6, one);
      EXPECT_TRUE(same_environment(frames[i], e, one, 0, rays_of(batch, i))) << i << ", " << e;
      if (!values.empty()) {
        EXPECT_EQ(batch.drawn_values(static_cast<SensorId>(i))[e], values[0].value);
      }
    }
  }
}

TEST(EnvironmentSensors, PosesOfEachAreItsOwn) {
  const Rig rig = make_rig();
  Environments bulk = make_batch_of(rig, options_of(4, 5)), single = make_batch_of(rig, options_of(4, 5));
  const SensorId stereo{0}, carried{2};
  const std::vector<std::uint32_t> some = {8, 5};
  Arrays of_stereo, of_carried;
  for (const std::uint32_t e : some) {
    of_stereo.add({{0.1 * e, 0.2, 0}, from_roll_pitch_yaw(0, 0.1, 0.2 * e)});
    single.set_sensor_pose(e, {{0.1 * e, 0.2, 0}, from_roll_pitch_yaw(0, 0.1, 0.2 * e)}, stereo);
    of_carried.add({{0, 0, 0.5 + 0.1 * e}, {}});
    single.set_sensor_pose(e, {{0, 0, 0.5 + 0.1 * e}, {}}, carried);
  }
  bulk.set_sensor_poses(stereo, of_stereo.positions_m, of_stereo.quaternions, some);
  bulk.set_sensor_poses(carried, of_carried.positions_m, of_carried.quaternions, some);
  for (std::uint32_t e = 4; e < 9; ++e) single.set_entity_pose(e, kTable, table_pose(e));
  for (std::uint32_t e = 4; e < 9; ++e) single.set_entity_pose(e, kBall, ball_pose(e));
  std::vector<Frame> unmoved = frames_of(rig), a = frames_of(rig), b = frames_of(rig);
  bulk.render(0, pointers(unmoved));
  move_all(bulk);
  bulk.render(0, pointers(a)), single.render(0, pointers(b));
  for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
    for (std::uint32_t e = 0; e < 5; ++e) EXPECT_TRUE(same_environment(a[i], e, b[i], e, rays_of(bulk, i))) << i << e;
  }
  EXPECT_FALSE(same_environment(unmoved[0], 1, a[0], 1, rays_of(bulk, 0))) << "entities moved";
  EXPECT_FALSE(same_environment(a[0], 1, a[0], 2, rays_of(bulk, 0)));
}

// As Trajectory does: a quaternion of single precision is not quite a unit.
TEST(EnvironmentSensors, QuaternionsAreNormalisedAsThoseOfASensorAre) {
  const Quaternion rough = {0.9238795, 0, 0, 0.3826834};
  ASSERT_GT(std::abs(std::sqrt(dot(rough, rough)) - 1.0), 1e-9);
  Sensor sensor = make_rig().sensors[0];
  Environments batch(make_room_scene(), sensor, options_of(0, 1));
  batch.set_sensor_pose(0, {{0.5, 0, 0}, rough});
  sensor.parent_from_sensor = Pose{{0.5, 0, 0}, rough};
  const Frame plain = render_once(make_room_scene(), sensor, all_channels(), {.seed = 5, .compute = {.threads = 1}}, 2);
  Frame frame(all_channels());
  batch.render(2, frame);
  EXPECT_TRUE(same_environment(frame, 0, plain, 0, plain.size()));
}

TEST(EnvironmentParts, OthersStayAsTheyAre) {
  const Rig rig = make_rig();
  Environments batch = make_batch_of(rig, options_of(10, 7, {.threads = 2}));
  move_all(batch);
  std::vector<Frame> before = frames_of(rig), whole = frames_of(rig);
  batch.render(1, pointers(before));
  batch.render(2, pointers(whole));
  std::vector<Frame> part = before;
  const std::vector<std::uint32_t> some = {16, 11, 13};
  batch.render(2, pointers(part), some);
  for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
    EXPECT_EQ(part[i].index(), 2U);
    for (std::uint32_t e = 0; e < 7; ++e) {
      const bool rendered = e == 6 || e == 1 || e == 3;
      EXPECT_TRUE(same_environment(part[i], e, rendered ? whole[i] : before[i], e, rays_of(batch, i))) << i << e;
    }
    EXPECT_FALSE(same_environment(before[i], 1, whole[i], 1, rays_of(batch, i))) << i;
  }
  batch.render(5, pointers(part), std::vector<std::uint32_t>{});
  EXPECT_TRUE(same_environment(part[0], 1, whole[0], 1, rays_of(batch, 0))) << "an empty list is none";
}

TEST(EnvironmentParts, WhatWasNeverRenderedIsMasked) {
  Environments batch(make_room_scene(), make_rig().sensors[0], options_of(0, 3));
  Frame frame(all_channels()), whole(all_channels());
  batch.render(0, frame, std::array{1U});
  batch.render(0, whole);
  const std::size_t rays = rays_of(batch, 0);
  EXPECT_TRUE(same_environment(frame, 1, whole, 1, rays));
  for (const std::size_t i : {std::size_t{0}, rays - 1, 2 * rays, 3 * rays - 1}) {
    EXPECT_EQ(frame.reason()[i], Reason::kMasked);
    EXPECT_TRUE(std::isnan(frame.range_m()[i]) && std::isnan(frame.hit_world_m().z[i]));
    EXPECT_EQ(frame.entity_id()[i], index(kNoEntity));
    EXPECT_EQ(frame.triangle_id()[i], kNoTriangle);
  }
  EXPECT_EQ(count_of(frame, Reason::kMasked), 2 * rays);
}

TEST(EnvironmentParts, GoIntoBuffersOfTheCaller) {
  Environments batch(make_room_scene(), make_rig().sensors[0], options_of(0, 5));
  const std::size_t rays = rays_of(batch, 0) * 5;
  std::vector<float> depth(rays, -7.0F), hit(3 * rays, -7.0F);
  std::vector<Reason> reason(rays, Reason::kDropout);
  const std::array buffers = {Frame::Buffer{Channel::kDepth, depth.data(), 4 * rays},
                              Frame::Buffer{Channel::kHitWorld, hit.data(), 12 * rays},
                              Frame::Buffer{Channel::kReason, reason.data(), rays}};
  Frame over(5 * batch.rows(), batch.cols(), buffers), own({Channel::kDepth, Channel::kHitWorld, Channel::kReason});
  batch.render(4, own);
  batch.render(4, over, std::array{3U});
  EXPECT_EQ(depth[0], -7.0F) << "left as the caller had it";
  EXPECT_EQ(reason[rays - 1], Reason::kDropout);
  batch.render(4, over);
  EXPECT_EQ(std::memcmp(depth.data(), own.depth_m().data(), 4 * rays), 0);
  EXPECT_EQ(std::memcmp(hit.data() + rays, own.hit_world_m().y.data(), 4 * rays), 0);
  EXPECT_EQ(std::memcmp(reason.data(), own.reason().data(), rays), 0);
  Environments fewer(make_room_scene(), make_rig().sensors[0], options_of(0, 4));
  EXPECT_EQ(input_error([&] { fewer.render(4, over); }),
            "the buffers of the frame are for 115 x 37 rays, not for 92 x 37");
}

TEST(EnvironmentEpisodes, FollowOneAnother) {
  const Rig rig = make_rig();
  Environments batch = make_batch_of(rig, options_of(3, 4)), other = make_batch_of(rig, options_of(3, 4));
  batch.reset(EnvironmentNumbers());
  batch.reset(std::vector<std::uint32_t>{6, 4});
  EXPECT_EQ(std::vector(batch.episodes().begin(), batch.episodes().end()), (std::vector<std::uint32_t>{1, 2, 1, 2}));
  for (std::uint32_t e = 3; e < 7; ++e) other.reset(e, e % 2 == 0 ? 2 : 1);
  for (const SensorId id : {SensorId{0}, SensorId{2}}) {
    const auto a = batch.drawn_values(id), b = other.drawn_values(id);
    ASSERT_EQ(a.size(), 4U);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
    EXPECT_EQ(batch.drawn(5, id)[0].value, a[2]);
    EXPECT_EQ(batch.drawn(5, id)[0].field, batch.ranges(id)[0].field);
  }
  Frame a(all_channels()), b(all_channels());
  batch.render(SensorId{2}, 0, a), other.render(SensorId{2}, 0, b);
  for (std::uint32_t e = 0; e < 4; ++e) EXPECT_TRUE(same_environment(a, e, b, e, rays_of(batch, 2)));
  EXPECT_EQ(batch.drawn_values(SensorId{1}).size(), 0U);
  batch.reset(3, 0xffffffffU);
  EXPECT_EQ(input_error([&] { batch.reset(EnvironmentNumbers()); }), "environment 3 is in its last episode");
  EXPECT_EQ(batch.episodes()[1], 2U) << "nothing was reset";
}

class WrongBatchCalls : public testing::Test {
 protected:
  /// The call is refused, in one line that holds the text, and frames stay the same.
  template <class F>
  void refused(F f, const std::string& text) {
    const std::string message = input_error(f);
    EXPECT_TRUE(contains(message, text));
    std::vector<Frame> after = frames_of(rig_);
    batch_.render(0, pointers(after));
    for (std::size_t i = 0; i < after.size(); ++i) {
      for (std::uint32_t e = 0; e < 3; ++e) {
        EXPECT_TRUE(same_environment(before_[i], e, after[i], e, rays_of(batch_, i))) << message;
      }
    }
  }

  WrongBatchCalls() { batch_.render(0, pointers(before_)); }

  Rig rig_ = make_rig();
  Environments batch_ = make_batch_of(rig_, options_of(5, 3));
  std::vector<Frame> before_ = frames_of(rig_);
  const std::vector<double> p_ = std::vector<double>(18, 0.5),
                            q_ = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const std::array<EntityId, 2> two_ = {kTable, kBall};
};

TEST_F(WrongBatchCalls, ArraysOfPoses) {
  refused([&] { batch_.set_entity_poses(two_, std::span(p_).first(17), q_); },
          "positions are 17 numbers, not 18: 6 poses of 3");
  refused([&] { batch_.set_entity_poses(two_, p_, std::span(q_).first(8)); },
          "quaternions are 8 numbers, not 24: 6 poses of 4");
  std::vector<double> p = p_, q = q_;
  p[13] = std::numeric_limits<double>::quiet_NaN(), q[20] = 2;
  refused([&] { batch_.set_entity_poses(two_, p, q_); }, "environment 7, entity 'table': position is not finite");
  refused([&] { batch_.set_entity_poses(two_, p_, q); },
          "environment 7, entity 'ball': quaternion has length 2, not 1");
  refused([&] { batch_.set_entity_poses(std::array{kTable, EntityId{9}}, p_, q_); }, "entity 9 is not in [0, 3)");
  refused([&] { batch_.set_sensor_poses(SensorId{1}, p_, q_); }, "positions are 18 numbers, not 9: 3 poses of 3");
  q[4] = 0.5;
  refused([&] { batch_.set_sensor_poses(SensorId{1}, std::span(p_).first(9), std::span(q).first(12)); },
          "environment 6, sensor 'far_lidar': quaternion has length 0.5, not 1");
  refused([&] { batch_.set_sensor_poses(SensorId{3}, p_, q_); }, "sensor 3 is not in [0, 3)");
}

TEST_F(WrongBatchCalls, NumbersOfEnvironmentsAndFrames) {
  Frame frame(all_channels());
  refused([&] { batch_.render(0, frame, std::array{5U, 8U}); }, "environment 8 is not in [5, 8)");
  refused([&] { batch_.render(0, frame, std::array{5U, 6U, 5U}); }, "environment 5 is there twice");
  refused([&] { batch_.reset(std::array{4U}); }, "environment 4 is not in [5, 8)");
  refused([&] { batch_.reset(std::array{5U, 6U}, std::array{1U}); }, "1 episodes are given for 2 environments");
  refused([&] { batch_.render(0, std::array{&frame}); }, "1 frames are given for 3 sensors");
  refused(
      [&] {
        batch_.render(0, std::array<Frame*, 3>{&frame, nullptr, &frame});
      },
      "sensors 'stereo' and 'carried' cannot render into one frame");
  refused([&] { batch_.add_sensor(rig_.sensors[1]); }, "sensor 'far_lidar': the name is taken");
  refused([&] { Environments(make_room_scene(), {.ranges = rig_.ranges[0]}); }, "ranges are given without a sensor");
}

}  // namespace
}  // namespace fathom::test
