// SPDX-License-Identifier: MIT
// Parameters written for localizers give each reading of a log its learned density, by the localizer's own formula.
// Log densities differ by one constant, except where the formula does not truncate.

#include "fit/beam/synthetic.hpp"

namespace fathom::test::localizer_test {
namespace {

/// nav2_amcl/src/sensors/laser/beam_model.cpp, of one reading; amcl's is the same.
double nav2_probability(const LocalizerBeam& self, double obs_range, double map_range, double range_max) {
  const double z = obs_range - map_range;
  double pz = self.z_hit * std::exp(-(z * z) / (2 * self.sigma_hit * self.sigma_hit));
  if (z < 0) pz += self.z_short * self.lambda_short * std::exp(-self.lambda_short * obs_range);
  if (obs_range == range_max) pz += self.z_max * 1.0;
  if (obs_range < range_max) pz += self.z_rand * 1.0 / range_max;
  return pz;
}

/// beluga/include/beluga/sensor/beam_model.hpp, of one reading.
double beluga_probability(const LocalizerBeam& p, double z, double z_mean, double max_range) {
  const double n = 1. / (std::sqrt(2. * M_PI) * p.sigma_hit);
  const double eta_hit = 2. / (std::erf((max_range - z_mean) / (std::sqrt(2.) * p.sigma_hit)) -
                               std::erf(-z_mean / (std::sqrt(2.) * p.sigma_hit)));
  const double d = (z - z_mean) / p.sigma_hit;
  double pz = z < max_range ? p.z_hit * eta_hit * n * std::exp(-(d * d) / 2.) : 0.;  // beluga has it at Z, too
  if (z < z_mean) {
    const double eta_short = 1. / (1. - std::exp(-p.lambda_short * z_mean));
    pz += p.z_short * p.lambda_short * eta_short * std::exp(-p.lambda_short * z);
  }
  return pz + (z < max_range ? p.z_rand / max_range : p.z_max);
}

/// A log of the sensor whose readings without a return are exactly Z: amcl accepts no other value for them. Longer
/// readings have no weight in amcl, and a note reports it.
BeamData seen_by_a_localizer(BeamData data, const BeamSensor& sensor) {
  for (float& reading : data.reading_m) {
    if (classify(reading, sensor) == ReadingKind::kMax) reading = static_cast<float>(sensor.max_range_m);
  }
  for (float& expected : data.expected_m) {
    expected = std::max(expected, static_cast<float>(sensor.expected_floor_m));
  }
  return data;
}

/// The least and greatest of log p - log f over those readings that `counts` takes.
struct Spread {
  double low = INFINITY, high = -INFINITY;
  std::size_t readings = 0;
  void add(double value) { low = std::min(low, value), high = std::max(high, value), ++readings; }
};

/// Where nothing is cut, so that amcl's formula has all of the density: far from 0 and Z, and no short readings, which
/// amcl does not cut at z*. Readings without a return have no such limits but that no hit density reaches Z.
bool is_uncut(double z, double z_star, const BeamParameters& p, double limit_m) {
  const double far_m = 8.0 * p.sigma_hit_m;
  if (z_star < far_m || z_star > limit_m - far_m) return false;
  return z >= z_star;
}

void expect_amcl(const BeamParameters& p, const BeamSensor& sensor, const BeamData& data, std::size_t least) {
  const LocalizerBeam b = localizer_beam(p, Localizer::kNav2);
  EXPECT_NEAR(b.z_hit + b.z_short + b.z_max + b.z_rand, 1, 1e-12);
  Spread uncut, with_shorts;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const double z = data.reading_m[i], z_star = data.expected_m[i];
    if (classify(z, sensor) == ReadingKind::kNone) continue;
    const double log_p = std::log(nav2_probability(b, z, z_star, sensor.max_range_m));
    const BeamDensity density(p, sensor, z_star);
    if (is_uncut(z, z_star, p, sensor.max_range_m)) uncut.add(log_p - density.log_density(z));
    // The whole formula, shorts too, where the density is taken without its cuts.
    const double hit = z < sensor.max_range_m || std::abs(z - z_star) < 40 * p.sigma_hit_m
                           ? p.w_hit * math::normal_density((z - z_star) / p.sigma_hit_m) / p.sigma_hit_m
                           : 0.0;
    const double shorts = z < z_star ? p.w_short * p.lambda_short_per_m * std::exp(-p.lambda_short_per_m * z) : 0.0;
    const double rest = z < sensor.max_range_m ? p.w_rand / sensor.max_range_m : p.w_max;
    with_shorts.add(log_p - std::log(hit + shorts + rest));
  }
  EXPECT_GT(uncut.readings, least);
  EXPECT_LT(uncut.high - uncut.low, 1e-9);
  EXPECT_LT(with_shorts.high - with_shorts.low, 1e-9);
  EXPECT_NEAR(uncut.low, with_shorts.low, 1e-9);
}

void expect_beluga(const BeamParameters& p, const BeamSensor& sensor, const BeamData& data, double within = 1e-8) {
  const LocalizerBeam b = localizer_beam(p, Localizer::kBeluga);
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const double z = data.reading_m[i], z_star = data.expected_m[i];
    if (classify(z, sensor) == ReadingKind::kNone) continue;
    const double log_f = BeamDensity(p, sensor, z_star).log_density(z);
    ASSERT_NEAR(std::log(beluga_probability(b, z, z_star, sensor.max_range_m)), log_f, within)
        << z << " for " << z_star;
  }
}

