// SPDX-License-Identifier: MIT
// The order within a frame: ray noise, cast, range gate, angle loss, shadow, energy, edges, hit noise, range noise,
// range policy, dropout, whatever the order of the chain.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "render/stereo_scenes.hpp"

namespace fathom {
namespace {

using test::count_of;
using test::make_plane_scene;
using test::make_room_scene;
using test::make_sensor;
using test::make_stereo;
using test::render_once;

constexpr float kAngleLimit = 0.9F, kLeastEnergy = 0.75F;

// Models that leave nothing to chance: with min_energy above 0.5, X < 0 wherever E > min_energy.
NoiseChain certain_losses() {
  return {LossAngle{.max_incidence_rad = kAngleLimit}, StereoShadow{}, StereoEnergy{.min_energy = kLeastEnergy},
          Dropout{.probability = 1}};
}

TEST(Order, OfLossesIsFixedWhateverTheOrderOfTheChain) {
  const StereoCamera camera = make_stereo(120, 90, 60, 0.5);
  const Frame clean = render_once(make_room_scene(), make_sensor(camera));
  const Frame shadow = render_once(make_room_scene(), make_sensor(camera, {StereoShadow{}}));
  std::vector<Reason> expected(clean.size());
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const bool oblique = std::cos(clean.incidence_rad()[i]) < std::cos(kAngleLimit);
    expected[i] = oblique                              ? Reason::kLossAngle
                  : shadow.reason()[i] != Reason::kHit ? shadow.reason()[i]
                  : clean.energy()[i] <= kLeastEnergy  ? Reason::kLowEnergy
                                                       : Reason::kDropout;
  }
  for (const Reason r : {Reason::kLossAngle, Reason::kHiddenLeft, Reason::kLowEnergy, Reason::kDropout}) {
    EXPECT_GT(std::count(expected.begin(), expected.end(), r), 10) << to_string(r);
  }
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    NoiseChain chain;
    for (const std::size_t k : order) chain.push_back(certain_losses()[k]);
    const Frame f = render_once(make_room_scene(), make_sensor(camera, chain));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), f.reason().begin()));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Order, TheRangeGateComesBeforeEveryLoss) {
  StereoCamera camera = make_stereo(120, 90, 60, 0.5);
  camera.min_range_m = 3, camera.max_range_m = 5;
  const Frame gate = render_once(make_room_scene(), make_sensor(camera));
  const Frame f = render_once(make_room_scene(), make_sensor(camera, certain_losses()));
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (gate.reason()[i] == Reason::kHit) continue;
    ASSERT_EQ(f.reason()[i], gate.reason()[i]);
  }
  EXPECT_GT(count_of(f, Reason::kBelowMinRange), 100U);
  EXPECT_GT(count_of(f, Reason::kAboveMaxRange), 100U);
}

TEST(Order, EnergyComesBeforeEdges) {
  const EdgeLoss every{
      .min_angle_rad = 0, .max_angle_rad = 0, .low_probability = 1, .high_probability = 1, .law = EdgeLaw::kAngle};
  const Frame f = render_once(
      make_room_scene(), make_sensor(make_stereo(120, 90, 60, 0.5), {every, StereoEnergy{.min_energy = kLeastEnergy}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    ASSERT_EQ(f.reason()[i], f.energy()[i] <= kLeastEnergy ? Reason::kLowEnergy : Reason::kEdgeLoss);
  }
}

// Losses look at what was struck, not at where noise carries the point.
TEST(Order, HitAndRangeNoiseComeAfterTheLosses) {
  const StereoCamera camera = make_stereo(120, 90, 60, 0.5);
  NoiseChain losses = certain_losses();
  losses.pop_back();
  const Frame f = render_once(make_room_scene(), make_sensor(camera, losses));
  losses.insert(losses.begin(), {AngularHit{.mean_rad = 1}, DistanceNoise{.mean_m = -0.5F}, GainBias{.gain = 0.3F}});
  const Frame noisy = render_once(make_room_scene(), make_sensor(camera, losses));
  EXPECT_TRUE(std::equal(f.reason().begin(), f.reason().end(), noisy.reason().begin()));
}

TEST(Order, TheRangePolicyComesBetweenRangeNoiseAndDropout) {
  StereoCamera camera = make_stereo(64, 48, 60, 0.1);
  camera.max_range_m = 5;
  Sensor sensor = make_sensor(camera, {Dropout{.probability = 1}, DistanceNoise{.mean_m = 4}});
  sensor.range_policy = RangePolicy::kDrop;
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, 0.0}), sensor), Reason::kAboveMaxRange), 64U * 48U);
  sensor.range_policy = RangePolicy::kClamp;
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, 0.0}), sensor), Reason::kDropout), 64U * 48U);
}

// Ray noise turns the ray, and the losses are those of the surface that it then meets.
TEST(Order, RayNoiseComesBeforeTheCast) {
  const double turn = 30 * test::kDeg;
  const Sensor sensor = make_sensor(
      make_stereo(9, 9, 3000, 0.1),
      {LossAngle{.max_incidence_rad = 0.2F}, AngularRay{.axis = Axis::kZ, .mean_rad = static_cast<float>(turn)}});
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, turn}), sensor), Reason::kHit), 81U);
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, 0.0}), sensor), Reason::kLossAngle), 81U);
}

}  // namespace
}  // namespace fathom
