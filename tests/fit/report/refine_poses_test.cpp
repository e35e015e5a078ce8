// SPDX-License-Identifier: MIT
// Poses that are not exact, refined together with the parameters and the mount. The truth of a simulated log comes
// back, and a real log gets likelier on rays that chose nothing.

#include <fathom/fit/beam.hpp>
#include <fathom/fit/fit.hpp>

#include "fit/beam/refine.hpp"
#include "fit/beam/room.hpp"

namespace fathom::test::refine_poses_test {
namespace {

constexpr std::size_t kScans = 60, kRays = 181;
constexpr double kSigmaM = 0.04;
const PosePrior kPrior = {.stddev_m = 0.1, .stddev_rad = kRadPerDeg};

BeamModel truth() { return beams_in_room({.72, .13, .05, .10, kSigmaM, .6}); }

PlanarPose composed(const PlanarPose& a, const PlanarPose& b) {
  const double cos = std::cos(a.yaw_rad), sin = std::sin(a.yaw_rad);
  return {a.x_m + cos * b.x_m - sin * b.y_m, a.y_m + sin * b.x_m + cos * b.y_m, a.yaw_rad + b.yaw_rad};
}

/// The pose that `by` moves to `pose`.
PlanarPose taken_from(const PlanarPose& pose, const PlanarPose& by) {
  const double yaw = pose.yaw_rad - by.yaw_rad;
  const PlanarPose turned = composed({0, 0, yaw}, {by.x_m, by.y_m, 0});
  return {pose.x_m - turned.x_m, pose.y_m - turned.y_m, yaw};
}

/// As if the sensor were mounted so, and each pose were off by a draw from the prior.
std::vector<PlanarPose> spoilt(std::vector<PlanarPose> poses, const PlanarPose& mount = {}, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (PlanarPose& pose : poses) {
    const double x = kPrior.stddev_m * normal(random), y = kPrior.stddev_m * normal(random);
    const double yaw = kPrior.stddev_rad * normal(random);
    pose = taken_from(pose, {mount.x_m + x, mount.y_m + y, mount.yaw_rad + yaw});
  }
  return poses;
}

ScanLog log_in_room() {
  std::vector<PlanarPose> poses;
  for (std::size_t i = 0; i < kScans; ++i) {
    const auto t = static_cast<double>(i);
    poses.push_back({-3 + 0.07 * t, -2 + 0.06 * t, 0.37 * t});
  }
  return sample_log(truth(), room(), poses, even_azimuths_rad(kRays, 270), 5, {.threads = 1});
}

RefineOptions one_thread() {
  RefineOptions options;
  options.prior = kPrior;
  options.fit.compute.threads = 1;
  return options;
}

struct PoseErrors {
  double m = 0.0, rad = 0.0;  // root mean squares
};
PoseErrors errors(const std::vector<PlanarPose>& poses, const std::vector<PlanarPose>& true_poses) {
  PoseErrors e;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double x = poses[i].x_m - true_poses[i].x_m, y = poses[i].y_m - true_poses[i].y_m;
    const double yaw = std::remainder(poses[i].yaw_rad - true_poses[i].yaw_rad, 2 * std::numbers::pi);
    e.m += (x * x + y * y) / static_cast<double>(poses.size());
    e.rad += yaw * yaw / static_cast<double>(poses.size());
  }
  return {std::sqrt(e.m), std::sqrt(e.rad)};
}

// Three numbers of a pose are found from the n hits of the first rays of a scan. Seen from there, hits of other rays
// spread with sigma sqrt(1 + 3 / n): the mean leverage of a regression with 3 unknowns is 3 / n. The prior is 10 times
// as wide as what the readings leave open, and takes next to nothing from this.
TEST(RefinePoses, GiveBackTheSigmaOfSpoiltPoses) {
  const ScanLog exact = log_in_room();
  ScanLog log = exact;
  log.pose = spoilt(log.pose);
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, one_thread());
  EXPECT_TRUE(refined.settled) << refined.turns;
  EXPECT_GT(refined.fit_before.model.sigma_hit_m, 2 * kSigmaM);
  const double hits = truth().parameters.w_hit * 61;
  const double expected = kSigmaM * std::sqrt(1 + 3 / hits);
  EXPECT_NEAR(refined.fit.model.sigma_hit_m, expected, 3 * refined.fit["sigma_hit_m"].std_error);
  EXPECT_LT(refined.fit["sigma_hit_m"].std_error, 0.05 * kSigmaM);
  for (const auto& field : BeamParameters::fields()) {
    const auto number = member_of<double>(field);
    if (field.name == "hit_offset_m" || field.name == "sigma_hit_m") continue;
    EXPECT_NEAR(refined.fit.model.*number, truth().parameters.*number, 4 * refined.fit[field.name].std_error)
        << field.name;
  }
  const PoseErrors before = errors(log.pose, exact.pose), after = errors(refined.pose, exact.pose);
  EXPECT_GT(before.m, 0.1);
  EXPECT_LT(after.m, 0.2 * before.m);
  EXPECT_LT(after.rad, 0.5 * before.rad);
  EXPECT_GT(refined.after.nats_per_ray, refined.before.nats_per_ray + 0.3);
  EXPECT_EQ(refined.judged.reading_m.size(), kScans * 60);
  EXPECT_EQ(refined.judged.reading_m[1], log.range_m[5]);
  EXPECT_EQ(refined.after.nats_per_ray,
            judge_beam_model(refined.fit.model, truth().sensor, refined.judged).nats_per_ray);
}

