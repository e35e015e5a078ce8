// SPDX-License-Identifier: MIT
// A real log through the command line. It may not be shipped with the project.

#include "process.hpp"

namespace cli_test {
namespace {

const std::string kFreiburgLog = fathom::test::shared_data() / "logs/freiburg-079-corrected.log.gz",
                  kFreiburgMap = fathom::test::shared_data() / "maps/freiburg-079_5cm_even.yaml";

/// The figures as they are known: learned on scans 1::16, judged on 9::16, within 2 %.
TEST(BeamFreiburg, HasTheKnownFigures) {
  if (!std::filesystem::exists(kFreiburgLog) || !std::filesystem::exists(kFreiburgMap)) {
    GTEST_SKIP() << "skipped: no data";
  }
  const TemporaryFolder folder;
  const auto fit = [&](const std::string& out, const std::string& offset) {
    succeed({"fit", "beam", "--map", kFreiburgMap, "--log", kFreiburgLog, "--scans", "1::16", "--test-scans", "9::16",
             "--max-range", "80", "--hit-offset", offset, "--out", folder / out});
    return json::parse(bytes_of(folder / (out + "/fit.json")));
  };
  const auto near = [](const json& found, double figure) { EXPECT_NEAR(found.get<double>(), figure, .02 * figure); };
  const auto plain = fit("plain", "0"), offset = fit("offset", "0.04");
  near(plain["parameters"]["w_hit"]["value"], .8716);
  near(plain["parameters"]["w_short"]["value"], .0382);
  near(plain["parameters"]["w_max"]["value"], .0203);
  near(plain["parameters"]["w_rand"]["value"], .0699);
  near(plain["parameters"]["sigma_hit_m"]["value"], .0743);
  EXPECT_EQ(plain["parameters"]["lambda_short_per_m"]["value"], 0.0);
  EXPECT_FALSE(plain["findings"].empty());
  near(plain["held_out"]["nats"], .1904);
  near(plain["details"]["ks_distance"], .307);
  near(offset["parameters"]["w_hit"]["value"], .8545);
  near(offset["parameters"]["w_short"]["value"], .0492);
  near(offset["parameters"]["sigma_hit_m"]["value"], .0530);
  near(offset["held_out"]["nats"], .3917);
  near(offset["details"]["ks_distance"], .074);
}

/// Walls of the corridor, in the scans of a robot that drove through it.
TEST(WallFreiburg, ScansOfACorridorShowWalls) {
  if (!std::filesystem::exists(kFreiburgLog)) GTEST_SKIP() << kFreiburgLog << " is not there";
  const Ended ended = succeed(
      {"fit", "wall", "--log", kFreiburgLog, "--scans", "0:4791:40", "--step", "0.01", "--wall", "largest", "--json"});
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
