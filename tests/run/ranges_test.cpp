// SPDX-License-Identifier: MIT
// Parameters given as ranges: read, drawn once per (seed, environment, episode), held, and reported.

#include <fathom/simulate/environments.hpp>

#include "core/text/formats.hpp"
#include "render/parameter_range.hpp"
#include "run/scene_fixture.hpp"

namespace fathom::test::ranges_test {
namespace {

using nlohmann::json;

/// A stereo camera before a wall and a door; `noise` is the list of its models.
std::string scene_with(const std::string& noise) {
  return "frames: 2\nseed: 5\nsensors:\n  - name: cam\n    type: stereo_camera\n    width: 16\n    height: 12\n    fx: "
         "12\n"
         "    baseline_m: 0.1\n    reference: left\n    max_range_m: 20\n    noise: " +
         noise +
         "\n    outputs: [npy: {channels: [range, clean_range, reason]}]\n"
         "scene:\n  meshes:\n    wall: {box: {size_m: [0.1, 20, 20]}}\n    door: {box: {size_m: [0.1, 1, 2]}}\n"
         "  entities:\n    - {name: wall, mesh: wall, position_m: [4, 0, 0]}\n"
         "    - {name: door, mesh: door, position_m: [3, 0, 0]}\n";
}

SceneSetup read(const std::string& noise, const std::vector<std::string>& overrides = {}) {
  return read_scene_text(scene_with(noise), "s.yaml", overrides);
}

/// The result and the files of a run.
struct Ran {
  json summary;
  std::map<std::string, std::string> files;

