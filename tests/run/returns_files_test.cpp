// SPDX-License-Identifier: MIT
// Diverging rays, several returns, materials and falloff in scene files, and in the files of runs.

#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>

#include "core/text/formats.hpp"
#include "run/defects.hpp"

namespace fathom::test::returns_files_test {
namespace {

const std::string kDualScene = R"(seed: 4
sensors:
  - name: lidar
    preset: VLP-16
    columns: 90
    position_m: [0, 0, 1]
    divergence: {horizontal_deg: 2, vertical_deg: 1, profile: uniform, separation_m: 0.3}
    returns: [strongest, last]
    falloff: {law: inverse_square, reference_m: 2}
    noise: [distance: {stddev_m: 0.01}]
    outputs: [npy: {channels: [range, hit_sensor, reason, intensity, ring]}, pcd, pcd: {keep_misses: true, frame: world}]
scene:
  materials:
    matt: {reflectivity: 0.5}
    paint: {table_deg: [[0, 1], [90, 0.5]]}
    sign: {reflectivity: 0.7, retro: {gain: 40, width_deg: 25}}
  meshes:
    floor: {plane: {size_m: [40, 40]}}
    box: {box: {size_m: [1, 1, 1]}}
  entities:
    - {name: floor, mesh: floor, material: matt}
    - {name: crate, mesh: box, position_m: [3, 0, 1], material: sign}
    - {name: wall, mesh: box, position_m: [6, 0, 1], scale: [0.1, 12, 4], material: paint}
)";

Frame render(const SceneSetup& setup, ChannelSet channels) {
  Simulator simulator = make_simulator(setup);
  Frame frame(channels);
  simulator.render(SensorId{0}, 0, frame);
  return frame;
}

TEST(ReturnsFiles, TheSceneSaysWhatTheCppApiSays) {
  const SceneSetup setup = read_scene_text(kDualScene, "s.yaml", {});
  const Sensor& sensor = setup.sensors[0].sensor;
  EXPECT_NEAR(sensor.divergence.horizontal_rad, 2 * M_PI / 180, 1e-6);
  EXPECT_NEAR(sensor.divergence.vertical_rad, 1 * M_PI / 180, 1e-6);
  EXPECT_EQ(sensor.divergence.profile, BeamProfile::kUniform);
  EXPECT_EQ(sensor.divergence.separation_m, 0.3F);
  EXPECT_EQ(sensor.returns, (ReturnChoices{ReturnChoice::kStrongest, ReturnChoice::kLast}));
  EXPECT_EQ(sensor.falloff.law, FalloffLaw::kInverseSquare);
  EXPECT_EQ(sensor.falloff.reference_m, 2.0F);
  ASSERT_EQ(setup.scene.materials().size(), 3U);
  const Material& paint = *setup.scene.material_of(EntityId{2});
  EXPECT_EQ(paint.law, Material::Law::kTable);
  ASSERT_EQ(paint.table.size(), 2U);
  EXPECT_NEAR(paint.table[1].angle_rad, M_PI / 2, 1e-6);
  EXPECT_EQ(setup.scene.material_of(EntityId{1})->gain, 40.0F);
  const SceneSetup one =
      read_scene_text(replaced(kDualScene, "returns: [strongest, last]", "returns: last"), "s.yaml", {});
  EXPECT_EQ(one.sensors[0].sensor.returns, ReturnChoices{ReturnChoice::kLast});
  EXPECT_EQ(sensor.coinciding, CoincidingReturn::kNext);
  for (std::size_t i = 0; i < kChoiceWords<CoincidingReturn>.size(); ++i) {
    const std::string key = "last]\n    coinciding: " + std::string(kChoiceWords<CoincidingReturn>[i]);
    const SceneSetup other = read_scene_text(replaced(kDualScene, "last]", key), "s.yaml", {});
    EXPECT_EQ(other.sensors[0].sensor.coinciding, static_cast<CoincidingReturn>(i));
  }
}

TEST(ReturnsFiles, HoldAllReturns) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_text(kDualScene, "s.yaml", {});
  RunOptions options;
  options.out = folder / "out";
  options.digest = true;
  const RunResult result = run_scene(setup, options);
  const Frame f = render(setup, {Channel::kRange, Channel::kHitSensor, Channel::kReason, Channel::kIntensity});
  const npy::Array range = npy::read(folder / "out/lidar/range_000000.npy");
  EXPECT_EQ(range.shape, (std::vector<std::size_t>{2, 16, 90}));
  ASSERT_EQ(range.bytes.size(), f.range_m().size_bytes());
  EXPECT_EQ(std::memcmp(range.bytes.data(), f.range_m().data(), range.bytes.size()), 0);
  const npy::Array points = npy::read(folder / "out/lidar/hit_sensor_000000.npy");
  EXPECT_EQ(points.shape, (std::vector<std::size_t>{2, 16, 90, 3}));
  std::size_t second = 0, blank = 0, hits = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.reason()[i] == Reason::kHit) {
      ++hits, second += i >= f.rays() ? 1 : 0;
      EXPECT_EQ(static_cast<float>(points.at(3 * i + 2)), f.hit_sensor_m().z[i]);
    }
    blank += f.reason()[i] == Reason::kNoFurtherReturn ? 1 : 0;
  }
  EXPECT_GT(second, 20U);
  EXPECT_GT(blank, 500U);

  const std::string pcd = test::bytes_of(folder / "out/lidar/cloud_000000.pcd");
  EXPECT_TRUE(contains(pcd, "FIELDS x y z intensity ring time return\n"));
  EXPECT_TRUE(contains(pcd, "POINTS " + std::to_string(hits) + "\n"));
  const std::string data = pcd.substr(pcd.find("DATA binary\n") + 12);
  ASSERT_EQ(data.size(), 23 * hits);
  std::size_t of_second = 0;
  for (std::size_t i = 0; i < hits; ++i) of_second += data[23 * i + 22] == 1 ? 1 : 0;
  EXPECT_EQ(of_second, second);
  const std::string whole = test::bytes_of(folder / "out/lidar/cloud_world_000000.pcd");
  EXPECT_TRUE(contains(whole, "WIDTH 90\nHEIGHT 32\n"));

  const auto summary = nlohmann::json::parse(test::bytes_of(folder / "out/summary.json"));
  const auto& sensor = summary["sensors"][0];
  EXPECT_EQ(sensor["rays"], 1440);
  EXPECT_EQ(sensor["returns"], (std::vector<std::string>{"strongest", "last"}));
  EXPECT_NEAR(sensor["divergence"]["separation_m"].get<double>(), 0.3, 1e-6);
  EXPECT_EQ(sensor["falloff"].dump(), R"({"law":"inverse_square","reference_m":2.0})");
  EXPECT_EQ(sensor["reasons"]["no_further_return"], blank);
  EXPECT_EQ(result.sensors[0].rays, 1440U);
}

