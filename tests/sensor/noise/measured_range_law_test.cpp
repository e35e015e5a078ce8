// SPDX-License-Identifier: MIT
// What models draw agrees with the law that they name: ranges with the cdf and density of MeasuredRangeLaw, losses with
// loss_probability(). The tests run over the registered list: a new model faces them by itself.

#include <fathom/noise/detail/measured_range_law.hpp>

#include <fathom/noise/beam_density.hpp>
#include <fathom/noise/models.hpp>

#include "sensor/noise/blocks.hpp"
#include "sensor/noise/busy.hpp"
#include "sensor/noise_access.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

constexpr NoiseKey kLawKey = {77, 3, 5};
constexpr double kFocalBaseline = 50.0;  // of the optics that fill_surface() gives
constexpr double kLimitM = 120.0;        // of the rays that blocks.hpp gives

/// Models that change a range or lose a return, without those whose law is of another kind: rays, hit points, images,
/// readings, and what the cameras see of each other's points, which is no number of the return.
template <class M>
constexpr bool has_law() {
  return requires(const M& model, MeasuredRangeLaw& law) { M::act(model, law); };
}
template <class M>
constexpr bool has_loss_probability() {
  return requires(const M& model, const Return& hit, const Surface& surface) {
    M::loss_probability(model, hit, surface);
  };
}
template <class M>
constexpr bool is_loss() {
  return M::kStage == Stage::kAngleLoss || M::kStage == Stage::kShadow || M::kStage == Stage::kEnergyLoss ||
         M::kStage == Stage::kEdgeLoss || M::kStage == Stage::kDropout;
}

template <class Model>
class RangeLaws : public testing::Test {};
template <class Variant>
struct ModelsOf;
template <class... Models>
struct ModelsOf<std::variant<Models...>> {
  using Types = testing::Types<Models...>;
};
struct SlugOfModel {
  template <class Model>
  static std::string GetName(int) {
    return std::string(Model::kSlug);
  }
};
TYPED_TEST_SUITE(RangeLaws, ModelsOf<RegisteredNoise>::Types, SlugOfModel);

TYPED_TEST(RangeLaws, EveryModelOfTheseStagesHasOne) {
  constexpr bool moves = TypeParam::kStage == Stage::kRange || TypeParam::kStage == Stage::kReading;
  const SurfaceNeeds needs = Noise(TypeParam{}).info().needs;
  const bool reads_power = needs.power || needs.surface_power;  // fits refuse these models
  EXPECT_EQ(has_law<TypeParam>(), moves && !reads_power);
  // What the cameras see is cast, not drawn: it is known before a model of loss is asked.
  const bool is_cast = TypeParam::kSlug == StereoShadow::kSlug;
  EXPECT_EQ(has_loss_probability<TypeParam>(), is_loss<TypeParam>() && !is_cast);
}

/// Parameters at which the errors of a return 2.5 m away are some centimetres, and none is left out.
template <class M>
M lively() {
  return busy_model<M>();
}
template <>
DistanceNoise lively() {
  return {0.03F, 0.02F, 0.01F};
}
template <>
UniformNoise lively() {
  return {0.05F, -0.02F};
}
template <>
StudentNoise lively() {
  return {0.02F, 0.01F, 1.5F};
}
template <>
Disparity lively() {
  return {0.07F, 0.21F, 8.0F};
}
template <>
BeamMixture lively() {
  return {0.6F, 0.2F, 0.05F, 0.15F, 0.04F, 0.3F, 0.05F};
}
template <>
GainBias lively() {
  return {0.01F, -0.03F};
}

constexpr std::size_t kReturns = 1 << 19;

/// Ranges after the model, of equal returns on the x axis; +inf where it lost one.
template <class M>
std::vector<double> drawn_ranges(const M& model, float range_m) {
  Lanes lanes = make_equal_lanes(kReturns, range_m, 0, 0);
  apply(model, detect_isa(), kLawKey, lanes);
  std::vector<double> ranges;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const bool is_hit = lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kHit);
    ranges.push_back(is_hit ? double{lanes.returns[i].range_m} : INFINITY);
  }
  return ranges;
}

