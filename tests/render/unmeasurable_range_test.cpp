// SPDX-License-Identifier: MIT
// A range at or below 0 is no measurement, whatever carried it there and whatever the range policy.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/simulate/environments.hpp>

#include "render/test_scenes.hpp"

namespace fathom {
namespace {

using test::all_channels;
using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::render_once;

constexpr RangePolicy kPolicies[] = {RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop};

Sensor with_policy(NoiseChain noise, RangePolicy policy) {
  Sensor sensor = make_sensor(make_lidar(), std::move(noise));
  sensor.range_policy = policy;
  return sensor;
}

/// Every hit was measured, and every other ray of the closed room was lost as too near, leaving no number behind.
void expect_no_unmeasurable_hit(const Frame& f, const std::string& what) {
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.reason()[i] == Reason::kHit) {
      ASSERT_GT(f.range_m()[i], 0.0F) << what;
      continue;
    }
    ASSERT_EQ(f.reason()[i], Reason::kBelowMinRange) << what;
    ASSERT_TRUE(std::isnan(f.range_m()[i]) && std::isnan(f.depth_m()[i])) << what;
    ASSERT_TRUE(std::isnan(f.hit_world_m().x[i]) && std::isnan(f.hit_sensor_m().y[i])) << what;
  }
}

TEST(UnmeasurableRange, IsLostUnderEveryPolicy) {
  const std::vector<Noise> noises = {DistanceNoise{.mean_m = -4, .stddev_m = 1}, UniformNoise{.low_m = -8, .high_m = 1},
                                     GainBias{.bias_m = -4}};
  for (const Noise& noise : noises) {
    for (const RangePolicy policy : kPolicies) {
      const Frame f = render_once(make_room_scene(), with_policy({noise}, policy));
      const auto reasons = f.count_reasons();
      EXPECT_GT(reasons[static_cast<std::size_t>(Reason::kHit)], 100U) << noise.slug();
      EXPECT_GT(reasons[static_cast<std::size_t>(Reason::kBelowMinRange)], 100U) << noise.slug();
      expect_no_unmeasurable_hit(f, std::string(noise.slug()));
    }
  }
}

// What the models after it make of such a return does not bring it back; what is left keeps every bit.
TEST(UnmeasurableRange, ChangesNoBitOfWhatWasMeasured) {
  const NoiseChain noise = {DistanceNoise{.mean_m = -4, .stddev_m = 1},
                            AngularHit{.axis = Axis::kZ, .stddev_rad = 0.1F}};
  const Frame kept = render_once(make_room_scene(), with_policy(noise, RangePolicy::kKeep));
  const Frame clamped = render_once(make_room_scene(), with_policy(noise, RangePolicy::kClamp));
  const Frame dropped = render_once(make_room_scene(), with_policy(noise, RangePolicy::kDrop));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_EQ(kept.reason()[i], clamped.reason()[i]);
    ASSERT_EQ(kept.reason()[i], dropped.reason()[i]);
    if (kept.reason()[i] != Reason::kHit) continue;
    ASSERT_EQ(kept.range_m()[i], clamped.range_m()[i]);
  }
}

TEST(UnmeasurableRange, IsLostInEnvironmentsToo) {
  Environments environments(make_room_scene(),
                            with_policy({DistanceNoise{.mean_m = -4, .stddev_m = 1}}, RangePolicy::kKeep),
                            {.simulator = {.seed = 7, .compute = {.threads = 1}}, .count = 3});
  Frame f(all_channels());
  environments.render(0, f);
  EXPECT_GT(f.count_reasons()[static_cast<std::size_t>(Reason::kBelowMinRange)], 100U);
  expect_no_unmeasurable_hit(f, "environments");
}

RC_GTEST_PROP(UnmeasurableRange, IsNeverAHit, ()) {
  const auto any = [](double limit) { return static_cast<float>(limit * *rc::gen::inRange(-1000, 1001) * 1e-3); };
  const auto any_noise = [&]() -> Noise {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return DistanceNoise{.mean_m = any(10), .stddev_m = std::abs(any(10)), .stddev_per_m = std::abs(any(1))};
      case 1:
        return UniformNoise{.low_m = any(10), .high_m = any(10)};
      case 2:
        return GainBias{.gain = any(0.5), .bias_m = any(10)};
      case 3:
        return AngularHit{.axis = Axis::kX, .stddev_rad = std::abs(any(3))};
      default:
        return BeamMixture{.w_hit = 0.5F, .w_short = 0.5F, .w_max = 0, .w_rand = 0, .hit_offset_m = any(20)};
    }
  };
  NoiseChain noise;
  for (int k = *rc::gen::inRange(1, 4); k > 0; --k) noise.push_back(any_noise());
  const RangePolicy policy = kPolicies[*rc::gen::inRange(0, 3)];
  Sensor sensor = make_sensor(make_lidar(4, 64), noise);
  sensor.range_policy = policy;
  const Frame f = render_once(make_room_scene(), sensor);
  for (std::size_t i = 0; i < f.size(); ++i) {
    RC_ASSERT((f.reason()[i] == Reason::kHit) == (f.range_m()[i] > 0.0F));
    RC_ASSERT(f.reason()[i] == Reason::kHit || std::isnan(f.range_m()[i]));
  }
}

}  // namespace
}  // namespace fathom
