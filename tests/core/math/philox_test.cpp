// SPDX-License-Identifier: MIT
#include <Random123/philox.h>

#include "support/expect.hpp"
#undef philox4x32  // Random123 has a macro of that name, fathom a function

#include "core/math/lanes_of_isa.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words words_of(const PhiloxBlock& block) { return {block.word[0], block.word[1], block.word[2], block.word[3]}; }

// The three "philox4x32 10" lines of tests/kat_vectors in Random123 1.14 (D. E. Shaw Research): zeros, ones, and the
// digits of pi.
TEST(Philox, KnownAnswersOfItsAuthors) {
  constexpr std::uint32_t kOnes = 0xffffffffU;
  EXPECT_EQ(words_of(philox4x32({{0, 0, 0, 0}}, 0, 0)), (Words{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
  EXPECT_EQ(words_of(philox4x32({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes)),
            (Words{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU}));
  EXPECT_EQ(words_of(philox4x32({{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}}, 0xa4093822U, 0x299f31d0U)),
            (Words{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U}));
}

RC_GTEST_PROP(Philox, EqualsRandom123, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  const r123::Philox4x32::ctr_type counter = {{word(), word(), word(), word()}};
  const r123::Philox4x32::key_type key = {{word(), word()}};
  const auto expected = r123::Philox4x32()(counter, key);
  const auto block = philox4x32({{counter[0], counter[1], counter[2], counter[3]}}, key[0], key[1]);
  for (int k = 0; k < 4; ++k) RC_ASSERT(block.word[k] == expected[k]);
}

TEST(Philox, KeyedBlockPlacesItsArguments) {
  // counter = [quad, frame, stream, draw], key = seed, low word first: part of the promise that seeds keep meaning.
  const NoiseKey key = {.seed = 0x299f31d0a4093822U, .frame = 0x85a308d3U, .stream = 0x13198a2eU};
  EXPECT_EQ(words_of(keyed_block(key, 0x243f6a88U, 0x03707344U)),
            (Words{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U}));
}

void expect_lanes_equal_scalar(LanesFunction lanes, const NoiseKey& key, std::uint32_t draw,
                               const std::vector<std::uint32_t>& quads) {
  std::vector<std::uint32_t> word(4 * quads.size());
  lanes(key, draw, quads.data(), quads.size(), word.data());
  for (std::size_t q = 0; q < quads.size(); ++q) {
    const PhiloxBlock block = keyed_block(key, quads[q], draw);
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_EQ(word[k * quads.size() + q], block.word[k]) << "quad " << quads[q] << ", word " << k;
    }
  }
}

TEST(PhiloxLanes, EqualScalarOnEveryInstructionSet) {
  std::mt19937 random(1);
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  for (const Isa isa : usable_isas()) {
    SCOPED_TRACE(to_string(isa));
    const LanesFunction lanes = FATHOM_FOR_ISA(isa, lanes);
    for (int repeat = 0; repeat < 200; ++repeat) {
      const NoiseKey key = {(std::uint64_t{word()} << 32U) | word(), word(), word()};
      std::vector<std::uint32_t> quads(8 * (1 + word() % 16));
      for (std::uint32_t& quad : quads) quad = word();
      ASSERT_NO_FATAL_FAILURE(expect_lanes_equal_scalar(lanes, key, word(), quads));
    }
    // The ends of the counter, where a lane that carried would show.
    const std::vector<std::uint32_t> ends = {0, 1, 0x7fffffffU, 0x80000000U, 0xfffffffeU, 0xffffffffU, 2, 3};
    ASSERT_NO_FATAL_FAILURE(expect_lanes_equal_scalar(lanes, {~std::uint64_t{0}, ~0U, ~0U}, ~0U, ends));
  }
}

}  // namespace
}  // namespace fathom::test
