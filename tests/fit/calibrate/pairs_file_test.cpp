// SPDX-License-Identifier: MIT
#include <cmath>

#include <gtest/gtest.h>

#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/scan.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom::test::pairs_file_test {
namespace {

TEST(PairsFile, ReadsRangesInAnyOrderOfColumns) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.csv", "# made by hand\nexpected_m,range_m\n1,1.5\r\n\n2.5, inf\n3,nan\n");
  const RangePairs pairs = read_range_pairs(file);
  EXPECT_EQ(pairs.expected_m, (std::vector<float>{1, 2.5F, 3}));
  EXPECT_EQ(pairs.range_m[0], 1.5F);
  EXPECT_TRUE(std::isinf(pairs.range_m[1]) && std::isnan(pairs.range_m[2]));
  const BeamData data = read_beam_pairs(file);
  EXPECT_EQ(data.scan, (std::vector<std::uint32_t>{0, 1, 2}));
  const auto clustered = folder.write("b.csv", "range_m,expected_m,scan\n1,2,4\n1,2,4\n1,2,9\n");
  EXPECT_EQ(read_beam_pairs(clustered).scan, (std::vector<std::uint32_t>{4, 4, 9}));
  EXPECT_EQ(read_range_pairs(clustered).scan, (std::vector<std::uint32_t>{4, 4, 9}));
  EXPECT_TRUE(pairs.scan.empty());
}

TEST(PairsFile, ReadsEnergies) {
  const TemporaryFolder folder;
  const EnergyPairs pairs = read_energy_pairs(folder.write("a.csv", "energy,lost\n0.25,1\n0.5,0\n"));
  EXPECT_EQ(pairs.energy, (std::vector<float>{0.25F, 0.5F}));
  EXPECT_EQ(pairs.lost, (std::vector<std::uint8_t>{1, 0}));
}

TEST(PairsFile, NamesFileAndLineOfWhatIsWrong) {
  const TemporaryFolder folder;
  const auto refusal = [&](const char* text) {
    const auto file = folder.write("bad.csv", text);
    std::string message = input_error([&] { (void)read_beam_pairs(file); });
    return message.substr(std::min(message.size(), folder.path().string().size() + 1));
  };
  EXPECT_EQ(refusal("range_m,expected_m\n1,2\n1,x\n"), "bad.csv:3: expected_m = 'x' is not a number");
  EXPECT_EQ(refusal("range_m,expected_m\n1,2\n1\n"), "bad.csv:3: 1 values for 2 columns");
  EXPECT_EQ(refusal("range_m;expected_m\n1;2\n"), "bad.csv:1: columns are separated by commas, not by semicolons");
  EXPECT_EQ(refusal("range_m,expectd_m\n1,2\n"), "bad.csv:1: unknown column 'expectd_m' (nearest known: 'expected_m')");
  EXPECT_EQ(refusal("range_m,range_m\n1,2\n"), "bad.csv:1: column 'range_m' is there twice");
  EXPECT_EQ(refusal("range_m\n1\n"), "bad.csv:1: there is no column 'expected_m'");
  EXPECT_EQ(refusal("range_m,expected_m\n"), "bad.csv: holds no lines of numbers below a header");
  EXPECT_EQ(refusal("range_m,expected_m,scan\n1,2,0.5\n"),
            "bad.csv:2: scan = 0.5 is not a whole number in [0, 4294967295]");
  EXPECT_EQ(refusal("range_m,expected_m,scan\n1,2,3\n1,2,2\n"),
            "bad.csv:3: scan = 2 is not a whole number in [3, 4294967295]");
  EXPECT_EQ(refusal("range_m,expected_m\n1,nan\n"), "bad.csv:2: expected_m = nan is not at least 0");
  // Of range pairs scans may come in any order.
  EXPECT_EQ(read_range_pairs(folder.write("any.csv", "range_m,expected_m,scan\n1,2,3\n1,2,2\n")).scan,
            (std::vector<std::uint32_t>{3, 2}));
  const auto half = folder.write("half.csv", "range_m,expected_m,scan\n1,2,0.5\n");
  EXPECT_NE(input_error([&] { (void)read_range_pairs(half); }).find("half.csv:2: scan = 0.5 is not a whole number"),
            std::string::npos);
  const auto energies = folder.write("e.csv", "energy,lost\n0.5,2\n");
  EXPECT_NE(input_error([&] { (void)read_energy_pairs(energies); }).find("e.csv:2: lost = 2 is not 0 or 1"),
            std::string::npos);
  EXPECT_NE(input_error([&] { (void)read_energy_pairs(folder / "missing.csv"); }), "");
}

}  // namespace
}  // namespace fathom::test::pairs_file_test
