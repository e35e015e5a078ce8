// SPDX-License-Identifier: MIT
// Entities, noise and warnings of carriers in summary.json.

#include <fathom/noise/custom.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/simulator.hpp>

#include "run/counted_run.hpp"
#include "run/scene_fixture.hpp"
#include "sensor/noise/blind_zone.hpp"

namespace fathom::test {
namespace {

using nlohmann::json;

struct Done {
  json summary;
  RunResult result;
};

Done run_scene(const std::string& text, std::uint32_t frames = 1) {
  const TemporaryFolder folder;
  RunOptions options;
  options.out = folder / "out";
  options.frames = frames;
  options.compute.threads = 1;
  Done done;
  done.result = run_scene(read_scene_text(text, "scene.yaml", {}), options);
  done.summary = json::parse(test::bytes_of(folder / "out/summary.json"));
  return done;
}

TEST(Summary, NamesEntitiesInTheOrderOfTheirIds) {
  const json summary = run_scene(kScene).summary;
  EXPECT_EQ(summary["entities"], (json{"floor", "cart", "crate"}));
  EXPECT_EQ(summary["warnings"], json::array());
}

TEST(Summary, HasTheTableOfLabels) {
  EXPECT_EQ(run_scene(kScene).summary["labels"], json::array());
  const json labels = run_scene(replaced(replaced(kScene, "mesh: floor}", "mesh: floor, label: ground}"), "  meshes:\n",
                                         "  labels: {chair: 62, ground: {id: 3, color: [10, 20, 30]}}\n  meshes:\n"))
                          .summary["labels"];
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels[0]["name"], "chair");
  EXPECT_EQ(labels[0]["id"], 62);
  EXPECT_EQ(labels[0]["color"].size(), 3U);
  EXPECT_EQ(labels[1], (json{{"id", 3}, {"name", "ground"}, {"color", {10, 20, 30}}}));
}

TEST(Summary, HasTheCountsOfTheResult) {
  const Done done = run_scene(kScene, 2);
  const json& sensors = done.summary["sensors"];
  ASSERT_EQ(done.result.sensors.size(), sensors.size());
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const RunResult::Sensor& sensor = done.result.sensors[i];
    EXPECT_EQ(sensors[i]["name"], sensor.name);
    EXPECT_EQ(sensors[i]["rays"], sensor.rays);
    std::uint64_t rays = 0;
    for (std::size_t r = 0; r < kReasonNames.size(); ++r) {
      EXPECT_EQ(sensors[i]["reasons"][std::string(kReasonNames[r])], sensor.reasons[r]);
      rays += sensor.reasons[r];
    }
    EXPECT_EQ(rays, sensor.rays);
    EXPECT_EQ(done.summary["run"]["sensors"][sensor.name]["rays_per_second"], sensor.rays_per_second());
  }
}

TEST(Summary, TellsTheWholeChain) {
  const json summary =
      run_scene(replaced(kScene, "      - distance: {stddev_m: 0.01}\n",
                         "      - distance: {stddev_m: 0.02, entities: {cart: {mean_m: -0.1}}}\n"
                         "      - angular_ray: {axis: y, stddev_deg: 0.5, correlation: {across_px: 2.5, time_s: inf}}\n"
                         "      - gain_bias: {gain: {uniform: [0.001, 0.002]}, rings: {3: {bias_m: 0.25}}}\n"))
          .summary;
  const json& lidar = summary["sensors"][0];
  const json& noise = lidar["noise"];
  ASSERT_EQ(noise.size(), 3U);
  const json distance = {{"mean_m", 0.0}, {"stddev_m", 0.02}, {"stddev_per_m", 0.0}};
  EXPECT_EQ(noise[0]["model"], "distance");
  EXPECT_EQ(noise[0]["stage"], "range");
  EXPECT_EQ(noise[0]["parameters"], distance);
  EXPECT_EQ(noise[0]["entities"]["cart"]["mean_m"], -0.1);
  EXPECT_EQ(noise[0]["entities"]["cart"]["stddev_m"], 0.02);
  EXPECT_EQ(noise[1]["stage"], "ray");
  EXPECT_EQ(noise[1]["parameters"]["axis"], "y");
  EXPECT_NEAR(noise[1]["parameters"]["stddev_rad"].get<double>(), 0.5 * kRadPerDeg, 1e-9);
  EXPECT_FALSE(noise[0].contains("correlation"));
  const json correlation = {{"across_px", 2.5}, {"down_px", 0.0},    {"time_s", "inf"},
                            {"motion_m", 0.0},  {"motion_rad", 0.0}, {"shape", "gaussian"}};
  EXPECT_EQ(noise[1]["correlation"], correlation);
  EXPECT_EQ(noise[2]["rings"]["3"]["bias_m"], 0.25);
  // The reported values are the used ones.
  EXPECT_FLOAT_EQ(noise[2]["parameters"]["gain"].get<float>(), lidar["drawn"][0]["value"].get<float>());
  EXPECT_EQ(lidar["range_policy"], "keep");
  EXPECT_EQ(summary["sensors"][1]["noise"], json::array());
}

