// SPDX-License-Identifier: MIT
// `fathom beam` does what its options say.

#include <fcntl.h>
#include <pty.h>

#include <fathom/files/log_files.hpp>
#include <fathom/fit/beam.hpp>

#include "beam_files.hpp"

namespace cli_test {
namespace {

TEST_F(Beam, FitWritesThreeFilesAndTellsWhatItFound) {
  const Ended ended = fit("fit");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(files_below(files_ / "fit").size(), 3U);
  EXPECT_TRUE(ended.out.starts_with("usable: yes\n")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "w_hit "));
  EXPECT_TRUE(contains(ended.out, "held-out scans: "));
  // The three agree.
  const fathom::BeamModel model = fathom::BeamModel::read(files_ / "fit/parameters.yaml");
  const json found = fit_json("fit");
  for (const auto& field : fathom::BeamParameters::fields()) {
    EXPECT_EQ(found["parameters"][std::string(field.name)]["value"].get<double>(),
              model.parameters.*fathom::member_of<double>(field))
        << field.name;
  }
  EXPECT_EQ(model.sensor.max_range_m, 8.0);  // as the log says
  EXPECT_EQ(model.sensor.expected_floor_m, .05);
  const std::string page = bytes_of(files_ / "fit/report.html");
  for (const char* fact : {"room.yaml", "log.csv", "odd (30 of 60 scans)", "the others (30 of 60 scans)"}) {
    EXPECT_TRUE(contains(page, fact)) << fact;
  }
}

TEST_F(Beam, FitFindsWhatTheScansWereDrawnFrom) {
  ASSERT_EQ(fit("fit", {"--scans", "all"}).exit_code, 0);
  const json found = fit_json("fit");
  const fathom::BeamModel truth = fathom::BeamModel::read(files_.parameters());
  for (const auto& field : fathom::BeamParameters::fields()) {
    const json& value = found["parameters"][std::string(field.name)];
    if (value["std_error"].is_null()) continue;
    const double error = value["std_error"];
    EXPECT_NEAR(value["value"].get<double>(), truth.parameters.*fathom::member_of<double>(field), 3.5 * error)
        << field.name;
    EXPECT_LT(error, .1) << field.name;
  }
  EXPECT_TRUE(found["held_out"].is_null());
}

TEST_F(Beam, FitDoesNotDependOnThreads) {
  ASSERT_EQ(fit("one", {"--threads", "1"}).exit_code, 0);
  ASSERT_EQ(fit("three", {"--threads", "3"}).exit_code, 0);
  for (const char* name : {"parameters.yaml", "fit.json", "report.html"}) {
    EXPECT_EQ(bytes_of(files_ / (std::string("one/") + name)), bytes_of(files_ / (std::string("three/") + name)));
  }
}

TEST_F(Beam, OptionsOfFitArrive) {
  ASSERT_EQ(
      fit("fit", {"--scans", "0:40:2", "--test-scans", "1::4", "--max-range", "7", "--min-range", "0.2", "--unknown",
                  "stop", "--miss", "atom", "--variant", "closed_form", "--hit-offset", "0.03", "--stretches", "scan"})
          .exit_code,
      0);
  const fathom::BeamModel model = fathom::BeamModel::read(files_ / "fit/parameters.yaml");
  EXPECT_EQ(model.sensor.max_range_m, 7);
  EXPECT_EQ(model.sensor.min_range_m, .2);
  EXPECT_EQ(model.unknown, fathom::UnknownCells::kStop);
  EXPECT_EQ(model.sensor.miss, fathom::MissPolicy::kAtom);
  EXPECT_EQ(model.parameters.hit_offset_m, .03);
  const std::string page = bytes_of(files_ / "fit/report.html");
  for (const char* fact : {"closed_form", "0:40:2 (20 of 60 scans)", "1::4 (15 of 60 scans)"}) {
    EXPECT_TRUE(contains(page, fact)) << fact;
  }
  EXPECT_EQ(fit_json("fit")["blocks"]["of"], "scan");
  EXPECT_EQ(fit_json("fit")["blocks"]["count"], 20);
  ASSERT_EQ(fit("bare", {"--hit-offset", "0", "--stretches", "7"}).exit_code, 0);
  EXPECT_TRUE(fit_json("bare")["parameters"]["hit_offset_m"]["std_error"].is_null());
  EXPECT_EQ(fit_json("bare")["blocks"]["count"], 7);
  EXPECT_TRUE(contains(fit_json("bare")["findings"].dump(), "7 stretches only"));
  ASSERT_EQ(fit("free", {}).exit_code, 0);  // learned in a map
  EXPECT_FALSE(fit_json("free")["parameters"]["hit_offset_m"]["std_error"].is_null());
  EXPECT_NEAR(fit_json("free")["parameters"]["hit_offset_m"]["value"].get<double>(), 0, .01);
}

TEST_F(Beam, FitReplacesOnlyWhenTold) {
  ASSERT_EQ(fit("fit").exit_code, 0);
  const std::string before = bytes_of(files_ / "fit/fit.json");
  EXPECT_TRUE(contains(refusal_of(fit("fit", {"--scans", "all"})), "--force"));
  EXPECT_EQ(bytes_of(files_ / "fit/fit.json"), before);
  EXPECT_EQ(fit("fit", {"--scans", "all", "--force"}).exit_code, 0);
  EXPECT_NE(bytes_of(files_ / "fit/fit.json"), before);
}

TEST_F(Beam, FitSuspectsAMaximumRangeThatIsTooLarge) {
  const Ended ended = fit("fit", {"--max-range", "20"});  // readings without a return are 8 in this log
  EXPECT_TRUE(contains(ended.out, "many readings are 8 m"));
  EXPECT_TRUE(contains(ended.out, "--max-range 7.99"));
  EXPECT_FALSE(contains(fit("good").out, "many readings"));
  const Ended automatic = fit("auto", {"--max-range", "auto"});
  EXPECT_EQ(automatic.exit_code, 0) << automatic.err;
  EXPECT_FALSE(contains(automatic.out, "many readings"));
  EXPECT_TRUE(contains(bytes_of(files_ / "auto/parameters.yaml"), "\nmax_range_m: 8 "))
      << "which the log says, and 8 is not below";
  EXPECT_EQ(fit_json("auto")["parameters"]["w_max"]["value"], fit_json("good")["parameters"]["w_max"]["value"]);
  EXPECT_TRUE(contains(refusal_of(fit("slip", {"--max-range", "aut"})), "--max-range"));
}

TEST_F(Beam, FitShowsHowFarItIs) {
  int terminal = -1, other_end = -1;
  char name[256] = {};
  if (openpty(&terminal, &other_end, name, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo-terminal here";
  const Ended ended = Process({"fit", "beam", "--map", files_.map(), "--log", files_.log(), "--out", files_ / "fit"},
                              std::filesystem::path(files_.map()).parent_path(), name)
                          .wait();
  std::string shown(4096, ' ');
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  shown.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(terminal, shown.data(), shown.size()))));
  close(terminal);
  close(other_end);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(contains(shown, "\rlearning: iteration 1, log-likelihood "));
  ASSERT_GE(shown.size(), 2U);
  EXPECT_EQ(shown.substr(shown.size() - 2), "\r\n") << "the line is ended";
}

