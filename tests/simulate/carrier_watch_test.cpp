// SPDX-License-Identifier: MIT
// What a model of noise loses for being too near counts as nearness, whatever the model.

#include "simulate/carrier_watch.hpp"

#include <gtest/gtest.h>

#include <fathom/noise/custom.hpp>

#include "noise/blind_zone.hpp"

namespace fathom {
namespace {

TEST(CarrierWatch, AsksAModelForItsLeastDepth) {
  Scene scene;
  const EntityId body = scene.add_entity({.name = "body", .mesh = scene.add_mesh(make_box({1, 1, 1}))});
  Sensor sensor;
  sensor.name = "camera";
  sensor.model = camera_from_fov(8, 8, 1);
  sensor.parent = body;
  EXPECT_FALSE(CarrierWatch(scene, sensor).channels().contains(Channel::kCleanDepth));
  sensor.noise = {test::BlindZone{.depth_m = 1, .share = 0.5F}};
  EXPECT_FALSE(CarrierWatch(scene, sensor).channels().contains(Channel::kCleanDepth));
  sensor.noise = {test::BlindZone{.depth_m = 1}};
  EXPECT_TRUE(CarrierWatch(scene, sensor).channels().contains(Channel::kCleanDepth));
}

}  // namespace
}  // namespace fathom
