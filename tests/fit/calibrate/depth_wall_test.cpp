// SPDX-License-Identifier: MIT
// Walls in depth images, of closed form, and the notes on images that are not raw.

#include <fathom/fit/measure_depth.hpp>

#include "fit/calibrate/depth_fields.hpp"
#include "fit/pairs/depth_patch.hpp"

namespace fathom::test::depth_wall_test {
namespace {

constexpr std::uint32_t kRows = 72, kCols = 108;

/// Disparities of a slanted wall, 12 to 15 px, with white noise, in steps of 1/32 px.
std::vector<double> raw_disparities() {
  const std::vector<double> noise = make_field(3, kRows, kCols, 0, 0);
  std::vector<double> px;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double exact = 12 + 3.0 * static_cast<double>(i % kCols) / kCols + 0.1 * noise[i];
    px.push_back(std::round(32 * exact) / 32);
  }
  return px;
}

/// Means over 3 x 3 pixels; the border stays.
std::vector<double> smoothed(const std::vector<double>& px) {
  std::vector<double> means = px;
  for (std::size_t row = 1; row + 1 < kRows; ++row) {
    for (std::size_t col = 1; col + 1 < kCols; ++col) {
      double sum = 0;
      for (std::size_t k = 0; k < 9; ++k) sum += px[(row + k / 3 - 1) * kCols + col + k % 3 - 1];
      means[row * kCols + col] = sum / 9;
    }
  }
  return means;
}

/// Depths in whole mm. The band that the right camera does not see is a hole; `shift` columns are cut off at the left.
std::vector<float> millimetres(const std::vector<double>& px, std::size_t shift = 0) {
  std::vector<float> depth(px.size(), 0.0F);
  for (std::size_t i = 0; i < px.size(); ++i) {
    const std::size_t col = i % kCols;
    if (static_cast<double>(col) < px[i] || col < shift) continue;
    depth[i - shift] = static_cast<float>(std::round(1e3 * kFocalBaseline / px[i]) / 1e3);
  }
  return depth;
}

bool has_flag(const std::vector<float>& depth_m, std::string_view text) {
  const DepthMeasure m = measure_depth(depth_m, 1, kRows, kCols, {.focal_baseline_px_m = kFocalBaseline});
  for (const std::string& flag : m.flags) {
    if (contains(flag, std::string(text))) return true;
  }
  return false;
}

constexpr std::string_view kOffLevels = "are not on steps of 1/32 px", kFilled = "nearer to the left border";

TEST(FilterTraces, RawLevelsHaveNone) {
  const std::vector<float> raw = millimetres(raw_disparities());
  EXPECT_FALSE(has_flag(raw, kOffLevels));
  EXPECT_FALSE(has_flag(raw, kFilled));
}

TEST(FilterTraces, SmoothedLevelsAreOffTheSteps) {
  const std::vector<float> smooth = millimetres(smoothed(raw_disparities()));
  EXPECT_TRUE(has_flag(smooth, kOffLevels));
  EXPECT_FALSE(has_flag(smooth, kFilled));
}

TEST(FilterTraces, ShiftedColumnsFillTheBand) {
  const std::vector<float> shifted = millimetres(raw_disparities(), 8);
  EXPECT_FALSE(has_flag(shifted, kOffLevels));
  EXPECT_TRUE(has_flag(shifted, kFilled));
}

// Rounding of floats grows with the distance, and must not make whole levels of any number.
TEST(FilterTraces, OnlyWholeLevelsCountAtAnyDistance) {
  constexpr double kWide = 1000;  // px m
  for (const double nearest_m : {2.0, 60.0}) {
    std::vector<float> whole, others;
    for (int i = 0; i < 4000; ++i) {
      whole.push_back(static_cast<float>(nearest_m + 0.001 * (i % 100)));
      others.push_back(static_cast<float>(nearest_m + 0.00037 * i));
    }
    EXPECT_TRUE(find_filter_traces(whole, 40, kWide).fills_band) << nearest_m;
    const FilterTraces none = find_filter_traces(others, 40, kWide);
    EXPECT_FALSE(none.fills_band || none.off_levels) << nearest_m;
  }
}

/// Depths of a wall whose disparity is `px(col)`.
template <class F>
std::vector<float> wall_of(std::uint32_t rows, std::uint32_t cols, F px) {
  std::vector<float> depth;
  for (std::uint32_t i = 0; i < rows * cols; ++i) depth.push_back(static_cast<float>(kFocalBaseline / px(i % cols)));
  return depth;
}

// Of a sine with k whole periods in a patch, a quadric takes its line: 6 / (k pi)^2 of the mean square.
TEST(WallPatches, WavesGrowWithTheSideByTheClosedForm) {
  constexpr double kWave = 0.2;  // px, of 24 px length
  constexpr std::uint32_t kSide = 144;
  const auto px = [](std::uint32_t col) { return 30 + kWave * std::sin(2 * std::numbers::pi * (col + 0.5) / 24); };
  const DepthMeasure m =
      measure_depth(wall_of(kSide, kSide, px), 1, kSide, kSide, {.focal_baseline_px_m = kFocalBaseline});
  ASSERT_EQ(m.walls.size(), 3U);
  for (std::size_t k = 1; k <= 3; ++k) {
    const DepthMeasure::Wall& wall = m.walls[k - 1];
    const double phase = static_cast<double>(k) * std::numbers::pi;
    const double expected = kWave * std::sqrt(0.5 * (1 - 6 / (phase * phase)));
    EXPECT_EQ(wall.side_px, 24 * k);
    EXPECT_EQ(wall.patches, kSide / wall.side_px * (kSide / wall.side_px));
    EXPECT_NEAR(wall.deviation_px, expected, 0.01 * expected) << wall.side_px;
  }
  EXPECT_LT(m.walls[0].deviation_px, m.walls[1].deviation_px);
  EXPECT_LT(m.walls[1].deviation_px, m.walls[2].deviation_px);
}

TEST(WallPatches, HaveUpTo3PercentOfHoles) {
  std::vector<float> depth = wall_of(24, 48, [](std::uint32_t col) { return 30 + 0.01 * (col % 2); });
  const auto make_holes = [&](std::size_t patch, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) depth[k * 48 + 24 * patch + 7] = 0;
  };
  make_holes(0, 12), make_holes(1, 23);  // 2 and 4 % of 576
  const DepthMeasure m = measure_depth(depth, 1, 24, 48, {.focal_baseline_px_m = kFocalBaseline});
  EXPECT_EQ(m.walls[0].patches, 1U);
  EXPECT_NEAR(m.walls[0].deviation_px, 0.005, 1e-4) << "half of both disparities' difference";
  EXPECT_EQ(m.walls[1].patches, 0U);
  EXPECT_TRUE(std::isnan(m.walls[1].deviation_px));
}

}  // namespace
}  // namespace fathom::test::depth_wall_test