TEST(RefinePoses, LeaveExactPosesNearlyWhereTheyAre) {
  const ScanLog log = log_in_room();
  RefineOptions options = one_thread();
  options.prior = {.stddev_m = 1e-3, .stddev_rad = 1e-4};
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, options);
  const PoseErrors moved = errors(refined.pose, log.pose);
  EXPECT_LT(moved.m, 2e-3);
  EXPECT_LT(moved.rad, 2e-4);
  EXPECT_NEAR(refined.after.nats_per_ray, refined.before.nats_per_ray, 0.02);
}

// Where readings tell poses far better than the log, the mount is the mean of the deviations of n poses, so its error
// is that of the log divided by sqrt(n).
TEST(RefinePoses, LearnTheMount) {
  const PlanarPose mount = {0.17, -0.12, 0.05};
  ScanLog log = log_in_room();
  const std::vector<PlanarPose> exact = log.pose;
  log.pose = spoilt(log.pose, mount);
  RefineOptions options = one_thread();
  options.fit_mount = true;
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, options);
  EXPECT_TRUE(refined.settled) << refined.turns;
  EXPECT_NEAR(refined.mount.x_m, mount.x_m, 3 * refined.mount_std_error.x_m);
  EXPECT_NEAR(refined.mount.y_m, mount.y_m, 3 * refined.mount_std_error.y_m);
  EXPECT_NEAR(refined.mount.yaw_rad, mount.yaw_rad, 3 * refined.mount_std_error.yaw_rad);
  const double root = std::sqrt(static_cast<double>(kScans));
  EXPECT_NEAR(refined.mount_std_error.x_m, kPrior.stddev_m / root, 0.35 * kPrior.stddev_m / root);
  EXPECT_NEAR(refined.mount_std_error.y_m, kPrior.stddev_m / root, 0.35 * kPrior.stddev_m / root);
  EXPECT_NEAR(refined.mount_std_error.yaw_rad, kPrior.stddev_rad / root, 0.5 * kPrior.stddev_rad / root);
  EXPECT_LT(errors(refined.pose, exact).m, 0.03);
}

// With a tight prior nearly all that a scan says is of the mount: turns that took the mean of deviations would creep.
TEST(RefinePoses, LearnTheMountOfExactPosesInFewTurns) {
  const PlanarPose mount = {0.03, -0.02, 0.01};
  ScanLog log = log_in_room();
  for (PlanarPose& pose : log.pose) pose = taken_from(pose, mount);
  RefineOptions options = one_thread();
  options.fit_mount = true;
  options.prior = {.stddev_m = 5e-3, .stddev_rad = 2e-3};
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, options);
  EXPECT_TRUE(refined.settled) << refined.turns;
  EXPECT_NEAR(refined.mount.x_m, mount.x_m, 3 * refined.mount_std_error.x_m);
  EXPECT_NEAR(refined.mount.y_m, mount.y_m, 3 * refined.mount_std_error.y_m);
  EXPECT_NEAR(refined.mount.yaw_rad, mount.yaw_rad, 3 * refined.mount_std_error.yaw_rad);
  EXPECT_LT(refined.mount_std_error.x_m, 2e-3);
}