/// Pearson's test of ranges against a law in cells that hold about equally many of them. Cells of a law of single
/// ranges end in the middle between two of them.
double chi_square_p(const MeasuredRangeLaw& law, std::vector<double> ranges) {
  std::sort(ranges.begin(), ranges.end());
  constexpr std::size_t kCells = 64;
  std::vector<double> edges = {-1e9};
  const auto n = static_cast<double>(ranges.size());
  for (std::size_t k = 1; k < kCells; ++k) {
    const auto at = ranges.begin() + static_cast<std::ptrdiff_t>(k * ranges.size() / kCells);
    const auto next = std::upper_bound(at, ranges.end(), *at + 1e-6);
    if (next == ranges.end() || !std::isfinite(*next)) break;
    const double edge = law.is_discrete() ? 0.5 * (*(next - 1) + *next) : *at;
    if (edge > edges.back() + 1e-9) edges.push_back(edge);
  }
  edges.push_back(1e9);
  double statistic = 0, cells = 0;
  std::size_t before = 0;
  for (std::size_t k = 1; k < edges.size(); ++k) {
    const auto end =
        static_cast<std::size_t>(std::upper_bound(ranges.begin(), ranges.end(), edges[k]) - ranges.begin());
    const double expected = n * probability(law, edges[k - 1], edges[k]);
    const double count = static_cast<double>(end - before);
    before = end;
    EXPECT_GT(expected, 5.0) << "cell up to " << edges[k] << " holds " << count;
    statistic += (count - expected) * (count - expected) / expected, ++cells;
  }
  return cells > 1 ? chi_square_p_value(statistic, cells - 1) : 0.5;
}

TYPED_TEST(RangeLaws, SamplerAndLawAgree) {
  if constexpr (has_law<TypeParam>()) {
    for (const float range_m : {0.75F, 2.5F, 12.0F}) {
      const auto model = lively<TypeParam>();
      MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(range_m, range_m, kFocalBaseline);
      law.limit_m = kLimitM;
      TypeParam::act(model, law);
      const double p = chi_square_p(law, drawn_ranges(model, range_m));
      EXPECT_GT(p, kLowestP) << range_m;
      EXPECT_LT(p, kHighestP) << range_m;
    }
  } else {
    GTEST_SKIP() << "changes no range";
  }
}

/// Lost returns of a million with other surfaces, in bins of the probability.
TYPED_TEST(RangeLaws, LossesAreBinomial) {
  if constexpr (has_loss_probability<TypeParam>()) {
    const TypeParam model = busy_model<TypeParam>();
    Lanes lanes = make_lanes(1 << 18);
    const Lanes before = lanes;
    apply(model, detect_isa(), kLawKey, lanes);
    constexpr std::size_t kBins = 8;
    double n[kBins] = {}, lost[kBins] = {}, expected[kBins] = {}, variance[kBins] = {};
    SurfaceBlock block;
    double all_lost = 0;
    for (std::size_t q = 0; q < lanes.quads.size(); ++q) {
      fill_surface(&lanes.quads[q], 4, block);
      for (std::uint32_t k = 0; k < 4; ++k) {
        const std::size_t i = 4 * q + k;
        const Surface surface = surface_of_lane(block, k, block.optics);
        const double p = TypeParam::loss_probability(model, before.returns[i], surface);
        ASSERT_GE(p, 0.0);
        ASSERT_LE(p, 1.0);
        const bool is_lost = lanes.reasons[i] != static_cast<std::uint32_t>(Reason::kHit);
        if (p == 0.0) ASSERT_FALSE(is_lost) << "lane " << i;
        if (p == 1.0) ASSERT_TRUE(is_lost) << "lane " << i;
        const std::size_t bin = std::min(kBins - 1, static_cast<std::size_t>(p * kBins));
        n[bin] += 1, lost[bin] += is_lost ? 1 : 0, expected[bin] += p, variance[bin] += p * (1 - p);
        all_lost += is_lost ? 1 : 0;
      }
    }
    EXPECT_GT(all_lost, 0) << "nothing to test";
    for (std::size_t b = 0; b < kBins; ++b) {
      EXPECT_NEAR(lost[b], expected[b], 4 * std::sqrt(variance[b]) + 1e-3) << n[b] << " returns in bin " << b;
    }
  } else {
    GTEST_SKIP() << "loses nothing at random";
  }
}

