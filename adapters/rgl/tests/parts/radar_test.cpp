// SPDX-License-Identifier: MIT
// Clusters, cross sections, powers and tracks of radars against closed forms.

#include "parts/radar.hpp"

#include "rgl/tests/parts/random.hpp"

namespace fathom::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kLightMps = 299792458.0;

struct Points {
  std::vector<float> distance, azimuth, elevation, speed;

  void add(double d, double a = 0, double e = 0, float v = kNan) {
    distance.push_back(float(d)), azimuth.push_back(float(a)), elevation.push_back(float(e)), speed.push_back(v);
  }
  [[nodiscard]] RadarPoints view() const { return {distance, azimuth, elevation, speed}; }
};

/// The clusters as sorted lists of numbers, sorted.
std::vector<std::vector<std::uint32_t>> clusters_of(const Points& points, std::span<const RadarScope> scopes) {
  std::vector<std::vector<std::uint32_t>> found;
  for (RadarCluster& c : cluster_radar_points(points.view(), scopes)) {
    EXPECT_EQ(std::count(c.points.begin(), c.points.end(), c.centre), 1);
    std::sort(c.points.begin(), c.points.end());
    found.push_back(c.points);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Along one axis clusters are what the gaps leave together.
TEST(RadarClusters, AlongADistanceAreCutAtTheGaps) {
  Random random(1);
  const RadarScope scope = {1, 200, 0.5F, 0.5F, 0.1F};
  std::size_t most = 0, fewest = 1000;
  for (int round = 0; round < 50; ++round) {
    Points points;
    for (int i = 0; i < 60; ++i) points.add(random.real(0, 60 + round));
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (points.distance[i] >= 1) order.push_back(i);  // others are in no scope
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return points.distance[a] < points.distance[b]; });
    std::vector<std::vector<std::uint32_t>> expected;
    float last = -10;
    for (const std::uint32_t i : order) {
      ASSERT_GT(std::abs(points.distance[i] - last - 0.5F), 1e-5F);  // no gap is as long as the resolution
      if (points.distance[i] - last > 0.5F) expected.push_back({});
      expected.back().push_back(i);
      last = points.distance[i];
    }
    for (auto& c : expected) std::sort(c.begin(), c.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(clusters_of(points, {&scope, 1}), expected) << round;
    most = std::max(most, expected.size()), fewest = std::min(fewest, expected.size());
  }
  EXPECT_LT(fewest, most);
}

TEST(RadarClusters, DistanceAzimuthAndSpeedAllTellApart) {
  const RadarScope scope = {0, 100, 1.0F, 2.0F, 0.1F};
  const auto count = [&](double d, double a, double e, float v, float other_v) {
    Points points;
    points.add(10, 0, 0, v), points.add(10 + d, a, e, other_v);
    return clusters_of(points, {&scope, 1}).size();
  };
  EXPECT_EQ(count(0.9, 0.09, 0, 1, 2.9F), 1U);
  EXPECT_EQ(count(1.1, 0.09, 0, 1, 2.9F), 2U);
  EXPECT_EQ(count(0.9, 0.11, 0, 1, 2.9F), 2U);
  EXPECT_EQ(count(0.9, 0.09, 0, 1, 3.1F), 2U);
  EXPECT_EQ(count(0.9, 0.09, 1.5, 1, 2.9F), 1U);  // a radar has no elevation
  EXPECT_EQ(count(0.9, 0.09, 0, kNan, kNan), 1U);
}

TEST(RadarClusters, EachScopeHasItsResolutionAndIncludesItsEnds) {
  const RadarScope scopes[] = {{1, 10, 0.5F, 1, 0.1F}, {20, 30, 5.0F, 1, 0.1F}};
  Points points;
  for (const double d : {0.999, 1.0, 2.0, 10.0, 10.5, 20.0, 24.0, 30.0, 30.001}) points.add(d);
  const std::vector<std::vector<std::uint32_t>> expected = {{1}, {2}, {3}, {5, 6}, {7}};
  EXPECT_EQ(clusters_of(points, scopes), expected);
}

TEST(RadarClusters, TheCentreIsNearestInAngleToTheMiddle) {
  const RadarScope scope = {0, 100, 10, 1, 1};
  Points points;
  for (const auto& [a, e] : {std::pair{0.0, 0.0}, {0.4, 0.1}, {0.1, 0.2}, {0.25, 0.24}, {0.2, 0.6}}) {
    points.add(10, a, e);
  }
  const auto clusters = cluster_radar_points(points.view(), {&scope, 1});  // middle: 0.2, 0.3
  ASSERT_EQ(clusters.size(), 1U);
  EXPECT_EQ(clusters[0].centre, 3U);
}

/// Equal rays that meet a plate head-on.
double plate_dbsm(std::size_t rays, double distance, const RadarWave& wave, const Affine& sensor_from_world = {},
                  const Vec3& normal = {0, 0, -1}) {
  const std::vector<float> distances(rays, float(distance));
  std::vector<float> normals;
  const Affine world_from_sensor = inverse(sensor_from_world).value();
  const Vec3 n = transform_vector(world_from_sensor, normal);
  Matrix34 ray;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 4; ++c) ray[r][c] = float(world_from_sensor.m[r][c]);
  }
  for (std::size_t i = 0; i < rays; ++i) normals.insert(normals.end(), {float(n.x), float(n.y), float(n.z)});
  const std::vector<Matrix34> poses(rays, ray);
  std::vector<std::uint32_t> points(rays);
  std::iota(points.begin(), points.end(), 0U);
  return radar_cross_section_dbsm({distances, normals, poses}, points, wave, sensor_from_world);
}

