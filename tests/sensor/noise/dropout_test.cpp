// SPDX-License-Identifier: MIT
#include <fathom/noise/dropout.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

double lost(const Lanes& lanes) {
  double count = 0;
  for (const std::uint32_t reason : lanes.reasons) count += reason == static_cast<std::uint32_t>(Reason::kDropout);
  return count;
}

TEST(Dropout, LosesTheFractionAsked) {
  for (const float p : {1e-5F, 0.01F, 0.25F, 0.5F, 0.999F}) {
    const double count = lost(sample(Dropout{p}, 1, 2, 3));
    EXPECT_TRUE(is_binomial(count, static_cast<double>(kDraws), p, 4)) << count << " lost at " << p;
  }
}

TEST(Dropout, ZeroLosesNothingAndOneEverything) {
  EXPECT_EQ(lost(sample(Dropout{0.0F}, 1, 2, 3)), 0);
  EXPECT_EQ(lost(sample(Dropout{1.0F}, 1, 2, 3)), static_cast<double>(kDraws));
}

TEST(Dropout, KeepsTheReasonOfWhatIsLostAlready) {
  Lanes lanes = make_lanes(4096);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes.reasons[i] = static_cast<std::uint32_t>(i % kReasonNames.size());
  }
  apply(Dropout{1.0F}, detect_isa(), {1, 1, 1}, lanes);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto before = static_cast<std::uint32_t>(i % kReasonNames.size());
    const auto expected = before == 0 ? static_cast<std::uint32_t>(Reason::kDropout) : before;
    ASSERT_EQ(lanes.reasons[i], expected);
  }
}

TEST(Dropout, MoreProbabilityLosesASuperset) {
  // One draw per return whatever the probability, so raising it only adds losses.
  const Lanes few = sample(Dropout{0.2F}, 1, 2, 3), many = sample(Dropout{0.3F}, 1, 2, 3);
  for (std::size_t i = 0; i < few.size(); ++i) {
    ASSERT_LE(few.reasons[i], many.reasons[i]) << "lane " << i;
  }
}

}  // namespace
}  // namespace fathom::test