TEST(Summary, WarnsOfPointsInTheWorldThatSinglePrecisionCannotHold) {
  const auto warnings_of = [](const std::string& x_m, const std::string& outputs) {
    const std::string moved = replaced(kScene, "position_m: [0, 0, 1]", "position_m: [" + x_m + ", 0, 1]");
    return run_scene(replaced(moved, "outputs: [pcd, range_image]", "outputs: " + outputs)).result.warnings;
  };
  const std::string all = "[pcd, pcd: {frame: world}, ply: {frame: world}, npy: {channels: [hit_world]}]";
  EXPECT_EQ(warnings_of("-5403547", all),
            std::vector<std::string>{
                "points of 'lidar' in the world (pcd, ply, npy) have single precision: 5403547 m from the origin they "
                "are off by up to 0.25 m; points in the frame of the sensor are not"});
  EXPECT_EQ(warnings_of("20000", "[pointcloud2: {frame: world}]").size(), 1U);
  EXPECT_TRUE(warnings_of("16000", all).empty()) << "less than a millimetre";
  EXPECT_TRUE(warnings_of("5403547", "[pcd, npy: {channels: [hit_sensor]}]").empty());
}

const std::string kHung = "    parent: cart\n", kWithin = kHung + "    see_parent: true\n";

/// The laser of the scene within the cart, which is 1 m wide, and nearer to it than it can measure.
std::string scene_from_within(const std::string& least_range_m) {
  return replaced(replaced(kScene, "min_range_m: 0.1", "min_range_m: " + least_range_m), kHung, kWithin);
}

TEST(Summary, WarnsOfASensorThatSeesOnlyWhatCarriesIt) {
  const std::string text =
      "all 90 rays of 'laser' end at 'cart', which carries it, nearer than its least range; ignore: ['cart'] lets them "
      "through";
  const Done within = run_scene(scene_from_within("0.8"), 2);
  EXPECT_EQ(within.summary["warnings"], json{text});
  EXPECT_EQ(within.result.warnings, std::vector<std::string>{text});
  EXPECT_EQ(within.summary["sensors"][1]["reasons"]["below_min_range"], 90);

  EXPECT_TRUE(run_scene(replaced(scene_from_within("0.8"), kWithin, kHung)).result.warnings.empty()) << "it ignores it";
  EXPECT_TRUE(run_scene(scene_from_within("0.1")).result.warnings.empty()) << "it can measure the cart's inside";
  EXPECT_TRUE(run_scene(scene_from_within("0.6")).result.warnings.empty()) << "it can measure the corners";
  EXPECT_TRUE(
      run_scene(replaced(scene_from_within("0.8"), kWithin, "    position_m: [3, 0, 0.5]\n")).result.warnings.empty())
      << "nothing carries it";
}

TEST(Summary, BlamesNoCarrierForWhatNoiseCarriedBelowTheLeastRange) {
  // A box of 4 m around the laser: its walls are well within reach, until noise subtracts 10 m.
  const auto warnings = [](const std::string& noise) {
    const std::string text = replaced(replaced(kScene, "size_m: [1, 1, 1]", "size_m: [4, 4, 4]"), kHung,
                                      kWithin + "    noise: [" + noise + "]\n");
    const Done done = run_scene(text);
    EXPECT_EQ(done.summary["sensors"][1]["reasons"]["below_min_range"], 45) << noise;
    return done.result.warnings;
  };
  EXPECT_TRUE(warnings("distance: {mean_m: -10}").empty());
  EXPECT_TRUE(warnings("distance: {mean_m: -10}, angular_ray: {axis: z, stddev_deg: 0.1}").empty());
}

