// SPDX-License-Identifier: MIT
// Bad logs, maps, parameters and options: one line on stderr that says where and why, exit code 2, and nothing written.

#include "beam_files.hpp"

namespace cli_test {
namespace {

/// A CARMEN line of 180 rays of 2 m from the middle of the room.
std::string flaser(const std::string& pose = "2 1 0", int rays = 180) {
  std::string line = "FLASER " + std::to_string(rays);
  for (int i = 0; i < rays; ++i) line += " 2.00";
  return line + " " + pose + " 2 1 0 100.0 host 0.1\n";
}

class BeamBadInput : public testing::Test {
 protected:
  void expect_refused(const std::string& name, const Words& arguments, const Words& expected) {
    cli_test::expect_refused(name, arguments, expected, files_ / "out");
  }
  void expect_fit_refused(const std::string& name, const Words& options, const Words& expected) {
    expect_refused(name, Words{"fit", "beam", "--out", files_ / "out"} + options, expected);
  }
  void expect_log_refused(const std::string& name, const std::string& log, const Words& expected) {
    const std::string file = write_text(files_ / "bad.log", log);
    expect_fit_refused(name, {"--map", files_.map(), "--log", file, "--max-range", "8"}, expected);
  }

  BeamFiles files_;
};

TEST_F(BeamBadInput, Logs) {
  const std::string good = flaser();
  expect_log_refused("cut within the readings", good + good.substr(0, 300), {"bad.log:2", "cut short"});
  expect_log_refused("cut before the pose", good + flaser("", 180).substr(0, 11 + 180 * 5), {"bad.log:2", "cut short"});
  expect_log_refused("a fan nobody knows", flaser("2 1 0", 77), {"bad.log:1", "77"});
  expect_log_refused("a pose of NaN", good + flaser("2 nan 0"), {"bad.log:2", "y = nan"});
  expect_log_refused("no number", good + flaser("2 one 0"), {"bad.log:2", "'one'"});
  expect_log_refused("no scans", "ODOM 1 2 3\n", {"bad.log", "holds no scans"});
  expect_log_refused("nothing", "", {"bad.log"});
  expect_log_refused("half a gzip", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b", 11), {"bad.log:1: cut short"});
  expect_log_refused("cut within FLASER", good + "FLASE", {"bad.log:2", "cut short"});
  expect_log_refused("cut within the last time", good + good.substr(0, good.size() - 2), {"bad.log:2", "cut short"});
  expect_log_refused("CSV: cut within the last reading", "x_m,y_m,yaw_rad,range_m@0\n2,1,0,2.5\n2,1,0,2.",
                     {"bad.log:3", "cut short"});
  expect_log_refused("CSV: a value less", "x_m,y_m,yaw_rad,range_m@0,range_m@1\n2,1,0,2,2\n2,1,0,2\n",
                     {"bad.log:3", "4 values for 5"});
  expect_log_refused("CSV: a pose of NaN", "x_m,y_m,yaw_rad,range_m@0\n2,1,nan,2\n", {"bad.log:2", "yaw_rad = nan"});
  expect_log_refused("CSV: unknown column", "x_m,y_m,yaw_rd,range_m@0\n2,1,0,2\n", {"bad.log:1", "yaw_rd", "yaw_rad"});
  expect_log_refused("CSV: no range", "# max_range_m: -8\nx_m,y_m,yaw_rad,range_m@0\n2,1,0,2\n",
                     {"bad.log:1", "max_range_m = -8"});
  expect_fit_refused("no log", {"--map", files_.map(), "--log", files_ / "gone.log"}, {"gone.log"});
  expect_fit_refused("a folder that is no run",
                     {"--map", files_.map(), "--log", std::filesystem::path(files_ / "x").parent_path()}, {"scan_log"});
}

// tests/io/log/maps_test.cpp has the other slips of maps, tests/fit/report/model_file_test.cpp the other slips of
// parameters.
TEST_F(BeamBadInput, MapsAndParameters) {
  const std::string bad = files_ / "bad.yaml";
  const Words map = {"--map", bad, "--log", files_.log()};
  write_text(bad, replaced(room_yaml(), "0.1\n", "0\n"));
  expect_fit_refused("resolution 0", map, {"bad.yaml:2", "resolution = 0"});
  write_text(files_ / "small.pgm", room_pgm().substr(0, 1000));
  write_text(bad, replaced(room_yaml(), "room.pgm", "small.pgm"));
  expect_fit_refused("image cut short", map, {"bad.yaml:1", "small.pgm"});
  expect_fit_refused("no map", {"--map", files_ / "gone.yaml", "--log", files_.log()}, {"gone.yaml"});
  const Words score = {"score", "beam", "--map", files_.map(), "--log", files_.log(), "--parameters", bad};
  write_text(bad, replaced(good_parameters(), "0.75", "0.85"));
  expect_refused("weights of 1.1", score, {"bad.yaml", "1.1 is not 1"});
  write_text(bad, "w_hit: [");
  expect_refused("not YAML", score, {"bad.yaml"});
}

TEST_F(BeamBadInput, OptionsOfFit) {
  const Words both = {"--map", files_.map(), "--log", files_.log()};
  const auto with = [&](const Words& more) { return both + more; };
  expect_fit_refused("empty selection", with({"--scans", "60:"}), {"log.csv", "60:"});
  expect_fit_refused("empty test selection", with({"--test-scans", "100::2"}), {"log.csv", "100::2"});
  expect_fit_refused("no selection", with({"--scans", "some"}), {"log.csv", "some"});
  expect_fit_refused("step 0", with({"--scans", "0:10:0"}), {"0:10:0"});
  expect_fit_refused("tested on what was learned", with({"--scans", "odd", "--test-scans", "3:5"}),
                     {"scan 3 is in --scans odd and in --test-scans 3:5", "held out"});
  expect_fit_refused("hit offset", with({"--hit-offset", "wide"}), {"--hit-offset", "wide"});
  expect_fit_refused("two offsets", with({"--hit-offset", "fit", "--per-log", "both"}),
                     {"--hit-offset", "--per-log", "sum"});
  expect_fit_refused("what is no choice", with({"--per-log", "all"}), {"--per-log", "all", "mount"});
  expect_fit_refused("one deviation", with({"--refine-poses", "0.1"}), {"--refine-poses: '0.1' is not M,DEG"});
  expect_fit_refused("a deviation of 0", with({"--refine-poses", "0,1"}),
                     {"--refine-poses = 0 is not in [0.0001, 100] m"});
  expect_fit_refused("an angle of NaN", with({"--refine-poses", "0.1,nan"}), {"--refine-poses = nan", "deg"});
  const std::string other = files_ / "other.csv";
  std::filesystem::copy_file(files_.log(), other, std::filesystem::copy_options::overwrite_existing);
  expect_fit_refused("the same log", with({"--also", files_.log()}), {"--also", "is a log that is given already"});
  expect_fit_refused("poses of two logs", with({"--refine-poses", "--also", other}), {"--refine-poses is for one log"});
  expect_fit_refused("poses and offsets", with({"--refine-poses", "--per-log", "both"}),
                     {"--per-log with --refine-poses is nothing or mount"});
  expect_fit_refused("poses and scans to judge by", with({"--refine-poses", "--test-scans", "even"}),
                     {"--test-scans with --refine-poses: a third of the rays"});
  expect_fit_refused("an offset beyond Z", with({"--hit-offset", "9"}), {"--hit-offset = 9 is not in [-8, 8] m"});
  expect_fit_refused("an option twice", with({"--scans", "odd", "--scans=even"}), {"--scans is given twice"});
  expect_fit_refused("a flag with a value", with({"--quiet=1"}), {"--quiet takes no value"});
  expect_fit_refused("an equals sign alone", with({"--refine-poses="}), {"--refine-poses needs a value"});
  expect_fit_refused("a deviation behind an equals sign", with({"--refine-poses=0,1"}),
                     {"--refine-poses = 0 is not in [0.0001, 100] m"});
  const std::string carmen = write_text(files_ / "wide.log", flaser("2 1 0", 360));
  expect_fit_refused("more than a turn", {"--map", files_.map(), "--log", carmen, "--ray-angle", "100"},
                     {"wide.log:1: --ray-angle = 100: 360 rays", "35900 degrees", "360"});
  expect_fit_refused("a mount of nothing", {"--map", files_.map(), "--log", carmen, "--mount", "0,0,0"},
                     {"wide.log: FLASER lines have the pose of the laser itself; --mount is for"});
  expect_fit_refused("NaN offset", with({"--hit-offset", "nan"}), {"--hit-offset = nan is not in [-1000, 1000] m"});
  expect_fit_refused("range 0", with({"--max-range", "0"}), {"--max-range = 0 is not in [1e-06, 10000000] m"});
  expect_fit_refused("range NaN", with({"--max-range", "nan"}), {"--max-range = nan"});
  expect_fit_refused("range below the minimum", with({"--min-range", "9"}), {"--min-range = 9 is not in [0, 8] m"});
  expect_fit_refused("a step of NaN", with({"--step", "nan"}), {"--step = nan"});
  expect_fit_refused("a step beyond Z", with({"--step", "9"}), {"--step = 9", "[8e-06, 8]"});
  expect_fit_refused("unknown word", with({"--unknown", "fre"}), {"--unknown", "fre"});
  expect_fit_refused("unknown policy", with({"--nan", "none"}), {"--nan", "none", "skip"});
  expect_fit_refused("map and scene", with({"--scene", "x.yaml"}), {"--scene"});
  expect_fit_refused("neither", {"--log", files_.log()}, {"--map"});
  write_text(files_ / "plain.csv", "x_m,y_m,yaw_rad,range_m@0\n2,1,0,2\n");
  expect_fit_refused("no maximum range", {"--map", files_.map(), "--log", files_ / "plain.csv", "--scans", "all"},
                     {"plain.csv: does not say how far its sensor measures; give --max-range"});
  write_text(files_ / "blind.csv", "x_m,y_m,yaw_rad,range_m@0\n2,1,0,nan\n");
  expect_fit_refused("no evidence",
                     {"--map", files_.map(), "--log", files_ / "blind.csv", "--scans", "all", "--max-range", "8"},
                     {"blind.csv", "no reading is a range: 0 are inf, 0 are 0 and 1 are nan or below 0"});
}

TEST_F(BeamBadInput, FoldersInTheWay) {
  std::filesystem::create_directories(files_ / "mine");
  write_text(files_ / "mine/report.html", "dear");
  const Words fit = {"fit", "beam", "--map", files_.map(), "--log", files_.log(), "--out", files_ / "mine"};
  expect_refused("a folder", fit, {"mine", "--force"});
  expect_refused("a foreign file", fit + Words{"--force"}, {"mine/report.html"});
  EXPECT_EQ(bytes_of(files_ / "mine/report.html"), "dear");
  Words onto_file = fit;
  onto_file.back() = files_.map();
  expect_refused("a file", onto_file, {"room.yaml"});
  EXPECT_EQ(bytes_of(files_.map()), room_yaml());
}

TEST_F(BeamBadInput, Heatmaps) {
  const auto heatmap = [&](const Words& more) {
    return Words{"beam",         "heatmap",           "--map", files_.map(),      "--log", files_.log(),
                 "--parameters", files_.parameters(), "--out", files_ / "out.png"} +
           more;
  };
  expect_refused("no such scan", heatmap({"--scan", "60"}), {"log.csv", "60", "0 to 59"});
  expect_refused("no scan", heatmap({}), {"--scan"});
  expect_refused("spacing 0", heatmap({"--scan", "1", "--spacing", "0"}), {"--spacing = 0 is not in [0.001, 1000] m"});
  expect_refused("spacing below a cell", heatmap({"--scan", "1", "--spacing", "0.001"}),
                 {"--spacing = 0.001 is below 0.1 m, a cell of", "room.yaml"});
  expect_refused("spacing too wide", heatmap({"--scan", "1", "--spacing", "900"}), {"no free cell"});
  write_text(files_ / "blind.csv", "x_m,y_m,yaw_rad,range_m@0,range_m@1\n2,1,0,2,2\n2,1,0,nan,-1\n2,1,0,nan,2\n");
  Words blind = heatmap({"--scan", "1"});
  blind[5] = files_ / "blind.csv";
  expect_refused("no evidence", blind, {"blind.csv: scan 1: no reading", "carries evidence"});
  blind.back() = "2";
  expect_refused("none in every second ray", blind + Words{"--ray-step", "2"},
                 {"blind.csv: scan 2: no reading", "carries evidence"});
  expect_refused("few pixels", heatmap({"--scan", "1", "--pixels", "10"}), {"--pixels"});
  Words other = heatmap({"--scan", "1"});
  other[9] = write_text(files_ / "dear.png", "dear");
  expect_refused("a file in the way", other, {"dear.png", "--force"});
  EXPECT_EQ(bytes_of(files_ / "dear.png"), "dear");
  other[9] = files_ / "heatmap.jpg";
  expect_refused("no PNG", other, {"heatmap.jpg", "name it .png"});
  EXPECT_FALSE(std::filesystem::exists(files_ / "out.png"));
}

TEST_F(BeamBadInput, Samples) {
  const auto sample = [&](const Words& more) {
    return Words{"beam", "sample", "--parameters", files_.parameters(), "--out", files_ / "out"} + more;
  };
  const auto file = [&](const std::string& text) { return write_text(files_ / "bad.csv", text); };
  expect_refused("nothing to sample", sample({}), {"--expected"});
  expect_refused("map without poses", sample({"--map", files_.map()}), {"--poses"});
  expect_refused("both", sample({"--expected", file("expected_m\n1\n"), "--map", files_.map(), "--log", files_.log()}),
                 {"--expected"});
  expect_refused("negative", sample({"--expected", file("expected_m\n1\n-1\n")}), {"bad.csv:3", "expected_m = -1"});
  expect_refused("NaN", sample({"--expected", file("expected_m\nnan\n")}), {"bad.csv:2", "expected_m = nan"});
  expect_refused("scans fall", sample({"--expected", file("scan,expected_m\n1,1\n0,1\n")}), {"bad.csv:3", "scan = 0"});
  expect_refused("unknown column", sample({"--expected", file("expcted_m\n1\n")}),
                 {"bad.csv:1", "expcted_m", "expected_m"});
  expect_refused("a pose of NaN", sample({"--map", files_.map(), "--poses", file("x_m,y_m,yaw_rad\n1,1,0\n1,nan,0\n")}),
                 {"bad.csv:3", "y_m = nan"});
  expect_refused("no poses", sample({"--map", files_.map(), "--poses", file("x_m,y_m,yaw_rad\n")}), {"bad.csv"});
}

TEST_F(BeamBadInput, Scores) {
  const auto score = [&](const Words& more) {
    return Words{"score", "beam",        "--map",        files_.map(),
                 "--log", files_.log(),  "--parameters", files_.parameters(),
                 "--out", files_ / "out"} +
           more;
  };
  expect_refused("no scans", score({"--scans", "90:95"}), {"log.csv", "90:95"});
  expect_refused("alpha 0", score({"--alpha", "0"}), {"alpha = 0"});
  expect_refused("alpha NaN", score({"--alpha", "nan"}), {"alpha = nan"});
  expect_refused("step 0", score({"--ray-step", "0"}), {"--ray-step"});
}

}  // namespace
}  // namespace cli_test
