// SPDX-License-Identifier: MIT
// The figures of a real log through the command line, as they are known: learned on scans 1::16, judged on 9::16,
// within 2 %. The log may not be shipped with the project.

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

const std::filesystem::path kData = std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data";

TEST(BeamFreiburg, HasTheKnownFigures) {
  const std::string log = kData / "logs/freiburg-079-corrected.log.gz", map = kData / "maps/freiburg-079_5cm_even.yaml";
  if (!std::filesystem::exists(log) || !std::filesystem::exists(map)) GTEST_SKIP() << "skipped: no data";
  const TemporaryFolder folder;
  const auto fit = [&](const std::string& out, const std::string& offset) {
    const Ended ended = run_fathom({"fit", "beam", "--map", map, "--log", log, "--scans", "1::16", "--test-scans",
                                    "9::16", "--max-range", "80", "--hit-offset", offset, "--out", folder / out});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return nlohmann::json::parse(bytes_of(folder / (out + "/fit.json")));
  };
  const auto near = [](const nlohmann::json& found, double figure) {
    EXPECT_NEAR(found.get<double>(), figure, .02 * figure);
  };
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

}  // namespace
}  // namespace cli_test
