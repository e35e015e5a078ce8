// SPDX-License-Identifier: MIT
// What a model of noise loses for being too near counts as nearness, whatever the model.

#include "simulate/carrier_watch.hpp"

#include <gtest/gtest.h>

#include <fathom/noise/custom.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/simulator.hpp>

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

// As the parts of a mesh file that is split: the mast hangs on the body, whose shell surrounds the lidar.
TEST(CarrierWatch, NamesTheWholeOfAPartThatSurroundsTheSensor) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  const EntityId body = scene.add_entity({.name = "body", .mesh = box, .scale = {0.1, 0.1, 0.1}});
  const EntityId mast = scene.add_entity({.name = "mast", .mesh = box, .scale = {0.01, 0.01, 0.01}, .parent = body});
  scene.add_entity({.name = "body/shell", .mesh = box, .parent = body, .part_of_parent = true});
  Simulator simulator(scene);
  Sensor sensor = {.name = "lidar", .model = find_preset("VLP-16").model, .noise = {}};
  sensor.parent = mast;
  const SensorId lidar = simulator.add_sensor(sensor);
  CarrierWatch watch(scene, simulator.sensor(lidar));
  Frame frame(watch.channels());
  simulator.render(lidar, 0, frame);
  ASSERT_TRUE(watch.suspects(frame.count_reasons()));
  watch.count(frame, std::vector<float>{0.9F});
  const auto warning = watch.warning(1);
  ASSERT_TRUE(warning.has_value());
  EXPECT_EQ(*warning,
            "all 28928 rays of 'lidar' end at 'body', which carries it, nearer than its least range; "
            "ignore: ['body'] lets them through");
}

}  // namespace
}  // namespace fathom
