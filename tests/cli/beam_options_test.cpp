// SPDX-License-Identifier: MIT
// Options of `fathom fit beam` have the effect that they name, and scenes stand for maps: seen in the figures, not only
// in the words of the report.

#include <fathom/fit/beam.hpp>
#include <fathom/fit/fit.hpp>

#include "beam_files.hpp"

namespace cli_test {
namespace {

class BeamOptions : public Beam {
 protected:
  /// fit.json after a fit with these options.
  json fitted(const std::string& out, const Words& options) {
    const Ended ended = fit(out, options);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.exit_code == 0 ? fit_json(out) : json();
  }
  /// Changes every reading of log.csv.
  void change_log(const std::function<std::string(double)>& change) {
    std::istringstream lines(bytes_of(files_.log()));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      if (line[0] == '#' || line[0] == 'x') {
        text += line + "\n";
        continue;
      }
      const Words cells = read_csv(line).front();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        text += (i == 0 ? "" : ",") + (i < 3 ? cells[i] : change(std::stod(cells[i])));
      }
      text += "\n";
    }
    write_text(files_.log(), text);
  }
};

double value(const json& found, const char* name) { return found["parameters"][name]["value"]; }
double error(const json& found, const char* name) { return found["parameters"][name]["std_error"]; }

/// Each parameter but the offset differs from the truth by at most `errors` standard errors.
void expect_near_truth(const json& found, const fathom::BeamModel& truth, double errors) {
  for (const auto& field : fathom::BeamParameters::fields()) {
    if (field.name == "hit_offset_m") continue;
    const std::string name(field.name);
    EXPECT_NEAR(value(found, name.c_str()), truth.parameters.*fathom::member_of<double>(field),
                errors * error(found, name.c_str()))
        << name;
  }
}

/// What `fathom fit beam` should find in log.csv, by the library.
fathom::BeamFit library_fit(const std::string& map_file, const std::string& log_file, const std::string& scans,
                            fathom::UnknownCells unknown, fathom::FitOptions::Variant variant) {
  const auto world = fathom::World::from_map(map_file, {.unknown = unknown});
  const fathom::ScanLog log = fathom::read_scan_log(log_file);
  const auto data = fathom::make_beam_data(log, fathom::select_scans(scans, log.scans()), world, 8);
  return fathom::fit_beam_model(data, {.max_range_m = 8, .expected_floor_m = .05},
                                {.variant = variant, .fit_hit_offset = true});
}

// The book's closed forms make lambda too large; 0.5 was drawn.
TEST_F(BeamOptions, VariantsLearnAsTheyAreNamed) {
  std::vector<double> lambda;
  for (const char* word : {"exact", "closed_form", "book"}) {
    const auto variant = static_cast<fathom::FitOptions::Variant>(lambda.size());
    const json found = fitted(word, {"--variant", word});
    const fathom::BeamFit expected =
        library_fit(files_.map(), files_.log(), "odd", fathom::UnknownCells::kFree, variant);
    lambda.push_back(value(found, "lambda_short_per_m"));
    EXPECT_EQ(lambda.back(), expected.model.lambda_short_per_m) << word;
    EXPECT_EQ(found["details"]["log_likelihood_by_iteration"].get<std::vector<double>>(),
              expected.log_likelihood_by_iteration)
        << word;
    if (variant == fathom::FitOptions::Variant::kExact) {
      EXPECT_NEAR(lambda[0], .5, 3 * error(found, "lambda_short_per_m"));
    }
  }
  EXPECT_GT(lambda[1], 2 * lambda[0]);
  EXPECT_GT(lambda[2], 2 * lambda[0]);
  EXPECT_GT(std::abs(lambda[1] - lambda[2]), .05);
}

// The map does not know a column in the middle of the room. Scans see it as free. A fit that takes it for a wall, or
// for the end of all rays, explains fewer readings.
TEST_F(BeamOptions, UnknownCellsPassStopOrEndRays) {
  std::string image = room_pgm();
  const std::size_t pixels = image.size() - 60 * 40;
  for (std::size_t row = 1; row < 39; ++row) image[pixels + row * 60 + 30] = static_cast<char>(205);
  write_text(files_ / "room.pgm", image);
  std::vector<double> w_hit;
  for (const char* word : {"free", "occupied", "stop"}) {
    const json found = fitted(word, {"--unknown", word});
    const auto unknown = static_cast<fathom::UnknownCells>(w_hit.size());
    w_hit.push_back(value(found, "w_hit"));
    EXPECT_EQ(w_hit.back(),
              library_fit(files_.map(), files_.log(), "odd", unknown, fathom::FitOptions::Variant::kExact).model.w_hit);
    EXPECT_EQ(fathom::BeamModel::read(files_ / (std::string(word) + "/parameters.yaml")).unknown, unknown);
  }
  EXPECT_NEAR(w_hit[0], .75, .03);
  EXPECT_LT(w_hit[1], .5);
  EXPECT_LT(w_hit[2], .5);
  EXPECT_NE(w_hit[1], w_hit[2]);
}

