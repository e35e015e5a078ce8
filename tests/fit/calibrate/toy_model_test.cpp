// SPDX-License-Identifier: MIT
// A model that only this file knows: its header alone makes it learnable, with standard errors and a report.

#include <nlohmann/json.hpp>

#include <fathom/fit/reports.hpp>
#include <fathom/noise/custom.hpp>

#include "fit/calibrate/chain_simulator.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom {

/// Beyond the reach all returns are lost (wall) or a share of them (veil).
enum class HazeLaw : std::uint8_t { kWall, kVeil };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<HazeLaw> = {"wall", "veil"};

namespace test::toy_model_test {

/// Haze before a sensor: a normal error of the range, and losses beyond a reach.
struct Haze {
  float bias_m = 0.0F;
  float stddev_m = 0.0F;
  float reach_m = 100.0F;
  float share = 0.5F;
  HazeLaw law_beyond = HazeLaw::kWall;

  static constexpr std::string_view kSlug = "haze";
  static constexpr std::string_view kDoc = "Gaussian error of the range, and losses beyond a reach.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.normals = 1, .uniforms = 1};

  static constexpr auto fields() {
    return std::array<Field<Haze>, 5>{{
        {"bias_m", "m", &Haze::bias_m, -1, 1, "mean error"},
        {"stddev_m", "m", &Haze::stddev_m, 0, 1, "standard deviation"},
        {"reach_m", "m", &Haze::reach_m, 0, 100, "range beyond which returns are lost"},
        {"share", "1", &Haze::share, 0, 1, "of the returns beyond the reach that are lost"},
        {"law", "wall|veil", choice<&Haze::law_beyond>, 0, 0, "whether all returns beyond the reach are lost"},
    }};
  }
  [[nodiscard]] constexpr bool is_identity() const { return false; }

  FATHOM_KERNEL static Reading apply(const Haze& p, const Return& hit, const Draws<kDraws>& draws) {
    const float lost = p.law_beyond == HazeLaw::kWall ? 1.0F : p.share;
    const bool is_lost = (hit.range_m > p.reach_m) & (draws.uniform[0] < lost);
    return {move_radially(hit, p.bias_m + p.stddev_m * draws.normal[0]), is_lost ? Reason::kDropout : Reason::kHit};
  }

  static constexpr std::array<LearnedField, 4> kLearned = {{{"bias_m", LearnedRole::kShift, 3},
                                                            {"stddev_m", LearnedRole::kDeviation},
                                                            {"reach_m", LearnedRole::kThreshold},
                                                            {"share", LearnedRole::kPlain, 1, "haze has no rings"}}};
  static void act(const Haze& p, MeasuredRangeLaw& law) { law.add_normal(double{p.bias_m}, double{p.stddev_m}); }
  static double loss_probability(const Haze& p, const Return& hit, const Surface& /*surface*/) {
    if (!(hit.range_m > p.reach_m)) return 0.0;
    return p.law_beyond == HazeLaw::kWall ? 1.0 : double{p.share};
  }
  [[nodiscard]] constexpr bool jumps(std::string_view /*field*/) const {
    return law_beyond == HazeLaw::kWall || share > 0.0F;
  }
  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "share" && law_beyond == HazeLaw::kWall ? "law = wall loses every return beyond the reach" : "";
  }
  static constexpr Haze with_other_law(Haze p) {
    p.law_beyond = p.law_beyond == HazeLaw::kWall ? HazeLaw::kVeil : HazeLaw::kWall;
    return p;
  }
  [[nodiscard]] constexpr std::string_view law() const {
    return kChoiceWords<HazeLaw>[static_cast<std::size_t>(law_beyond)];
  }
  /// A mean square error begins closer to the deviation than any given value.
  static Haze begin(const Haze& given, const LearnedReturns& returns, std::span<const std::string_view> /*free*/) {
    double squares = 0.0, count = 1.0;
    for (std::size_t i = 0; i < returns.range_m.size(); ++i) {
      if (std::isnan(returns.range_m[i])) continue;
      squares += std::pow(double{returns.range_m[i] - returns.clean_range_m[i]}, 2), count += 1.0;
    }
    Haze begun = given;
    begun.stddev_m = static_cast<float>(std::sqrt(squares / count));
    return begun;
  }
};

