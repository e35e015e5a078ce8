// SPDX-License-Identifier: MIT
#include "sensor/noise/known_answers.hpp"

#include <fathom/noise/noise.hpp>

#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

std::vector<std::string> read_known_answers() {
  std::ifstream file(FATHOM_SOURCE_DIR "/tests/data/known_answers.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

TEST(KnownAnswers, AreReplayedBitForBitByEveryInstructionSet) {
  const std::vector<std::string> expected = read_known_answers();
  ASSERT_GT(expected.size(), 300U) << "tests/data/known_answers.txt is missing or cut short";
  for (const Isa isa : usable_isas()) {
    const std::vector<std::string> got = compute_known_answers(isa);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << to_string(isa);
  }
}

TEST(KnownAnswers, NameEveryRegisteredModel) {
  const std::vector<std::string> lines = read_known_answers();
  for (const NoiseInfo& info : noise_models()) {
    const auto names = [&](const std::string& line) { return line.rfind(info.slug, 0) == 0; };
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), names)) << info.slug;
  }
}

TEST(KnownAnswers, StartWithThePublishedVectors) {
  const std::vector<std::string> lines = read_known_answers();
  ASSERT_GT(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "philox 00000000 00000000 00000000 00000000 00000000 00000000 -> 6627e8d5 e169c58d bc57ac4c 9b00dbd8");
  EXPECT_EQ(lines[1],
            "philox ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff -> 408f276d 41c83b0e a20bc7c6 6d5451fd");
  EXPECT_EQ(lines[2],
            "philox 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 -> d16cfe09 94fdcceb 5001e420 24126ea1");
}

}  // namespace
}  // namespace fathom::test