// All scans are of one stretch, so that there are no clustered errors to compare moves with.
TEST(RefinePoses, OfARobotThatStandsTakeMoreThanATurn) {
  ScanLog log = log_in_room();
  for (std::size_t i = 0; i < kScans; ++i) log.pose[i] = {0.5, 0.3, log.pose[i].yaw_rad};
  log = sample_log(truth(), room(), log.pose, log.azimuth_rad, 5, {.threads = 1});
  for (std::size_t i = 0; i < kScans; ++i) {
    const auto t = static_cast<double>(i);
    log.pose[i].x_m += 0.06 * std::sin(t), log.pose[i].y_m += 0.06 * std::cos(2 * t);
  }
  RefineOptions options = one_thread();
  options.fit_mount = true;
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, options);
  EXPECT_TRUE(std::isnan(refined.fit["sigma_hit_m"].std_error) && std::isnan(refined.mount_std_error.x_m));
  EXPECT_GT(refined.turns, 1U);
  EXPECT_LT(refined.fit.model.sigma_hit_m, refined.fit_before.model.sigma_hit_m);
}

bool same_bits(const RefinedPoses& a, const RefinedPoses& b) {
  return a.pose == b.pose && a.mount == b.mount && a.fit.model == b.fit.model &&
         a.fit.log_likelihood_by_iteration == b.fit.log_likelihood_by_iteration &&
         a.judged.expected_m == b.judged.expected_m && a.after.log_likelihood == b.after.log_likelihood &&
         a.turns == b.turns && std::memcmp(&a.mount_std_error, &b.mount_std_error, sizeof a.mount_std_error) == 0;
}

TEST(RefinePoses, HaveTheSameBitsForAnyNumberOfThreads) {
  ScanLog log = log_in_room();
  log.pose = spoilt(log.pose);
  RefineOptions options = one_thread();
  options.fit_mount = true;
  options.max_turns = 2;
  const RefinedPoses one = refine_poses(log, room(), truth().sensor, options);
  for (const int threads : {2, 5}) {
    options.fit.compute.threads = threads;
    EXPECT_TRUE(same_bits(one, refine_poses(log, room(), truth().sensor, options))) << threads;
  }
}

// The robot drives and turns while a scan is made. Poses are given for the first ray; the second and third thirds of a
// scan have no poses.
TEST(RefinePoses, KnowWhereEachRayOfAMovingSensorWasMade) {
  ScanLog log = log_in_room();
  for (std::size_t s = 0; s < kScans; ++s) {
    for (std::size_t i = 0; i < kRays; ++i) {
      const auto part = static_cast<float>(i) / kRays;
      log.ray_offset.push_back({0.3F * part, 0.0F, 0.2F * part});
    }
  }
  const std::vector<PlanarPose> exact = log.pose;
  log.range_m = make_beam_data(log, select_scans("all", kScans), room(), 9).expected_m;
  log.pose = spoilt(log.pose);
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, one_thread());
  EXPECT_LT(errors(refined.pose, exact).m, 0.02);
  EXPECT_LT(refined.fit.model.sigma_hit_m, 0.03);
}

TEST(RefinePoses, LeaveAScanWithoutEvidenceWhereItIs) {
  ScanLog log = log_in_room();
  log.pose = spoilt(log.pose);
  for (std::size_t i = 0; i < kRays; ++i) log.range_m[4 * kRays + i] = std::numeric_limits<float>::quiet_NaN();
  RefineOptions options = one_thread();
  options.max_turns = 2;
  const RefinedPoses refined = refine_poses(log, room(), truth().sensor, options);
  EXPECT_EQ(refined.pose[4], log.pose[4]);
  EXPECT_NE(refined.pose[5], log.pose[5]);
}

