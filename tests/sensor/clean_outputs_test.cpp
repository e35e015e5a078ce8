// What a frame says of the world itself, whatever noise and losses do to its returns.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sensor/stereo_scenes.hpp"

namespace fathom {
namespace {

using test::make_room_scene;
using test::make_sensor;
using test::make_stereo;
using test::render_once;

/// Every registered model with parameters that change something.
std::vector<Noise> one_of_each() {
  return {AngularRay{.axis = Axis::kZ, .mean_rad = 0.1F, .stddev_rad = 0.01F},
          LossAngle{.max_incidence_rad = 1.0F},
          StereoShadow{},
          InvalidBand{.max_disparity_px = 20},
          StereoEnergy{.min_energy = 0.2F, .pow = 2, .normalization = EnergyNormalization::kThreshold},
          EdgeLoss{.min_angle_rad = 2.0F, .low_probability = 0.1F, .high_probability = 0.9F},
          AngularHit{.axis = Axis::kY, .mean_rad = 0.2F, .stddev_rad = 0.01F},
          DistanceNoise{.mean_m = 0.5F, .stddev_m = 0.1F},
          UniformNoise{.low_m = -0.5F, .high_m = 0.5F},
          Disparity{.bias_px = -1, .stddev_px = 2, .steps_per_px = 4},
          GainBias{.gain = 0.1F, .bias_m = -0.2F},
          BeamMixture{},
          Dropout{.probability = 0.3F}};
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool same_returns(const Frame& a, const Frame& b) {
  return same_bits(a.range_m(), b.range_m()) && same_bits(a.floats(Channel::kHitSensor), b.floats(Channel::kHitSensor));
}

/// What was struck, by the ray as it was emitted.
bool same_surfaces(const Frame& a, const Frame& b) {
  const bool floats = std::ranges::all_of(std::array{Channel::kNormal, Channel::kIncidence, Channel::kEnergy},
                                          [&](Channel c) { return same_bits(a.floats(c), b.floats(c)); });
  return floats && same_bits(a.entity_id(), b.entity_id()) && same_bits(a.triangle_id(), b.triangle_id());
}

TEST(CleanOutputs, DoNotChangeWhenAnyNoiseIsSwitchedOn) {
  StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  camera.min_range_m = 1, camera.max_range_m = 5;  // some are lost by the gate, some by the range policy
  const Frame off = render_once(make_room_scene(), make_sensor(camera));
  const std::vector<Noise> models = one_of_each();
  ASSERT_EQ(models.size(), noise_models().size());
  for (std::size_t k = 0; k < models.size(); ++k) {
    EXPECT_EQ(models[k].slug(), noise_models()[k].slug);
    for (const RangePolicy policy : {RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop}) {
      Sensor sensor = make_sensor(camera, {models[k]});
      sensor.range_policy = policy;
      const Frame on = render_once(make_room_scene(), sensor);
      EXPECT_FALSE(same_returns(off, on)) << models[k].slug() << " does nothing here";
      EXPECT_TRUE(same_bits(off.clean_range_m(), on.clean_range_m())) << models[k].slug();
      EXPECT_TRUE(same_bits(off.clean_depth_m(), on.clean_depth_m())) << models[k].slug();
      // Ray noise turns the ray itself: normal, incidence, energy and entity are those of what this ray struck, while
      // the clean range and depth are those of the ray without noise.
      EXPECT_EQ(same_surfaces(off, on), models[k].stage() != Stage::kRay) << models[k].slug();
    }
  }
}

TEST(CleanOutputs, DoNotChangeUnderAllNoiseTogether) {
  const StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  const Frame off = render_once(make_room_scene(), make_sensor(camera));
  std::vector<Noise> all = one_of_each();
  const Frame turned = render_once(make_room_scene(), make_sensor(camera, all));
  EXPECT_TRUE(same_bits(off.clean_range_m(), turned.clean_range_m()));
  EXPECT_TRUE(same_bits(off.clean_depth_m(), turned.clean_depth_m()));
  all.erase(all.begin());  // angular_ray
  EXPECT_TRUE(same_surfaces(off, render_once(make_room_scene(), make_sensor(camera, all))));
}

}  // namespace
}  // namespace fathom