// Within 3 m many rays meet nothing. The book's way counts each of them as a failure of the sensor.
TEST_F(BeamOptions, MissPolicySaysWhatRaysIntoTheOpenRead) {
  const json book = fitted("book", {"--max-range", "3", "--miss", "book"}),
             atom = fitted("atom", {"--max-range", "3", "--miss", "atom"});
  EXPECT_GT(value(book, "w_max"), 2 * value(atom, "w_max"));
  EXPECT_GT(value(atom, "w_hit"), value(book, "w_hit") + .1);
  EXPECT_GT(atom["held_out"]["nats"].get<double>(), book["held_out"]["nats"].get<double>() + .1);
}

TEST_F(BeamOptions, TestScansAreThoseJudgedBy) {
  const auto judged = [&](const std::string& out, const std::string& scans) {
    const fathom::BeamModel model = fathom::BeamModel::read(files_ / (out + "/parameters.yaml"));
    const auto expected = fathom::make_grid_ranges(fathom::read_grid_map(files_.map()));
    const fathom::ScanLog log = fathom::read_scan_log(files_.log());
    return fathom::judge_beam_model(
        model.parameters, model.sensor,
        fathom::make_beam_data(log, fathom::select_scans(scans, log.scans()), *expected, model.sensor.max_range_m));
  };
  const json few = fitted("few", {"--scans", "0:40:2", "--test-scans", "1::4"}),
             others = fitted("others", {"--scans", "0::2"});
  EXPECT_EQ(few["held_out"]["nats"], judged("few", "1::4").nats_per_ray);
  EXPECT_EQ(few["details"]["ks_distance"], judged("few", "1::4").ks_distance);
  EXPECT_NE(few["held_out"]["nats"], judged("few", "1::2").nats_per_ray);
  EXPECT_EQ(others["held_out"]["nats"], judged("others", "odd").nats_per_ray);
}

// Readings in steps of 2 cm: the same parameters, judged by probabilities instead of densities.
TEST_F(BeamOptions, SensorStepIsThatOfTheReadings) {
  change_log([](double z) { return std::to_string(std::round(z / .02) * .02); });
  const json none = fitted("none", {}), fine = fitted("fine", {"--step", "0.02"}),
             coarse = fitted("coarse", {"--step", "0.4"});
  const fathom::BeamModel truth = fathom::BeamModel::read(files_.parameters());
  EXPECT_EQ(fathom::BeamModel::read(files_ / "fine/parameters.yaml").sensor.step_m, .02);
  EXPECT_TRUE(contains(bytes_of(files_ / "fine/parameters.yaml"), "\nstep_m: 0.02 "));
  EXPECT_TRUE(contains(bytes_of(files_ / "fine/report.html"), "<td>step of the readings</td><td>0.02 m</td>"));
  expect_near_truth(fine, truth, 3.5);
  // Judged by the mean density over a step, which is the density itself when steps are fine.
  const double by_density = none["held_out"]["nats"], by_step = fine["held_out"]["nats"];
  EXPECT_NEAR(by_step, by_density, .01);
  EXPECT_NE(by_step, by_density);
  // A sensor that cannot tell 0.4 m does not show sigma: it stays at 0.4 / sqrt(12).
  EXPECT_NEAR(value(coarse, "sigma_hit_m"), .4 / std::sqrt(12), 1e-12);
  EXPECT_TRUE(contains(coarse["findings"].dump(), "sigma_hit_m is at its floor"));
}

// A sensor that says NaN where nothing came back.
TEST_F(BeamOptions, NanIsNoEvidenceOrNoReturn) {
  const json plain = fitted("plain", {});
  change_log([](double z) { return z < 8 ? std::to_string(z) : "nan"; });
  const json skip = fitted("skip", {}), max = fitted("max", {"--nan", "max"});
  EXPECT_EQ(value(skip, "w_max"), 0);
  EXPECT_TRUE(contains(skip["findings"].dump(), "readings carried no evidence"));
  EXPECT_NEAR(value(max, "w_max"), value(plain, "w_max"), 1e-6);
  EXPECT_EQ(fathom::BeamModel::read(files_ / "skip/parameters.yaml").sensor.nan, fathom::NanPolicy::kSkip);
  EXPECT_EQ(fathom::BeamModel::read(files_ / "max/parameters.yaml").sensor.nan, fathom::NanPolicy::kMax);
}

