// SPDX-License-Identifier: MIT
// Firings of a turn are found in its azimuths, wherever it starts and however fast it goes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>

#include "simulate/turn_grid.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

struct MadeTurn {
  std::vector<TurnPoint> points;
  std::vector<std::size_t> firing;  ///< of each point
  std::vector<double> azimuth_rad;  ///< of each firing
};

struct TurnMaker {
  std::size_t rows = 16, firings = 1800;
  double step_rad = 0.2 * kRadPerDeg, start_rad = 1.0, lost = 0.1;
  double encoder_rad = 0.01 * kRadPerDeg;
  double sway_rad = 0.0;  ///< by which azimuths go to and fro in a turn
  std::vector<double> row_offset_rad = std::vector<double>(rows, 0.0);

  [[nodiscard]] MadeTurn make(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::bernoulli_distribution loses(lost);
    MadeTurn turn;
    for (std::size_t k = 0; k < firings; ++k) {
      const double at = static_cast<double>(k);
      turn.azimuth_rad.push_back(start_rad + step_rad * at + encoder_rad * normal(random) +
                                 sway_rad * std::sin(2.0 * std::numbers::pi * at / static_cast<double>(firings)));
      for (std::size_t row = 0; row < rows; ++row) {
        if (loses(random)) continue;
        const double off = row_offset_rad[row];
        turn.points.push_back({.row = static_cast<std::uint32_t>(row),
                               .azimuth_rad = std::remainder(turn.azimuth_rad.back() + off, 2.0 * std::numbers::pi)});
        turn.firing.push_back(k);
      }
    }
    return turn;
  }
};

/// Of the columns that are found: each holds points of one firing, and no other does; each firing is at most once.
void expect_firings(const MadeTurn& turn, const TurnGrid& grid) {
  std::vector<std::set<std::size_t>> of_column(grid.azimuth_rad.size());
  std::vector<std::set<std::uint32_t>> of_firing(turn.azimuth_rad.size());
  for (std::size_t i = 0; i < turn.points.size(); ++i) {
    if (!grid.column[i]) continue;
    of_column[*grid.column[i]].insert(turn.firing[i]), of_firing[turn.firing[i]].insert(*grid.column[i]);
  }
  for (const auto& firings : of_column) RC_ASSERT(firings.size() == 1U);
  for (const auto& columns : of_firing) RC_ASSERT(columns.size() <= 1U);
  RC_ASSERT(std::is_sorted(grid.azimuth_rad.begin(), grid.azimuth_rad.end()));
}

std::size_t taken(const TurnGrid& grid) {
  return static_cast<std::size_t>(
      std::count_if(grid.column.begin(), grid.column.end(), [](const auto& column) { return column.has_value(); }));
}

/// With a point in a column.
std::size_t fewest_rows(const MadeTurn& turn, const TurnGrid& grid) {
  std::vector<std::size_t> rows_of(grid.azimuth_rad.size(), 0);
  for (std::size_t i = 0; i < turn.points.size(); ++i) {
    if (grid.column[i]) ++rows_of[*grid.column[i]];
  }
  return *std::min_element(rows_of.begin(), rows_of.end());
}

RC_GTEST_PROP(TurnGridTest, ColumnsAreFirings, ()) {
  TurnMaker maker;
  maker.step_rad *= 1.0 + 0.003 * *rc::gen::inRange(-100, 101) / 100.0;
  maker.start_rad = *rc::gen::inRange(-314, 315) / 100.0;
  maker.lost = *rc::gen::element(0.0, 0.05, 0.4);
  maker.rows = *rc::gen::element<std::size_t>(2, 16);
  maker.firings =
      static_cast<std::size_t>(2.0 * std::numbers::pi / maker.step_rad) - *rc::gen::inRange<std::size_t>(0, 3);
  maker.sway_rad = *rc::gen::element(0.0, 0.002);
  // Lasers fire one after the other, within five eighths of a step.
  maker.row_offset_rad.clear();
  for (std::size_t row = 0; row < maker.rows; ++row) {
    maker.row_offset_rad.push_back(-0.625 * maker.step_rad * static_cast<double>(row * 7 % maker.rows) /
                                   static_cast<double>(maker.rows));
  }
  const MadeTurn turn = maker.make(*rc::gen::arbitrary<std::uint64_t>());
  const TurnGrid grid = find_turn_grid(turn.points, maker.row_offset_rad);
  RC_ASSERT(grid.is_regular);
  RC_ASSERT(std::abs(grid.step_rad / maker.step_rad - 1.0) < 0.01);
  expect_firings(turn, grid);
  if (maker.lost == 0.0) RC_ASSERT(fewest_rows(turn, grid) == maker.rows);
  // What is left out lies where the turn starts.
  RC_ASSERT(static_cast<double>(taken(grid)) > 0.99 * static_cast<double>(turn.points.size()));
}

