// SPDX-License-Identifier: MIT
// A depth camera measured in its own images: errors of known size and correlation, steps, creases, holes.

#include <fathom/fit/measure_depth.hpp>

#include "fit/calibrate/depth_fields.hpp"
#include "fit/pairs/depth_patch.hpp"

namespace fathom::test::measure_depth_test {
namespace {

constexpr std::uint32_t kRows = 240, kCols = 320;
constexpr double kSigma = 0.08;  // px
/// The jackknife of 16 groups knows errors to a fifth; a right estimate misses 5 of them once in 5 000 times.
constexpr double kErrors = 5;

void expect_near(const Estimate& found, double truth, double most_error, const std::string& what) {
  EXPECT_NEAR(found.value, truth, kErrors * found.std_error) << what;
  EXPECT_LT(found.std_error, most_error) << what;
  EXPECT_GT(found.std_error, 0) << what;
}

DepthMeasure measured(double across, double down, int frames, const DepthMeasure::Options& more = {}) {
  DepthMeasure::Options options = more;
  options.focal_baseline_px_m = kFocalBaseline;
  DepthMeter meter(options);
  for (int k = 0; k < frames; ++k) {
    const auto field = make_field(static_cast<std::uint64_t>(k) + 5, kRows, kCols, across, down);
    meter.add(bent_surface(field, kRows, kCols, kSigma), kRows, kCols);
  }
  return meter.result();
}

TEST(MeasureDepth, WhiteNoiseIsFoundWhite) {
  const DepthMeasure m = measured(0, 0, 4);
  EXPECT_EQ(m.patches.all, 4U * 10 * 13);
  EXPECT_GT(m.patches.used, 510U) << "some 0.2 % are rough by chance";
  expect_near(m.deviation_px, kSigma, 0.01 * kSigma, "deviation");
  for (std::size_t lag = 1; lag <= DepthMeasure::kLags; ++lag) {
    expect_near(m.across[lag - 1], 0, 0.008, "across " + std::to_string(lag));
    expect_near(m.down[lag - 1], 0, 0.008, "down " + std::to_string(lag));
  }
  // Uncorrected, they are what the cubic makes of white noise.
  LagPair white;
  white.across[0] = white.down[0] = kSigma * kSigma;
  const LagPair left = after_cubic(white);
  EXPECT_NEAR(m.residual_px, std::sqrt(left.across[0]), kErrors * m.deviation_px.std_error);
  for (std::size_t lag = 1; lag <= DepthMeasure::kLags; ++lag) {
    EXPECT_NEAR(m.across_residual[lag - 1], left.across[lag] / left.across[0], kErrors * m.across[lag - 1].std_error);
  }
  EXPECT_EQ(m.holes, 0U);
  EXPECT_TRUE(m.flags.empty());
}

TEST(MeasureDepth, CorrelationIsThatOfTheField) {
  const double across = 1.8, down = 0.7;
  EXPECT_NEAR(field_correlation(across, 2), std::exp(-4 / (4 * across * across)), 2e-3) << "the closed form";
  const DepthMeasure m = measured(across, down, 6);
  expect_near(m.deviation_px, kSigma, 0.02 * kSigma, "deviation");
  for (std::size_t lag = 1; lag <= DepthMeasure::kLags; ++lag) {
    expect_near(m.across[lag - 1], field_correlation(across, lag), 0.03, "across " + std::to_string(lag));
    expect_near(m.down[lag - 1], field_correlation(down, lag), 0.03, "down " + std::to_string(lag));
  }
  EXPECT_LT(m.across_residual[3], m.across[3].value - 0.05) << "what the cubic takes is put back";
}

TEST(MeasureDepth, AWideFieldIsFlagged) {
  const DepthMeasure m = measured(8, 8, 1);
  ASSERT_EQ(m.flags.size(), 1U);
  EXPECT_TRUE(contains(m.flags.front(), "lower bounds"));
  EXPECT_LT(m.deviation_px.value, kSigma);
}

TEST(MeasureDepth, DepthsHaveTheErrorOfTheirDistance) {
  constexpr double kDepthM = 2.5;
  std::vector<float> depth;
  for (const double e : make_field(3, kRows, kCols, 0, 0)) {
    depth.push_back(static_cast<float>(kFocalBaseline / (kFocalBaseline / kDepthM + kSigma * e)));
  }
  const DepthMeasure with = measure_depth(depth, 1, kRows, kCols, {.focal_baseline_px_m = kFocalBaseline});
  const double expected_m = kDepthM * kDepthM / kFocalBaseline * kSigma;
  expect_near(with.deviation_m, expected_m, 0.02 * expected_m, "m");
  EXPECT_EQ(with.bands[3].patches, with.patches.used);  // 2 to 4 m
  EXPECT_DOUBLE_EQ(with.bands[3].deviation_px, with.deviation_px.value);
  EXPECT_TRUE(std::isnan(with.bands[0].deviation_m));
  // Without a camera nothing in px is known, and all else is the same.
  const DepthMeasure without = measure_depth(depth, 1, kRows, kCols);
  EXPECT_TRUE(std::isnan(without.deviation_px.value));
  EXPECT_EQ(without.deviation_m.value, with.deviation_m.value);
  EXPECT_EQ(without.across[0].value, with.across[0].value);
  ASSERT_EQ(without.flags.size(), 1U);
  EXPECT_TRUE(contains(without.flags[0], "camera"));
}

TEST(MeasureDepth, StillFramesTellTheCorrelationInTime) {
  constexpr double kStays = 0.7;
  constexpr int kFrames = 24;
  DepthMeter meter({.focal_baseline_px_m = kFocalBaseline, .still = true});
  std::vector<double> error = make_field(1, kRows, kCols, 0, 0);
  for (int k = 0; k < kFrames; ++k) {
    meter.add(bent_surface(error, kRows, kCols, kSigma), kRows, kCols);
    const std::vector<double> fresh = make_field(100 + static_cast<std::uint64_t>(k), kRows, kCols, 0, 0);
    for (std::size_t i = 0; i < error.size(); ++i) {
      error[i] = kStays * error[i] + std::sqrt(1 - kStays * kStays) * fresh[i];
    }
  }
  const DepthMeasure m = meter.result();
  ASSERT_EQ(m.in_time.size(), DepthMeasure::kLags);
  for (std::size_t lag = 1; lag <= DepthMeasure::kLags; ++lag) {
    expect_near(m.in_time[lag - 1], std::pow(kStays, static_cast<double>(lag)), 0.01, std::to_string(lag));
  }
}

TEST(MeasureDepth, AnErrorThatStaysHasCorrelationOne) {
  const auto depth = bent_surface(make_field(1, kRows, kCols, 0, 0), kRows, kCols, kSigma);
  DepthMeter meter({.still = true});
  for (int k = 0; k < 3; ++k) meter.add(depth, kRows, kCols);
  const DepthMeasure m = meter.result();
  EXPECT_NEAR(m.in_time[0].value, 1, 1e-6);
  EXPECT_NEAR(m.in_time[1].value, 1, 1e-6);
  EXPECT_TRUE(std::isnan(m.in_time[2].value)) << "there are three frames";
  EXPECT_TRUE(measured(0, 0, 1).in_time.empty()) << "frames are not still";
}

TEST(MeasureDepth, StepsAndCreasesAreLeftOut) {
  const auto field = make_field(2, kRows, kCols, 0, 0);
  std::vector<float> depth(field.size());
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const double col = static_cast<double>(i % kCols), row = static_cast<double>(i / kCols);
    double disparity = 30 + 0.01 * row;
    if (col >= 164) disparity = 20;               // a step within the patches of one column
    if (col < 70) disparity += 0.5 * (70 - col);  // a crease within the patches of another
    depth[i] = static_cast<float>(kFocalBaseline / (disparity + kSigma * field[i]));
  }
  const DepthMeasure m = measure_depth(depth, 1, kRows, kCols, {.focal_baseline_px_m = kFocalBaseline});
  EXPECT_EQ(m.patches.with_step, 10U);
  EXPECT_NEAR(static_cast<double>(m.patches.rough), 10, 2) << "and some by chance";
  EXPECT_EQ(m.patches.used, 120 - m.patches.rough);
  expect_near(m.deviation_px, kSigma, 0.02 * kSigma, "deviation");
  expect_near(m.across[0], 0, 0.02, "correlation");
}

TEST(MeasureDepth, CountsHoles) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  // The hole of 3 px lies before 1.5 m (nearer: 0.7), that at the side before 3 m; the last row has nothing to lie by.
  const std::vector<float> depth = {0.7F, 0, kNan, 1.5F, 1.5F,   //
                                    0.7F, 0, 0.7F, 1.5F, 0.4F,   //
                                    3.0F, 3, 3.0F, 3.0F, -1.0F,  //
                                    kInf, 0, 0.0F, 0.0F, 0.0F};
  const DepthMeasure m = measure_depth(depth, 1, 4, 5);
  EXPECT_EQ(m.pixels, 20U);
  EXPECT_EQ(m.holes, 9U);
  EXPECT_EQ(m.blobs[0].count, 1U);
  EXPECT_EQ(m.blobs[0].pixels, 3U);
  EXPECT_EQ(m.blobs[1].count, 1U);
  EXPECT_EQ(m.blobs[1].pixels, 6U) << "the last row and the pixel above";
  EXPECT_EQ(m.blobs[2].count, 0U);
  EXPECT_EQ(m.largest_blob, 6U);
  ASSERT_EQ(m.blobs_by_size.size(), 3U);
  EXPECT_EQ(m.blobs_by_size[1].count, 1U);   // 2 to 3
  EXPECT_EQ(m.blobs_by_size[2].pixels, 6U);  // 4 to 7
  EXPECT_EQ(m.holes_without_neighbour, 5U);
  EXPECT_EQ(m.bands[0].pixels, 1U);  // to 0.5 m
  EXPECT_EQ(m.bands[1].holes, 1U) << "between 0.7 and 0.7";
  EXPECT_EQ(m.bands[2].holes, 2U) << "the farther side counts";
  EXPECT_EQ(m.bands[3].holes, 1U);
  EXPECT_EQ(m.patches.used, 0U);
  EXPECT_TRUE(std::isnan(m.deviation_m.value));
  EXPECT_TRUE(contains(m.flags.at(0), "nothing is known"));
}

