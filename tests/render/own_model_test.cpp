// SPDX-License-Identifier: MIT
// A model that the library does not know acts, and is checked, like one of its own.

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <fathom/noise/custom.hpp>
#include <fathom/simulate/environments.hpp>

#include "noise/blind_zone.hpp"
#include "render/stereo_scenes.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

std::string refusal(const SensorModel& model, NoiseChain chain) {
  Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
  return input_error([&] { simulator.add_sensor(make_sensor(model, std::move(chain))); });
}

TEST(OwnModel, SaysItselfWhichSensorItNeeds) {
  EXPECT_EQ(refusal(make_lidar(4, 8), {BlindZone{.depth_m = 1}}), "sensor 'lidar': blind_zone is that of a camera");
  EXPECT_EQ(refusal(camera_from_fov(8, 8, 1), {BlindZone{.depth_m = 1}}), "");
  EXPECT_EQ(refusal(make_lidar(4, 8), {{DistanceNoise{}, std::vector<RingEntry>{{0, BlindZone{}}}}}),
            "sensor 'lidar': by_ring: entry 0 of the chain is distance, not blind_zone");
}

TEST(OwnModel, SaysItselfWhatAChainHasOnce) {
  const SensorModel camera = camera_from_fov(8, 8, 1);
  const BlindZone near{.depth_m = 1}, rare{.depth_m = 1, .share = 0.5F}, far{.depth_m = 2};
  EXPECT_EQ(refusal(camera, {near, rare}), "");
  EXPECT_EQ(refusal(camera, {near, Dropout{}, far}),
            "sensor 'lidar': blind_zone.depth_m differs from that of another one in the chain; a camera has one blind "
            "zone");
  EXPECT_EQ(refusal(camera, {{near, std::vector<EntityEntry>{{EntityId{0}, rare}}}}), "");
  EXPECT_EQ(refusal(camera, {{near, std::vector<EntityEntry>{{EntityId{0}, far}}}}),
            "sensor 'lidar': by_entity: blind_zone.depth_m cannot differ by entity; a camera has one blind zone");
  EXPECT_EQ(refusal(camera, {{near, std::vector<RingEntry>{{0, far}}}}),
            "sensor 'lidar': by_ring: blind_zone.depth_m cannot differ by ring; a camera has one blind zone");
}

TEST(OwnModel, SaysItselfWhatNoEpisodeDraws) {
  const BlindZone zone{.depth_m = 1};
  const auto refused = [&](NoiseChain chain, std::string field) {
    return input_error([&] {
      Environments(make_room_scene(), make_sensor(camera_from_fov(8, 8, 1), std::move(chain)),
                   {.simulator = {.compute = {.threads = 1}},
                    .ranges = {{.entry = 0, .field = std::move(field), .low = 0.5, .high = 1}}});
    });
  };
  const std::string wanted =
      "range of blind_zone.depth_m: it must be the same in the whole chain; a camera has one blind zone";
  EXPECT_EQ(refused({zone, zone}, "depth_m"), wanted);
  EXPECT_EQ(refused({{zone, std::vector<EntityEntry>{{EntityId{0}, zone}}}}, "depth_m"), wanted);
  EXPECT_EQ(refused({zone}, "depth_m"), "") << "nothing else in the chain could differ";
  EXPECT_EQ(refused({zone, zone}, "share"), "");
}

TEST(OwnModel, ActsByEntityAndByRing) {
  const auto lost = [](const Frame& f, std::size_t i) { return f.reason()[i] == Reason::kBelowMinRange; };
  const BlindZone off{.depth_m = 10, .share = 0}, on{.depth_m = 10};
  const SensorModel camera = camera_from_fov(40, 30, 1.5);
  const Frame by_entity =
      render_once(make_room_scene(), make_sensor(camera, {{off, std::vector<EntityEntry>{{EntityId{1}, on}}}}));
  const Frame by_ring = render_once(make_room_scene(), make_sensor(camera, {{off, std::vector<RingEntry>{{7, on}}}}));
  std::size_t of_entity = 0, of_ring = 0;
  for (std::size_t i = 0; i < by_entity.size(); ++i) {
    ASSERT_EQ(lost(by_entity, i), by_entity.entity_id()[i] == 1) << i;
    ASSERT_EQ(lost(by_ring, i), i / 40 == 7) << i;
    of_entity += lost(by_entity, i), of_ring += lost(by_ring, i);
  }
  EXPECT_GT(of_entity, 10U);
  EXPECT_EQ(of_ring, 40U);
}

}  // namespace
}  // namespace fathom::test
