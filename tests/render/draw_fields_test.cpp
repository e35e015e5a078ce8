// SPDX-License-Identifier: MIT
// The fields of correlated draws against their closed forms and an oracle in double precision
// (fathom/noise/correlation.hpp).

#include <fathom/noise/custom.hpp>
#include <fathom/noise/models.hpp>

#include "render/field_math.hpp"
#include "render/field_samples.hpp"
#include "sensor/noise/blocks.hpp"
#include "sensor/noise/busy.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

constexpr CorrelationShape kShapes[] = {CorrelationShape::kGaussian, CorrelationShape::kExponential};

double closed_form(CorrelationShape shape, double s, double lag) {
  if (s == 0) return lag == 0 ? 1 : 0;
  return shape == CorrelationShape::kGaussian ? std::exp(-lag * lag / (4 * s * s)) : std::exp(-std::abs(lag) / s);
}

/// What a kernel multiplies the draw `i` before the pixel with.
double weight_of(const LineKernel& kernel, std::int32_t i) {
  return double{line_sum(kernel, [&](std::int32_t at) { return at == i ? 1.0F : 0.0F; })};
}

double correlation_of(const LineKernel& kernel, std::int32_t lag) {
  double sum = 0;
  for (std::int32_t i = -static_cast<std::int32_t>(kernel.after); i <= static_cast<std::int32_t>(kernel.before); ++i) {
    sum += weight_of(kernel, i) * weight_of(kernel, i + lag);
  }
  return sum;
}

ChainEntry with(Correlation correlation, float stddev_m = 0.1F) {
  return ChainEntry(DistanceNoise{.stddev_m = stddev_m}, correlation);
}

TEST(FieldKernels, AreAsFarFromTheirClosedFormsAsStated) {
  for (const CorrelationShape shape : kShapes) {
    const bool is_gaussian = shape == CorrelationShape::kGaussian;
    for (const double s : {1.0, 1.3, 2.0, 3.0, 4.7, 8.0, 21.0}) {
      const LineKernel kernel = make_line_kernel(shape, s);
      EXPECT_NEAR(correlation_of(kernel, 0), 1.0, 1e-6) << s;
      for (std::int32_t lag = 1; lag < 14 * s; ++lag) {
        ASSERT_NEAR(correlation_of(kernel, lag), closed_form(shape, s, lag), is_gaussian ? 0.004 : 0.0004)
            << s << ", lag " << lag;
      }
    }
    for (const double s : {0.01, 0.2, 0.5, 0.9, 64.0}) {
      EXPECT_NEAR(correlation_of(make_line_kernel(shape, s), 0), 1.0, 1e-6) << s;
    }
  }
}

TEST(FieldKernels, FitWhereTheyAreKept) {
  for (const CorrelationShape shape : kShapes) {
    const LineKernel kernel = make_line_kernel(shape, 64.0);
    EXPECT_LE(kernel.count, LineKernel::kMostWeights);
    EXPECT_LT(std::max(kernel.before, kernel.after), kFieldMargin);
  }
}

/// A field by its formula, in double precision and without any of the renderer's code but Philox.
class Oracle {
 public:
  Oracle(const Correlation& c, FieldShape shape, std::uint64_t seed, std::uint32_t stream, std::uint32_t draw)
      : c_(c), shape_(shape), seed_(seed), stream_(stream), draw_(draw) {}

