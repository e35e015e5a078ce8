// SPDX-License-Identifier: MIT
// Laws of every registered model with correlated draws: pixel by pixel nothing differs from white ones.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/noise/models.hpp>

#include "noise/blocks.hpp"
#include "noise/busy.hpp"
#include "render/field_samples.hpp"
#include "support/casters.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

/// Independent samples of a model's numbers: pixels farther apart than the kernel is wide, of frames of their own.
template <class F>
void for_each_far_pixel(F f) {
  for (std::size_t v = 0; v < 160; v += 8) {
    for (std::size_t u = 0; u < 160; u += 8) f(v * 160 + u);
  }
}

template <class Model>
class CorrelatedLaws : public testing::Test {};
template <class Variant>
struct TypesOfVariant;
template <class... Models>
struct TypesOfVariant<std::variant<Models...>> {
  using Types = testing::Types<Models...>;
};
struct ModelSlug {
  template <class Model>
  static std::string GetName(int) {
    return std::string(Model::kSlug);
  }
};
TYPED_TEST_SUITE(CorrelatedLaws, TypesOfVariant<RegisteredNoise>::Types, ModelSlug);

TYPED_TEST(CorrelatedLaws, NumbersHaveTheLawOfWhiteOnes) {
  constexpr DrawCount kCount = TypeParam::kDraws;
  if (kCount.normals + kCount.uniforms == 0) GTEST_SKIP() << "no random numbers";
  for (const CorrelationShape shape : {CorrelationShape::kGaussian, CorrelationShape::kExponential}) {
    const Correlation c{.across_px = 0.9F, .down_px = 0.8F, .shape = shape};
    FieldSamples samples(ChainEntry(busy_model<TypeParam>(), c), {});
    std::vector<std::vector<double>> ranks(kCount.normals + kCount.uniforms);  // of each number, in [0, 1)
    for (std::uint32_t k = 0; k < 100; ++k) {
      const DrawFields& fields = samples.draw(k);
      for_each_far_pixel([&](std::size_t i) {
        for (int n = 0; n < kCount.normals; ++n) ranks[n].push_back(normal_cdf(double{fields.normal[n][i]}));
        for (int n = 0; n < kCount.uniforms; ++n) ranks[kCount.normals + n].push_back(double{fields.uniform[n][i]});
      });
    }
    for (std::size_t n = 0; n < ranks.size(); ++n) {
      const double p = chi_square_p_of_uniforms(ranks[n], 100);
      EXPECT_GT(p, kLowestP) << n;
      EXPECT_LT(p, kHighestP) << n;
      const double count = static_cast<double>(ranks[n].size());
      EXPECT_NEAR(moments_of(ranks[n]).mean, 0.5, 4.5 * std::sqrt(1.0 / 12 / count));
      EXPECT_NEAR(moments_of(ranks[n]).variance, 1.0 / 12, 4.5 * std::sqrt(1.0 / 180 / count));
      for (std::size_t m = 0; m < n; ++m) EXPECT_LT(std::abs(correlation(ranks[n], ranks[m])), 4.5 / std::sqrt(count));
    }
  }
}

/// What a model makes of a return with the numbers of such rays; the same draws where `fields` is null: white ones.
std::vector<double> outcome(const Noise& noise, Isa isa, const DrawFields* fields, const std::vector<std::uint32_t>& at,
                            std::uint32_t frame) {
  auto w = std::make_unique<Workspace>();
  std::vector<double> values;
  for (std::size_t first = 0; first + kBlockRays <= at.size(); first += kBlockRays) {
    Lanes lanes = make_equal_lanes(kBlockRays, 3.0F, 1.0F, 0.5F);
    std::iota(lanes.quads.begin(), lanes.quads.end(), static_cast<std::uint32_t>(first / 4));
    w->draws.fields = fields, w->draws.rays = at.data() + first;
    apply_block(noise, isa, {.seed = 3, .frame = frame, .stream = 1}, lanes, 0, kBlockRays, *w);
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      const Return& r = lanes.returns[i];
      // One number that tells what happened: a lost return is far away.
      values.push_back(double{lanes.rays[i].dx} + 2 * double{lanes.rays[i].dy} + double{r.x} + 2 * double{r.y} +
                       double{r.range_m} + (lanes.reasons[i] == 0 ? 0.0 : 1e4 * lanes.reasons[i]));
    }
  }
  return values;
}

/// The distance of two empirical distributions, as a p-value.
double two_sample_p(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
  double distance = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == x) ++i;
    while (j < b.size() && b[j] == x) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                           static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return ks_p_value(distance, a.size() * b.size() / (a.size() + b.size()));
}

TYPED_TEST(CorrelatedLaws, OutcomesHaveTheLawOfWhiteOnes) {
  if (TypeParam::kDraws.normals + TypeParam::kDraws.uniforms == 0) GTEST_SKIP() << "no random numbers";
  const Noise noise = busy_model<TypeParam>();
  const Correlation c{.across_px = 0.9F, .down_px = 0.8F, .time_s = 0};
  FieldSamples samples(ChainEntry(noise, c), {});
  std::vector<std::uint32_t> at;
  for_each_far_pixel([&](std::size_t i) { at.push_back(static_cast<std::uint32_t>(i)); });
  at.resize(at.size() / kBlockRays * kBlockRays);
  std::vector<double> white, correlated;
  for (std::uint32_t k = 0; k < 80; ++k) {
    const std::vector<double> a = outcome(noise, detect_isa(), nullptr, at, k);
    const std::vector<double> b = outcome(noise, detect_isa(), &samples.draw(k), at, k);
    // Surfaces belong to quads, and are the same in all frames; so are those of the two samples.
    white.insert(white.end(), a.begin(), a.end()), correlated.insert(correlated.end(), b.begin(), b.end());
    for (const Isa isa : usable_isas()) {
      if (k > 1) break;
      EXPECT_EQ(outcome(noise, isa, &samples.draw(k), at, k), b);
    }
  }
  EXPECT_GT(two_sample_p(white, correlated), kLowestP);
  EXPECT_NE(white, correlated);
}

}  // namespace
}  // namespace fathom::test