/// A scene made of the map's own walls says what the map says.
class BeamInScene : public BeamOptions {
 protected:
  void SetUp() override {
    BeamOptions::SetUp();
    write_text(
        files_ / "walls.yaml",
        "scene:\n  meshes:\n    walls: {grid_map: {file: room.yaml, height_m: 1}}\n  entities:\n"
        "    - {name: walls, mesh: walls}\nsensors:\n  - {name: laser, preset: UTM-30LX, outputs: [scan_log]}\n");
  }
  Ended in_scene(const std::string& command, const Words& options) {
    const bool is_of_beam = command == "sample" || command == "heatmap";
    return succeed(Words{is_of_beam ? "beam" : command, is_of_beam ? command : "beam", "--scene", files_ / "walls.yaml",
                         "--height", "0.5"} +
                   options);
  }
};

TEST_F(BeamInScene, ScansScore) {
  const Ended by_map = score(),
              by_scene = in_scene("score", {"--log", files_.log(), "--parameters", files_.parameters()});
  const auto a = read_csv(by_map.out), b = read_csv(by_scene.out);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 1; i < a.size(); ++i) EXPECT_NEAR(std::stod(a[i][5]), std::stod(b[i][5]), .05) << i;
}

TEST_F(BeamInScene, ParametersAreLearned) {
  const json by_map = fitted("map", {"--hit-offset", "0"});  // as in a scene
  in_scene("fit", {"--log", files_.log(), "--out", files_ / "scene"});
  const json by_scene = fit_json("scene");
  for (const auto& field : fathom::BeamParameters::fields()) {
    const std::string name(field.name);
    EXPECT_NEAR(value(by_map, name.c_str()), value(by_scene, name.c_str()), 1e-3) << name;
  }
  EXPECT_NEAR(by_map["held_out"]["nats"].get<double>(), by_scene["held_out"]["nats"].get<double>(), 1e-3);
  EXPECT_TRUE(contains(bytes_of(files_ / "scene/report.html"), "walls.yaml at a height of 0.5 m"));
}

// Equal draws give equal readings, except for the rounding of the expected ranges.
TEST_F(BeamInScene, ScansAreSampled) {
  const Ended ended = in_scene("sample", {"--parameters", files_.parameters(), "--poses", files_ / "poses.csv",
                                          "--rays", "91", "--view", "270", "--seed", "5"});
  const auto a = read_csv(bytes_of(files_.log())), b = read_csv(ended.out);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a[1], b[1]);
  std::size_t differ = 0, readings = 0;
  for (std::size_t i = 2; i < a.size(); ++i) {
    for (std::size_t k = 3; k < a[i].size(); ++k, ++readings) {
      differ += std::abs(std::stod(a[i][k]) - std::stod(b[i][k])) > 1e-4 ? 1 : 0;
    }
  }
  EXPECT_EQ(readings, 60U * 91U);
  EXPECT_LE(differ, readings / 2000);  // rays that graze a corner of the pillar
}

TEST_F(BeamInScene, HeatmapsAreDrawn) {
  const Words options = {
      "--map",      files_.map(), "--log",    files_.log(), "--scan",     "7", "--parameters", files_.parameters(),
      "--headings", "90",         "--pixels", "300",        "--ray-step", "3", "--spacing",    "0.2"};
  const Ended by_map = succeed(Words{"beam", "heatmap", "--out", files_ / "map.png"} + options),
              by_scene = in_scene("heatmap", options + Words{"--out", files_ / "scene.png"});
  EXPECT_EQ(bytes_of(files_ / "scene.png").substr(1, 3), "PNG");
  const auto pose_of_log = [](const Ended& ended) {
    const std::size_t at = ended.out.find("in the log");
    return ended.out.substr(at, ended.out.find('\n', at) - at);
  };
  // The same scan at the same pose; the printed scores agree except in the last digit.
  std::istringstream a(pose_of_log(by_map).substr(10)), b(pose_of_log(by_scene).substr(10));
  for (int i = 0; i < 5; ++i) {
    double x = 0, y = 1e9;
    a >> x, b >> y;
    EXPECT_NEAR(x, y, .01) << i;
  }
  const std::size_t at = by_scene.out.find(" m apart");
  ASSERT_NE(at, std::string::npos) << by_scene.out;
  EXPECT_LT(std::stod(by_scene.out.substr(by_scene.out.rfind('\n', at) + 1)), .3) << by_scene.out;
}

