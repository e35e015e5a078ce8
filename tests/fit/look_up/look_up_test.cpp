// SPDX-License-Identifier: MIT
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "fit/beam/score_kernels.cpp"  // for a function of its anonymous namespace

namespace fathom::test {
namespace {

/// The cubic of a piece by Horner's rule, each step rounded.
float cubic_at(const CubicTable& table, float place) {
  const auto piece = static_cast<std::size_t>(place);
  const float part = place - static_cast<float>(piece);
  float value = table.columns[3][piece];
  for (std::size_t k = 3; k-- > 0;) {
    const volatile float product = part * value;  // not contracted to one operation
    value = table.columns[k][piece] + product;
  }
  return value;
}

TEST(LookUps, GiveTheBitsOfTheCubic) {
  CubicTable table;
  table.fill([](double x) { return std::exp(-0.2 * x) * std::sin(x); });
  std::mt19937 random(1);
  std::uniform_real_distribution<float> anywhere(0.0F, CubicTable::kLast);
  alignas(64) float place[kScoreLanes], out[kScoreLanes];
  for (int repeat = 0; repeat < 200; ++repeat) {
    for (float& p : place) p = anywhere(random);
    place[0] = 0.0F, place[1] = CubicTable::kLast, place[2] = std::floor(place[2]);
    plain::look_up(table, place, out);
    for (std::size_t k = 0; k < kScoreLanes; ++k) ASSERT_EQ(out[k], cubic_at(table, place[k])) << place[k];
  }
}

}  // namespace
}  // namespace fathom::test