  [[nodiscard]] double at(int row, int col, std::uint32_t frame) const {
    const std::vector<double> down = weights(double{c_.down_px}), across = weights(double{c_.across_px});
    double sum = 0;
    for (std::size_t j = 0; j < down.size(); ++j) {
      for (std::size_t i = 0; i < across.size(); ++i) {
        sum += down[j] * across[i] *
               white(row + shift(down) - static_cast<int>(j), col + shift(across) - static_cast<int>(i), frame);
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] int shift(const std::vector<double>& w) const {
    return c_.shape == CorrelationShape::kGaussian ? static_cast<int>(w.size() / 2) : 0;
  }
  [[nodiscard]] std::vector<double> weights(double s) const {
    std::vector<double> w = {1.0};
    if (s > 0 && c_.shape == CorrelationShape::kGaussian) {
      const int radius = static_cast<int>(std::ceil(3 * s));
      w.clear();
      for (int i = -radius; i <= radius; ++i) w.push_back(std::exp(-0.5 * i * i / (s * s)));
    } else if (s > 0) {
      std::size_t count = 2;
      while (static_cast<double>(count) < 8 * s) count *= 2;
      w.clear();
      for (std::size_t i = 0; i < count; ++i) w.push_back(std::exp(-static_cast<double>(i) / s));
    }
    double squares = 0;
    for (const double v : w) squares += v * v;
    for (double& v : w) v /= std::sqrt(squares);
    return w;
  }
  [[nodiscard]] double white(int row, int col, std::uint32_t frame) const {
    const auto cols = static_cast<int>(shape_.cols);
    const int wide = shape_.closes ? cols : cols + 1024;
    const int at = shape_.closes ? (col + cols) % cols : col + 512;
    const std::uint32_t quad = static_cast<std::uint32_t>((row + 512) * ((wide + 3) / 4) + at / 4);
    const PhiloxBlock b = philox4x32({{quad, frame, stream_, 256 + draw_}}, static_cast<std::uint32_t>(seed_),
                                     static_cast<std::uint32_t>(seed_ >> 32U));
    const int pair = at % 4 / 2;
    const double u = (static_cast<double>(b.word[2 * pair] >> 1U) + 0.5) * 0x1p-31;
    const double angle = 2 * std::numbers::pi * static_cast<double>(b.word[2 * pair + 1]) * 0x1p-32;
    return std::sqrt(-2 * std::log(u)) * (at % 2 == 0 ? std::cos(angle) : std::sin(angle));
  }

  Correlation c_;
  FieldShape shape_;
  std::uint64_t seed_;
  std::uint32_t stream_, draw_;
};

RC_GTEST_PROP(DrawFields, AreThoseOfTheOracle, ()) {
  const auto any = [](double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) * 1e-3; };
  const FieldShape shape = {static_cast<std::uint32_t>(*rc::gen::inRange(1, 40)),
                            static_cast<std::uint32_t>(*rc::gen::inRange(40, 150)), *rc::gen::arbitrary<bool>()};
  Correlation c{.shape = *rc::gen::element(kShapes[0], kShapes[1])};
  c.across_px = static_cast<float>(any(0, 4)), c.down_px = static_cast<float>(any(0.01, 5));
  if (*rc::gen::inRange(0, 4) == 0) c.across_px = 0;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto frame = *rc::gen::arbitrary<std::uint32_t>();
  FieldSamples samples(with(c), shape, seed);
  const Oracle oracle(c, shape, seed, samples.correlated().stream, 0);
  const auto bands = static_cast<std::uint32_t>(*rc::gen::inRange(1, 4));
  const std::vector<float> wanted = samples.normals(frame, 0.0, Isa::kBase, bands);
  for (int k = 0; k < 6; ++k) {
    const int row = *rc::gen::inRange(0, static_cast<int>(shape.rows));
    const int col = *rc::gen::inRange(0, static_cast<int>(shape.cols));
    const double found = double{wanted[static_cast<std::size_t>(row) * shape.cols + static_cast<std::size_t>(col)]};
    RC_ASSERT(std::abs(found - oracle.at(row, col, frame)) < 1e-5);
  }
  for (const Isa isa : usable_isas()) {
    FieldSamples again(with(c), shape, seed);
    RC_ASSERT(again.normals(frame, 0.0, isa, 3 - bands % 3) == wanted);
  }
}

/// The mean of products of a field with itself `down` rows and `across` columns on, over the frames of `samples`, and
/// its standard error.
struct Estimate {
  double mean, error;
};
Estimate estimate(const std::vector<std::vector<float>>& frames, std::uint32_t cols, std::uint32_t down,
                  std::uint32_t across) {
  std::vector<double> of_frame;
  for (const std::vector<float>& f : frames) {
    double sum = 0;
    std::size_t count = 0;
    const std::size_t rows = f.size() / cols;
    for (std::size_t v = 0; v + down < rows; ++v) {
      for (std::size_t u = 0; u + across < cols; ++u, ++count) {
        sum += double{f[v * cols + u]} * double{f[(v + down) * cols + u + across]};
      }
    }
    of_frame.push_back(sum / static_cast<double>(count));
  }
  const Moments m = moments_of(of_frame);
  return {m.mean, std::sqrt(m.variance / static_cast<double>(of_frame.size() - 1))};
}

TEST(DrawFields, HaveTheAutocorrelationOfTheirShape) {
  for (const CorrelationShape shape : kShapes) {
    const Correlation c{.across_px = 3, .down_px = 1.5F, .shape = shape};
    FieldSamples samples(with(c), {});
    std::vector<std::vector<float>> frames;
    for (std::uint32_t k = 0; k < 60; ++k) frames.push_back(samples.normals(k));
    const double off = shape == CorrelationShape::kGaussian ? 0.004 : 0.0004;
    for (std::uint32_t lag = 0; lag <= 12; ++lag) {
      const Estimate across = estimate(frames, 160, 0, lag), down = estimate(frames, 160, lag, 0);
      EXPECT_LT(across.error, 0.01);
      EXPECT_NEAR(across.mean, closed_form(shape, 3, lag), 4 * across.error + off) << "across, lag " << lag;
      EXPECT_NEAR(down.mean, closed_form(shape, 1.5, lag), 4 * down.error + off) << "down, lag " << lag;
    }
    const Estimate both = estimate(frames, 160, 2, 3);
    EXPECT_NEAR(both.mean, closed_form(shape, 1.5, 2) * closed_form(shape, 3, 3), 4 * both.error + 2 * off);
  }
}

TEST(DrawFields, HaveTheAutocorrelationOfTheirTime) {
  constexpr double kPeriod = 0.5, kRate = 10;  // five frames between two key frames
  const Correlation c{.time_s = kPeriod};
  FieldSamples samples(with(c), {.rows = 200, .cols = 250});
  std::vector<std::vector<float>> frames;
  for (std::uint32_t k = 0; k < 26; ++k) frames.push_back(samples.normals(k, k / kRate - 0.7));
  EXPECT_EQ(samples.made(), 7U) << "each key frame once";
  const auto phase = [&](std::uint32_t k, int& interval) {
    const double at = (k / kRate - 0.7) / kPeriod;
    interval = static_cast<int>(std::floor(at));
    return std::numbers::pi / 2 * (at - interval);
  };
  const double n = 200 * 250;
  for (std::uint32_t first = 0; first < 13; ++first) {
    for (std::uint32_t lag = 0; lag <= 12; ++lag) {
      int i = 0, j = 0;
      const double p = phase(first, i), q = phase(first + lag, j);
      const double wanted = i == j ? std::cos(p - q) : j == i + 1 ? std::sin(p) * std::cos(q) : 0.0;
      double sum = 0;
      for (std::size_t k = 0; k < frames[0].size(); ++k) {
        sum += double{frames[first][k]} * double{frames[first + lag][k]};
      }
      EXPECT_NEAR(sum / n, wanted, 4.5 * std::sqrt((1 + wanted * wanted) / n)) << first << ", lag " << lag;
    }
  }
}

TEST(DrawFields, CloseWhereTheScanDoes) {
  for (const CorrelationShape shape : kShapes) {
    const Correlation c{.across_px = 3, .shape = shape};
    for (const bool closes : {false, true}) {
      FieldSamples samples(with(c), {.rows = 4000, .cols = 61, .closes = closes});
      const std::vector<float> f = samples.normals(0);
      for (std::size_t lag = 1; lag <= 6; ++lag) {
        double sum = 0;
        for (std::size_t v = 0; v < 4000; ++v) sum += double{f[v * 61 + 60]} * double{f[v * 61 + lag - 1]};
        const double wanted = closes ? closed_form(shape, 3, static_cast<double>(lag)) : 0.0;
        EXPECT_NEAR(sum / 4000, wanted, 4.5 * std::sqrt((1 + wanted * wanted) / 4000) + 0.004) << lag;
      }
    }
  }
}

TEST(DrawFields, HaveMomentsOfOneEverywhere) {
  // Over seeds, at corners, borders and between two key frames: no pixel feels the border.
  for (const CorrelationShape shape : kShapes) {
    const Correlation c{.across_px = 2, .down_px = 2, .time_s = 1, .shape = shape};
    constexpr std::array<std::size_t, 5> kPixels = {0, 11, 12 * 5 + 6, 12 * 11, 143};
    std::array<std::vector<double>, kPixels.size()> values;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
      const std::vector<float> field = FieldSamples(with(c), {.rows = 12, .cols = 12}, seed).normals(0, 0.3);
      for (std::size_t i = 0; i < kPixels.size(); ++i) values[i].push_back(double{field[kPixels[i]]});
    }
    for (std::size_t i = 0; i < kPixels.size(); ++i) {
      const Moments m = moments_of(values[i]);
      EXPECT_NEAR(m.mean, 0, 4.5 / std::sqrt(6000)) << kPixels[i];
      EXPECT_NEAR(m.variance, 1, 4.5 * std::sqrt(2.0 / 6000)) << kPixels[i];
      EXPECT_NEAR(m.kurtosis, 3, 4.5 * std::sqrt(24.0 / 6000)) << kPixels[i];
    }
  }
}