TEST(MeasureDepth, WholeBlobsTouchNeitherBorderNorWhatIsLeftOut) {
  constexpr std::uint32_t kSide = 12;
  std::vector<float> depth(kSide * kSide, 1.0F);
  std::vector<std::uint8_t> out(depth.size());
  const auto hole = [&](std::uint32_t row, std::uint32_t col) { depth[row * kSide + col] = 0; };
  hole(0, 3), hole(1, 3);                                                   // at the border
  hole(3, 3), hole(3, 4);                                                   // whole
  hole(3, 9), hole(4, 9), hole(5, 9), hole(6, 9), out[6 * kSide + 10] = 1;  // beside a pixel that is left out
  for (std::uint32_t row = 4; row < 10; ++row) hole(row, 6);                // whole
  hole(10, 2), out[10 * kSide + 2] = 1, hole(10, 3);                        // half of it left out
  const DepthMeasure m = measure_depth(depth, 1, kSide, kSide, {}, out);
  EXPECT_EQ(m.left_out, 2U);
  EXPECT_EQ(m.pixels, depth.size() - 2);
  EXPECT_EQ(m.holes, 2U + 2 + 4 + 6 + 1);
  EXPECT_EQ(m.blobs[0].count, 3U);
  EXPECT_EQ(m.blobs[1].count, 2U);
  EXPECT_EQ(m.whole_blobs[0].count, 1U);
  EXPECT_EQ(m.whole_blobs[0].pixels, 2U);
  EXPECT_EQ(m.whole_blobs[1].count, 1U);
  EXPECT_EQ(m.whole_blobs[1].pixels, 6U);
  EXPECT_EQ(m.whole_blobs[2].count, 0U);
  EXPECT_EQ(m.bands[2].pixels, m.pixels) << "all lie 1 m away, holes too";
  EXPECT_EQ(m.bands[2].holes, m.holes);
}

