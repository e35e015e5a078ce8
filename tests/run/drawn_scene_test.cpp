// SPDX-License-Identifier: MIT
// Ranges of sensors, poses and entities in scene files: read, drawn, reported, and refused with line and limits.

#include <fathom/simulate/environments.hpp>

#include "core/text/formats.hpp"
#include "run/prepare_run.hpp"
#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

using nlohmann::json;

/// A stereo camera before a wall and a door; the texts become keys of the sensor and of the door.
std::string drawn_scene_text(const std::string& sensor, const std::string& door) {
  return "frames: 2\nseed: 5\nsensors:\n  - name: cam\n    type: stereo_camera\n    width: 16\n    height: 12\n"
         "    reference: left\n    max_range_m: 20\n" +
         sensor +
         "    outputs: [npy: {channels: [range, intensity, reason]}]\n"
         "scene:\n  meshes:\n    wall: {box: {size_m: [0.1, 20, 20]}}\n    door: {box: {size_m: [0.1, 1, 2]}}\n"
         "  entities:\n    - {name: wall, mesh: wall, position_m: [4, 0, 0]}\n"
         "    - name: door\n      mesh: door\n      position_m: [3, 0, 0]\n" +
         door;
}

SceneSetup read_drawn(const std::string& sensor, const std::string& door = "",
                      const std::vector<std::string>& overrides = {}) {
  return read_scene_text(drawn_scene_text(sensor, door), "s.yaml", overrides);
}

const std::string kDrawnSensor =
    "    fx: {uniform: [10, 14]}\n"
    "    baseline_m: {truncated_normal: [0.05, 0.001], limits: [0.048, 0.052]}\n"
    "    principal_point_px: [{uniform: [6, 9]}, 5.5]\n"
    "    pose_offset:\n      position_m: {normal: [0, 0.01]}\n      rotation_deg: [0, {uniform: [-3, 3]}, 1.5]\n"
    "    noise: [distance: {stddev_m: {uniform: [0, 0.1]}}]\n";
const std::string kDrawnDoor =
    "      reflectivity: {uniform: [0.2, 0.9]}\n      pose_offset: {position_m: [{uniform: [-0.2, 0.2]}, 0, 0]}\n";

TEST(DrawnScene, RangesArriveInTheUnitOfTheLibrary) {
  const SceneSetup setup = read_drawn(kDrawnSensor, kDrawnDoor);
  const std::vector<ParameterRange>& r = setup.sensors[0].ranges;
  std::vector<std::string> fields;
  for (const ParameterRange& range : r) fields.push_back(range.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"stddev_m", "fx", "cx", "baseline_m", "position_x_m", "position_y_m",
                                              "position_z_m", "rotation_y_rad", "rotation_z_rad"}));
  EXPECT_EQ(r[0].target, ParameterRange::Target::kNoise);
  EXPECT_EQ(r[3].law, ParameterRange::Law::kTruncatedNormal);
  EXPECT_EQ(r[3].mean, 0.05);
  EXPECT_EQ(r[3].high, 0.052);
  EXPECT_EQ(r[4].law, ParameterRange::Law::kNormal);
  EXPECT_NEAR(r[7].low, -3 * kRadPerDeg, 1e-15);
  EXPECT_NEAR(r[8].low, 1.5 * kRadPerDeg, 1e-15);
  EXPECT_EQ(r[8].low, r[8].high) << "a plain number is a range of one value";
  const auto& camera = std::get<StereoCamera>(setup.sensors[0].sensor.model);
  EXPECT_EQ(camera.fx, 12);
  EXPECT_EQ((*camera.principal_point_px)[0], 7.5);
  ASSERT_EQ(setup.entity_ranges.size(), 2U);
  EXPECT_EQ(setup.entity_ranges[0].field, "reflectivity");
  EXPECT_EQ(setup.entity_ranges[0].entity, EntityId{1});
  EXPECT_FLOAT_EQ(setup.scene.entities()[1].reflectivity, 0.55F);
  EXPECT_EQ(plan_run(setup, {}).ranges, 11U);
}

/// The files of a run of an environment and episode.
struct DrawnRun {
  json summary;
  std::map<std::string, std::string> files;
};

DrawnRun run_drawn(const SceneSetup& setup, std::uint32_t environment, std::uint32_t episode) {
  const TemporaryFolder folder;
  RunOptions options;
  options.out = folder / "out", options.environment = environment, options.episode = episode;
  run_scene(setup, options);
  return {json::parse(test::bytes_of(options.out / "summary.json")), read_folder(options.out)};
}