/// Kernels of all instruction sets give the bits of loss_probability().
TYPED_TEST(RangeLaws, LossesOfABlockAreThoseOfItsReturns) {
  if constexpr (has_loss_probability<TypeParam>()) {
    const TypeParam model = busy_model<TypeParam>();
    const Lanes lanes = make_lanes(kBlockRays);
    ReturnBlock block;
    SurfaceBlock surfaces;
    fill_surface(lanes.quads.data(), kBlockRays, surfaces);
    block.surface = &surfaces, block.count = kBlockRays;
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      const Return& hit = lanes.returns[i];
      block.x[i] = hit.x, block.y[i] = hit.y, block.z[i] = hit.z;
      block.range_m[i] = hit.range_m, block.radius_m[i] = hit.radius_m;
    }
    for (std::size_t isa = 0; isa <= static_cast<std::size_t>(detect_isa()); ++isa) {
      std::vector<double> found(kBlockRays);
      fathom::detail::NoiseAccess::loss_kernel(model, static_cast<Isa>(isa))(&model, block, found.data());
      for (std::size_t i = 0; i < kBlockRays; ++i) {
        const Surface surface = surface_of_lane(surfaces, i, surfaces.optics);
        EXPECT_EQ(found[i], TypeParam::loss_probability(model, lanes.returns[i], surface)) << "lane " << i;
      }
    }
  } else {
    GTEST_SKIP() << "loses nothing at random";
  }
}

/// Simpson's rule.
double integral(const MeasuredRangeLaw& law, double low, double high, const StudentNodes* nodes) {
  constexpr int kSteps = 400;
  const double h = (high - low) / kSteps;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * density(law, low + h * i, nodes);
  }
  return sum * h / 3;
}

/// Chains of range models with a density.
std::vector<MeasuredRangeLaw> densities() {
  const auto chain = [](auto... models) {
    MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(4.0, 3.0, kFocalBaseline);
    law.limit_m = kLimitM;
    (decltype(models)::act(models, law), ...);
    return law;
  };
  const DistanceNoise normal = {0.01F, 0.02F, 0.001F};
  const UniformNoise uniform = {-0.04F, 0.07F};
  const StudentNoise heavy = {0.015F, 0.0F, 1.2F};
  const GainBias gain = {0.05F, -0.1F};
  return {chain(normal),
          chain(normal, DistanceNoise{0.0F, 0.05F, 0.0F}),
          chain(normal, uniform),
          chain(heavy),
          chain(heavy, normal),
          chain(uniform, heavy),
          chain(gain, normal, uniform, gain, heavy),
          chain(gain, Disparity{0.1F, 0.3F, 0.0F}, gain),
          chain(normal, gain, BeamMixture{0.6F, 0.2F, 0.05F, 0.15F, 0.04F, 1e-9F, 0.05F}),
          chain(normal, BeamMixture{0.6F, 0.2F, 0.05F, 0.15F, 0.01F, 20.0F, 0.05F})};
}

TEST(MeasuredRangeLaw, DensityIsTheSlopeOfTheCdf) {
  for (const MeasuredRangeLaw& law : densities()) {
    const StudentNodes nodes(law.nu);
    const double centre = law.mean_m;
    double before = cdf(law, centre - 0.3, &nodes);
    for (double low = centre - 0.3; low < centre + 0.3; low += 0.05) {
      const double p = probability(law, low, low + 0.05, &nodes), after = cdf(law, low + 0.05, &nodes);
      EXPECT_NEAR(after - before, p, 1e-9);
      EXPECT_NEAR(integral(law, low, low + 0.05, &nodes), p, 1e-7 * (1 + p)) << centre << ' ' << low;
      before = after;
    }
    EXPECT_NEAR(cdf(law, 1e9, &nodes), law.hits + law.shorts + law.randoms, 1e-8);
  }
}