TEST_F(BeamOptions, PairsAreWhatSampleWrites) {
  std::string table = "scan,expected_m\n";
  for (int i = 0; i < 20'000; ++i) table += std::to_string(i / 100) + "," + std::to_string(1.0 + 0.0003 * i) + "\n";
  write_text(files_ / "expected.csv", table);
  succeed({"beam", "sample", "--parameters", files_.parameters(), "--expected", files_ / "expected.csv", "--seed", "3",
           "--out", files_ / "readings.csv"});
  const Words words = {"fit", "beam", "--pairs", files_ / "readings.csv", "--cell", "0.1", "--out"};
  const auto fit_pairs = [&](const std::string& out, const Words& options) {
    return run_fathom(words + Words{files_ / out} + options);
  };
  const Ended ended = fit_pairs("pairs", {"--max-range", "8", "--scans", "even"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "held-out scans"));
  const json found = fit_json("pairs");
  const fathom::BeamModel truth = fathom::BeamModel::read(files_.parameters());
  expect_near_truth(found, truth, 4);
  EXPECT_EQ(fathom::BeamModel::read(files_ / "pairs/parameters.yaml").sensor.expected_floor_m, 0.05);
  const auto refusal = [&](const Words& options) {
    const std::string why = refusal_of(fit_pairs("none", options));
    EXPECT_FALSE(std::filesystem::exists(files_ / "none"));
    return why;
  };
  EXPECT_TRUE(contains(refusal({}), "readings.csv: does not say how far its sensor measures; give --max-range"));
  EXPECT_TRUE(contains(refusal({"--max-range", "8", "--map", files_.map()}), "--pairs has its expected ranges"));
  const std::vector<std::pair<Words, std::string>> of_logs = {
      {{"--refine-poses"}, "--pairs has no poses: --refine-poses is for logs"},
      {{"--per-log", "mount"}, "--pairs has no poses: --per-log is for logs"},
      {{"--unknown", "stop"}, "--pairs has its expected ranges: --unknown is for logs"},
      {{"--height", "0.3"}, "--pairs has its expected ranges: --height is for logs"}};
  for (const auto& [options, why] : of_logs) {
    EXPECT_EQ(refusal(options + Words{"--max-range", "8"}), "fathom: error: " + why + "\n");
  }
  write_text(files_ / "readings.csv", "expected_m,reading_m,range_m\n1,1,1\n");
  EXPECT_TRUE(
      contains(refusal({"--max-range", "8"}), "readings.csv: one of the columns 'range_m' and 'reading_m' is wanted"));
}

// The page's example: a table without scans goes through sample and fit, and each row counts as one.
TEST_F(BeamOptions, PairsWithoutScansAreFitted) {
  std::string table = "expected_m\n";
  for (int i = 0; i < 8000; ++i) table += std::to_string(1.0 + 0.0007 * i) + "\n";
  write_text(files_ / "expected.csv", table);
  succeed({"beam", "sample", "--parameters", files_.parameters(), "--expected", files_ / "expected.csv", "--seed", "3",
           "--out", files_ / "readings.csv"});
  for (const std::string scans : {"odd", "all"}) {
    const Ended ended = succeed({"fit", "beam", "--pairs", files_ / "readings.csv", "--max-range", "8", "--scans",
                                 scans, "--out", files_ / scans});
    const json found = fit_json(scans);
    EXPECT_NEAR(value(found, "w_hit"), .75, 4 * error(found, "w_hit"));
    EXPECT_LT(error(found, "w_hit"), .03);
    EXPECT_TRUE(contains(found["findings"].dump(), "the table tells no scans apart: each row counts as a scan"));
    EXPECT_EQ(found["held_out"].is_object(), scans == "odd");
    EXPECT_TRUE(contains(bytes_of(files_ / (scans + "/report.html")),
                         "take 40 stretches of neighbouring rows as independent;"));
    EXPECT_TRUE(contains(ended.out, scans == "odd" ? "held-out rows: " : "rows learned from: "));
  }
}

TEST_F(BeamOptions, RowsOfPairsAreClustersWhereAsked) {
  std::string table = "expected_m,reading_m\n";
  for (int i = 0; i < 300; ++i)
    table += "4," + std::to_string(i % 10 == 0 ? 1.0 + 0.01 * i : 4.0 + 0.001 * (i % 89)) + "\n";
  write_text(files_ / "readings.csv", table);
  succeed({"fit", "beam", "--pairs", files_ / "readings.csv", "--max-range", "8", "--scans", "all", "--stretches",
           "scan", "--out", files_ / "rows"});
  const json found = fit_json("rows");
  EXPECT_EQ(found["blocks"]["of"], "row");
  EXPECT_EQ(found["blocks"]["count"], 300);
  EXPECT_TRUE(contains(found["findings"].dump(), "each row counts as a scan, and rows as independent;"));
}

TEST_F(BeamOptions, OfLogsInTextAreReadAndRefused) {
  const auto refusal = [&](const Words& options) { return refusal_of(fit("none", options)); };
  EXPECT_TRUE(contains(refusal({"--laser", "FLASER"}),
                       "is CSV, of one laser whose header says where rays point; --laser is for"));
  EXPECT_TRUE(
      contains(refusal({"--ray-time", "0.001"}), "log.csv:2: there is no column 'stamp_s', without which --ray-time"));
  EXPECT_TRUE(contains(refusal({"--mount", "1,2"}), "--mount: '1,2' is not X,Y,YAW"));
  EXPECT_TRUE(contains(refusal({"--mount", "1,2,x"}), "--mount"));
  std::string carmen;
  for (int i = 0; i < 4; ++i) {
    carmen += "RAWLASER1 0 -1 2 0.5 8 0.01 0 5 2 2 2 2 2 0 " + std::to_string(1.0 + i) + " h 1\n";
    carmen += "ODOM " + std::to_string(2.0 + 0.1 * i) + " 1 0 0 0 0 " + std::to_string(0.5 + i) + " h 1\n";
  }
  write_text(files_ / "raw.log", carmen);
  for (const bool is_fit : {false, true}) {
    const Words command = is_fit ? Words{"fit", "beam", "--out", files_ / "raw"}
                                 : Words{"score", "beam", "--parameters", files_.parameters()};
    const Ended ended =
        succeed(command + Words{"--map", files_.map(), "--log", files_ / "raw.log", "--mount", "0.5,0,0"});
    EXPECT_TRUE(contains(ended.out + ended.err, "note: 1 scan was left out: no pose is known then"));
    EXPECT_EQ(ended.out.find("\n0,2.5") == std::string::npos, is_fit) << ended.out;
  }
}

TEST_F(BeamOptions, LikelihoodFieldIsLearnedScoredAndDrawn) {
  const Ended fitted_field = fit("field", {"--write", "nav2"}, "field");
  ASSERT_EQ(fitted_field.exit_code, 0) << fitted_field.err;
  const fathom::LikelihoodFieldModel model = fathom::LikelihoodFieldModel::read(files_ / "field/parameters.yaml");
  const fathom::GridMap map = fathom::read_grid_map(files_.map());
  const fathom::ScanLog log = fathom::read_scan_log(files_.log());
  const fathom::FieldReport report = fathom::fit_field_log(log, map);
  EXPECT_EQ(model.w_hit, report.fit.model.w_hit);
  EXPECT_EQ(model.sigma_hit_m, report.fit.model.sigma_hit_m);
  EXPECT_EQ(model.max_range_m, 8);
  const Ended again = fit("field", {"--write", "nav2", "--force"}, "field");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const json found = fit_json("field");
  EXPECT_EQ(found["held_out"]["nats"], report.nats_per_reading);
  EXPECT_EQ(bytes_of(files_ / "field/nav2.yaml"), report.localizer_text(fathom::Localizer::kNav2));
  EXPECT_TRUE(contains(bytes_of(files_ / "field/report.html"), "Likelihood field fit"));

  const Words common = {"--map", files_.map(), "--log", files_.log(), "--parameters", files_ / "field/parameters.yaml"};
  Words score_it = Words{"score", "field"} + common,
        draw_it = Words{"beam", "heatmap", "--model", "field", "--scan", "7", "--out", files_ / "field.png"} + common;
  const Ended scored = succeed(score_it), drawn = succeed(draw_it);
  EXPECT_EQ(scored.out, fathom::scores_csv(fathom::score_field_log(model, map, log)));
  // In an empty room the ends of 90 readings fit elsewhere, too; nowhere worse than at the pose of the log.
  const auto likelihood = [&](const std::string& row) {
    const std::size_t line = drawn.out.find("\n" + row) + 1;
    std::istringstream words(drawn.out.substr(line + row.size(), drawn.out.find('\n', line) - line - row.size()));
    double x_m = 0, y_m = 0, yaw_deg = 0, found_likelihood = 0;
    words >> x_m >> y_m >> yaw_deg >> found_likelihood;
    EXPECT_TRUE(words) << drawn.out;
    return found_likelihood;
  };
  EXPECT_GE(likelihood("best "), likelihood("in the log")) << drawn.out;
  EXPECT_EQ(bytes_of(files_ / "field.png").substr(1, 3), "PNG");

  score_it[1] = "beam";  // the parameters of another model
  const std::string wrong = "these are parameters of a likelihood field, not of a beam model; see ";
  EXPECT_TRUE(contains(refusal_of(run_fathom(score_it)), wrong + "fathom score field\n"));
  draw_it[3] = "beam", draw_it.push_back("--force");
  EXPECT_TRUE(contains(run_fathom(draw_it).err, wrong + "--model field\n"));
  score_it[1] = "field", score_it.push_back("--per-beam");
  EXPECT_EQ(run_fathom(score_it).exit_code, 2);
}

TEST_F(BeamOptions, HeightsAreOfScenes) {
  const std::string why = "fathom: error: --height is for --scene: a map says nothing of heights\n";
  EXPECT_EQ(fit("no", {"--height", "0.3"}).err, why);
  EXPECT_EQ(score({"--height", "0.3"}).err, why);
  EXPECT_EQ(run_fathom({"beam", "sample", "--parameters", files_.parameters(), "--map", files_.map(), "--poses",
                        files_ / "poses.csv", "--height", "0.3"})
                .err,
            why);
  EXPECT_EQ(run_fathom({"beam", "heatmap", "--map", files_.map(), "--log", files_.log(), "--scan", "0", "--parameters",
                        files_.parameters(), "--out", files_ / "no", "--height", "0.3"})
                .err,
            why);
  EXPECT_EQ(run_fathom({"fit", "pairs", "--model", "distance", "--map", files_.map(), "--log", files_.log(), "--height",
                        "0.3"})
                .err,
            why);
  EXPECT_FALSE(std::filesystem::exists(files_ / "no"));
}

TEST_F(BeamOptions, TheLikelihoodFieldHasNoOptionsOfBeams) {
  for (const Words& words : {Words{"--hit-offset", "0"},
                             {"--refine-poses"},
                             {"--scene", "x.yaml"},
                             {"--height", "0.3"},
                             {"--pairs", "x.csv"},
                             {"--also", "x.csv"},
                             {"--hit", "grows"},
                             {"--step", "0.01"},
                             {"--nan", "max"},
                             {"--miss", "atom"},
                             {"--unknown", "stop"},
                             {"--variant", "book"},
                             {"--per-log", "mount"}}) {
    const Ended ended = fit("no", words, "field");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err.find("fathom: error: '" + words.front() + "' is no option of fathom fit field"), 0U)
        << ended.err;
  }
  EXPECT_EQ(fit("no", {"--max-distance", "1"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(files_ / "no"));
}

TEST_F(BeamOptions, MountsAreOfTheRobot) {
  const std::string carmen = files_ / "carmen.log";
  std::string line = "FLASER 180";
  for (int i = 0; i < 180; ++i) line += " 1.5";
  write_text(carmen, line + " 1 1 0 1 1 0 7 host 7\n");
  EXPECT_TRUE(contains(refusal_of(run_fathom({"fit", "beam", "--map", files_.map(), "--log", carmen, "--scans", "all",
                                              "--mount", "1,0,0", "--out", files_ / "no"})),
                       "FLASER lines have the pose of the laser itself; --mount is for RAWLASERn and LASERn\n"));
}

/// What takes effect does so: stretches, and the range found by itself; terminal, file and page say the same.
TEST_F(BeamOptions, LikelihoodFieldTakesClustersAndAutoMaxRange) {
  const Ended few = fit("few", {"--stretches", "10", "--max-range", "auto"}, "field");
  ASSERT_EQ(few.exit_code, 0) << few.err;
  const json found = fit_json("few");
  EXPECT_EQ(found["blocks"]["count"], 10);
  EXPECT_EQ(found["blocks"]["of"], "stretch");
  for (const char* name : {"w_hit", "w_rand", "sigma_hit_m"}) {
    EXPECT_LE(found["parameters"][name]["interval_95"][0], found["parameters"][name]["value"]) << name;
    EXPECT_GE(found["parameters"][name]["interval_95"][1], found["parameters"][name]["value"]) << name;
  }
  EXPECT_FALSE(found["details"].contains("ks_distance"));
  ASSERT_FALSE(found["findings"].empty());  // so few stretches
  const std::string page = bytes_of(files_ / "few/report.html");
  for (const json& finding : found["findings"]) {
    const std::string flag = finding["text"];
    EXPECT_TRUE(contains(few.out, "note: " + flag + "\n"));
    EXPECT_TRUE(contains(page, "<li>" + flag + "</li>")) << flag;
  }
  EXPECT_TRUE(contains(page, "<td>map</td><td>room.yaml</td>"));
  ASSERT_EQ(fit("each", {"--stretches", "scan"}, "field").exit_code, 0);
  EXPECT_EQ(fit_json("each")["blocks"]["of"], "scan");
  EXPECT_EQ(fit_json("each")["blocks"]["count"], 30);
}

/// A model of heavy tails goes its whole way: drawn from, learned, scored by, drawn by.
TEST_F(BeamOptions, HitsWithHeavierTailsAreLearned) {
  const std::string heavy = good_parameters() + "hit: student_t\nnu_hit: 2\n";
  write_text(files_ / "heavy.yaml", heavy);
  const std::string log = files_ / "heavy.csv";
  succeed({"beam", "sample", "--parameters", files_ / "heavy.yaml", "--map", files_.map(), "--poses",
           files_ / "poses.csv", "--rays", "181", "--view", "270", "--seed", "6", "--out", log});
  std::vector<double> nats;
  for (const char* word : {"gaussian", "student_t", "grows"}) {
    succeed({"fit", "beam", "--map", files_.map(), "--log", log, "--hit", word, "--hit-offset", "0", "--out",
             files_ / word});
    const json found = fit_json(word);
    EXPECT_EQ(found["details"]["hit"], word);
    EXPECT_EQ(found["parameters"].contains("nu_hit"), word == std::string("student_t"));
    EXPECT_EQ(found["parameters"].contains("sigma_hit_per_m"), word == std::string("grows"));
    nats.push_back(found["held_out"]["nats"]);
    const std::string page = bytes_of(files_ / (std::string(word) + "/report.html"));
    EXPECT_TRUE(contains(page, "<td>law of hits</td><td>" + std::string(word)));
  }
  EXPECT_GT(nats[1], nats[0] + .02);
  EXPECT_GE(nats[2], nats[0] - .01);
  const json found = fit_json("student_t");
  EXPECT_NEAR(value(found, "nu_hit"), 2, 4 * error(found, "nu_hit"));
  EXPECT_NEAR(value(found, "sigma_hit_m"), .05, 4 * error(found, "sigma_hit_m"));

  const std::string learned = files_ / "student_t/parameters.yaml";
  EXPECT_EQ(fathom::BeamModel::read(learned).parameters.tail.nu_hit, value(found, "nu_hit"));
  succeed({"score", "beam", "--map", files_.map(), "--log", log, "--parameters", learned});
  succeed({"beam", "heatmap", "--map", files_.map(), "--log", log, "--scan", "7", "--parameters", learned, "--spacing",
           "0.3", "--headings", "24", "--out", files_ / "heat.png"});
}

/// The difference is that of the scores, its error that of pairs of scans, and what cannot be compared is refused.
TEST_F(BeamOptions, ComparisonsAreDifferencesOfScores) {
  const auto compared = [&](const char* model, const std::string& a, const std::string& b) {
    return run_fathom({"compare", model, a, b, "--map", files_.map(), "--log", files_.log(), "--json"});
  };
  const auto worse = [&](const char* from, const char* to) {
    return write_text(files_ / "worse.yaml", replaced(good_parameters(), from, to));
  };
  const Ended ended = compared("beam", files_.parameters(), worse("sigma_hit_m: 0.05", "sigma_hit_m: 0.1"));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json found = json::parse(ended.out);
  EXPECT_EQ(found["scans"], 60);
  const Ended scores = score();
  double sum = 0, rays = 0;
  for (const auto& row : read_csv(scores.out)) {
    if (row.front() != "scan") rays += std::stod(row[4]), sum += std::stod(row[5]);
  }
  EXPECT_EQ(found["rays"], rays);
  EXPECT_NEAR(found["score"]["nats"].get<double>(), sum / rays, 1e-5);
  const double difference = found["difference"]["nats"], error = found["difference"]["std_error"];
  EXPECT_NEAR(difference, found["score"]["nats"].get<double>() - found["other"]["nats"].get<double>(), 1e-9);
  EXPECT_GT(difference, 10 * error);
  EXPECT_LT(error, 0.5 * found["score"]["std_error"].get<double>()) << "the scans are the same";
  EXPECT_TRUE(contains(refusal_of(compared("beam", files_.parameters(), worse("max_range_m: 8", "max_range_m: 9"))),
                       "max_range_m differs: likelihoods cannot be compared"));

  ASSERT_EQ(fit("near", {"--max-distance", "0.5"}, "field").exit_code, 0);
  ASSERT_EQ(fit("far", {}, "field").exit_code, 0);
  const Ended fields = compared("field", files_ / "near/parameters.yaml", files_ / "near/parameters.yaml");
  ASSERT_EQ(fields.exit_code, 0) << fields.err;
  EXPECT_EQ(json::parse(fields.out)["difference"]["nats"], 0);
  EXPECT_EQ(compared("field", files_ / "near/parameters.yaml", files_ / "far/parameters.yaml").exit_code, 0);
  write_text(files_ / "blind.csv", "x_m,y_m,yaw_rad,range_m@0\n2,1,0,nan\n");
  const Ended blind = run_fathom({"compare", "field", files_ / "near/parameters.yaml", files_ / "far/parameters.yaml",
                                  "--map", files_.map(), "--log", files_ / "blind.csv"});
  EXPECT_EQ(blind.exit_code, 2);
  EXPECT_TRUE(contains(blind.err, "blind.csv: no reading carries evidence\n"));
}

// A fit for localizers says where its advice is not for them.
TEST_F(BeamOptions, AdviceThatLocalizersLackSaysSo) {
  write_text(files_ / "heavy.yaml", good_parameters() + "hit: student_t\nnu_hit: 1.5\n");
  const std::string log = files_ / "heavy.csv";
  succeed({"beam", "sample", "--parameters", files_ / "heavy.yaml", "--map", files_.map(), "--poses",
           files_ / "poses.csv", "--rays", "181", "--view", "270", "--seed", "6", "--out", log});
  const auto fitted_to = [&](const std::string& out, const Words& options) {
    const Ended ended =
        succeed(Words{"fit", "beam", "--map", files_.map(), "--log", log, "--out", files_ / out} + options);
    return ended.out + fit_json(out)["findings"].dump() + bytes_of(files_ / (out + "/report.html"));
  };
  const std::string plain = fitted_to("plain", {}), local = fitted_to("local", {"--write", "nav2"});
  const std::string limits = "; localizers do not know that, and what is written is the likeliest of what they know";
  for (const char* advice : {"its tails are too light; learn with --hit student_t",    // on the terminal
                             "its tails are too light; learn with hit: student_t"}) {  // in files
    EXPECT_TRUE(contains(plain, advice));
    EXPECT_TRUE(contains(local, advice + limits));
  }
  EXPECT_FALSE(contains(plain, limits));
}

TEST_F(BeamOptions, LocalizersAreNotToldOfHeavierTails) {
  EXPECT_TRUE(contains(refusal_of(fit("no", {"--hit", "student_t", "--write", "nav2"})),
                       "nav2 knows hits that are gaussian only, and these are student_t: learn with --hit gaussian "
                       "for it\n"));
  EXPECT_FALSE(std::filesystem::exists(files_ / "no"));
  const Ended variant = fit("no", {"--hit", "grows", "--variant", "book"});
  EXPECT_EQ(variant.exit_code, 2);
  EXPECT_TRUE(
      contains(variant.err, "--variant = book is of gaussian hits, as the book has them, and --hit is grows\n"));
  EXPECT_TRUE(
      contains(refusal_of(fit("no", {"--hit", "student"})), "one of gaussian, student_t, grows; nearest: student_t"));
}

TEST_F(BeamOptions, WriteNamesLocalizers) {
  const Ended ended = fit("local", {"--write", "nav2", "--write", "beluga"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const fathom::BeamModel model = fathom::BeamModel::read(files_ / "local/parameters.yaml");
  EXPECT_EQ(bytes_of(files_ / "local/nav2.yaml"), model.localizer_text(fathom::Localizer::kNav2));
  EXPECT_EQ(bytes_of(files_ / "local/beluga.yaml"), model.localizer_text(fathom::Localizer::kBeluga));
  EXPECT_FALSE(std::filesystem::exists(files_ / "local/amcl.yaml"));
  EXPECT_TRUE(contains(ended.out, "local/nav2.yaml has the parameters of nav2\n"));
  const Ended twice = fit("twice", {"--write", "nav2", "--write", "nav2"});
  const std::string line = "twice/nav2.yaml has the parameters of nav2\n";
  EXPECT_EQ(twice.out.find(line), twice.out.rfind(line));
  EXPECT_TRUE(contains(twice.out, line));
  EXPECT_TRUE(contains(twice.out,
                       "whether the map was made from these scans cannot be known, and their poses come from "
                       "the log; name test scans that you vouch for.\n"));
  EXPECT_TRUE(contains(twice.out, "\nrays, held-out scans: "));
  // Localizers have no hit offset. Their parameters are learned without one, and fit.json has a note about it.
  EXPECT_EQ(model.parameters.hit_offset_m, 0.0);
  const json without = fitted("none", {"--hit-offset", "0"}), with = fit_json("local");
  EXPECT_EQ(value(with, "sigma_hit_m"), value(without, "sigma_hit_m"));
  EXPECT_TRUE(contains(with["findings"].dump(), "the hit offset is 0, because localizers have none"));
  const json learned = fitted("asked", {"--hit-offset", "fit", "--write", "nav2"});
  EXPECT_NE(value(learned, "hit_offset_m"), 0.0);
  EXPECT_TRUE(contains(bytes_of(files_ / "asked/nav2.yaml"), "# Note: nav2 has no hit offset"));
  EXPECT_TRUE(contains(refusal_of(fit("other", {"--write", "amlc"})), "one of amcl, nav2, beluga; nearest: amcl"));
}

}  // namespace
}  // namespace cli_test