TEST(ReturnsFiles, ASummarySaysHowRaysWidenWhateverTheirNumberOfReturns) {
  const auto summed_up = [](const std::string& text) {
    const TemporaryFolder folder;
    RunOptions options;
    options.out = folder / "out";
    run_scene(read_scene_text(text, "s.yaml", {}), options);
    return nlohmann::json::parse(test::bytes_of(folder / "out/summary.json"))["sensors"][0];
  };
  const std::string one_return = replaced(kDualScene, "returns: [strongest, last]", "returns: last");
  const auto one = summed_up(one_return);
  EXPECT_FALSE(one.contains("returns") || one.contains("coinciding"));
  EXPECT_EQ(one["divergence"]["profile"], "uniform");
  EXPECT_EQ(one["falloff"]["law"], "inverse_square");
  const std::string divergence =
                        "    divergence: {horizontal_deg: 2, vertical_deg: 1, profile: uniform, separation_m: "
                        "0.3}\n",
                    falloff = "    falloff: {law: inverse_square, reference_m: 2}\n";
  const auto plain = summed_up(replaced(replaced(one_return, divergence, ""), falloff, ""));
  EXPECT_FALSE(plain.contains("divergence") || plain.contains("falloff"));
}

TEST(ReturnsFiles, PicturesShowTheFirstOfTheList) {
  const auto pictures = [](const std::string& returns) {
    const TemporaryFolder folder;
    std::string text = replaced(kDualScene, "returns: [strongest, last]", "returns: " + returns);
    text = replaced(text,
                    "outputs: [npy: {channels: [range, hit_sensor, reason, intensity, ring]}, pcd, pcd: {keep_misses: "
                    "true, frame: world}]",
                    "outputs: [range_image, reason_picture, depth_png: {channel: range, per_m: 500}]");
    RunOptions options;
    options.out = folder / "out";
    run_scene(read_scene_text(text, "s.yaml", {}), options);
    auto files = read_folder(options.out);
    files.erase("summary.json");
    return files;
  };
  const auto one = pictures("strongest"), two = pictures("[strongest, last]");
  EXPECT_EQ(one.size(), 3U);
  EXPECT_EQ(one, two);
}