// Pixels left out count nowhere: their values change no number.
TEST(MeasureDepth, WhatIsLeftOutCountsNowhere) {
  auto depth = bent_surface(make_field(2, kRows, kCols, 0, 0), kRows, kCols, kSigma);
  std::vector<std::uint8_t> out(depth.size());
  for (std::uint32_t row = 20; row < 60; ++row) {
    for (std::uint32_t col = 30; col < 90; ++col) out[row * kCols + col] = 255;
  }
  depth[100 * kCols + 100] = 0;
  const DepthMeasure all = measure_depth(depth, 1, kRows, kCols, {}, out);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (out[i] != 0) depth[i] = i % 3 == 0 ? 0.0F : 77.0F;
  }
  DepthMeter meter;
  meter.add(depth, kRows, kCols, out);
  const DepthMeasure m = meter.result();
  EXPECT_EQ(m.left_out, 40U * 60);
  EXPECT_EQ(m.pixels, depth.size() - 40 * 60);
  EXPECT_EQ(m.holes, 1U);
  EXPECT_EQ(m.patches.with_hole, 1U + 3 * 3) << "patches that hold one are not used";
  EXPECT_EQ(m.patches.used, all.patches.used);
  EXPECT_EQ(m.deviation_m.value, all.deviation_m.value);
  for (std::size_t k = 0; k < m.bands.size(); ++k) EXPECT_EQ(m.bands[k].pixels, all.bands[k].pixels);
  EXPECT_TRUE(std::isnan(meter.picture().depth_m[30 * kCols + 40]));
  EXPECT_EQ(meter.picture().blob_size[30 * kCols + 40], 0U);
}

