// SPDX-License-Identifier: MIT
// A world carries what belongs to its expected ranges, wherever it came from.

#include <type_traits>

#include <fathom/fit/beam.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/run.hpp>

#include "fit/beam/room.hpp"

namespace fathom::test::world_test {
namespace {

using Paths = std::vector<std::filesystem::path>;

/// What the rays of a scan from the origin should read.
std::vector<float> seen(const World& world, double max_range_m = 10.0) {
  const RayFan fan = RayFan::planar(std::vector<double>{0.0, 1.0, 2.0, 3.0});
  const Pose origin = PlanarPose{0, 0, 0.1}.at_height();
  std::vector<float> range_m(fan.size());
  world.expected().cast({&origin, 1}, fan, max_range_m, range_m);
  return range_m;
}

TEST(Worlds, OfAMapKnowItsCells) {
  const World world = World::from_map(room_map(), {.unknown = UnknownCells::kStop});
  EXPECT_EQ(world.cell_m(), 0.05);
  EXPECT_EQ(world.floor_m(), 0.025);
  EXPECT_EQ(world.unknown(), UnknownCells::kStop);
  EXPECT_EQ(world.name(), "");
  EXPECT_EQ(world.inputs(), Paths{});
  std::vector<float> direct(4);
  const Pose origin = PlanarPose{0, 0, 0.1}.at_height();
  make_grid_ranges(room_map(), {.unknown = UnknownCells::kStop})
      ->cast({&origin, 1}, RayFan::planar(std::vector<double>{0.0, 1.0, 2.0, 3.0}), 10.0, direct);
  EXPECT_EQ(seen(world), direct);
}

TEST(Worlds, OfAMapFileKnowTheirFiles) {
  const TemporaryFolder folder;
  const auto image = folder.write("hall.pgm", "P2\n2 1\n255\n254 0\n");
  const auto yaml = folder.write("hall.yaml",
                                 "image: hall.pgm\nresolution: 0.2\norigin: [0, 0, 0]\nnegate: 0\n"
                                 "occupied_thresh: 0.65\nfree_thresh: 0.196\n");
  const World world = World::from_map(yaml);
  EXPECT_EQ(world.cell_m(), 0.2);
  EXPECT_EQ(world.floor_m(), 0.1);
  EXPECT_EQ(world.name(), "hall.yaml");
  EXPECT_EQ(world.inputs(), (Paths{yaml, image}));
  EXPECT_EQ(world.unknown(), UnknownCells::kFree);
}

TEST(Worlds, OfASceneHaveNoCells) {
  const World world = World::from_scene(room_scene(), {.pose_from_sensor = {{0, 0, 0.3}, {}}});
  EXPECT_EQ(world.cell_m(), 0.0);
  EXPECT_EQ(world.floor_m(), make_scene_ranges(room_scene())->floor_m());
  EXPECT_EQ(world.unknown(), UnknownCells::kFree);
  // The same room as the map.
  const auto by_map = seen(World::from_map(room_map())), by_scene = seen(world);
  for (std::size_t i = 0; i < by_map.size(); ++i) EXPECT_NEAR(by_scene[i], by_map[i], 1e-5) << i;
}

TEST(Worlds, OfASceneFileStandAtAHeight) {
  SceneSetup setup;
  setup.file = "somewhere/room.yaml";
  setup.scene = room_scene();
  setup.inputs = {"somewhere/room.yaml", "somewhere/walls.ply"};
  const World low = World::from_scene(setup, 0.25), high = World::from_scene(setup, 2.0);
  EXPECT_EQ(low.name(), "room.yaml at a height of 0.25 m");
  EXPECT_EQ(low.inputs(), setup.inputs);
  // The walls reach 1.5 m up.
  EXPECT_LT(seen(low)[0], 4.0F);
  EXPECT_EQ(low.unknown(), UnknownCells::kFree);
  EXPECT_EQ(input_error([&] { static_cast<void>(World::from_scene(setup, 1001)); }),
            "world.height_m = 1001 is not in [-1000, 1000] m");
  EXPECT_EQ(World::from_scene(setup, 0.25, UnknownCells::kStop).unknown(), UnknownCells::kStop);
  EXPECT_EQ(seen(high)[0], 10.0F);
}

TEST(Worlds, StayWhenTheFirstCopyGoes) {
  auto first = std::make_unique<World>(World::from_map(room_map()));
  const World second = *first;
  const std::vector<float> before = seen(*first);
  first.reset();
  EXPECT_EQ(seen(second), before);
}

// The ranges of a temporary world would be gone before a scorer that refers to them uses them.
static_assert(std::is_convertible_v<const World&, const ExpectedRanges&>);
static_assert(!std::is_convertible_v<World, const ExpectedRanges&>);

TEST(Worlds, NeedRanges) {
  EXPECT_EQ(input_error([] { World world(nullptr); }), "a world needs expected ranges");
}

}  // namespace
}  // namespace fathom::test::world_test