TEST(RefinePoses, TellHowFarTheyAre) {
  RefineOptions options = one_thread();
  options.max_turns = 2;
  std::vector<std::size_t> seen;
  options.on_progress = [&](const RefineProgress& p) { seen.insert(seen.end(), {p.turn, p.scans}); };
  static_cast<void>(refine_poses(log_in_room(), room(), truth().sensor, options));
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, kScans, 2, kScans}));
  options.on_progress = [](const RefineProgress&) { throw Interrupted("stopped"); };
  EXPECT_THROW(static_cast<void>(refine_poses(log_in_room(), room(), truth().sensor, options)), Interrupted);
}

TEST(RefinePoses, RefuseWhatIsInvalid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [](const auto& change) {
    ScanLog log = log_in_room();
    RefineOptions options = one_thread();
    change(log, options);
    return input_error([&] { static_cast<void>(refine_poses(log, room(), truth().sensor, options)); });
  };
  EXPECT_EQ(refusal([&](ScanLog&, RefineOptions& o) { o.prior.stddev_m = nan; }),
            "refine.stddev_m = nan is not in [0.0001, 100] m");
  EXPECT_EQ(refusal([&](ScanLog&, RefineOptions& o) { o.prior.stddev_rad = 0; }),
            "refine.stddev_rad = 0 is not in [1e-05, 3.2] rad");
  EXPECT_EQ(refusal([&](ScanLog&, RefineOptions& o) { o.max_turns = 0; }), "refine.max_turns = 0 is not in [1, 1000]");
  EXPECT_EQ(refusal([&](ScanLog&, RefineOptions& o) { o.mount.yaw_rad = nan; }),
            "refine.mount.yaw_rad = nan is not in [-10, 10] rad");
  EXPECT_EQ(refusal([&](ScanLog& log, RefineOptions&) {
              log.azimuth_rad = {0, 1};
              log.range_m.resize(2 * kScans);
            }),
            "2 rays a scan cannot be cut into those for poses, parameters and judging");
}

class RefineFreiburg : public testing::Test {
 protected:
  void SetUp() override {
    const auto log_file = shared_data() / "logs/freiburg-079-corrected.log.gz";
    const auto map_file = shared_data() / "maps/freiburg-079_5cm_even.yaml";
    if (!std::filesystem::exists(log_file) || !std::filesystem::exists(map_file)) GTEST_SKIP() << "skipped: no data";
    world_.emplace(World::from_map(map_file));
    const ScanLog log = read_scan_log(log_file);
    for (std::size_t i = 1; i < log.scans(); i += 128) {  // the map was made from even scans
      log_.pose.push_back(log.pose[i]);
      log_.range_m.insert(log_.range_m.end(), log.scan(i).begin(), log.scan(i).end());
    }
    log_.azimuth_rad = log.azimuth_rad;
    sensor_ = {.max_range_m = 80, .expected_floor_m = world_->floor_m()};
    options_.fit.start.hit_offset_m = 0.04;
  }

  std::optional<World> world_;
  ScanLog log_;
  BeamSensor sensor_;
  RefineOptions options_;
};

TEST_F(RefineFreiburg, GainsOnTheLogAsItIs) {
  const RefinedPoses refined = refine_poses(log_, *world_, sensor_, options_);
  EXPECT_TRUE(refined.settled) << refined.turns;
  EXPECT_LT(refined.fit.model.sigma_hit_m, refined.fit_before.model.sigma_hit_m);
  EXPECT_GT(refined.after.nats_per_ray, refined.before.nats_per_ray);
}

TEST_F(RefineFreiburg, GetsBackFromSpoiltPoses) {
  const double undisturbed_m = refine_poses(log_, *world_, sensor_, options_).fit.model.sigma_hit_m;
  log_.pose = spoilt(log_.pose);
  const RefinedPoses refined = refine_poses(log_, *world_, sensor_, options_);
  EXPECT_GT(refined.fit_before.model.sigma_hit_m, 2 * undisturbed_m);
  EXPECT_LT(refined.fit.model.sigma_hit_m, 1.2 * undisturbed_m);
  EXPECT_GT(refined.after.nats_per_ray, refined.before.nats_per_ray + 0.7);
}

}  // namespace
}  // namespace fathom::test::refine_poses_test
