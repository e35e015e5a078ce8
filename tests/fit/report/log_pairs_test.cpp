// SPDX-License-Identifier: MIT
// What pairs within a gate say against the map and the gate.

#include <fathom/core/f64.hpp>
#include <fathom/fit/reports.hpp>

#include "fit/report/fit_selection.hpp"
#include "support/expect.hpp"

namespace fathom::test::log_pairs_test {
namespace {

/// Normal errors of 2 cm, 5 m away, as far as they are within the gate; `others` more readings were left out.
std::vector<std::string> flags_at(double gate_m, std::size_t others) {
  LogPairs found;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const double error_m = 0.02 * math::normal_quantile((i * 1237 % 4000 + 0.5) / 4000);
    if (std::abs(error_m) > gate_m) continue;
    found.pairs.range_m.push_back(static_cast<float>(5.0 + error_m)), found.pairs.expected_m.push_back(5.0F);
    found.pairs.scan.push_back(i / 10);
  }
  found.others = others;
  return texts_of(log_pair_findings(found, calibrate_distance(found.pairs), gate_m));
}

TEST(LogPairFlags, AGateThatCutsTheErrorsIsNamed) {
  EXPECT_TRUE(flags_at(0.3, 0).empty());
  EXPECT_TRUE(flags_at(0.1, 0).empty());
  for (const double gate_m : {0.05, 0.02, 0.001}) {
    const std::vector<std::string> flags = flags_at(gate_m, 0);
    ASSERT_EQ(flags.size(), 1U) << gate_m;
    EXPECT_TRUE(contains(flags.front(), "the deviation is too small; give gate_m"));
  }
}

TEST(LogPairFlags, AMapThatMostReadingsContradictIsNamed) {
  const std::vector<std::string> some = flags_at(0.3, 500), most = flags_at(0.3, 96'000);
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some.front(),
            "500 of 4 500 readings are farther than 0.3 m (gate_m) from what the world expects, and were left out");
  ASSERT_EQ(most.size(), 1U);
  EXPECT_EQ(most.front().find(
                "96 000 of 100 000 readings, 96 %, are farther than 0.3 m (gate_m) from what the world expects"),
            0U)
      << most.front();
  EXPECT_TRUE(contains(most.front(), "the map or scene is of another place"));
  EXPECT_FALSE(contains(most.front(), "the gate"));
  const std::vector<std::string> both = flags_at(0.02, 96'000);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_TRUE(contains(both.front(), "or the gate, 1."));
}

}  // namespace
}  // namespace fathom::test::log_pairs_test