TEST(DrawnScene, ARunIsTheEnvironmentOfTheSameNumber) {
  const SceneSetup setup = read_drawn(kDrawnSensor, kDrawnDoor);
  const DrawnRun single = run_drawn(setup, 3, 2);
  Environments batch(setup.scene, setup.sensors[0].sensor,
                     {.simulator = {.seed = 5, .compute = {.threads = 1}},
                      .count = 5,
                      .ranges = setup.sensors[0].ranges,
                      .entity_ranges = setup.entity_ranges});
  batch.reset(3, 2);
  const json& of_sensor = single.summary.at("sensors").at(0).at("drawn");
  const std::vector<ParameterRange::Drawn> drawn = batch.drawn(3);
  ASSERT_EQ(of_sensor.size(), drawn.size());
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    EXPECT_EQ(of_sensor[k]["parameter"], drawn[k].field);
    EXPECT_EQ(of_sensor[k]["value"], drawn[k].value);
    EXPECT_EQ(of_sensor[k].contains("model"), drawn[k].target == ParameterRange::Target::kNoise);
  }
  const json wanted = {{{"entity", "door"}, {"parameter", "reflectivity"}, {"value", batch.entity_drawn(3)[0].value}},
                       {{"entity", "door"}, {"parameter", "position_x_m"}, {"value", batch.entity_drawn(3)[1].value}}};
  EXPECT_EQ(single.summary.at("drawn"), wanted);
  Frame frame({Channel::kRange, Channel::kIntensity});
  const TemporaryFolder folder;
  for (std::uint32_t index : {0U, 1U}) {
    batch.render(index, frame);
    for (const std::string channel : {"range", "intensity"}) {
      const std::string name = channel + "_00000" + std::to_string(index) + ".npy";
      const npy::Array found = npy::read(folder.write(name, single.files.at("cam/" + name)));
      const auto values = channel == "range" ? frame.range_m() : frame.intensity();
      const auto mine = std::as_bytes(values.subspan(3 * 16 * 12, 16 * 12));
      ASSERT_EQ(found.bytes.size(), mine.size());
      EXPECT_EQ(std::memcmp(found.bytes.data(), mine.data(), mine.size()), 0) << name;
    }
  }
  EXPECT_NE(run_drawn(setup, 3, 1).files.at("cam/range_000000.npy"), single.files.at("cam/range_000000.npy"));
  EXPECT_FALSE(run_drawn(read_drawn("    fx: 12\n    baseline_m: 0.05\n"), 0, 0).summary.contains("drawn"));
}

// Datasets keep a simulator and begin one episode after the other in it.
TEST(DrawnScene, AnEpisodeBegunAnewIsTheOneOfARunOfItsOwn) {
  const SceneSetup setup = read_drawn(kDrawnSensor, kDrawnDoor);
  const auto frame_of = [&](PreparedRun& run) {
    Frame frame({Channel::kRange, Channel::kIntensity, Channel::kHitWorld});
    run.simulator.render(run.sensors[0].id, 1, frame);
    return frame;
  };
  RunOptions options;
  PreparedRun kept = prepare_run(setup, options);
  static_cast<void>(frame_of(kept));
  for (const std::uint32_t episode : {4U, 0U, 9U}) {
    begin_episode(kept, setup, 2, episode);
    options.environment = 2, options.episode = episode;
    PreparedRun fresh = prepare_run(setup, options);
    const Frame a = frame_of(kept), b = frame_of(fresh);
    EXPECT_EQ(std::memcmp(a.range_m().data(), b.range_m().data(), a.range_m().size_bytes()), 0);
    EXPECT_EQ(std::memcmp(a.intensity().data(), b.intensity().data(), a.intensity().size_bytes()), 0);
    EXPECT_EQ(std::memcmp(a.hit_world_m().y.data(), b.hit_world_m().y.data(), a.hit_world_m().y.size_bytes()), 0);
    EXPECT_EQ(kept.drawn.at(0).value, fresh.drawn.at(0).value);
    EXPECT_EQ(kept.sensors[0].drawn.at(5).value, fresh.sensors[0].drawn.at(5).value);
  }
}

TEST(DrawnScene, OverridesGiveAndReplaceRanges) {
  const std::string plain = "    fx: 12\n    baseline_m: 0.05\n";
  EXPECT_EQ(read_drawn(plain, "", {"sensors.cam.baseline_m={uniform: [0.04, 0.06]}"}).sensors[0].ranges.size(), 1U);
  EXPECT_EQ(read_drawn(plain, "", {"scene.entities.door.reflectivity={uniform: [0, 1]}"}).entity_ranges.size(), 1U);
  const SceneSetup setup = read_drawn(kDrawnSensor, kDrawnDoor,
                                      {"sensors.cam.pose_offset.rotation_deg.1.uniform.1=5", "sensors.cam.fx=12",
                                       "scene.entities.door.pose_offset.position_m=[1, 0, 0]"});
  const std::vector<ParameterRange>& r = setup.sensors[0].ranges;
  ASSERT_EQ(r.size(), 8U);
  EXPECT_NEAR(r[6].high, 5 * kRadPerDeg, 1e-15);
  EXPECT_EQ(setup.entity_ranges[1].low, 1.0);
}

// A preset gives its focal length in one way; a range in another way replaces it.
TEST(DrawnScene, ARangeStandsBesideAPreset) {
  const std::string text =
      "sensors:\n  - name: cam\n    preset: D435\n    noise: []\n    baseline_m: {uniform: [0.048, 0.052]}\n    fx: "
      "{uniform: [600, 640]}\nscene:\n  meshes: {m: {box: {size_m: [1, 1, 1]}}}\n  entities: [{name: e, mesh: m}]\n";
  EXPECT_EQ(read_scene_text(text, "s.yaml", {}).sensors[0].ranges.size(), 2U);
}