TEST(DrawFields, KeepWhatTheNextFrameNeedsWithoutAnyBitOfDifference) {
  for (const double time_s : {0.0, 0.35, double{math::kInfinity}}) {
    const Correlation c{.across_px = 2, .down_px = 1, .time_s = time_s};
    FieldSamples run(ChainEntry(Dropout{.probability = 0.5F}, c), {.rows = 20, .cols = 30});
    for (const std::uint32_t index : {0U, 1U, 2U, 3U, 4U, 5U, 17U, 4U, 3U, 0U}) {
      FieldSamples alone(ChainEntry(Dropout{.probability = 0.5F}, c), {.rows = 20, .cols = 30});
      const float* const wanted = alone.draw(index, 0.1 * index).uniform[0];
      const float* const found = run.draw(index, 0.1 * index).uniform[0];
      EXPECT_EQ(std::memcmp(wanted, found, 600 * sizeof(float)), 0) << time_s << ", frame " << index;
    }
    EXPECT_EQ(run.made() == 1, std::isinf(time_s));
  }
}

TEST(DrawFields, AreMadeAnewWhereTheLastFrameWasNotFinished) {
  const Correlation c{.across_px = 2, .time_s = math::kInfinity};
  const StagedChain chain = stage_chain("s", {with(c)}, RangePolicy::kKeep, {});
  FieldStore store;
  store.begin({chain, 5, 6, 7, 0, 0.0});  // and something is thrown
  store.begin({chain, 5, 6, 7, 0, 0.0});
  EXPECT_EQ(store.tasks(), 1U);
  store.cut_into(1), store.make(0, 0, 1, Isa::kBase), store.finish(0, 1, Isa::kBase), store.end();
  store.begin({chain, 5, 6, 7, 1, 0.1});
  EXPECT_EQ(store.tasks(), 0U);
  store.begin({chain, 5, 6, 8, 1, 0.1});
  EXPECT_EQ(store.tasks(), 1U) << "another seed";
}