TEST(MeasuredRangeLaw, ATOfOneAndTwoDegreesHasItsClosedForm) {
  for (const double x : {-40.0, -3.0, -0.5, 0.0, 1.0, 7.0, 1e4}) {
    MeasuredRangeLaw one = MeasuredRangeLaw::of_clean(0.0), two = one;
    one.add_student(1.0, 1.0), two.add_student(1.0, 2.0);
    EXPECT_NEAR(density(one, x) * 3.14159265358979 * (1 + x * x), 1.0, 1e-9);
    EXPECT_NEAR(density(two, x) * std::pow(2 + x * x, 1.5), 1.0, 1e-9);
    EXPECT_NEAR(cdf(one, x), 0.5 + std::atan(x) / 3.14159265358979, 1e-9);
    EXPECT_NEAR(cdf(two, x), 0.5 + 0.5 * x / std::sqrt(2 + x * x), 1e-9);
  }
}

TEST(MeasuredRangeLaw, ATOfManyDegreesIsANormal) {
  MeasuredRangeLaw heavy = MeasuredRangeLaw::of_clean(0.0), normal = heavy;
  heavy.add_student(1.0, 1e6), normal.add_normal(0.0, 1.0);
  for (const double x : {0.0, 1.0, 3.0}) {
    EXPECT_NEAR(density(heavy, x), density(normal, x), 1e-5);
    EXPECT_NEAR(cdf(heavy, x), cdf(normal, x), 1e-5);
  }
}

TEST(MeasuredRangeLaw, LevelsOfADisparitySumToOne) {
  MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(2.0, 1.6, kFocalBaseline);
  Disparity::act({0.1F, 0.08F, 16.0F}, law);
  GainBias::act({0.01F, 0.02F}, law);
  double sum = 0;
  for (int level = 485; level < 520; ++level) {  // of 500 + 1.6, with a deviation of 1.3
    const double range_m = 1.01 * law.unit_px_m / (level / 16.0) + 0.02, p = std::exp(log_density(law, range_m));
    sum += p;
    // Rounded to millimetres it is still itself: levels are 4 mm apart.
    const double millimetres = std::round(range_m * 1000) / 1000;
    EXPECT_NEAR(std::exp(log_density(law, millimetres, 0.0005)), p, 1e-12);
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(MeasuredRangeLaw, ARoundedRangeHasTheMeanDensityOfItsInterval) {
  MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(2.0);
  DistanceNoise::act({0.0F, 0.01F, 0.0F}, law);
  EXPECT_NEAR(log_density(law, 2.01, 1e-6), log_density(law, 2.01), 1e-6);
  EXPECT_NEAR(log_density(law, 2.0, 0.5), 0.0, 1e-9);  // all of it, over one metre
}

/// Readings of ranges with a normal error, 2.5 m away, against what the kernels draw one after the other.
TEST(MeasuredRangeLaw, ReadingsOfANoisyRangeAgreeWithTheSampler) {
  for (const float lambda : {0.0F, 0.4F, 3.0F, 40.0F}) {
    const DistanceNoise normal = {0.02F, 0.03F, 0.01F};
    const BeamMixture mixture = {0.5F, 0.3F, 0.1F, 0.1F, 0.02F, lambda, -0.04F};
    Lanes lanes = make_equal_lanes(kReturns, 2.5F, 0, 0);
    apply(normal, detect_isa(), kLawKey, lanes);
    apply(mixture, detect_isa(), {kLawKey.seed + 1, 3, 5}, lanes);
    std::vector<double> ranges;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const bool is_hit = lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kHit);
      ranges.push_back(is_hit ? double{lanes.returns[i].range_m} : INFINITY);
    }
    MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(2.5);
    law.limit_m = kLimitM;
    DistanceNoise::act(normal, law), BeamMixture::act(mixture, law);
    const double p = chi_square_p(law, ranges);
    EXPECT_GT(p, kLowestP) << lambda;
    EXPECT_LT(p, kHighestP) << lambda;
  }
}