TEST(ReturnsFiles, PicturesShowTheReturnThatTheyAreAskedFor) {
  const TemporaryFolder folder;
  const std::size_t begin = kDualScene.find("    outputs:"), end = kDualScene.find('\n', begin);
  const auto with_outputs = [&](const std::string& outputs) {
    return read_scene_text(kDualScene.substr(0, begin) + "    outputs: " + outputs + kDualScene.substr(end), "s.yaml",
                           {});
  };
  const SceneSetup setup = with_outputs(
      "[range_image, range_image: {return_number: 1}, reason_picture: {return_number: 1, legend: false}, "
      "depth_png: {channel: range, per_m: 500, return_number: 1}, label_picture: {values: id, return_number: 1}]");
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const Frame f = render(setup, {Channel::kRange, Channel::kReason, Channel::kLabel, Channel::kEntityId});
  const Frame second = f.of_return(1);
  std::vector<std::string> names;
  for (const Entity& entity : setup.scene.entities()) names.push_back(entity.name);
  write_range_image(folder / "first.png", f.of_return(0), ColorBy::kRange, 0.0, {}, {true, names});
  write_range_image(folder / "second.png", second, ColorBy::kRange, 0.0, {}, {true, names});
  write_reason_picture(folder / "reason.png", second, false);
  write_label_ids(folder / "label.png", second);
  write_depth_png(folder / "range.png", second, Channel::kRange, {LostValue::kZero, 100.0F}, 500.0, OffScale::kLost);
  const std::pair<const char*, const char*> same[] = {{"range_image_000000.png", "first.png"},
                                                      {"range_image_return1_000000.png", "second.png"},
                                                      {"reason_return1_000000.png", "reason.png"},
                                                      {"range_return1_000000.png", "range.png"},
                                                      {"label_id_return1_000000.png", "label.png"}};
  for (const auto& [written, wanted] : same) {
    EXPECT_EQ(test::bytes_of(folder / "out/lidar" / written), test::bytes_of(folder / wanted)) << written;
  }
  EXPECT_NE(test::bytes_of(folder / "first.png"), test::bytes_of(folder / "second.png"));
  EXPECT_TRUE(contains(test::input_error([&] { plan_run(with_outputs("[range_image: {return_number: 2}]"), {}); }),
                       "return_number = 2 is not in [0, 1]: the sensor has 2 returns of each ray"));
}

TEST(ReturnsFiles, APlanCountsThem) {
  const RunPlan dual = plan_run(read_scene_text(kDualScene, "s.yaml", {}), {});
  const RunPlan one =
      plan_run(read_scene_text(replaced(kDualScene, "returns: [strongest, last]", "returns: last"), "s.yaml", {}), {});
  EXPECT_EQ(dual.sensors[0].returns, 2U);
  EXPECT_EQ(dual.sensors[0].rays(), one.sensors[0].rays());
  const auto bytes = [](const RunPlan& plan) { return plan.sensors[0].outputs[0].bytes_at_most - 1024; };
  EXPECT_EQ(bytes(dual), 2 * bytes(one));
  EXPECT_GT(dual.memory_bytes, one.memory_bytes);
}

class BadReturns : public testing::TestWithParam<Defect> {};
TEST_P(BadReturns, AreRefusedInOneLine) { expect_refused(GetParam(), kDualScene); }

INSTANTIATE_TEST_SUITE_P(Defects, BadReturns, testing::ValuesIn(read_defects("bad_returns.txt")),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fathom::test::returns_files_test