// sigma = 4 pi A^2 / lambda^2.
TEST(RadarCrossSection, OfAPlateSeenHeadOnIsTheClosedForm) {
  for (const double frequency : {24e9, 77e9}) {
    for (const double distance : {5.0, 80.0}) {
      for (const std::size_t rays : {1U, 2U, 1000U}) {
        const RadarWave wave = {float(frequency), 0.002F, 0.001F};
        const double area = double(rays) * distance * distance * std::sin(0.001) * 0.002;
        const double lambda = kLightMps / double{wave.frequency_hz};
        EXPECT_NEAR(plate_dbsm(rays, distance, wave),
                    10 * std::log10(4 * std::numbers::pi * area * area / (lambda * lambda)), 1e-5);
      }
    }
  }
}

TEST(RadarCrossSection, DoesNotDependOnWhichWayTheSensorLooks) {
  const RadarWave wave = {77e9F, 0.002F, 0.001F};
  Random random(2);
  for (int i = 0; i < 20; ++i) {
    const Vec3 turn = random.vector(-3, 3);
    const Affine turned = affine_of({{}, from_roll_pitch_yaw(turn.x, turn.y, turn.z)});
    EXPECT_NEAR(plate_dbsm(3, 20, wave, turned), plate_dbsm(3, 20, wave), 1e-4);
  }
}

TEST(RadarCrossSection, NeedsNormalsAndPoints) {
  const RadarWave wave = {77e9F, 0.002F, 0.001F};
  EXPECT_TRUE(std::isnan(plate_dbsm(2, 20, wave, {}, {kNan, kNan, kNan})));
  EXPECT_EQ(plate_dbsm(0, 20, wave), -std::numeric_limits<double>::infinity());
}

// P = P0 G^2 sigma lambda^2 / ((4 pi)^3 r^4), here in watts.
TEST(RadarPower, IsTheRadarEquation) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const double dbm = random.real(-10, 60), gain = random.real(0, 40), sigma = random.real(-40, 40);
    const double r = random.real(0.5, 300), frequency = random.real(1e9, 100e9), lambda = kLightMps / frequency;
    const double watts = 1e-3 * std::pow(10, dbm / 10) * std::pow(std::pow(10, gain / 10), 2) *
                         std::pow(10, sigma / 10) * lambda * lambda / std::pow(4 * std::numbers::pi, 3) /
                         std::pow(r, 4);
    EXPECT_NEAR(radar_power_dbm(dbm, gain, sigma, r, frequency), 10 * std::log10(watts / 1e-3), 1e-9);
  }
}