/// The densities equal the beam model's, which fits and scores logs.
TEST(MeasuredRangeLaw, ReadingsHaveTheDensityOfTheBeamModel) {
  const BeamParameters parameters = {0.55, 0.25, 0.08, 0.12, 0.06, 0.7, 0.03};
  for (const double expected_m : {0.04, 1.0, 5.0, 8.99}) {
    const BeamDensity beam(parameters, {.max_range_m = 9.0}, expected_m);
    MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(expected_m);
    law.limit_m = 9.0;
    BeamMixture::act({0.55F, 0.25F, 0.08F, 0.12F, 0.06F, 0.7F, 0.03F}, law);
    for (double z = 0.005; z < 9.0; z += 0.0301) {
      EXPECT_NEAR(log_density(law, z), beam.log_density(z), 3e-6) << z << " of " << expected_m;
    }
    EXPECT_NEAR(probability(law, -1.0, 10.0), 1.0 - 0.08, 1e-7);
    EXPECT_NEAR(probability_beside_hits(law, -1.0, 10.0), 0.25 + 0.12, 1e-7);
  }
}

TEST(MeasuredRangeLaw, TwoErrorsOfTheDisparityAddUp) {
  MeasuredRangeLaw two = MeasuredRangeLaw::of_clean(2.5, 2.0, kFocalBaseline), one = two;
  Disparity::act({0.1F, 0.3F, 0.0F}, two), Disparity::act({-0.02F, 0.4F, 8.0F}, two);
  Disparity::act({0.08F, 0.5F, 8.0F}, one);
  for (const double range_m : {2.3, 2.5, 2.6}) EXPECT_NEAR(cdf(two, range_m), cdf(one, range_m), 1e-6);
  Disparity::act({0.0F, 0.1F, 0.0F}, two);
  EXPECT_FALSE(two.unknown.empty()) << "the second one has rounded";
}

TEST(MeasuredRangeLaw, ChainsWithoutALawSayWhy) {
  MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(2.0, 2.0, kFocalBaseline);
  DistanceNoise::act({0.0F, 0.01F, 0.0F}, law);
  Disparity::act({0.0F, 0.1F, 0.0F}, law);
  const std::string text = input_error([&] { (void)density(law, 2.0); });
  EXPECT_TRUE(contains(text, "a random error before that of the disparity"));
  MeasuredRangeLaw twice = MeasuredRangeLaw::of_clean(2.0);
  UniformNoise::act({0.0F, 0.1F}, twice), UniformNoise::act({0.0F, 0.1F}, twice);
  EXPECT_TRUE(contains(input_error([&] { (void)cdf(twice, 2.0); }), "uniform"));
  MeasuredRangeLaw after = MeasuredRangeLaw::of_clean(2.0, 2.0, kFocalBaseline);
  Disparity::act({0.0F, 0.1F, 0.0F}, after), DistanceNoise::act({0.0F, 0.01F, 0.0F}, after);
  EXPECT_TRUE(contains(input_error([&] { (void)log_density(after, 2.0); }), "after"));
  EXPECT_TRUE(contains(input_error([] { (void)StudentNodes(NAN); }), "nu"));
  MeasuredRangeLaw heavy = MeasuredRangeLaw::of_clean(2.0), endless = heavy;
  heavy.limit_m = 10.0;
  StudentNoise::act({0.1F, 0.0F, 3.0F}, heavy), BeamMixture::act({}, heavy);
  EXPECT_TRUE(contains(input_error([&] { (void)density(heavy, 2.0); }), "not normal"));
  BeamMixture::act({}, endless);
  EXPECT_TRUE(contains(input_error([&] { (void)density(endless, 2.0); }), "how far"));
}

}  // namespace
}  // namespace fathom::test
