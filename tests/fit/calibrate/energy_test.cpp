// SPDX-License-Identifier: MIT

#include <fathom/core/random.hpp>
#include <fathom/fit/calibrate.hpp>

#include "render/stereo_scenes.hpp"

namespace fathom::test::energy_test {
namespace {

/// Frames of a stereo camera that looks at a ball, which shows it surfaces of every obliqueness; it stands a little
/// elsewhere in every frame, so that energies differ too.
class Frames {
 public:
  Frames(const StereoEnergy& law, std::uint32_t width)
      : simulator_(scene(), {.seed = 5, .compute = {.threads = 1}}),
        sensor_(
            simulator_.add_sensor(make_sensor(make_stereo(width, width * 3 / 4, 1.1 * width, 0.05), {Noise(law)}))) {}

  void append(std::uint32_t frame, EnergyPairs& pairs) {
    const PhiloxBlock words = keyed_block({.seed = 3}, frame, 0);
    const auto unit = [&](int k) { return uniform_from_word(words.word[k]) - 0.5; };
    simulator_.scene().set_pose(EntityId{0}, {{1.5 + 0.2 * unit(0), 0.1 * unit(1), 0.1 * unit(2)}, {}});
    simulator_.render(sensor_, frame, frame_);
    pairs.append(frame_);
  }

 private:
  static Scene scene() {
    Scene scene;
    scene.add_entity({.name = "ball", .mesh = scene.add_mesh(make_sphere(0.5, 512))});
    return scene;
  }

