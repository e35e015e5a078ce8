// SPDX-License-Identifier: MIT
// fit beam --refine-poses: the log that it writes is read by the other commands, where it scores better.

#include <cctype>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "beam_fixture.hpp"

namespace cli_test {
namespace {

class BeamRefine : public Beam {
 protected:
  /// The sampled log, with poses off by 6 cm to either side.
  std::string spoilt() {
    const std::string text = bytes_of(files_.log());
    std::string off;
    int scan = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && (std::isdigit(static_cast<unsigned char>(line.front())) != 0)) {
        const double x = std::stod(line) + (++scan % 2 == 0 ? 0.06 : -0.06);
        line = std::to_string(x) + line.substr(line.find(','));
      }
      off += line + "\n";
    }
    return write_text(files_ / "spoilt.csv", off);
  }
};

TEST_F(BeamRefine, WritesALogThatScoresBetter) {
  const std::string log = spoilt();
  const Ended fitted = run_fathom({"fit", "beam", "--map", files_.map(), "--log", log, "--scans", "all", "--out",
                                   files_ / "fit", "--refine-poses", "0.1,0.5"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("held-out rays: "), std::string::npos) << fitted.out;
  EXPECT_NE(fitted.out.find("refined.log is CSV of 60 scans\n"), std::string::npos) << fitted.out;
  EXPECT_NE(fitted.out.find("the poses of the log are not exact"), std::string::npos) << fitted.out;
  const auto json = fit_json("fit");
  EXPECT_GT(json["held_out"]["nats"], json["details"]["refined"]["held_out_nats_before"].get<double>() + 0.1);
  const auto score = [&](const std::string& of) {
    const Ended scored = run_fathom(
        {"score", "beam", "--map", files_.map(), "--log", of, "--parameters", files_ / "fit/parameters.yaml"});
    EXPECT_EQ(scored.exit_code, 0) << scored.err;
    double sum = 0.0;
    const auto rows = read_csv(scored.out);
    for (std::size_t i = 1; i < rows.size(); ++i) sum += std::stod(rows[i].back());
    return sum;
  };
  EXPECT_GT(score(files_ / "fit/refined.log"), score(log) + 500);
}

TEST_F(BeamRefine, NeedsNoValueAndHasTheSameBytesForAnyThreads) {
  const auto bytes = [&](const std::string& out, const std::string& threads) {
    const Ended ended = fit(out, {"--refine-poses", "--per-log", "mount", "--threads", threads});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return bytes_of(files_ / (out + "/refined.log")) + bytes_of(files_ / (out + "/fit.json"));
  };
  EXPECT_EQ(bytes("one", "1"), bytes("three", "3"));
  const auto json = fit_json("one");
  EXPECT_EQ(json["details"]["refined"]["prior_stddev_m"], 0.1);
  EXPECT_LT(json["details"]["logs"][0]["mount_x_m"]["std_error"].get<double>(), 0.03);
}

TEST_F(BeamRefine, DoesNotReplaceTheLogItReads) {
  ASSERT_EQ(fit("fit", {"--refine-poses"}).exit_code, 0);
  const std::string log = files_ / "fit/refined.log", before = bytes_of(log);
  const Ended again = run_fathom(
      {"fit", "beam", "--map", files_.map(), "--log", log, "--out", files_ / "fit", "--refine-poses", "--force"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("refined.log"), std::string::npos) << again.err;
  EXPECT_EQ(bytes_of(log), before);
}

}  // namespace
}  // namespace cli_test