TEST_F(Beam, ScoreIsTheLibrarys) {
  const Ended ended = score();
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto rows = read_csv(ended.out);
  ASSERT_EQ(rows.size(), 61U);
  EXPECT_EQ(rows[0], (Words{"scan", "x_m", "y_m", "yaw_rad", "rays", "log_likelihood"}));
  EXPECT_TRUE(contains(ended.err, "per ray"));

  const fathom::ScanLog log = fathom::read_scan_log(files_.log());
  const fathom::BeamModel model = fathom::BeamModel::read(files_.parameters());
  const auto expected = fathom::make_grid_ranges(fathom::read_grid_map(files_.map()));
  fathom::ScanScorer scorer(model.parameters, model.sensor, *expected, fathom::RayFan::planar(log.azimuth_rad),
                            {.exact = true});
  for (std::size_t i = 0; i < log.scans(); ++i) {
    const fathom::Pose pose = log.pose[i].at_height();
    double score = 0;
    scorer.score({&pose, 1}, log.scan(i), {&score, 1});
    EXPECT_NEAR(std::stod(rows[i + 1][5]), score, 1e-4 * std::abs(score) + 1e-3) << i;
    EXPECT_EQ(rows[i + 1][4], "91");
  }
}

TEST_F(Beam, ScoreTellsOfEveryBeam) {
  const Ended ended = score({"--per-beam", "--scans", "3:5", "--ray-step", "2"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.err, "per ray")) << "the summary is that of the scans";
  const auto rows = read_csv(ended.out);
  ASSERT_EQ(rows.size(), 1 + 2 * 46U);
  EXPECT_EQ(rows[0], (Words{"scan", "ray", "azimuth_rad", "reading_m", "expected_m", "log_density", "p_hit", "p_short",
                            "p_max", "p_rand"}));
  const fathom::ScanLog log = fathom::read_scan_log(files_.log());
  const fathom::BeamModel model = fathom::BeamModel::read(files_.parameters());
  const fathom::World world = fathom::World::from_map(files_.map());
  const std::vector<std::uint32_t> scans = {3, 4};
  EXPECT_EQ(ended.out, fathom::beam_scores_csv(fathom::score_beams(model, world, log, scans, 2)));
}