TEST(Localizer, FormulasGiveTheLearnedDensities) {
  const BeamSensor sensor = {.max_range_m = 10};
  const BeamData log = seen_by_a_localizer(simulate(kLaserTruth, sensor, 20000, .5, 8, 3), sensor);
  const BeamFit fit = fit_beam_model(log, sensor);
  expect_amcl(fit.model, sensor, log, 5000);
  expect_beluga(fit.model, sensor, log);
}

TEST(Localizer, FormulasGiveTheLearnedDensitiesOnARealLog) {
  const auto log_file = shared_data() / "logs/freiburg-079-corrected.log.gz";
  const auto map_file = shared_data() / "maps/freiburg-079_5cm_even.yaml";
  if (!std::filesystem::exists(log_file) || !std::filesystem::exists(map_file)) GTEST_SKIP() << "skipped: no data";
  const ScanLog log = read_scan_log(log_file);
  const auto world = make_grid_ranges(read_grid_map(map_file));
  const BeamSensor sensor = {.max_range_m = 80, .expected_floor_m = world->floor_m(), .miss = MissPolicy::kBook};
  BeamParameters p = {.8716, .0382, .0203, .0699, .0743, .373};  // closed_form's rate: beluga divides by 1 - e^0
  const BeamData data = make_beam_data(log, select_scans("9::64", log.scans()), *world, sensor.max_range_m);
  expect_amcl(p, sensor, seen_by_a_localizer(data, sensor), 5000);
  expect_beluga(p, sensor, seen_by_a_localizer(data, sensor));
}

// By the weights alone: pasted unchanged, hits weigh 1 / (sigma sqrt(2 pi)) times too little beside the rest.
TEST(Localizer, ConversionIsThatOfTheMissingFactor) {
  const BeamParameters p = {.7, .15, .05, .1, .0743, .4};
  const LocalizerBeam amcl = localizer_beam(p, Localizer::kAmcl), beluga = localizer_beam(p, Localizer::kBeluga);
  EXPECT_NEAR(amcl.z_hit / amcl.z_rand, 7 / (.0743 * std::sqrt(2 * M_PI)), 1e-9);
  EXPECT_NEAR(amcl.z_short / amcl.z_rand, 1.5, 1e-12);
  EXPECT_NEAR(amcl.z_max / amcl.z_rand, .5, 1e-12);
  EXPECT_DOUBLE_EQ(beluga.z_hit, p.w_hit);
  EXPECT_DOUBLE_EQ(beluga.z_short, p.w_short);
  for (const LocalizerBeam& b : {amcl, beluga}) {
    EXPECT_EQ(b.sigma_hit, p.sigma_hit_m);
    EXPECT_EQ(b.lambda_short, p.lambda_short_per_m);
  }
}

