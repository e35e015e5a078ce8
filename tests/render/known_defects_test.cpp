// SPDX-License-Identifier: MIT
// Defects seen in public implementations of depth cameras, each by its name: none may come back here.

#include "render/stereo_scenes.hpp"
#include "sensor/kinds.hpp"

namespace fathom::test {
namespace {

TEST(KnownDefects, EnergyTakenFromThePreviousFrame) {
  // The plane turns between two frames; the energy of each must be its own, that of frame 0 included, and the loss must
  // follow it. With min_energy above 0.5 nothing is left to chance: X < 0 wherever E > min_energy.
  for (const bool starts_lost : {true, false}) {
    Simulator simulator(make_plane_scene({2.0, 0.0}), {.compute = {.threads = 1}});
    const SensorId id =
        simulator.add_sensor(make_sensor(make_stereo(16, 16, 1000, 0.0), {StereoEnergy{.min_energy = 0.75F}}));
    Frame f({Channel::kEnergy, Channel::kReason});
    for (std::uint32_t index = 0; index < 5; ++index) {
      const bool lost = (index % 2 == 0) == starts_lost;
      const double tilt = ((lost ? 60.0 : 30.0) - index) * kDeg;
      simulator.scene().set_pose(EntityId{0}, TiltedPlane{2.0, tilt}.pose());
      simulator.render(id, index, f);
      EXPECT_NEAR(f.energy()[8 * 16 + 8], std::cos(tilt), 1e-3) << index;
      EXPECT_EQ(count_of(f, lost ? Reason::kLowEnergy : Reason::kHit), f.size()) << index;
    }
  }
}

// Through the reader of scene files: tests/run/cameras_test.cpp.
TEST(KnownDefects, AFractionParsedAsAnInteger) {
  const Noise noise = make_noise("stereo_energy", std::vector<FieldValue>{{"min_energy", 0.2}, {"pow", 0.7}});
  EXPECT_NEAR(std::get<double>(noise.values()[0].value), 0.2, 1e-7);
  EXPECT_NEAR(std::get<double>(noise.values()[1].value), 0.7, 1e-7);
}

TEST(KnownDefects, AnAbsentBaselineMeansOneMetre) {
  Simulator simulator(make_plane_scene({2.0, 0.0}), {.compute = {.threads = 1}});
  StereoCamera camera = make_stereo(8, 8, 8, 0.0);
  EXPECT_EQ(stereo_rig(camera).left_m, Vec3{});
  EXPECT_THROW(simulator.add_sensor(make_sensor(camera, {StereoShadow{}})), InputError);
  EXPECT_THROW(simulator.add_sensor(make_sensor(camera, {Disparity{.stddev_px = 1}}, {}, "b")), InputError);
}

TEST(KnownDefects, LossAngleIgnoredWhenNoBaselineIsSet) {
  const Frame f = render_once(make_plane_scene({2.0, 60 * kDeg}),
                              make_sensor(make_stereo(16, 16, 1000, 0.0), {LossAngle{.max_incidence_rad = 0.7F}}));
  EXPECT_EQ(count_of(f, Reason::kLossAngle), f.size());
}

TEST(KnownDefects, DropoutsLiftedToTheMinimumRangeByALaterClamp) {
  StereoCamera camera = make_stereo(64, 64, 60, 0.1);
  camera.min_range_m = 0.5;
  Sensor sensor = make_sensor(camera, {Dropout{.probability = 0.5F}, DistanceNoise{.stddev_m = 0.18F}});
  sensor.range_policy = RangePolicy::kClamp;
  const Frame f = render_once(make_plane_scene({1.0, 0.0}), sensor);
  EXPECT_GT(count_of(f, Reason::kDropout), f.size() / 4);
  for (std::size_t i = 0; i < f.size(); ++i) ASSERT_EQ(std::isnan(f.range_m()[i]), f.reason()[i] == Reason::kDropout);
}

TEST(KnownDefects, NearHitsReportedAsValidAtTheMinimumRange) {
  StereoCamera camera = make_stereo(64, 64, 600, 0.1);
  camera.min_range_m = 0.5;
  for (const RangePolicy policy : {RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop}) {
    Sensor sensor = make_sensor(camera);
    sensor.range_policy = policy;
    EXPECT_EQ(count_of(render_once(make_plane_scene({0.3, 0.0}), sensor), Reason::kBelowMinRange), 64U * 64U);
  }
}

TEST(KnownDefects, AGridOf30CmAt10CmCountedAs9Or16Points) {
  GridScanner grid;
  grid.size_x_m = 0.3, grid.size_y_m = 0.3, grid.resolution_m = 0.1;
  const RayPattern::Shape shape = shape_of(grid);
  EXPECT_EQ(shape.cols * shape.rows, 16U);
  const RayPattern pattern = make_pattern(grid);
  EXPECT_EQ(pattern.rows * pattern.cols, 16U);
  EXPECT_EQ(pattern.origin_x.size(), 16U);
  EXPECT_EQ(render_once(make_plane_scene({2.0, 0.0}), make_sensor(grid)).size(), 16U);
}

TEST(KnownDefects, EqualSeedsGivingDifferentFramesWhenThreadsExceedOne) {
  const Sensor sensor = make_sensor(make_stereo(200, 150, 120, 0.2), {StereoShadow{}, StereoEnergy{.pow = 1}});
  const auto reasons = [&](int threads) {
    const Frame f =
        render_once(make_room_scene(), sensor, {Channel::kReason}, {.seed = 9, .compute = {.threads = threads}});
    return std::vector<Reason>(f.reason().begin(), f.reason().end());
  };
  const std::vector<Reason> one = reasons(1);
  for (int run = 0; run < 5; ++run) EXPECT_EQ(reasons(4), one);
}

TEST(KnownDefects, AnUnknownNoiseTypeSilentlyBecomingUniform) {
  EXPECT_THROW(make_noise("gaussian", {}), InputError);
  EXPECT_THROW(make_noise("stereo_energy", std::vector<FieldValue>{{"min_enegry", 0.2}}), InputError);
}

TEST(KnownDefects, AMissingKeyDereferencingAnEmptyVector) {
  StereoCamera camera;  // nothing set at all
  EXPECT_THROW(make_pattern(camera), InputError);
  camera = make_stereo(8, 8, 8, 0.0);
  camera.left_camera = Pose{{0.1, 0.2, 0}, {}};  // without a right one
  EXPECT_THROW(make_pattern(camera), InputError);
}

TEST(KnownDefects, WorldPointInvalidatedButNotTheSensorFramePoint) {
  const Frame f = render_once(make_room_scene(),
                              make_sensor(make_stereo(100, 80, 60, 0.3), {StereoShadow{}, StereoEnergy{.pow = 1}}));
  EXPECT_GT(count_of(f, Reason::kRandomLoss), 100U);
  for (std::size_t i = 0; i < f.size(); ++i) {
    ASSERT_EQ(std::isnan(f.hit_world_m().x[i]), std::isnan(f.hit_sensor_m().x[i]));
    ASSERT_EQ(std::isnan(f.hit_world_m().x[i]), f.reason()[i] != Reason::kHit);
  }
}

}  // namespace
}  // namespace fathom::test
