// SPDX-License-Identifier: MIT
// `fathom measure depth`: frames of a run with a known noise, beside each other, and what it refuses.

#include "process.hpp"

namespace cli_test {
namespace {

class MeasureDepth : public testing::Test {
 protected:
  /// The folder of the camera of a run; its disparities (focal length x baseline 20 px m) have this deviation.
  std::string simulate(const std::string& name, double stddev_px) {
    const std::string scene =
        "scene:\n  meshes: {room: {box: {size_m: [4, 4, 3]}}}\n"
        "  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]\n"
        "sensors:\n  - {name: camera, type: stereo_camera, width: 320, height: 240, fx: 200, baseline_m: 0.1,\n"
        "     position_m: [0, 0, 1.5], outputs: [depth_png, {npy: {channels: [depth]}}],\n"
        "     noise: [{disparity: {stddev_px: " +
        std::to_string(stddev_px) + "}}, {dropout: {probability: 0.0002}}]}\nframes: 3\nseed: 3\n";
    succeed({"simulate", write_text(folder_ / "scene.yaml", scene), "--out", folder_ / name, "--force"});
    return folder_ / (name + "/camera");
  }
  TemporaryFolder folder_;
};

TEST_F(MeasureDepth, FindsTheNoiseOfARun) {
  const std::string camera = simulate("run", 0.1);
  const Ended ended =
      succeed({"measure", "depth", camera, "--camera", "200,200,159.5,119.5,0.1", "--out", folder_ / "out"});
  json whole = json::parse(bytes_of(folder_ / "out/measure.json"));
  EXPECT_EQ(whole["files"], (json{"report.html", "measure.json"}));
  whole.erase("files");
  const json found = whole["details"];
  const Ended printed = run_fathom({"measure", "depth", camera, "--camera", "200,200,159.5,119.5,0.1", "--json"});
  EXPECT_EQ(json::parse(printed.out), whole);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/report.html"));
  const double error = found["deviation_px"]["std_error"];
  EXPECT_NEAR(found["deviation_px"]["value"].get<double>(), 0.1, 5 * error);
  EXPECT_LT(error, 0.002);
  EXPECT_EQ(found["frames"], 3);
  EXPECT_EQ(found["focal_baseline_px_m"], 20.0);
  EXPECT_NEAR(found["holes"]["share"].get<double>(), 0.0002, 0.0002);
  EXPECT_TRUE(contains(ended.out, "deviation of disparity, px"));
  EXPECT_TRUE(contains(ended.out, "3 of 320 x 240"));
  const Ended quiet = run_fathom({"measure", "depth", camera, "--focal-baseline", "20", "--quiet", "--threads", "3"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.out, ended.out.substr(0, quiet.out.size())) << "threads and files change no number";
  // Images of 16 bits, in steps of a millimetre, are accepted, too.
  succeed({"measure", "depth", camera, "--focal-baseline", "20", "--files", "*.png"});
}

TEST_F(MeasureDepth, ReadsTheImagesOfABag) {
  const std::string camera = simulate("run", 0.1);
  const std::string bag = folder_ / "run.mcap";
  succeed({"simulate", folder_ / "scene.yaml", "--out", folder_ / "again", "--bag", bag, "--quiet"});
  const auto measured = [&](const Words& more) {
    const Ended ended = succeed(Words{"measure", "depth", "--focal-baseline", "20", "--json"} + more);
    json found = json::parse(ended.out);
    found["details"].erase("name");
    return found.dump(1);
  };
  const std::string of_arrays = measured({camera});
  EXPECT_EQ(measured({bag}), of_arrays);
  EXPECT_EQ(measured({bag, "--files", "/camera/*"}), of_arrays);
  EXPECT_TRUE(contains(refusal_of(run_fathom({"measure", "depth", bag, "--focal-baseline", "20", "--files", "/other"})),
                       "run.mcap: has no depth images on a topic '/other'"));
}

TEST_F(MeasureDepth, SetsTwoBesideEachOther) {
  const std::string camera = simulate("run", 0.1), other = simulate("other", 0.15);
  const Ended ended =
      succeed({"measure", "depth", camera, "--focal-baseline", "20", "--compare", other, "--compare-focal-baseline",
               "40", "--out", folder_ / "out", "--still", "--bands", "1,3"});
  const json found = json::parse(bytes_of(folder_ / "out/measure.json"))["details"], with = found["compared_with"][0];
  EXPECT_NEAR(found["deviation_px"]["value"].get<double>(), 0.1, 0.01);
  EXPECT_NEAR(with["deviation_px"]["value"].get<double>(), 0.3, 0.03) << "twice the pixels";
  EXPECT_EQ(found["bands"].size(), 3U);
  EXPECT_NEAR(found["correlation"]["in_time"][0]["value"].get<double>(), 0, 0.05);
  EXPECT_TRUE(found["correlation"]["in_time"][2]["value"].is_null()) << "three frames have two lags";
  EXPECT_TRUE(contains(ended.out, "(2) " + other));
}

TEST_F(MeasureDepth, TakesTheCameraOfAPreset) {
  const std::string scene =
      "scene:\n  meshes: {room: {box: {size_m: [6, 6, 3]}}}\n"
      "  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]\n"
      "sensors: [{name: camera, preset: D435, width: 106, height: 60, position_m: [0, 0, 1.5],\n"
      "  noise: [], outputs: [{npy: {channels: [depth]}}]}]\nframes: 1\n";
  succeed({"simulate", write_text(folder_ / "s.yaml", scene), "--out", folder_ / "run"});
  const Ended ended = succeed({"measure", "depth", folder_ / "run/camera", "--preset", "D435", "--json"});
  // 53 px / tan(43.5 degrees) x 0.05 m; 106 x 60, as 848 x 480 is, are almost of the preset's shape.
  EXPECT_NEAR(json::parse(ended.out)["details"]["focal_baseline_px_m"].get<double>(), 2.7925, 1e-3);
  const auto refused = [&](const std::string& preset, const std::string& part) {
    expect_refused(preset, {"measure", "depth", folder_ / "run/camera", "--preset", preset}, {part}, folder_ / "out");
  };
  refused("D436", "D435");
  refused("VLP-16", "is no stereo camera");
  refused("Kinect-v1", "images of 106 x 60 pixels have another shape than its 640 x 480");
}

TEST_F(MeasureDepth, LeavesOutWhatIsBeyondReach) {
  const std::string scene =
      "scene:\n  meshes: {wall: {box: {size_m: [0.1, 2, 9]}}}\n"
      "  entities: [{name: wall, mesh: wall, position_m: [2.05, 1, 0]}, {name: far, mesh: wall, position_m: [7.05, -1, "
      "0]}]\n"
      "sensors:\n  - {name: camera, type: stereo_camera, width: 160, height: 120, fx: 100, baseline_m: 0.1, "
      "max_range_m: 6,\n"
      "     outputs: [{npy: {channels: [depth, clean_depth, reason], lost: nan}}], noise: [{dropout: {probability: "
      "0.02}}]}\n"
      "frames: 2\n";
  succeed({"simulate", write_text(folder_ / "s.yaml", scene), "--out", folder_ / "run"});
  const auto holes = [&](const Words& more) {
    const Ended ended =
        succeed(Words{"measure", "depth", folder_ / "run/camera", "--out", folder_ / "out", "--force"} + more);
    json found = json::parse(bytes_of(folder_ / "out/measure.json"))["details"]["holes"];
    if (found["left_out_by"].is_null()) {
      EXPECT_TRUE(contains(ended.out, "all holes count"));
    } else {
      EXPECT_TRUE(contains(ended.out, found["left_out_by"].get<std::string>()));
    }
    return found;
  };
  const json all = holes({});
  EXPECT_GT(all["share"], 0.4) << "the right half sees nothing within 6 m";
  const json beyond = holes({"--beyond-reach", "6"}), reasons = holes({"--beyond-reach", "reasons"});
  EXPECT_NEAR(beyond["share"].get<double>(), 0.02, 0.004) << "the dropout";
  EXPECT_EQ(beyond["left_out_by"], "6 m or farther by clean_depth*.npy");
  EXPECT_EQ(beyond["left_out"], reasons["left_out"]);
  EXPECT_EQ(beyond["holes"], reasons["holes"]);
  const json masked = holes({"--mask", folder_ / "run/camera/reason_000000.npy"});
  EXPECT_LT(masked["share"], 0.025) << "a mask that leaves out every hole of the first frame";
  EXPECT_EQ(masked["left_out"].get<int>() % 2, 0) << "in both frames";
  const json other = holes({"--compare", folder_ / "run/camera", "--compare-beyond-reach", "6"});
  EXPECT_EQ(other, all) << "the other folder alone leaves them out";
  const json all_details = json::parse(bytes_of(folder_ / "out/measure.json"))["details"];
  const json compared = all_details["compared_with"][0]["holes"];
  EXPECT_EQ(compared, beyond);
}

TEST_F(MeasureDepth, RefusesInOneLine) {
  const std::string camera = simulate("run", 0.1), out = folder_ / "out";
  const auto refused = [&](const std::string& name, const Words& more, const std::string& part) {
    expect_refused(name, Words{"measure", "depth"} + more + Words{"--out", out, "--quiet"}, {part}, out);
  };
  refused("no folder", {folder_ / "gone"}, "is no folder");
  refused("the run's folder", {folder_ / "run"}, "its folder camera does");
  refused("no file", {camera, "--files", "x*"}, "'x*'");
  refused("no depth", {folder_ / "run", "--files", "summary.json"}, "summary.json");
  for (const char* option : {"--focal-baseline", "--levels-per-m"}) {
    refused("NaN", {camera, option, "nan"}, option);
    refused("zero", {camera, option, "0"}, option);
  }
  refused("NaN", {camera, "--bands", "1,nan"}, "--bands = nan");
  refused("falling", {camera, "--bands", "2,1"}, "--bands: 1 is not in (2, 1000000] m");
  refused("empty", {camera, "--bands", ""}, "--bands");
  refused("four numbers", {camera, "--camera", "1,2,3,4"}, "FX,FY,CX,CY,BASELINE");
  refused("NaN", {camera, "--camera", "1,2,3,4,nan"}, "--camera = nan");
  refused("negative", {camera, "--camera", "1,2,3,4,-1"}, "above 0");
  refused("twice", {camera, "--camera", "1,2,3,4,1", "--preset", "D435"}, "--preset");
  refused("of nothing", {camera, "--compare-levels-per-m", "10"}, "--compare");
  refused("no number", {camera, "--beyond-reach", "far"}, "--beyond-reach (or reasons) = far is not a number");
  refused("zero", {camera, "--beyond-reach", "0"}, "--beyond-reach");
  refused("NaN", {camera, "--beyond-reach", "nan"}, "--beyond-reach");
  refused("no clean depth", {camera, "--beyond-reach", "6"}, "clean_depth*.npy");
  refused("no reasons", {camera, "--beyond-reach", "reasons"}, "reason*.npy");
  refused("no mask", {camera, "--mask", folder_ / "gone.png"}, "gone.png");
  refused("mask of nothing", {camera, "--compare-mask", folder_ / "gone.png"}, "--compare");
  refused("threads", {camera, "--threads", "-1"}, "--threads");
  // Files: cut short, another size, 8 bits.
  const std::filesystem::path bad = folder_ / "bad";
  std::filesystem::create_directory(bad);
  const std::string png = bytes_of(camera + "/depth_000000.png");
  write_text(bad / "depth_0.png", png.substr(0, png.size() / 2));
  refused("cut short", {bad}, "depth_0.png");
  write_text(bad / "depth_0.png", png);
  write_text(bad / "depth_1.png", bytes_of(camera + "/depth_000000.npy"));
  refused("an array called PNG", {bad}, "depth_1.png");
}

}  // namespace
}  // namespace cli_test