namespace {

const NoiseChain kTruth = {Haze{0.0F, 0.02F, 3.5F, 0.6F, HazeLaw::kVeil}};

ChainFit learn(const NoiseChain& start, const char* pattern, const ChainReturns& returns) {
  return fit_chain(start, chain_parameters(start, pattern), returns, {.hold_out = 6});
}

TEST(ToyModel, IsLearnedWithItsStandardErrors) {
  const std::vector<std::string> names = {"haze.bias_m", "haze.stddev_m", "haze.share"};
  const std::vector<double> made_by = {0.0, 0.02, 0.6};
  const auto seeds = static_cast<double>(repetitions(12));
  std::vector<double> squares(names.size(), 0.0);
  for (std::uint64_t seed = 1; seed <= repetitions(12); ++seed) {
    const ChainReturns returns = simulate_returns(kTruth, 24, 128, 40 + 7 * seed);
    const ChainFit fit = learn({Haze{0.1F, 0.3F, 3.0F, 0.3F, HazeLaw::kVeil}}, "haze.*", returns);
    EXPECT_NEAR(fit["haze.reach_m"].value, 3.5, 0.02);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Fit::Parameter& p = fit[names[k]];
      squares[k] += std::pow((p.value - made_by[k]) / p.std_error, 2);
    }
    // A deviation that n normal errors determine.
    const double expected = 0.02 / std::sqrt(2.0 * static_cast<double>(fit.returns - fit.lost));
    EXPECT_NEAR(fit["haze.stddev_m"].naive_error, expected, 0.1 * expected);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double p = chi_square_p_value(squares[k], seeds);
    EXPECT_TRUE(p > 0.001 && p < 0.999) << names[k] << ", mean square " << squares[k] / seeds;
  }
}

TEST(ToyModel, TakesItsLikelierLaw) {
  const ChainFit fit =
      learn({Haze{0.0F, 0.02F, 6.0F, 0.3F, HazeLaw::kWall}}, "haze.*", simulate_returns(kTruth, 24, 256, 5));
  EXPECT_EQ(fit.chain[0].noise.law(), "veil");
  EXPECT_NEAR(fit["haze.share"].value, 0.6, 4.0 * fit["haze.share"].std_error);
}

TEST(ToyModel, YieldsToModelsThatSpanTheSameChange) {
  const NoiseChain start = {Haze{0.0F, 0.02F, 100.0F}, GainBias{0.0F, 0.01F}};
  const ChainFit fit = learn(start, "*.bias_m", simulate_returns(start, 12, 128, 5));
  EXPECT_EQ(fit["haze.bias_m"].status, Fit::Status::kUnidentified);
  EXPECT_EQ(fit["haze.bias_m"].value, 0.0);
  EXPECT_NEAR(fit["gain_bias.bias_m"].value, 0.01, 4.0 * fit["gain_bias.bias_m"].std_error);
}

TEST(ToyModel, RefusesItsRingsInItsOwnWords) {
  const std::vector<std::uint16_t> rings = {0, 1};
  const std::string text = input_error([&] { (void)chain_parameters(kTruth, "haze.rings.*.share", rings); });
  EXPECT_TRUE(contains(text, "haze.share cannot be learned for single rings: haze has no rings")) << text;
}

/// Its report and its lines of a scene file. The file omits an idle parameter with its usual value.
TEST(ToyModel, HasAReport) {
  ChainReport report;
  report.scene = "scene.yaml", report.measured = "run", report.frames.sensor = "lidar";
  report.start = {Haze{0.0F, 0.3F, 3.0F, 0.3F, HazeLaw::kVeil}};
  report.frames.returns = simulate_returns(kTruth, 24, 128, 5);
  report.fit = learn(report.start, "haze.*", report.frames.returns);
  const auto json = nlohmann::json::parse(report.text(ReportForm::kJson));
  EXPECT_EQ(json["usable"], true);
  for (const ReportForm form : {ReportForm::kTerminal, ReportForm::kHtml}) {
    EXPECT_TRUE(contains(report.text(form), "stddev_m"));
  }
  EXPECT_TRUE(contains(chain_yaml(kTruth), "- haze: {bias_m: 0, stddev_m: 0.02, reach_m: 3.5, share: 0.6, law: veil}"));
  EXPECT_TRUE(contains(chain_yaml({Haze{}}), "- haze: {bias_m: 0, stddev_m: 0, reach_m: 100, law: wall}"));
}

}  // namespace
}  // namespace test::toy_model_test
}  // namespace fathom