TEST(DrawFields, KnowTheTimeOfAnyStamp) {
  for (const double stamp : {-1e300, -1e17, -3.0, -0.1, 0.0, 1e9, 1e17, 1e300}) {
    const KeyTime t = key_time({.time_s = 1e-6}, {3, stamp});
    EXPECT_NEAR(t.cosine * t.cosine + t.sine * t.sine, 1, 1e-6) << stamp;
  }
  EXPECT_EQ(key_time({.time_s = 0.5}, {3, -0.1}).frame, ~0U);
  EXPECT_EQ(key_time({.time_s = 0.5}, {3, 1.2}).frame, 2U);
  EXPECT_EQ(key_time({}, {3, 1.2}), (KeyTime{.frame = 3}));
  EXPECT_EQ(key_time({.time_s = double{math::kInfinity}}, {3, 1.2}), KeyTime{});
}

TEST(DrawFields, KnowTheMotionOfAnyFrame) {
  const Travel motion = {.way_m = 0.7, .angle_rad = 0.9};
  const Correlation both = {.motion_m = 0.5, .motion_rad = 0.25};  // 1.4 + 3.6 steps
  EXPECT_EQ(key_time(both, {3, 1.2, motion}).frame, 5U);
  EXPECT_EQ(key_time({.motion_m = 0.5}, {3, 1.2, motion}), key_time({.time_s = 0.5}, {9, 0.7}));
  EXPECT_EQ(key_time({.motion_rad = 0.5}, {3, 1.2, motion}), key_time({.time_s = 0.5}, {9, 0.9}));
  EXPECT_EQ(key_time({.time_s = 0.5, .motion_m = 0.7}, {3, 1.2, motion}).frame, 3U);
  EXPECT_EQ(key_time({.time_s = double{math::kInfinity}, .motion_m = 0.5}, {3, 1.2, motion}).frame, 1U);
  EXPECT_EQ(key_time(both, {3, 1.2}), key_time(both, {4, 9.9})) << "a still sensor";
}

// Laws of every registered model with correlated draws: pixel by pixel nothing differs from white ones.

/// Independent samples of a model's numbers: pixels farther apart than the kernel is wide, each of another frame.
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
    // Surfaces belong to quads, and are the same in all frames and in both samples.
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