void drawn_refused(const std::string& sensor, const std::string& door, const std::vector<std::string>& parts) {
  const std::string message = input_error([&] { static_cast<void>(read_drawn(sensor, door)); });
  for (const std::string& part : parts) EXPECT_TRUE(contains(message, part));
}

TEST(DrawnScene, WrongRangesAreRefusedWhereTheyStand) {
  const std::string fx = "    fx: 12\n", both = fx + "    baseline_m: 0.05\n";
  drawn_refused(fx + "    baseline_m: {uniform: [0.05, 200]}\n", "",
                {"s.yaml:11:", "baseline_m", "200 is not in [0, 100] m"});
  drawn_refused(fx + "    baseline_m: {uniform: [.nan, 1]}\n", "", {"s.yaml:11:", "is not a finite number"});
  drawn_refused(fx + "    baseline_m: {log_uniform: [0, 1]}\n", "", {"s.yaml:11:", "does not begin above 0"});
  drawn_refused(fx + "    baseline_m: {truncated_normal: [0.05, 0], limits: [0.04, 0.06]}\n", "",
                {"s.yaml:11:", "a stddev above 0"});
  drawn_refused(fx + "    baseline_m: {truncated_normal: [0.05, 1e-6], limits: [0.06, 0.07]}\n", "",
                {"s.yaml:11:", "is too far from the mean"});
  drawn_refused(fx + "    baseline_m: {uniform: [0, 0.1]}\n    noise: [stereo_shadow: {}]\n", "",
                {"s.yaml:11:", "at 0"});
  drawn_refused(both + "    pose_offset: {rotation_deg: {uniform: [0, 200]}}\n", "",
                {"s.yaml:12:", "200 is not in [-180, 180] deg"});
  drawn_refused(both + "    pose_offset: {rotation_deg: 3}\n", "",
                {"s.yaml:12:", "neither a range nor a list of three"});
  drawn_refused(both + "    pose_offset: {position_m: [0, 1]}\n", "", {"s.yaml:12:", "has 2 values, not 3"});
  drawn_refused(both + "    pose_offset: {rotation: [0, 1, 2]}\n", "", {"s.yaml:12:", "is not a known key"});
  drawn_refused(both, "      reflectivity: {uniform: [0.5, 1.5]}\n", {"reflectivity.uniform", "1.5 is not in [0, 1]"});
  drawn_refused(both, "      scale: {uniform: [1, 2]}\n",
                {"scale", "is a range; only numbers of noise models and of sensors"});
  const std::string message =
      input_error([&] { static_cast<void>(read_drawn(both, "", {"sensors.cam.width={uniform: [4, 8]}"})); });
  EXPECT_TRUE(contains(message, "width = {uniform: [4, 8]} is"));
}

// Each range fits the middle of the other, but their ends do not fit together.
TEST(DrawnScene, RangesMustFitTogether) {
  const auto read = [](const std::string& low, const std::string& high) {
    return input_error([&] {
      const std::string text =
          "sensors:\n  - name: laser\n    type: laser_2d\n    rays: 9\n    min_azimuth_deg: -90\n    max_azimuth_deg: "
          "90\n    min_range_m: " +
          low + "\n    max_range_m: " + high +
          "\n    pose_offset: {position_m: {uniform: [0, 1]}}\nscene:\n  meshes: {m: {box: {size_m: [1, 1, 1]}}}\n"
          "  entities: [{name: e, mesh: m}]\n";
      static_cast<void>(plan_run(read_scene_text(text, "s.yaml", {}), {}));
    });
  };
  EXPECT_EQ(read("{uniform: [0, 2]}", "{uniform: [3, 11]}"), "");
  EXPECT_EQ(read("{uniform: [0, 4]}", "{uniform: [3, 11]}"),
            "s.yaml:8:18: sensors.laser.max_range_m: ranges of laser_2d.min_range_m, at 4, and max_range_m, at 3: "
            "laser_2d.min_range_m = 4 is not below max_range_m = 3");
  EXPECT_TRUE(contains(read("{normal: [1, 1], limits: [0, 4]}", "{log_uniform: [3, 11]}"),
                       "s.yaml:8:18: sensors.laser.max_range_m: ranges of laser_2d.min_range_m, at 4 (narrower limits "
                       "keep it from there), and max_range_m, at 3: "));
}

TEST(DrawnScene, ARosetteHasNoFocalLengthToDraw) {
  const std::string text =
      "sensors:\n  - {name: r, preset: Mid-40, fx: {uniform: [1, 2]}}\nscene:\n  meshes: {m: {box: {size_m: [1, 1, "
      "1]}}}\n  entities: [{name: e, mesh: m}]\n";
  const std::string message = input_error([&] { static_cast<void>(read_scene_text(text, "s.yaml", {})); });
  EXPECT_TRUE(contains(message, "fx is not a known key"));
}

}  // namespace
}  // namespace fathom::test