TEST_F(Beam, ScoreTakesSelectionStepAndPower) {
  const auto all = read_csv(score().out), some = read_csv(score({"--scans", "5:20:5"}).out);
  ASSERT_EQ(some.size(), 4U);
  EXPECT_EQ(some[2], all[11]);
  const auto half = read_csv(score({"--alpha", "0.5"}).out), few = read_csv(score({"--ray-step", "3"}).out);
  EXPECT_NEAR(std::stod(half[1][5]), .5 * std::stod(all[1][5]), 1e-9);
  EXPECT_EQ(few[1][4], "31");
}

TEST_F(Beam, ScoreToAFileTellsTheSummaryOnStdout) {
  const Ended to_file = score({"--out", files_ / "scores.csv"});
  EXPECT_EQ(to_file.exit_code, 0) << to_file.err;
  EXPECT_EQ(bytes_of(files_ / "scores.csv"), score().out);
  EXPECT_TRUE(contains(to_file.out, "log-likelihood"));
  EXPECT_EQ(score({"--out", files_ / "scores.csv"}).exit_code, 2);
  EXPECT_EQ(score({"--out", files_ / "scores.csv", "--force"}).exit_code, 0);
}

TEST_F(Beam, SamplesAreKeyedByTheSeed) {
  const auto sample = [&](const std::string& seed) {
    return run_fathom({"beam", "sample", "--parameters", files_.parameters(), "--map", files_.map(), "--poses",
                       files_ / "poses.csv", "--rays", "91", "--view", "270", "--seed", seed});
  };
  EXPECT_EQ(sample("5").out, bytes_of(files_.log()));
  EXPECT_NE(sample("6").out, bytes_of(files_.log()));
}

TEST_F(Beam, SamplesAtThePosesAndRaysOfALog) {
  const Ended ended = run_fathom({"beam", "sample", "--parameters", files_.parameters(), "--map", files_.map(), "--log",
                                  files_.log(), "--seed", "5"});
  EXPECT_EQ(ended.out, bytes_of(files_.log()));
}