TEST(MeasureDepth, APatchWithAHoleIsNotUsed) {
  auto depth = bent_surface(make_field(2, kRows, kCols, 0, 0), kRows, kCols, kSigma);
  depth[depth.size() / 2 + 17] = 0;
  const DepthMeasure m = measure_depth(depth, 1, kRows, kCols);
  EXPECT_EQ(m.patches.with_hole, 1U);
  EXPECT_EQ(m.patches.used + m.patches.rough, m.patches.all - 1);
}

TEST(MeasureDepth, AnExactSurfaceHasNoError) {
  const std::vector<float> flat(std::size_t{kRows} * kCols, 0.5F);
  const DepthMeasure m = measure_depth(flat, 1, kRows, kCols, {.focal_baseline_px_m = kFocalBaseline});
  EXPECT_LT(m.deviation_px.value, 1e-12);
  ASSERT_EQ(m.flags.size(), 1U);
  EXPECT_TRUE(contains(m.flags[0], "without noise"));
  const std::vector<double> none(flat.size());
  const DepthMeasure bent =
      measure_depth(bent_surface(none, kRows, kCols, 0), 1, kRows, kCols, {.focal_baseline_px_m = kFocalBaseline});
  EXPECT_LT(bent.residual_px, 2e-6) << "to the rounding of floats";
  EXPECT_EQ(bent.flags, m.flags);
}

/// Every number of a measurement.
std::vector<double> numbers_of(const DepthMeasure& m) {
  std::vector<double> all = {m.deviation_px.value, m.deviation_px.std_error, m.deviation_m.value, m.residual_px};
  for (const auto* estimates : {&m.across, &m.down, &m.in_time}) {
    for (const Estimate& e : *estimates) all.insert(all.end(), {e.value, e.std_error});
  }
  for (const auto& band : m.bands) {
    if (band.patches > 0) all.insert(all.end(), {band.deviation_px, band.deviation_m});
  }
  return all;
}

TEST(MeasureDepth, ThreadsChangeNoBit) {
  const std::vector<double> one = numbers_of(measured(1.2, 0, 14, {.still = true, .threads = 1}));
  ASSERT_GT(one.size(), 70U);
  for (const double number : one) EXPECT_TRUE(std::isfinite(number));
  for (const int threads : {2, 5}) {
    EXPECT_EQ(numbers_of(measured(1.2, 0, 14, {.still = true, .threads = threads})), one);
  }
}

