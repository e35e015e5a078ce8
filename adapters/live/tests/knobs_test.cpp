// SPDX-License-Identifier: MIT
// Knobs over noise chains, the density of errors, and scenes as YAML.

#include <fathom/noise/models.hpp>

#include "live/frame_messages.hpp"
#include "live/knobs.hpp"
#include "live/save_scene.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

TEST(KnobsTest, EveryNumberOfEveryModelIsAKnob) {
  const Scene scene;
  for (const NoiseInfo& model : noise_models()) {
    Sensor sensor{.name = "s", .model = SpinningLidar(), .noise = {make_noise(model.slug, {})}};
    Knobs knobs;
    knobs.add(sensor, scene);
    const auto parameters = knobs.parameters();
    ASSERT_EQ(parameters.size(), model.fields.size());
    EXPECT_EQ(knobs.json()["knobs"].size(), model.fields.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_EQ(parameters[i].name, "sensors.s.noise.0." + std::string(model.fields[i].name));
      EXPECT_NO_THROW(static_cast<void>(knobs.with(parameters[i]))) << parameters[i].name;
      EXPECT_THROW(static_cast<void>(knobs.with({parameters[i].name, {}})), InputError);
      if (model.fields[i].kind != FieldKind::kNumber) continue;
      EXPECT_THROW(static_cast<void>(knobs.with({parameters[i].name, model.fields[i].high + 1})), InputError);
      EXPECT_THROW(static_cast<void>(knobs.with({parameters[i].name, std::nan("")})), InputError);
    }
  }
}

TEST(KnobsTest, TurnsWhatItNames) {
  const Scene scene;
  const Sensor sensor{.name = "s",
                      .model = SpinningLidar(),
                      .noise = {DistanceNoise{.stddev_m = 0.02F}, AngularHit{.axis = Axis::kY},
                                ChainEntry(DistanceNoise(), std::vector<RingEntry>{{7, DistanceNoise{.mean_m = 1}}})}};
  Knobs knobs;
  knobs.add(sensor, scene);
  EXPECT_EQ(std::get<double>(knobs.parameters()[1].value), 0.02);
  knobs.keep(0, knobs.with({"sensors.s.noise.0.stddev_m", 0.5}));
  knobs.keep(0, knobs.with({"sensors.s.noise.1.axis", std::string("x")}));
  knobs.keep(0, knobs.with({"sensors.s.noise.2.rings.7.mean_m", 2.0}));
  EXPECT_EQ(knobs.chain(0)[0].noise.values()[1].number(), 0.5);
  EXPECT_EQ(knobs.chain(0)[1].noise.values()[0].number(), 0.0);
  EXPECT_EQ(knobs.chain(0)[2].by_ring[0].noise.values()[0].number(), 2.0);
  EXPECT_EQ(knobs.chain(0)[2].noise.values()[0].number(), 0.0);
  EXPECT_THROW(static_cast<void>(knobs.with({"sensors.s.noise.1.axis", std::string("w")})), InputError);
  EXPECT_THROW(static_cast<void>(knobs.with({"sensors.s.noise.3.axis", 1.0})), InputError);
}