TEST(Localizer, TextsAreWhatTheNodesRead) {
  const BeamParameters p = {.5, .25, .125, .125, 1, .25};
  const BeamSensor sensor = {.max_range_m = 10};
  EXPECT_EQ((BeamModel{p, sensor}.localizer_text(Localizer::kBeluga)),
            "# The beam model of beluga, as learned by fathom.\n"
            "amcl:\n  ros__parameters:\n"
            "    laser_model_type: \"beam\"\n    z_hit: 0.5\n    z_short: 0.25\n    z_max: 0.125\n    z_rand: 0.125\n"
            "    sigma_hit: 1.0\n    lambda_short: 0.25\n    laser_max_range: 10.0\n");
  const std::string nav2 = BeamModel{p, {.max_range_m = 10, .min_range_m = .1}}.localizer_text(Localizer::kNav2);
  EXPECT_TRUE(contains(nav2, "amcl:\n  ros__parameters:\n    laser_model_type: \"beam\"\n    z_hit: 0.28517\n"));
  EXPECT_TRUE(contains(nav2, "\n    laser_min_range: 0.1\n"));
  const std::string amcl = BeamModel{p, sensor}.localizer_text(Localizer::kAmcl);
  EXPECT_TRUE(contains(amcl, "\nlaser_model_type: \"beam\"\nlaser_z_hit: 0.28517\n"));
  EXPECT_TRUE(contains(amcl, "\nlaser_sigma_hit: 1.0\nlaser_lambda_short: 0.25\nlaser_max_range: 10.0\n"));
}

// ROS 2 takes "1" for a whole number, and YAML 1.1 "1e-05" for a text.
TEST(Localizer, NumbersAreDecimal) {
  const std::string text =
      BeamModel{{.7, .15, 0, .15, 1e-6, 1e6}, {.max_range_m = 1e7}}.localizer_text(Localizer::kBeluga);
  EXPECT_TRUE(contains(text, "z_max: 0.0\n"));
  EXPECT_TRUE(contains(text, "sigma_hit: 0.000001\n"));
  EXPECT_TRUE(contains(text, "lambda_short: 1000000.0\n"));
  EXPECT_TRUE(contains(text, "laser_max_range: 10000000.0\n"));
}

/// The numbers of a file by their names, as they are written.
std::map<std::string, std::string> numbers_in(const std::string& text) {
  std::map<std::string, std::string> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": "), begin = line.find_first_not_of(' ');
    if (line[begin] != '#' && colon != std::string::npos)
      numbers[line.substr(begin, colon - begin)] = line.substr(colon + 2);
  }
  return numbers;
}

std::size_t digits_of(const std::string& number) {
  const std::size_t first = number.find_first_of("123456789");
  if (first == std::string::npos) return 1;
  return static_cast<std::size_t>(std::count_if(number.begin() + static_cast<std::ptrdiff_t>(first), number.end(),
                                                [](char c) { return c != '.'; }));
}

TEST(Localizer, LearnedNumbersHaveTheDigitsThatTheirErrorsSupport) {
  const BeamSensor sensor = {.max_range_m = 10};
  const BeamFit fit = fit_beam_model(simulate(kLaserTruth, sensor, 20000, .5, 8, 3), sensor);
  for (const Localizer localizer : {Localizer::kAmcl, Localizer::kNav2, Localizer::kBeluga}) {
    const LocalizerBeam b = localizer_beam(fit.model, localizer);
    const std::string prefix = localizer == Localizer::kAmcl ? "laser_" : "";
    const auto numbers = numbers_in(BeamModel{fit.model, sensor}.localizer_text(localizer));
    for (const auto& [name, value, of] : std::vector<std::tuple<const char*, double, const char*>>{
             {"z_hit", b.z_hit, "w_hit"},
             {"z_short", b.z_short, "w_short"},
             {"z_max", b.z_max, "w_max"},
             {"z_rand", b.z_rand, "w_rand"},
             {"sigma_hit", b.sigma_hit, "sigma_hit_m"},
             {"lambda_short", b.lambda_short, "lambda_short_per_m"}}) {
      const std::string& text = numbers.at(prefix + name);
      const double error = fit[of].std_error / fit[of].value;  // relative
      EXPECT_LE(digits_of(text), 5U) << text;
      EXPECT_NEAR(std::stod(text), value, 0.01 * error * value) << name;
    }
  }
  for (const auto& [name, text] :
       numbers_in(LikelihoodFieldModel{.7, .3, 1.0 / 30, 10, 0, 2.0 / 3}.localizer_text(Localizer::kNav2))) {
    const bool is_learned = name == "z_hit" || name == "z_rand" || name == "sigma_hit";
    EXPECT_TRUE(!is_learned || digits_of(text) <= 5U) << name;
  }
}