TEST_F(Beam, SamplesSayWhatOfALogWasPassedOver) {
  std::string line = "FLASER 180";
  for (int i = 0; i < 180; ++i) line += " 1";
  line += " 2 1 0 2 1 0 0 host 0\n";
  const std::string log = write_text(files_ / "rear.log", line + "RLASER 2 1 1\n" + line),
                    note = "note: 1 RLASER line was passed over; readings come from FLASER\n";
  const auto sample = [&](const Words& more) {
    return succeed(Words{"beam", "sample", "--parameters", files_.parameters(), "--map", files_.map(), "--log", log} +
                   more);
  };
  const Ended loud = sample({}), quiet = sample({"--quiet"}), to_file = sample({"--out", files_ / "out.csv"});
  EXPECT_EQ(loud.err, note);
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.out, loud.out);
  EXPECT_EQ(to_file.out, note);
  EXPECT_EQ(bytes_of(files_ / "out.csv"), loud.out);
}

TEST_F(Beam, SamplesExpectedRanges) {
  write_text(files_ / "expected.csv", "# made by hand\nscan,expected_m\n0,2.5\n0,inf\n3,1\n");
  const Ended ended =
      succeed({"beam", "sample", "--parameters", files_.parameters(), "--expected", files_ / "expected.csv"});
  const auto rows = read_csv(ended.out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0], (Words{"scan", "expected_m", "reading_m"}));
  EXPECT_EQ(rows[2][1], "inf");
  const fathom::BeamModel model = fathom::BeamModel::read(files_.parameters());
  const fathom::BeamDensity density(model.parameters, model.sensor, 1.0);
  EXPECT_FLOAT_EQ(std::stof(rows[3][2]),
                  static_cast<float>(fathom::sample_reading(density, fathom::beam_key(0, 3), 0)));
}

TEST_F(Beam, HeatmapFindsTheScan) {
  const Ended ended =
      succeed({"beam", "heatmap", "--map", files_.map(), "--log", files_.log(), "--scan", "7", "--parameters",
               files_.parameters(), "--out", files_ / "heat.png", "--headings", "90", "--pixels", "300"});
  EXPECT_EQ(bytes_of(files_ / "heat.png").substr(1, 3), "PNG");
  const std::size_t at = ended.out.find(" m apart");
  ASSERT_NE(at, std::string::npos) << ended.out;
  EXPECT_LT(std::stod(ended.out.substr(ended.out.rfind('\n', at) + 1)), .2) << ended.out;
  EXPECT_FALSE(contains(ended.err, "positions, ")) << "a short search: " << ended.err;
}

TEST_F(Beam, HeatmapTellsOfALongSearch) {
  const Ended ended = succeed({"beam", "heatmap", "--map", files_.map(), "--log", files_.log(), "--scan", "7",
                               "--parameters", files_.parameters(), "--out", files_ / "heat.png", "--headings", "120",
                               "--pixels", "300", "--ray-step", "1"});
  EXPECT_TRUE(contains(ended.err, " positions, 120 headings each: 24 million rays"));
}

// fit beam --refine-poses: the log that it writes is read by the other commands, where it scores better.

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
  const Ended fitted = succeed({"fit", "beam", "--map", files_.map(), "--log", log, "--scans", "all", "--out",
                                files_ / "fit", "--refine-poses", "0.1,0.5"});
  EXPECT_TRUE(contains(fitted.out, "held-out rays: "));
  EXPECT_TRUE(contains(fitted.out, "refined.log is CSV of 60 scans\n"));
  EXPECT_TRUE(contains(fitted.out, "the poses of the log are not exact"));
  const auto json = fit_json("fit");
  EXPECT_GT(json["held_out"]["nats"], json["details"]["refined"]["held_out_nats_before"].get<double>() + 0.1);
  const auto score = [&](const std::string& of) {
    const Ended scored =
        succeed({"score", "beam", "--map", files_.map(), "--log", of, "--parameters", files_ / "fit/parameters.yaml"});
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
  EXPECT_TRUE(contains(refusal_of(run_fathom({"fit", "beam", "--map", files_.map(), "--log", log, "--out",
                                              files_ / "fit", "--refine-poses", "--force"})),
                       "refined.log"));
  EXPECT_EQ(bytes_of(log), before);
}

}  // namespace
}  // namespace cli_test