TEST(MeasureDepth, AllAtOnceIsOneByOne) {
  DepthMeter meter;
  std::vector<float> all;
  for (std::uint64_t k = 0; k < 3; ++k) {
    const auto depth = bent_surface(make_field(k, 48, 72, 0, 0), 48, 72, kSigma);
    meter.add(depth, 48, 72);
    all.insert(all.end(), depth.begin(), depth.end());
  }
  const DepthMeasure a = meter.result(), b = measure_depth(all, 3, 48, 72);
  EXPECT_EQ(a.deviation_m.value, b.deviation_m.value);
  EXPECT_EQ(a.frames, b.frames);
}

TEST(MeasureDepth, OneMaskCountsForAllFrames) {
  const std::vector<float> depth(2 * 12, 0.0F);
  std::vector<std::uint8_t> one(12), each(2 * 12);
  one[5] = each[5] = each[12 + 5] = 1;
  const DepthMeasure a = measure_depth(depth, 2, 3, 4, {}, one), b = measure_depth(depth, 2, 3, 4, {}, each);
  EXPECT_EQ(a.left_out, 2U);
  EXPECT_EQ(b.left_out, 2U);
  EXPECT_EQ(a.holes, 22U);
  EXPECT_EQ(b.holes, 22U);
}

TEST(MeasureDepth, RefusesInOneLine) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [](const DepthMeasure::Options& options) {
    return input_error([&] { static_cast<void>(DepthMeter(options)); });
  };
  EXPECT_TRUE(contains(refusal({.focal_baseline_px_m = kNan}), "focal_baseline_px_m = nan"));
  EXPECT_TRUE(contains(refusal({.focal_baseline_px_m = 0.0}), "focal_baseline_px_m = 0"));
  EXPECT_TRUE(contains(refusal({.band_edges_m = {1, kNan}}), "band_edges_m: nan"));
  EXPECT_TRUE(contains(refusal({.band_edges_m = {1, 1}}), "(1, 1000000] m"));
  EXPECT_TRUE(contains(refusal({.band_edges_m = std::vector<double>(32, 1)}), "32"));
  EXPECT_TRUE(contains(refusal({.threads = -1}), "threads"));
  EXPECT_EQ(refusal({.band_edges_m = {}}), "");
  DepthMeter meter;
  const std::vector<float> depth(12, 1.0F);
  EXPECT_TRUE(contains(input_error([&] { (void)meter.result(); }), "no depth image"));
  const std::vector<float> far = {1, 1, 1, 1, 1, 2e6F}, near = {1, 1e-7F};
  EXPECT_EQ(input_error([&] { meter.add(far, 2, 3); }),
            "row 1, column 2: a depth of 2000000 m is not in [1e-06, 1000000] m");
  EXPECT_TRUE(contains(input_error([&] { meter.add(near, 1, 2); }), "row 0, column 1"));
  EXPECT_TRUE(contains(input_error([&] { meter.add(depth, 3, 5); }), "12"));
  EXPECT_TRUE(contains(input_error([&] { meter.add({}, 0, 5); }), "5 x 0"));
  meter.add(depth, 3, 4);
  EXPECT_TRUE(contains(input_error([&] { meter.add(depth, 4, 3); }), "the first image has 4 x 3"));
  const std::vector<std::uint8_t> out(5);
  EXPECT_TRUE(contains(input_error([&] { meter.add(depth, 3, 4, out); }), "5 marks"));
  EXPECT_TRUE(contains(input_error([&] { (void)measure_depth(depth, 2, 2, 3, {}, out); }), "left_out has 5 numbers"));
  EXPECT_TRUE(contains(input_error([&] { (void)measure_depth(depth, 0, 3, 4); }), "0 images"));
  EXPECT_TRUE(contains(input_error([&] { (void)measure_depth(depth, 5, 1, 2); }), "12 depths"));
}

}  // namespace
}  // namespace fathom::test::measure_depth_test