  [[nodiscard]] const json& drawn() const { return summary.at("sensors").at(0).at("drawn"); }
  [[nodiscard]] double value(std::size_t k = 0) const { return drawn().at(k).at("value").get<double>(); }
};

Ran ran(const SceneSetup& setup, const RunOptions& changed = {}) {
  const TemporaryFolder folder;
  RunOptions options = changed;
  options.out = folder / "out";
  run_scene(setup, options);
  Ran result{json::parse(test::bytes_of(options.out / "summary.json")), read_folder(options.out)};
  result.files.erase("summary.json");
  return result;
}

RunOptions of_episode(std::uint32_t environment, std::uint32_t episode) {
  RunOptions options;
  options.environment = environment, options.episode = episode;
  return options;
}

// The reader knows no model by name: each number of each registered model may be a range.
/// Weights that must sum to 1 cannot be drawn separately.
bool is_weight(const NoiseInfo& model, const FieldInfo& field) {
  return model.slug == "beam_mixture" && field.name.starts_with("w_");
}

TEST(Ranges, EveryNumberOfEveryModelMayBeOne) {
  for (const NoiseInfo& model : noise_models()) {
    for (const FieldInfo& field : model.fields) {
      if (field.kind != FieldKind::kNumber || is_weight(model, field)) continue;
      const double low = 0.75 * field.low + 0.25 * field.high, high = 0.25 * field.low + 0.75 * field.high;
      char range[120];
      std::snprintf(range, sizeof range, "{uniform: [%.17g, %.17g]}", low, high);
      const SceneSetup setup =
          read("[" + std::string(model.slug) + ": {" + std::string(field.name) + ": " + range + "}]");
      const SensorSetup& sensor = setup.sensors[0];
      ASSERT_EQ(sensor.ranges.size(), 1U) << model.slug << "." << field.name;
      EXPECT_EQ(sensor.ranges[0].field, field.name);
      EXPECT_EQ(sensor.ranges[0].low, low);
      EXPECT_EQ(sensor.ranges[0].high, high);
      EXPECT_NEAR(sensor.sensor.noise[0].noise.number(sensor.ranges[0].field), (low + high) / 2, 1e-6 * std::abs(high));
      std::set<double> values;
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Sensor drawn = sensor.sensor;
        const double value = draw_ranges(drawn, sensor.ranges, seed)[0].value;
        EXPECT_TRUE(value >= low && value <= high) << model.slug << "." << field.name << " " << value;
        EXPECT_EQ(drawn.noise[0].noise.number(sensor.ranges[0].field), static_cast<float>(value));
        values.insert(value);
      }
      EXPECT_EQ(values.size(), 20U);
    }
  }
}

TEST(Ranges, WeightsThatMustSumToOneCannotBeDrawn) {
  const std::string message =
      test::input_error([] { static_cast<void>(read("[beam_mixture: {w_hit: {uniform: [0.5, 0.6]}}]")); });
  EXPECT_TRUE(test::contains(message, "s.yaml:12:")) << message;
  EXPECT_TRUE(test::contains(message, "w_hit = {uniform: [0.5, 0.6]} cannot be a range")) << message;
  EXPECT_TRUE(test::contains(message, "w_hit + w_short + w_max + w_rand = 0.8 is not 1")) << message;
  const std::string usual =  // the middle is the default, so that the sum is 1 there
      test::input_error([] { static_cast<void>(read("[beam_mixture: {w_hit: {uniform: [0.6, 0.8]}}]")); });
  EXPECT_TRUE(test::contains(usual, "cannot be a range")) << usual;
}

TEST(Ranges, TheThreeLawsArriveInTheUnitOfTheLibrary) {
  const SceneSetup setup = read(
      "[distance: {stddev_m: {log_uniform: [0.01, 0.04]}, mean_m: {normal: [0.5, 0.25], limits: [-1, 1]}},"
      " angular_hit: {stddev_deg: {uniform: [0, 90]}, mean_deg: {normal: [90, 45]}}]");
  const std::vector<ParameterRange>& r = setup.sensors[0].ranges;
  ASSERT_EQ(r.size(), 4U);  // in the order of the fields
  EXPECT_EQ(r[0].field, "mean_m");
  EXPECT_EQ(r[0].law, ParameterRange::Law::kNormal);
  EXPECT_EQ(r[0].mean, 0.5);
  EXPECT_EQ(r[0].stddev, 0.25);
  EXPECT_EQ(r[0].low, -1.0);
  EXPECT_EQ(r[0].high, 1.0);
  EXPECT_EQ(r[1].field, "stddev_m");
  EXPECT_EQ(r[1].law, ParameterRange::Law::kLogUniform);
  EXPECT_EQ(r[1].low, 0.01);
  EXPECT_NEAR(setup.sensors[0].sensor.noise[0].noise.number("stddev_m"), 0.02,
              1e-8);  // the middle of a log-uniform law
  EXPECT_EQ(r[2].entry, 1U);
  EXPECT_EQ(r[2].field, "mean_rad");
  EXPECT_NEAR(r[2].mean, 1.5707963267948966, 1e-15);
  EXPECT_NEAR(r[2].stddev, 0.7853981633974483, 1e-15);
  EXPECT_NEAR(r[2].high, 3.14159265, 1e-6);  // the limit of the field
  EXPECT_NEAR(r[3].high, 1.5707963267948966, 1e-15);
}

TEST(Ranges, ADrawIsHeldForTheEpisodeAndReported) {
  const Ran one = ran(read("[gain_bias: {bias_m: {uniform: [0.1, 1]}}]"));
  ASSERT_EQ(one.drawn().size(), 1U);
  EXPECT_EQ(one.drawn()[0].dump(),
            (json{{"entry", 0}, {"model", "gain_bias"}, {"parameter", "bias_m"}, {"value", one.value()}}).dump());
  EXPECT_TRUE(one.value() >= 0.1 && one.value() <= 1.0);
  EXPECT_EQ(one.summary["environment"], 0);
  EXPECT_EQ(one.summary["episode"], 0);
  EXPECT_EQ(one.summary["seed"], 5);
  const TemporaryFolder folder;
  for (const std::string frame : {"000000", "000001"}) {
    const auto array = [&](const std::string& name) {
      return npy::read(folder.write(name + frame, one.files.at("cam/" + name + "_" + frame + ".npy")));
    };
    const npy::Array range = array("range"), clean = array("clean_range");
    for (std::size_t i = 0; i < 16 * 12; ++i) ASSERT_NEAR(range.at(i) - clean.at(i), one.value(), 1e-6);
  }
}

TEST(Ranges, SeedEnvironmentAndEpisodeEachDrawAnew) {
  const std::string noise = "[distance: {stddev_m: {uniform: [0.01, 0.5]}}]";
  const SceneSetup setup = read(noise);
  const Ran first = ran(setup), again = ran(setup);
  EXPECT_EQ(first.value(), again.value());
  EXPECT_EQ(first.files, again.files);
  RunOptions other_seed;
  other_seed.seed = 6;
  std::set<double> values = {first.value()};
  for (const RunOptions& options : {other_seed, of_episode(1, 0), of_episode(0, 1), of_episode(1, 1)}) {
    const Ran other = ran(setup, options);
    EXPECT_TRUE(values.insert(other.value()).second);
    EXPECT_NE(other.files, first.files);
  }
  const Ran by_file = ran(read(noise, {"environment=1", "episode=1"})), by_option = ran(setup, of_episode(1, 1));
  EXPECT_EQ(by_file.files, by_option.files);
  EXPECT_EQ(by_file.summary["environment"], 1);
  EXPECT_EQ(by_file.summary["episode"], 1);
  EXPECT_EQ(by_file.summary["seed"], 5);  // of the run, not of the episode
}

TEST(Ranges, ARowInheritsTheDrawOrHasItsOwn) {
  const SceneSetup setup = read(
      "[stereo_energy: {pow: {uniform: [1, 2]}, entities: {door: {min_energy: {uniform: [0.1, 0.3]}},"
      " wall: {pow: {uniform: [1, 2]}}}}]");
  const Ran one = ran(setup);
  ASSERT_EQ(one.drawn().size(), 4U);
  EXPECT_EQ(one.drawn()[1]["entity"], "door");
  EXPECT_EQ(one.drawn()[1]["parameter"], "pow");
  EXPECT_EQ(one.value(1), one.value(0));  // missing in the row: from the model's line
  EXPECT_EQ(one.drawn()[2]["parameter"], "min_energy");
  EXPECT_EQ(one.drawn()[3]["entity"], "wall");
  EXPECT_NE(one.value(3), one.value(0));
  const SceneSetup fixed = read("[stereo_energy: {pow: {uniform: [1, 2]}, entities: {door: {pow: 9}}}]");
  ASSERT_EQ(fixed.sensors[0].ranges.size(), 1U);
  EXPECT_EQ(fixed.sensors[0].sensor.noise[0].by_entity[0].noise.number("pow"), 9.0);
}

TEST(Ranges, RowsByChannelMayBeRanges) {
  const SceneSetup setup =
      read("[gain_bias: {gain: {normal: [0, 0.01]}, rings: {0: {bias_m: 0.5}, 11: {gain: {uniform: [0.1, 0.2]}}}}]");
  const Ran one = ran(setup);
  ASSERT_EQ(one.drawn().size(), 3U);
  EXPECT_EQ(one.drawn()[1]["ring"], 0);
  EXPECT_EQ(one.value(1), one.value(0));
  EXPECT_EQ(one.drawn()[2]["ring"], 11);
  EXPECT_GE(one.value(2), 0.1);
}

TEST(Ranges, AnOverrideMayGiveOrReplaceARange) {
  const std::string noise = "[distance: {stddev_m: 0.1}]", path = "sensors.cam.noise.distance.stddev_m=";
  EXPECT_EQ(read(noise, {path + "{uniform: [0.2, 0.3]}"}).sensors[0].ranges.size(), 1U);
  EXPECT_TRUE(read(noise, {path + "{uniform: [0.2, 0.3]}", path + "0.4"}).sensors[0].ranges.empty());
  EXPECT_EQ(read("[distance: {stddev_m: {uniform: [0, 1]}}]", {path.substr(0, path.size() - 1) + ".uniform.1=2"})
                .sensors[0]
                .ranges[0]
                .high,
            2.0);
}

TEST(Ranges, WithoutOneNothingIsDrawn) {
  const Ran plain = ran(read("[distance: {stddev_m: 0.1}]"));
  EXPECT_EQ(plain.drawn(), json::array());
}

}  // namespace
}  // namespace fathom::test::ranges_test
