// SPDX-License-Identifier: MIT
// Walls of a real corridor, in the scans of a robot that drove through it.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

using nlohmann::json;

const std::filesystem::path kCorridor =
    std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data/logs/freiburg-079-corrected.log.gz";

TEST(WallFreiburg, ScansOfACorridorShowWalls) {
  if (!std::filesystem::exists(kCorridor)) GTEST_SKIP() << kCorridor << " is not there";
  const Ended ended = run_fathom({"fit", "wall", "--log", kCorridor.string(), "--scans", "0:4791:40", "--step", "0.01",
                                  "--wall", "largest", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json fit = json::parse(ended.out);
  std::size_t found = 0;
  for (const json& plane : fit["details"]["planes"]) found += plane["is_found"].get<bool>() ? 1 : 0;
  EXPECT_EQ(fit["details"]["planes"].size(), 120U);
  EXPECT_GT(found, 90U);
  // A laser of that kind has errors of about a centimetre; doors and posters are in the tails.
  const json& parameters = fit["parameters"];
  ASSERT_TRUE(parameters.contains("student.scale_m")) << parameters.dump();
  const double scale_m = parameters["student.scale_m"]["value"], per_m = parameters["student.scale_per_m"]["value"];
  EXPECT_GT(scale_m + 2.0 * per_m, 0.003);
  EXPECT_LT(scale_m + 2.0 * per_m, 0.03);
  EXPECT_LT(parameters["student.nu"]["value"].get<double>(), 5.0);
}

}  // namespace
}  // namespace cli_test