TEST(Summary, WarnsOfACarrierFurtherUpAndOfSomeFrames) {
  // The laser is on the crate, which is a child of the cart and beside it. For frame 1 it has moved into the cart,
  // which it does not ignore.
  const std::string text =
      replaced(replaced(scene_from_within("0.8"), kWithin,
                        "    parent: crate\n    motion: {keyframes: [{time_s: 0, position_m: [0, 3, 0]}, "
                        "{time_s: 0.1, position_m: [0, -3, -0.5]}]}\n"),
               "frames: 2", "frames: 1");
  EXPECT_EQ(
      run_scene(text, 2).summary["warnings"],
      json{"in 1 of 2 frames all 45 rays of 'laser' end at 'cart', which carries it, nearer than its least range; "
           "ignore: ['cart'] lets them through"});
}

TEST(Summary, SensorsWithinABodyWriteTheSameFiles) {
  const std::string outputs = kWithin + "    outputs: [pcd, npy: {channels: [range, clean_range]}]\n";
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    const std::string parent = name[0] == 'a' ? outputs : replaced(outputs, kWithin, "    position_m: [3, 0, 0.5]\n");
    RunOptions options;
    options.out = folder / name;
    run_scene(read_scene_text(replaced(scene_from_within("0.8"), kWithin, parent), "scene.yaml", {}), options);
  }
  auto a = read_folder(folder / "a"), b = read_folder(folder / "b");
  a.erase("summary.json"), b.erase("summary.json");
  EXPECT_TRUE(a == b);
}

TEST(SelfOcclusionCheck, AsksAModelForItsLeastDepth) {
  Scene scene;
  const EntityId body = scene.add_entity({.name = "body", .mesh = scene.add_mesh(make_box({1, 1, 1}))});
  Sensor sensor;
  sensor.name = "camera";
  sensor.model = PinholeCamera::from_fov(8, 8, 1);
  sensor.parent = body;
  EXPECT_FALSE(SelfOcclusionCheck(scene, sensor).channels().contains(Channel::kCleanDepth));
  sensor.noise = {BlindZone{.depth_m = 1, .share = 0.5F}};
  EXPECT_FALSE(SelfOcclusionCheck(scene, sensor).channels().contains(Channel::kCleanDepth));
  sensor.noise = {BlindZone{.depth_m = 1}};
  EXPECT_TRUE(SelfOcclusionCheck(scene, sensor).channels().contains(Channel::kCleanDepth));
}

// As in a mesh file that is split: the mast is a child of the body, whose shell surrounds the lidar.
TEST(SelfOcclusionCheck, NamesTheWholeOfAPartThatSurroundsTheSensor) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  const EntityId body = scene.add_entity({.name = "body", .mesh = box, .scale = {0.1, 0.1, 0.1}});
  const EntityId mast = scene.add_entity({.name = "mast", .mesh = box, .scale = {0.01, 0.01, 0.01}, .parent = body});
  scene.add_entity({.name = "body/shell", .mesh = box, .parent = body, .part_of_parent = true});
  Simulator simulator(scene);
  Sensor sensor = {.name = "lidar", .model = find_preset("VLP-16").model, .noise = {}};
  sensor.parent = mast;
  const SensorId lidar = simulator.add_sensor(sensor);
  SelfOcclusionCheck check(scene, simulator.sensor(lidar));
  Frame frame(check.channels());
  simulator.render(lidar, 0, frame);
  ASSERT_TRUE(check.suspects(frame.count_reasons()));
  check.count(frame, std::vector<float>{0.9F});
  const auto warning = check.warning(1);
  ASSERT_TRUE(warning.has_value());
  EXPECT_EQ(*warning,
            "all 28928 rays of 'lidar' end at 'body', which carries it, nearer than its least range; "
            "ignore: ['body'] lets them through");
}

}  // namespace
}  // namespace fathom::test
