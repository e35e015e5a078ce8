// SPDX-License-Identifier: MIT
// Notes, with their place, on values in a scene file that have no effect or are likely slips; and hints that name only
// keys of the model.

#include <fathom/fit/chain.hpp>

#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

const std::string kNotedScene = R"(sensors:
  - name: cam
    type: stereo_camera
    width: 8
    height: 6
    fx: 8
    baseline_m: 0.1
    min_range_m: 0.1
    noise:
      - stereo_shadow: {}
    timing: {rate_hz: 20}
scene:
  meshes:
    box: {box: {size_m: [1, 1, 1]}}
  entities:
    - {name: crate, mesh: box, position_m: [3, 0, 0.5]}
)";

std::vector<std::string> notes_of(const std::string& text) { return read_scene_text(text, "s.yaml", {}).notes; }

std::vector<std::string> notes_with(const std::string& model) {
  return notes_of(replaced(kNotedScene, "stereo_shadow: {}", model));
}

using Notes = std::vector<std::string>;

TEST(IdleKeys, AStepThatALawDoesNotReadIsNoted) {
  EXPECT_EQ(notes_with("edge_loss: {law: angle, step: 0.1, high_probability: 0.5}"),
            Notes{"s.yaml:10:39: sensors.cam.noise.edge_loss.step = 0.1 has no effect: law = angle does not read it"});
  EXPECT_EQ(notes_with("edge_loss: {law: plane, step: 0.1, high_probability: 0.5}"), Notes{});
  EXPECT_EQ(notes_with("edge_loss: {law: angle, high_probability: 0.5}"), Notes{});
  // An entity with the other law uses it.
  EXPECT_EQ(notes_with("edge_loss: {law: angle, step: 0.1, entities: {crate: {law: plane}}}"), Notes{});
}

TEST(IdleKeys, FlyingWithoutSurfacesThatAreNotSureIsNoted) {
  EXPECT_EQ(notes_with("matching_window: {flying: true}"),
            Notes{"s.yaml:10:35: sensors.cam.noise.matching_window.flying = true has no effect: sure_share is not "
                  "above share, so every chosen surface is sure"});
  EXPECT_EQ(notes_with("matching_window: {flying: true, sure_share: 0.6}"), Notes{});
  EXPECT_EQ(notes_with("matching_window: {flying: false}"), Notes{});
}

TEST(IdleKeys, HalfOfNoLightIsNoted) {
  for (const std::string model : {"stereo_energy", "texture_loss"}) {
    const Notes notes = notes_with(model + ": {half_ambient_klx: 3}");
    ASSERT_EQ(notes.size(), 1U) << model;
    EXPECT_TRUE(contains(notes[0], "noise." + model + ".half_ambient_klx = 3 has no effect: ambient_klx = 0"));
    EXPECT_EQ(notes_with(model + ": {half_ambient_klx: 3, ambient_klx: 1}"), Notes{});
  }
}

/// The scene reader restores the parameters that learning writes. It notes only values that a user gave.
TEST(IdleKeys, AChainIsWrittenWithoutThem) {
  const NoiseChain chain = {StereoShadow{},
                            TextureLoss{.midpoint = 0.2F},
                            MatchingWindow{.radius_px = 2},
                            EdgeLoss{.low_probability = 0.1F, .law = EdgeLaw::kAngle},
                            Disparity{.stddev_px = 0.1F},
                            ChainEntry(Dropout{0.1F}, Correlation{.time_s = 2.0}),
                            ChainEntry(StereoEnergy{0.2F, 4.0F}, Correlation{.across_px = 2.0F})};
  const std::string text = chain_yaml(chain, 6);
  EXPECT_FALSE(contains(text, "half_ambient_klx"));
  EXPECT_FALSE(contains(text, "step:"));
  const SceneSetup setup = read_scene_text(replaced(kNotedScene, "      - stereo_shadow: {}\n", text), "s.yaml", {});
  EXPECT_EQ(setup.notes, Notes{}) << text;
  const NoiseChain& again = setup.sensors[0].sensor.noise;
  ASSERT_EQ(again.size(), chain.size());
  for (std::size_t k = 0; k < chain.size(); ++k) {
    ASSERT_EQ(again[k].noise.slug(), chain[k].noise.slug());
    const std::vector<FieldValue> read = again[k].noise.values(), written = chain[k].noise.values();
    for (std::size_t i = 0; i < written.size(); ++i) {
      EXPECT_EQ(read[i].number(), written[i].number()) << chain[k].noise.slug() << '.' << written[i].name;
    }
    EXPECT_EQ(again[k].correlation, chain[k].correlation) << chain[k].noise.slug();
  }
  // A value that the reader would not restore stays.
  const NoiseChain odd = {TextureLoss{.half_ambient_klx = 3.0F}};
  EXPECT_TRUE(contains(chain_yaml(odd), "half_ambient_klx: 3"));
  const NoiseChain lit = {TextureLoss{.ambient_klx = 1.0F}};
  EXPECT_TRUE(contains(chain_yaml(lit), "half_ambient_klx: 10"));
}

TEST(IdleKeys, AShapeOfNoCorrelationIsNoted) {
  EXPECT_EQ(
      notes_with("dropout: {probability: 0.1, correlation: {shape: exponential}}"),
      Notes{"s.yaml:10:58: sensors.cam.noise.dropout.correlation.shape = exponential has no effect: across_px = 0 "
            "and down_px = 0"});
  EXPECT_EQ(notes_with("dropout: {probability: 0.1, correlation: {shape: exponential, down_px: 2}}"), Notes{});
}

TEST(IdleKeys, ARateThatNoSensorHasIsNoted) {
  EXPECT_EQ(
      notes_of(replaced(kNotedScene, "rate_hz: 20", "rate_hz: 1000000")),
      Notes{"s.yaml:11:23: sensors.cam.timing.rate_hz = 1000000 is above 10000 Hz, faster than range sensors make "
            "frames: is it meant so?"});
  EXPECT_EQ(notes_of(replaced(kNotedScene, "rate_hz: 20", "rate_hz: 10000")), Notes{});
}

TEST(IdleKeys, HintsNameNoKeyThatTheModelRefuses) {
  const auto hint = [](const std::string& model) { return input_error([&] { static_cast<void>(notes_with(model)); }); };
  EXPECT_EQ(
      hint("matching_window: {windw: 1}"),
      "s.yaml:10:27: sensors.cam.noise.matching_window.windw is not a known key (known here: flying, max_step_px, "
      "min_area_px, radius_px, share, sure_share, valid_share)");
  // Draws nothing, but may differ by entity.
  EXPECT_TRUE(contains(hint("gain_bias: {windw: 1}"), "bias_m, entities, gain, rings)"));
  EXPECT_TRUE(contains(hint("dropout: {windw: 1}"), "correlation, entities, probability, rings)"));
  EXPECT_TRUE(contains(hint("matching_window: {entities: {crate: {}}}"), "matching_window cannot differ by entity"));
}

}  // namespace
}  // namespace fathom::test