  Simulator simulator_;
  SensorId sensor_;
  Frame frame_{{Channel::kEnergy, Channel::kReason}};
};

struct Coverage {
  double min_energy = 0, pow = 0, runs = 0, z_min_energy = 0, z_pow = 0;
};

Coverage cover(const StereoEnergy& law, std::size_t runs) {
  Frames frames(law, 64);
  Coverage out;
  for (std::uint32_t run = 0; run < runs; ++run) {
    EnergyPairs pairs;
    for (std::uint32_t k = 0; k < 3; ++k) frames.append(3 * run + k, pairs);
    const EnergyCalibration c = calibrate_energy(pairs, law.normalization);
    const double a = (c["min_energy"].value - law.min_energy) / c["min_energy"].std_error;
    const double b = (c["pow"].value - law.pow) / c["pow"].std_error;
    out.min_energy += std::abs(a) < 2 ? 1 : 0;
    out.pow += std::abs(b) < 2 ? 1 : 0;
    out.z_min_energy += a / static_cast<double>(runs), out.z_pow += b / static_cast<double>(runs);
    out.runs += 1;
  }
  return out;
}

TEST(CalibrateEnergy, FindsTheLawOfSimulatedFrames) {
  const StereoEnergy laws[] = {
      {0.18F, 14.0F, EnergyNormalization::kThreshold, EnergyAngle::kCosine},
      {0.18F, 14.0F, EnergyNormalization::kThreshold, EnergyAngle::kHalfVector},
      {0.3F, 2.0F, EnergyNormalization::kThreshold, EnergyAngle::kCosine},
      {0.18F, 14.0F, EnergyNormalization::kDocument, EnergyAngle::kCosine},
      {0.3F, 2.0F, EnergyNormalization::kDocument, EnergyAngle::kCosine},
  };
  for (const StereoEnergy& law : laws) {
    Frames frames(law, 160);
    EnergyPairs pairs;
    for (std::uint32_t k = 0; k < 4; ++k) frames.append(k, pairs);
    const EnergyCalibration c = calibrate_energy(pairs, law.normalization);
    EXPECT_NEAR(c["min_energy"].value, law.min_energy, 4 * c["min_energy"].std_error)
        << law.min_energy << " " << law.pow;
    EXPECT_NEAR(c["pow"].value, law.pow, 4 * c["pow"].std_error) << law.min_energy << " " << law.pow;
    EXPECT_LT(c["min_energy"].std_error, 0.01);
    EXPECT_LT(c["pow"].std_error, 0.05 * law.pow);
    EXPECT_GT(c.lost, 100U);
    EXPECT_TRUE(c.findings.empty()) << testing::PrintToString(texts_of(c.findings));
    EXPECT_EQ(c.noise(law.energy).pow, static_cast<float>(c["pow"].value));
  }
}

TEST(CalibrateEnergy, TheErrorsCoverTheTruth) {
  const std::size_t runs = repetitions(12);
  for (const auto normalization : {EnergyNormalization::kThreshold, EnergyNormalization::kDocument}) {
    for (const float pow : {2.0F, 6.0F}) {
      const Coverage c = cover({0.2F, pow, normalization, EnergyAngle::kCosine}, runs);
      // 95 % of the runs, within five deviations of the binomial law.
      const double slack = 5 * std::sqrt(0.0475 / c.runs);
      EXPECT_NEAR(c.min_energy / c.runs, 0.95, slack) << pow << " " << int(normalization);
      EXPECT_NEAR(c.pow / c.runs, 0.95, slack) << pow << " " << int(normalization);
      EXPECT_LT(std::abs(c.z_pow), 5 / std::sqrt(c.runs)) << pow << " " << int(normalization);
    }
  }
}

TEST(CalibrateEnergy, NoOtherPointIsMoreLikely) {
  const StereoEnergy law = {0.2F, 3.0F, EnergyNormalization::kThreshold, EnergyAngle::kCosine};
  Frames frames(law, 64);
  EnergyPairs pairs;
  frames.append(0, pairs);
  const auto log_likelihood = [&](double m, double p) {
    double sum = 0;
    for (std::size_t i = 0; i < pairs.energy.size(); ++i) {
      const double x = (1.0 - pairs.energy[i]) / (1.0 - m);
      const double lost = pairs.energy[i] <= m ? 1.0 : std::pow(std::clamp(x, 0.0, 1.0), p);
      sum += std::log(pairs.lost[i] != 0 ? lost : 1.0 - lost);
    }
    return sum;
  };
  const EnergyCalibration c = calibrate_energy(pairs, law.normalization);
  const double best = log_likelihood(c["min_energy"].value, c["pow"].value);
  EXPECT_NEAR(best, c.log_likelihood, 1e-6 * std::abs(best));
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 3000; ++i) {
    const double m = i % 2 == 0 ? 0.5 * unit(random) : c["min_energy"].value + 0.01 * (unit(random) - 0.5);
    const double p = i % 2 == 0 ? 10 * unit(random) : c["pow"].value * (0.95 + 0.1 * unit(random));
    EXPECT_FALSE(log_likelihood(m, p) > best + 1e-6) << m << " " << p;
  }
}

TEST(CalibrateEnergy, SaysWhatFewPixelsCannotTell) {
  // Nothing lost above the threshold (under `document`, beyond 1/2, nothing can be): the exponent is anybody's guess.
  EnergyPairs sharp;
  for (int i = 0; i < 1000; ++i) {
    sharp.energy.push_back(0.001F * static_cast<float>(i) + 0.0005F);
    sharp.lost.push_back(sharp.energy.back() <= 0.6F ? 1 : 0);
  }
  const EnergyCalibration c = calibrate_energy(sharp);
  EXPECT_NEAR(c["min_energy"].value, 0.6, 0.001);
  EXPECT_LT(c["min_energy"].std_error, 0.001);
  EXPECT_TRUE(std::isnan(c["pow"].std_error));
  EXPECT_FALSE(c.findings.empty());
  EXPECT_EQ(c.log_likelihood, 0.0);
  // Whatever the pixels: finite values, and no error without a flag.
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t learned = 0;
  for (int run = 0; run < 200; ++run) {
    EnergyPairs pairs;
    for (std::size_t n = 2 + random() % 60; n > 0; --n) {
      const double e = run % 3 == 0 ? std::round(20 * unit(random)) / 20 : 2 * unit(random) - 0.9;
      pairs.energy.push_back(static_cast<float>(std::min(e, 1.0)));
      pairs.lost.push_back(unit(random) < 1 - e ? 1 : 0);
    }
    for (const auto normalization : {EnergyNormalization::kDocument, EnergyNormalization::kThreshold}) {
      EnergyCalibration any;
      if (!input_error([&] { any = calibrate_energy(pairs, normalization); }).empty()) continue;
      ++learned;
      EXPECT_TRUE(any["min_energy"].value >= 0 && any["min_energy"].value < 1) << any["min_energy"].value;
      EXPECT_TRUE(any["pow"].value >= 0.9e-3 && any["pow"].value <= 1.1e3) << any["pow"].value;
      const bool known = std::isfinite(any["min_energy"].std_error) && std::isfinite(any["pow"].std_error);
      EXPECT_TRUE(known || !any.findings.empty());
    }
  }
  EXPECT_GT(learned, 100U);
}

TEST(CalibrateEnergy, NamesWhatIsWrong) {
  const auto refusal = [](const EnergyPairs& pairs, EnergyNormalization n = EnergyNormalization::kThreshold) {
    return input_error([&] { (void)calibrate_energy(pairs, n); });
  };
  EXPECT_EQ(refusal({{0.1F, 0.5F}, {1}}), "2 energies given for 1 flags of loss");
  EXPECT_EQ(refusal({{0.1F, 0.5F}, {1, 2}}), "pair 1: lost = 2 is not 0 or 1");
  EXPECT_EQ(refusal({{0.1F, 0.5F}, {0, 0}}), "0 of 2 pixels were lost: some must be lost and some kept");
  EXPECT_EQ(refusal({{0.1F, NAN}, {1, 0}}), "1 of 1 pixels were lost: some must be lost and some kept");
  EXPECT_EQ(refusal({{0.1F, -0.25F}, {1, 0}}),
            "a pixel of energy -0.25 was kept: the law loses all at or below min_energy >= 0");
  EXPECT_EQ(refusal({{1.0F, 0.5F}, {1, 0}}), "a pixel of energy 1 was lost: the law loses none");
}

}  // namespace
}  // namespace fathom::test::energy_test