TEST(KnobsTest, TurnsCorrelationsWhereThereAreSome) {
  const Scene scene;
  const Sensor sensor{
      .name = "s",
      .model = SpinningLidar(),
      .noise = {{DistanceNoise{}, Correlation{.across_px = 2.5F, .time_s = math::kInfinity}}, DistanceNoise{}}};
  Knobs knobs;
  knobs.add(sensor, scene);
  std::size_t found = 0;
  for (const Parameter& parameter : knobs.parameters()) {
    found += parameter.name.find(".correlation.") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(found, 5U) << "both sizes, both motions and the shape";
  EXPECT_EQ(knobs.json()["knobs"].size(), knobs.parameters().size());
  EXPECT_FALSE(contains(knobs.json().dump(), "null"));
  knobs.keep(0, knobs.with({"sensors.s.noise.0.correlation.across_px", 3.5}));
  knobs.keep(0, knobs.with({"sensors.s.noise.0.correlation.shape", std::string("exponential")}));
  const Correlation wanted{.across_px = 3.5F, .time_s = math::kInfinity, .shape = CorrelationShape::kExponential};
  EXPECT_EQ(knobs.chain(0)[0].correlation, wanted);
  EXPECT_THROW(static_cast<void>(knobs.with({"sensors.s.noise.0.correlation.across_px", 65.0})), InputError);
  EXPECT_THROW(static_cast<void>(knobs.with({"sensors.s.noise.1.correlation.across_px", 1.0})), InputError);
}

// Against draws: the share of errors in each bin is the integral of the density, within five standard deviations.
TEST(ErrorDensityTest, IsTheDensityOfTheErrors) {
  const NoiseChain chain = {GainBias{.gain = 0.01F, .bias_m = 0.02F},
                            DistanceNoise{.mean_m = -0.05F, .stddev_m = 0.02F, .stddev_per_m = 0.01F},
                            UniformNoise{.low_m = -0.1F, .high_m = 0.05F}, Dropout{.probability = 0.3F}};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> ranges(1, 9), uniform(-0.1, 0.05);
  std::vector<float> clean, errors;
  for (int i = 0; i < 200'000; ++i) {
    const double r = ranges(random), there = r * 1.01 + 0.02;
    clean.push_back(static_cast<float>(r));
    errors.push_back(static_cast<float>(there - r - 0.05 + (0.02 + 0.01 * there) * normal(random) + uniform(random)));
  }
  const ErrorHistogram histogram = make_error_histogram(errors);
  std::vector<double> middles;
  const double width = histogram.edges_m[1] - histogram.edges_m[0];
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) middles.push_back(histogram.edges_m[i] + width / 2);
  const auto density = error_density(chain, clean, middles);
  ASSERT_TRUE(density);
  for (std::size_t i = 0; i < middles.size(); ++i) {
    const double expected = (*density)[i] * width * static_cast<double>(errors.size());
    EXPECT_NEAR(static_cast<double>(histogram.counts[i]), expected, 5 * std::sqrt(expected) + 0.01 * expected)
        << middles[i];
  }
}

TEST(ErrorDensityTest, IsUnknownOfOtherChains) {
  const std::vector<float> clean = {1, 2};
  const std::vector<double> at = {0};
  const DistanceNoise noise{.stddev_m = 0.1F};
  EXPECT_TRUE(error_density({noise}, clean, at));
  EXPECT_FALSE(error_density({}, clean, at));
  EXPECT_FALSE(error_density({noise}, {}, at));
  EXPECT_FALSE(error_density({AngularRay{.stddev_rad = 0.1F}, noise}, clean, at));
  EXPECT_FALSE(error_density({noise, DistanceNoise{.stddev_per_m = 0.1F}}, clean, at));
  EXPECT_FALSE(error_density({GainBias{.gain = 0.1F}}, clean, at));
  EXPECT_FALSE(error_density({ChainEntry(noise, std::vector<RingEntry>{{0, noise}})}, clean, at));
}

TEST(ErrorHistogramTest, CountsAllButTheTails) {
  std::vector<float> errors(10'000);
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = static_cast<float>(i) * 1e-4F - 0.5F;
  errors.push_back(1000);
  const ErrorHistogram histogram = make_error_histogram(errors);
  EXPECT_LT(histogram.edges_m.back(), 1);
  std::uint64_t counted = 0;
  for (const std::uint64_t count : histogram.counts) counted += count;
  EXPECT_GE(counted, 9970U);
  EXPECT_EQ(make_error_histogram({}).counts.size(), histogram.counts.size());
}

bool same(const YamlValue& a, const YamlValue& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size()) return false;
  if (a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same(a.items[i], b.items[i])) return false;
  }
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key != b.entries[i].key || !same(a.entries[i].value, b.entries[i].value)) return false;
  }
  return true;
}

TEST(YamlTextTest, ReadsAsTheSameTree) {
  for (const char* text : {"a: 1\nb: [1, -2.5, .nan, x y, 'null', '']\n", "a: {b: {c: [[1, 2], [3]]}, d: []}\n",
                           "list:\n  - name: x\n    deep: [{a: 1}, {b: [1, {c: d}]}]\n  - word\n  -\n  - []\n",
                           "'#': ': - [ { \" \\ \t ü'\n", "empty:\nm: {}\n", "w: '- x'\nv: 'a: b'\nu: '~'\n"}) {
    const YamlValue tree = parse_yaml(text, "a");
    const std::string written = yaml_text(tree);
    EXPECT_TRUE(same(tree, parse_yaml(written, "b"))) << text << "\n" << written;
  }
}

}  // namespace
}  // namespace fathom::test
