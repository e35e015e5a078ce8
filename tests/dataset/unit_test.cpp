// SPDX-License-Identifier: MIT
// The list of units, their folders and shards.

#include <fathom/dataset/unit.hpp>

#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>

#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::input_error;

/// A slow and obvious list: loops over everything.
std::vector<Unit> units_by_loops(NumberRange environments, NumberRange episodes, std::uint32_t frames,
                                 std::uint32_t block) {
  std::vector<Unit> units;
  for (std::uint64_t e = environments.first; e < environments.end; ++e) {
    for (std::uint64_t p = episodes.first; p < episodes.end; ++p) {
      Unit unit{units.size(), e, p, 0, 0};
      for (std::uint32_t f = 0; f < frames; ++f) {
        if (unit.frames == block) units.push_back(unit), unit = {units.size(), e, p, f, 0};
        ++unit.frames;
      }
      units.push_back(unit);
    }
  }
  return units;
}

NumberRange some_range() {
  const auto first = *rc::gen::inRange(0U, 50U);
  return {first, first + *rc::gen::inRange(1U, 6U)};
}

RC_GTEST_PROP(Units, AreThoseOfLoops, ()) {
  const NumberRange environments = some_range(), episodes = some_range();
  const auto frames = *rc::gen::inRange(1U, 40U), block = *rc::gen::inRange(0U, 45U);
  const UnitList list(environments, episodes, frames, block);
  const auto expected = units_by_loops(environments, episodes, frames, block == 0 ? frames : block);
  RC_ASSERT(list.size() == expected.size());
  for (const Unit& unit : expected) RC_ASSERT(list.at(unit.index) == unit);
}

TEST(Units, AreRefusedWithoutNumbers) {
  EXPECT_NE(input_error([] { return UnitList({3, 3}, {0, 1}, 1); }).find("environments 3:3"), std::string::npos);
  EXPECT_NE(input_error([] { return UnitList({0, 1}, {2, 1}, 1); }).find("episodes 2:1"), std::string::npos);
  EXPECT_NE(input_error([] { return UnitList({0, 1}, {0, 1}, 0); }).find("frames = 0"), std::string::npos);
  EXPECT_NE(input_error([] { return UnitList({0, 1'000'000}, {0, 1001}, 1); }).find("1000000000"), std::string::npos);
  EXPECT_NE(input_error([] {
              return UnitList({0, 0xffffffff}, {0, 0xffffffff}, 1'000'000, 1);
            }).find("1000000000"),
            std::string::npos);
  EXPECT_EQ(UnitList({0, 1'000'000}, {0, 1000}, 1).size(), kMaxUnits);
  EXPECT_NE(input_error([] { return UnitList({0, 2}, {0, 1}, 1).at(2); }).find("unit 2"), std::string::npos);
}

RC_GTEST_PROP(Units, HaveFoldersOfTheirOwnInSmallFolders, ()) {
  const auto index = *rc::gen::inRange<std::uint64_t>(0, kMaxUnits);
  const std::string folder = unit_folder(index).string();
  RC_ASSERT(folder.substr(0, 6) == "units/");
  RC_ASSERT(std::stoull(folder.substr(folder.rfind('/') + 1)) == index);
  RC_ASSERT(unit_folder(index).parent_path() == unit_folder(index / 1000 * 1000).parent_path());
  RC_ASSERT(index < 1000 || unit_folder(index).parent_path() != unit_folder(index - 1000).parent_path());
  // Three digits a level: no folder has more than a thousand entries.
  RC_ASSERT(unit_folder(index).parent_path().string().size() == std::string("units/000/000").size());
}

TEST(Shards, AreParsed) {
  EXPECT_EQ(parse_shard("3/16"), (Shard{3, 16}));
  EXPECT_EQ(parse_shard("0/1"), (Shard{0, 1}));
  for (const char* bad :
       {"", "/", "3", "3/", "/3", "3/3", "4/3", "-1/3", "a/b", "1/2/3", "0/0", "1 /2", "0/1000000001"}) {
    EXPECT_NE(input_error([&] { return parse_shard(bad); }).find("i/n"), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace fathom