constexpr RadarTrackSettings kTracks = {.distance_m = 1,
                                        .azimuth_rad = 0.1F,
                                        .elevation_rad = 0.1F,
                                        .radial_speed_mps = 1,
                                        .max_matching_m = 1,
                                        .max_prediction_s = 0.25F,
                                        .movement_mps = 0.1F};

RadarDetection detection(const Vec3& at, const Vec3& velocity, std::int32_t entity = 0) {
  const double d = norm(at);
  return {at,
          float(d),
          float(std::atan2(at.y, at.x)),
          float(std::asin(at.z / d)),
          float(dot(velocity, at) / d),
          velocity,
          velocity,
          entity};
}

TEST(RadarTracker, FollowsWhatMovesEvenly) {
  RadarTracker tracker(kTracks);
  const Vec3 velocity = {-15, 0, 0};
  for (int frame = 0; frame < 20; ++frame) {
    const double t = 0.1 * frame;
    const RadarDetection seen[] = {detection(Vec3{60, 1, 0} + t * velocity, velocity, 5),
                                   detection({20, 10, 0}, {}, 6)};
    tracker.update(seen, t);
    ASSERT_EQ(tracker.tracks().size(), 2U) << frame;
    const RadarTrack &moving = tracker.tracks()[0], &standing = tracker.tracks()[1];
    ASSERT_EQ(moving.id, 0);
    ASSERT_EQ(standing.id, 1);
    ASSERT_EQ(moving.entity, 5);
    ASSERT_EQ(norm(moving.position_m - seen[0].position_m), 0);
    ASSERT_EQ(norm(moving.velocity_mps - velocity), 0);
    ASSERT_EQ(norm(moving.acceleration_mps2), 0);
    ASSERT_TRUE(moving.moves);
    ASSERT_FALSE(standing.moves);
    ASSERT_EQ(moving.measured_s, t);
  }
}

TEST(RadarTracker, PredictsWhatIsHiddenForgetsItAndGivesItsIdAgain) {
  RadarTracker tracker(kTracks);
  const Vec3 velocity = {10, 0, 0};
  const RadarDetection seen[] = {detection({20, 0, 0}, velocity), detection({50, 0, 0}, {})};
  tracker.update(seen, 1.0);
  tracker.update({seen + 1, 1}, 1.1);
  ASSERT_EQ(tracker.tracks().size(), 2U);
  EXPECT_NEAR(tracker.tracks()[0].position_m.x, 21, 1e-12);
  EXPECT_EQ(tracker.tracks()[0].measured_s, 1.0);
  tracker.update({seen + 1, 1}, 1.2);
  EXPECT_NEAR(tracker.tracks()[0].position_m.x, 22, 1e-12);
  tracker.update({seen + 1, 1}, 1.3);  // unseen for 0.3 s
  ASSERT_EQ(tracker.tracks().size(), 1U);
  EXPECT_EQ(tracker.tracks()[0].id, 1);
  const RadarDetection more[] = {seen[1], detection({5, 5, 0}, {}), detection({5, -5, 0}, {})};
  tracker.update(more, 1.4);
  ASSERT_EQ(tracker.tracks().size(), 3U);
  EXPECT_EQ(tracker.tracks()[1].id, 0);
  EXPECT_EQ(tracker.tracks()[2].id, 2);
}

TEST(RadarTracker, DetectionsThatHangTogetherAreOneObject) {
  RadarTracker tracker(kTracks);
  std::vector<RadarDetection> chain;  // each 0.8 m from the last, the ends 4 m apart
  for (int i = 0; i < 6; ++i) chain.push_back(detection({20 + 0.8 * i, 0, 0}, {double(i % 2), 0, 0}, i < 4 ? 9 : 3));
  chain.push_back(detection({30, 0, 0}, {}, 4));
  tracker.update(chain, 0.0);
  ASSERT_EQ(tracker.tracks().size(), 2U);
  EXPECT_NEAR(tracker.tracks()[0].position_m.x, 22, 1e-12);
  EXPECT_NEAR(tracker.tracks()[0].velocity_mps.x, 0.5, 1e-12);
  EXPECT_EQ(tracker.tracks()[0].entity, 9);
  EXPECT_EQ(tracker.tracks()[1].entity, 4);
}

}  // namespace
}  // namespace fathom::test