/// Drivers that count packets let a turn overlap itself.
TEST(TurnGridTest, WhereATurnOverlapsItselfNothingIsTold) {
  TurnMaker maker;
  for (const double step_deg : {0.199, 0.2, 0.2003}) {
    maker.step_rad = step_deg * kRadPerDeg, maker.firings = 1824;
    const MadeTurn turn = maker.make(3);
    const TurnGrid grid = find_turn_grid(turn.points, maker.row_offset_rad);
    ASSERT_TRUE(grid.is_regular) << step_deg;
    EXPECT_GT(static_cast<double>(taken(grid)), 0.96 * static_cast<double>(turn.points.size())) << step_deg;
    // Of 16 rows that lose a tenth, fewer than 7 are not seen in 2000 columns; in half a firing they would be.
    EXPECT_GE(fewest_rows(turn, grid), 7U) << step_deg;
  }
}

/// Rows that look several degrees to the side meet each other's firings, of another part of the turn.
TEST(TurnGridTest, RowsMayLookAside) {
  TurnMaker maker;
  for (std::size_t row = 0; row < maker.rows; ++row) {
    maker.row_offset_rad[row] = (row % 2 == 0 ? 4.2 : -1.4) * kRadPerDeg;
  }
  maker.lost = 0.0;
  const MadeTurn turn = maker.make(5);
  const TurnGrid grid = find_turn_grid(turn.points, maker.row_offset_rad);
  ASSERT_TRUE(grid.is_regular);
  EXPECT_GT(static_cast<double>(taken(grid)), 0.9 * static_cast<double>(turn.points.size()));
  EXPECT_EQ(fewest_rows(turn, grid), maker.rows);  // nothing was lost
}

TEST(TurnGridTest, HalfAsManyColumnsAreHalfAsMany) {
  TurnMaker maker;
  maker.step_rad *= 2.0, maker.firings = 899;
  const MadeTurn turn = maker.make(6);
  const TurnGrid grid = find_turn_grid(turn.points, maker.row_offset_rad);
  EXPECT_TRUE(grid.is_regular);
  EXPECT_LE(grid.azimuth_rad.size(), 899U);
  EXPECT_NEAR(grid.step_rad, maker.step_rad, 0.01 * maker.step_rad);
}

TEST(TurnGridTest, AzimuthsWithoutAGridAreCells) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(-std::numbers::pi, std::numbers::pi);
  std::vector<TurnPoint> points;
  for (std::uint32_t i = 0; i < 20'000; ++i) points.push_back({.row = i % 16, .azimuth_rad = anywhere(random)});
  const TurnGrid grid = find_turn_grid(points, std::vector<double>(16, 0.0));
  EXPECT_FALSE(grid.is_regular);
  std::vector<std::vector<std::pair<double, std::uint32_t>>> rows(16);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_TRUE(grid.column[i]);
    ASSERT_LT(*grid.column[i], grid.azimuth_rad.size());
    rows[points[i].row].emplace_back(points[i].azimuth_rad, *grid.column[i]);
  }
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (std::size_t i = 1; i < row.size(); ++i) EXPECT_LT(row[i - 1].second, row[i].second);
  }
}

TEST(TurnGridTest, FewPointsAreNoGridAndTwoAtAnAzimuthAreRefused) {
  EXPECT_FALSE(find_turn_grid({}, std::vector<double>(16, 0.0)).is_regular);
  const std::vector<TurnPoint> few = {{.row = 1, .azimuth_rad = 0.1}, {.row = 2, .azimuth_rad = 0.2}};
  EXPECT_EQ(find_turn_grid(few, std::vector<double>(16, 0.0)).column.size(), 2U);
  MadeTurn turn = TurnMaker{}.make(8);
  const std::vector<TurnPoint> once = turn.points;
  turn.points.insert(turn.points.end(), once.begin(), once.end());
  EXPECT_TRUE(contains(
      message_of<InputError>([&] { static_cast<void>(find_turn_grid(turn.points, std::vector<double>(16, 0.0))); }),
      "have another one of their ring at their azimuth"));
}

}  // namespace
}  // namespace fathom::test