TEST(Localizer, NotesSayWhatItCannotBeTold) {
  EXPECT_EQ(localizer_notes({.7, .04, 0, .26, .1, .4}, Localizer::kNav2), std::vector<std::string>());
  const auto lost = localizer_notes({.7, .04, .05, .21, .1, .4}, Localizer::kNav2);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(
      lost[0],
      "nav2 takes a reading for one without a return where it equals laser_max_range; longer ones, and inf, weigh "
      "nothing");
  EXPECT_EQ(localizer_notes({.7, .15, .05, .1, .1, .4}, Localizer::kBeluga), std::vector<std::string>());
  const auto offset = localizer_notes({.7, .04, .05, .21, .1, .4, .05}, Localizer::kBeluga);
  ASSERT_EQ(offset.size(), 1U);
  EXPECT_EQ(offset[0], "beluga has no hit offset: this model has 0.05 m; learn without it for beluga");
  const auto shorts = localizer_notes({.7, .15, 0, .15, .1, .4}, Localizer::kAmcl);
  ASSERT_EQ(shorts.size(), 1U);
  EXPECT_TRUE(contains(shorts[0], "below 1.73 m"));
}

// A note reports where lambda_short removes a relevant share of the shorts: 3.9 % of the readings of Freiburg 079.
TEST(Localizer, NotesSayWhichShortsAreDead) {
  const BeamParameters uniform = {.8719, .0387, .0, .0894, .0757, 0};
  for (const Localizer localizer : {Localizer::kAmcl, Localizer::kNav2}) {
    const auto notes = localizer_notes(uniform, localizer);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_TRUE(contains(notes[0],
                         "has no uniform shorts: with lambda_short 0 its z_short, 0.0082, is ignored, and "
                         "the 3.9 % of readings that are short count as random"));
    EXPECT_TRUE(test::contains(BeamModel{uniform, {}}.localizer_text(localizer), "# Note: " + notes[0]));
    // A law, not a threshold of one number: the share of the shorts that the formula loses at 5 m and more.
    for (const double rate : {0.0, 1e-4, .005, .05, .2, .4, 1.0, 3.0}) {
      for (const double w_short : {1e-4, .005, .02, .1, .4}) {
        const double lost = w_short * std::exp(-5.0 * rate);
        const bool noted = !localizer_notes({.5, w_short, 0, .5 - w_short, .1, rate}, localizer).empty();
        EXPECT_FALSE(lost > .01 && !noted) << rate << ' ' << w_short;
        EXPECT_FALSE(lost < .001 && noted) << rate << ' ' << w_short;
      }
    }
  }
}

// beluga divides by 1 - exp(-lambda z*): with 0 its weights would be no numbers.
TEST(Localizer, BelugaHasUniformShorts) {
  const BeamParameters uniform = {.7, .15, .05, .1, .1, 0};
  EXPECT_EQ(localizer_notes(uniform, Localizer::kBeluga), std::vector<std::string>());
  EXPECT_TRUE(test::contains(BeamModel{uniform, {.max_range_m = 10}}.localizer_text(Localizer::kBeluga),
                             "lambda_short: 0.000001\n"));
  const BeamSensor sensor = {.max_range_m = 10};
  // Within a factor of exp(lambda Z): that is how far such shorts are from uniform.
  const double within = localizer_beam(uniform, Localizer::kBeluga).lambda_short * sensor.max_range_m;
  EXPECT_LE(within, 1e-5);
  expect_beluga(uniform, sensor, seen_by_a_localizer(simulate(uniform, sensor, 5000, .5, 8, 3), sensor), within);
}

TEST(Localizer, RefusesInvalidParameters) {
  EXPECT_NE(input_error([] { localizer_beam({.7, .7, 0, 0, .1, .4}, Localizer::kNav2); }), "");
  EXPECT_NE(input_error([] { BeamModel{{}, {.max_range_m = NAN}}.localizer_text(Localizer::kNav2); }), "");
}

}  // namespace
}  // namespace fathom::test::localizer_test
