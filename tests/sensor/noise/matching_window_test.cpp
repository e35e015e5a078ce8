// SPDX-License-Identifier: MIT
#include <fathom/noise/matching_window.hpp>

#include <fathom/noise/noise.hpp>

#include "sensor/noise/windows.hpp"

namespace fathom::test {
namespace {

double any_real(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) * 1e-3; }

MatchingWindow any_window() {
  return {.radius_px = static_cast<float>(*rc::gen::inRange(0, 6)),
          .share = static_cast<float>(any_real(0, 0.6)),
          .sure_share = *rc::gen::arbitrary<bool>() ? 0.0F : static_cast<float>(any_real(0, 1)),
          .flying = *rc::gen::arbitrary<bool>(),
          .max_step_px = static_cast<float>(any_real(0.2, 3))};
}

RC_GTEST_PROP(MatchingWindow, IsWhatItsDefinitionSaysInDoublePrecision, ()) {
  const auto rows = *rc::gen::inRange<std::uint32_t>(1, 24), cols = *rc::gen::inRange<std::uint32_t>(1, 24);
  const Disparities d = any_disparities(rows, cols, *rc::gen::arbitrary<std::uint32_t>(), any_real(0, 0.5));
  const WindowRule rule = any_window().window();
  std::size_t compared = 0, lost = 0, grown = 0;
  for (std::uint32_t i = 0; i < rows * cols; ++i) {
    if (!(d.px[i] > 0)) continue;
    const auto expected = expected_pixel(rule, d, i / cols, i % cols);
    if (!expected) continue;
    const WindowPixel got = match_window(rule, d.image(), i / cols, i % cols);
    RC_ASSERT(got.reason == expected->reason);
    ++compared;
    if (got.reason != Reason::kHit) {
      ++lost;
      continue;
    }
    RC_ASSERT(got.taken == expected->taken);
    RC_ASSERT(std::abs(got.disparity_px - expected->disparity_px) <= 2e-7 * expected->disparity_px + 1e-6);
    grown += got.taken != i ? 1 : 0;
  }
  RC_CLASSIFY(compared > 0, "compared");
  RC_CLASSIFY(lost > 0, "loses");
  RC_CLASSIFY(grown > 0, "grows");
}

/// An image of two levels: near from column `begin` up to `end`.
Disparities make_bar(std::uint32_t cols, std::uint32_t begin, std::uint32_t end) {
  Disparities d{15, cols, {}};
  for (std::uint32_t i = 0; i < d.rows * cols; ++i) d.px.push_back(i % cols >= begin && i % cols < end ? 40.0F : 10.0F);
  return d;
}

/// Columns of the middle row that take the near level.
std::uint32_t near_columns(const MatchingWindow& window, const Disparities& d) {
  std::uint32_t count = 0;
  for (std::uint32_t col = 0; col < d.cols; ++col) {
    const WindowPixel p = match_window(window.window(), d.image(), 7, col);
    EXPECT_EQ(p.reason, Reason::kHit);
    EXPECT_TRUE(p.disparity_px == 40.0F || p.disparity_px == 10.0F) << p.disparity_px;
    EXPECT_EQ(d.px[p.taken], p.disparity_px);
    count += p.disparity_px == 40.0F ? 1 : 0;
  }
  return count;
}

// The window of the k-th pixel beside a half plane holds r - k + 1 of its 2 r + 1 columns.
TEST(MatchingWindow, AHalfPlaneGrowsByTheClosedForm) {
  for (const int r : {1, 2, 3, 4, 5, 7}) {
    for (const double share : {0.1, 0.2, 0.25, 0.3, 0.4, 0.49}) {
      const MatchingWindow window{.radius_px = static_cast<float>(r), .share = static_cast<float>(share)};
      const auto grows = static_cast<std::uint32_t>(std::floor(r + 1 - share * (2 * r + 1) + 1e-6));
      EXPECT_EQ(near_columns(window, make_bar(60, 30, 60)), 30 + grows) << r << " " << share;
    }
  }
}

TEST(MatchingWindow, ABarNarrowerThanItsShareDisappears) {
  for (const int r : {2, 3, 5}) {
    for (const double share : {0.25, 0.4}) {
      const MatchingWindow window{.radius_px = static_cast<float>(r), .share = static_cast<float>(share)};
      const double least = share * (2 * r + 1);
      for (std::uint32_t width = 1; width < 8; ++width) {
        const std::uint32_t seen = near_columns(window, make_bar(60, 30, 30 + width));
        if (width < least) {
          EXPECT_EQ(seen, 0U) << r << " " << share << " " << width;
        } else {
          EXPECT_GE(seen, width) << r << " " << share << " " << width;
        }
      }
    }
  }
}

TEST(MatchingWindow, APlaneIsUnchangedToRoundingAtEverySlantWithHolesAndAtBorders) {
  for (const double across : {0.0, 0.03, -0.3, 0.9}) {
    for (const double down : {0.0, -0.01, 0.5, -0.9}) {
      Disparities d{40, 40, {}};
      for (std::uint32_t i = 0; i < 1600; ++i) {
        const bool hole = i % 7 == 3 || i % 40 == 12;
        d.px.push_back(hole ? 0.0F : static_cast<float>(90 + across * (i % 40) + down * (i / 40.0 - i % 40 / 40.0)));
      }
      for (const float radius : {1.0F, 3.0F, 8.0F, 15.0F}) {
        const WindowRule rule = MatchingWindow{.radius_px = radius, .max_step_px = 4}.window();
        for (std::uint32_t i = 0; i < 1600; ++i) {
          if (!(d.px[i] > 0)) continue;
          const WindowPixel p = match_window(rule, d.image(), i / 40, i % 40);
          ASSERT_EQ(p.reason, Reason::kHit);
          ASSERT_EQ(p.taken, i);
          ASSERT_NEAR(p.disparity_px, d.px[i], 3e-7 * 90) << across << " " << down << " " << radius;
        }
      }
    }
  }
}

TEST(MatchingWindow, AnUnsurePixelIsLostOrFliesBetweenTwoSurfaces) {
  const Disparities d = make_bar(60, 30, 60);
  MatchingWindow window{.radius_px = 3, .share = 0.25F, .sure_share = 0.5F};
  for (const bool flying : {false, true}) {
    window.flying = flying;
    for (std::uint32_t col = 0; col < 60; ++col) {
      const WindowPixel p = match_window(window.window(), d.image(), 7, col);
      // Near columns in the window: 2 and 3 of 7 before the edge are not half of it, 4 and more are.
      const bool unsure = col == 28 || col == 29;
      EXPECT_EQ(p.reason, unsure && !flying ? Reason::kEdge : Reason::kHit) << col;
      if (p.reason == Reason::kHit) {
        EXPECT_EQ(p.disparity_px, unsure ? 25.0F : col < 30 ? 10.0F : 40.0F) << col;
      }
    }
  }
}

TEST(MatchingWindow, APixelBesideAHoleNeedsItsShareOfValidPixels) {
  Disparities d = make_bar(40, 0, 40);
  for (std::uint32_t row = 0; row < d.rows; ++row) std::fill_n(d.px.begin() + row * 40 + 20, 10, 0.0F);
  const auto supported = [&](float share, std::uint32_t row, std::uint32_t col) {
    return is_supported(MatchingWindow{.radius_px = 4, .valid_share = share}.window(), d.image(), row, col);
  };
  for (std::uint32_t k = 0; k < 8; ++k) {  // of 9 columns, 4 - k are holes
    const double valid = k < 4 ? (5.0 + k) / 9 : 1;
    for (const std::uint32_t col : {19 - k, 30 + k}) {
      EXPECT_TRUE(supported(static_cast<float>(valid - 0.01), 7, col)) << k;
      EXPECT_EQ(supported(std::min(static_cast<float>(valid + 0.01), 1.0F), 7, col), k >= 4) << k;
    }
  }
  // Five of nine columns are in the image, and the others count as 0.4.
  d.px[7 * 40 + 3] = 0.0F;
  constexpr float kBorder = 44.0F / (45.0F + 0.4F * 36.0F);
  EXPECT_TRUE(supported(kBorder - 0.01F, 7, 0));
  EXPECT_FALSE(supported(kBorder + 0.01F, 7, 0));
  for (const std::uint32_t row : {0U, 7U, d.rows - 1}) {
    EXPECT_TRUE(supported(1, row, 39)) << "no pixel of the window is lost";
  }
}

TEST(MatchingWindow, WindowsAtTheBorderCountPixelsOutsideByTheirWeight) {
  Disparities d = make_bar(30, 0, 30);
  std::fill_n(d.px.begin() + 5 * 30, 4, 0.0F), std::fill_n(d.px.begin() + 12 * 30 + 25, 5, 0.0F);
  const int rows = static_cast<int>(d.rows);
  for (int at = 0; at < rows * 30; ++at) {
    int valid = 0, all = 0;
    for (int row = std::max(at / 30 - 4, 0); row <= std::min(at / 30 + 4, rows - 1); ++row) {
      for (int col = std::max(at % 30 - 4, 0); col <= std::min(at % 30 + 4, 29); ++col) {
        ++all, valid += d.px[static_cast<std::size_t>(row * 30 + col)] > 0 ? 1 : 0;
      }
    }
    const double most = valid / (all + 0.4 * (81 - all));  // the share that just supports the pixel
    for (const double share : {most - 1e-4, std::min(most + 1e-4, 1.0)}) {
      const WindowRule rule = MatchingWindow{.radius_px = 4, .valid_share = static_cast<float>(share)}.window();
      EXPECT_EQ(is_supported(rule, d.image(), static_cast<std::uint32_t>(at / 30), static_cast<std::uint32_t>(at % 30)),
                valid == all || share < most)
          << at;
    }
  }
}

TEST(MatchingWindow, WithoutACandidateThePixelIsLost) {
  Disparities d{9, 9, {}};
  for (int i = 0; i < 81; ++i) d.px.push_back(10.0F + 5.0F * static_cast<float>(i));  // each its own surface
  const MatchingWindow window{.radius_px = 2};
  EXPECT_EQ(match_window(window.window(), d.image(), 4, 4).reason, Reason::kEdge);
  EXPECT_EQ(match_window(MatchingWindow{.radius_px = 0}.window(), d.image(), 4, 4).disparity_px, d.at(4, 4));
}

TEST(MatchingWindow, RoundsItsPixelsAndIsTheIdentityWithoutAny) {
  EXPECT_EQ((MatchingWindow{.radius_px = 2.4F, .min_area_px = 7.5F}.window().radius_px), 2);
  EXPECT_EQ((MatchingWindow{.radius_px = 2.6F, .min_area_px = 7.5F}.window().radius_px), 3);
  EXPECT_EQ((MatchingWindow{.radius_px = 2.4F, .min_area_px = 7.5F}.window().min_area_px), 8U);
  EXPECT_TRUE((MatchingWindow{.radius_px = 0.4F, .min_area_px = 1}.is_identity()));
  EXPECT_FALSE((MatchingWindow{.radius_px = 0, .min_area_px = 2}.is_identity()));
  EXPECT_FALSE(MatchingWindow{}.is_identity());
  ASSERT_TRUE(Noise(MatchingWindow{}).window());
  EXPECT_EQ(*Noise(MatchingWindow{}).window(), MatchingWindow{}.window());
  EXPECT_FALSE(Noise(Dropout{}).window());
}

}  // namespace
}  // namespace fathom::test
