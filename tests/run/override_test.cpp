// SPDX-License-Identifier: MIT

#include "run/scene_fixture.hpp"

namespace fathom::test::override_test {
namespace {

SceneSetup read_with(const std::vector<std::string>& overrides) { return read_scene_text(kScene, "s.yaml", overrides); }

std::string error_of(const std::string& override_text) {
  return test::input_error([&] { read_with({override_text}); });
}

TEST(Override, ReplacesTopLevelValues) {
  const SceneSetup setup = read_with({"frames=7", "seed=9", "rate_hz=2.5"});
  EXPECT_EQ(setup.frames, 7U);
  EXPECT_EQ(setup.seed, 9U);
  EXPECT_EQ(setup.rate_hz, 2.5);
}

TEST(Override, TakesAValueFromAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("noise.yaml", "# learned\n- distance: {stddev_m: 0.25}\n").string();
  const SceneSetup setup = read_with({"sensors.lidar.noise=@" + file});
  ASSERT_EQ(setup.sensors[0].sensor.noise.size(), 1U);
  EXPECT_EQ(setup.sensors[0].sensor.noise[0].noise.number("stddev_m"), 0.25);
  EXPECT_EQ(setup.inputs.back(), file);  // a run refuses to overwrite it
  EXPECT_TRUE(test::contains(error_of("sensors.lidar.noise=@" + (folder / "none.yaml").string()), "none.yaml"));
  folder.write("bad.yaml", "- distance: {stddev_m: 0.1}\n- distanc: {}\n");
  EXPECT_TRUE(test::contains(error_of("sensors.lidar.noise=@" + (folder / "bad.yaml").string()),
                             "bad.yaml:2:12: sensors.lidar.noise.distanc"));
}

TEST(Override, GoesThroughNamesPositionsAndSlugs) {
  const SceneSetup setup = read_with({"sensors.lidar.noise.distance.stddev_m=0.5", "sensors.0.position_m.2=4",
                                      "scene.entities.crate.position_m=[1, 2, 3]", "scene.meshes.box.box.size_m.0=2"});
  EXPECT_EQ(setup.sensors[0].sensor.noise[0].noise.number("stddev_m"), 0.5);
  EXPECT_EQ(setup.sensors[0].sensor.parent_from_sensor.at(0).translation_m, (Vec3{0, 0, 4}));
  EXPECT_EQ(setup.scene.entities()[2].parent_from_entity.at(0).translation_m, (Vec3{1, 2, 3}));
  float highest_x = 0;
  for (const auto& vertex : setup.scene.meshes()[1].vertices_m) highest_x = std::max(highest_x, vertex[0]);
  EXPECT_EQ(highest_x, 1.0F);  // half of the size
}

TEST(Override, AddsKeysThatTheFormatKnows) {
  const SceneSetup setup = read_with({"start_s=3", "sensors.laser.rolling=true", "sensors.laser.outputs=[ply]",
                                      "sensors.lidar.noise.distance.stddev_per_m=0.25",
                                      "sensors.lidar.noise.distance.correlation.across_px=3"});
  EXPECT_EQ(setup.start_s, 3.0);
  EXPECT_TRUE(setup.sensors[1].sensor.rolling);
  ASSERT_EQ(setup.sensors[1].outputs.size(), 1U);
  EXPECT_NE(setup.sensors[1].outputs[0].get_if<PlyOutput>(), nullptr);
  EXPECT_EQ(setup.sensors[0].sensor.noise[0].noise.number("stddev_per_m"), 0.25);
  EXPECT_EQ(setup.sensors[0].sensor.noise[0].correlation, (Correlation{.across_px = 3}));
}

TEST(Override, GivesOptionsToABareWord) {
  const SceneSetup setup = read_with({"sensors.lidar.outputs.pcd.keep_misses=true"});
  const auto* cloud = setup.sensors[0].outputs[0].get_if<PcdOutput>();
  ASSERT_NE(cloud, nullptr);
  EXPECT_TRUE(cloud->keep_misses);
}

TEST(Override, RadiansReplaceDegrees) {
  const SceneSetup setup = read_with({"sensors.laser.max_azimuth_rad=0.5"});
  EXPECT_EQ(std::get<Laser2d>(setup.sensors[1].sensor.model).max_azimuth_rad, 0.5);
}

TEST(Override, SetsWhatARingHas) {
  const SceneSetup setup = read_with({"sensors.lidar.noise.distance.rings.1.mean_m=0.125"});
  const std::vector<RingEntry>& rings = setup.sensors[0].sensor.noise[0].by_ring;
  ASSERT_EQ(rings.size(), 1U);
  EXPECT_EQ(rings[0].ring, 1U);
  EXPECT_EQ(rings[0].noise.number("mean_m"), 0.125);
}

TEST(Override, LaterOnesWin) { EXPECT_EQ(read_with({"seed=1", "seed=2"}).seed, 2U); }

TEST(Override, MistakesNameTheOverrideAndTheNearest) {
  const struct {
    std::string text;
    std::vector<std::string> parts;
  } cases[] = {
      {"frames", {"--set frames", "path=value"}},
      {"=3", {"--set =3", "path=value"}},
      {"frames=", {"--set frames=", "frames = (nothing)"}},
      {"frames=many", {"--set frames=many", "frames = many is not a whole number"}},
      {"frmes=3", {"--set frmes=3", "frmes is not a known key", "'frames'"}},
      {"sensors.lidr.columns=3", {"--set sensors.lidr", "no 'lidr'", "'lidar'"}},
      {"sensors.2.columns=3", {"--set", "position 2", "2 entries"}},
      {"sensors.lidar.colums=3", {"--set", "sensors.lidar.colums is not a known key", "'columns'"}},
      {"sensors.lidar.columns.x=3", {"--set", "sensors.lidar.columns = 90"}},
      {"sensors.lidar.noise.distence.stddev_m=1", {"--set", "no 'distence'", "'distance'"}},
      {"sensors.lidar.noise.distance.stddev_m=-1",
       {"--set sensors.lidar.noise.distance.stddev_m=-1", "sensors.lidar.noise.distance.stddev_m = -1 is not in [0, "}},
      {"sensors.lidar.noise.distance.channels.1.mean_m=1",
       {"--set sensors.lidar.noise.distance.channels.1.mean_m=1", "distance.channels is called rings now"}},
      {"sensors.laser.beams=9", {"--set sensors.laser.beams=9", "sensors.laser.beams is called rays now"}},
      {"sensors..columns=3", {"--set", "empty part"}},
      {"seed=[1", {"--set seed=[1", "not YAML"}},
  };
  for (const auto& wrong : cases) {
    const std::string message = error_of(wrong.text);
    EXPECT_EQ(message.rfind("--set ", 0), 0U) << message;
    for (const std::string& part : wrong.parts) EXPECT_TRUE(contains(message, part)) << part << "\n" << message;
  }
}

TEST(Override, OfAListThatIsNotThereSaysSo) {
  EXPECT_EQ(error_of("sensors.laser.noise.distance.stddev_m=0.2"),
            "--set sensors.laser.noise.distance.stddev_m=0.2: sensors.laser.noise.distance.stddev_m does not exist: "
            "sensors.laser has no noise; set the list as a whole: 'sensors.laser.noise=[...]'");
  EXPECT_EQ(read_with({"sensors.laser.noise=[distance: {stddev_m: 0.2}]"}).sensors[1].sensor.noise.size(), 1U);
}

TEST(Override, TwoEntriesOfOneNameNeedThePosition) {
  const std::string text = test::replaced(kScene, "- distance: {stddev_m: 0.01}",
                                          "- distance: {stddev_m: 0.01}\n      - distance: {stddev_m: 0.02}");
  EXPECT_THROW(read_scene_text(text, "s.yaml", {"sensors.lidar.noise.distance.stddev_m=1"}), InputError);
  const SceneSetup setup = read_scene_text(text, "s.yaml", {"sensors.lidar.noise.1.distance.stddev_m=1"});
  EXPECT_EQ(setup.sensors[0].sensor.noise[1].noise.number("stddev_m"), 1.0);
}

}  // namespace
}  // namespace fathom::test::override_test
