// SPDX-License-Identifier: MIT
// `fathom apply`: clean images get the noise of a sensor, and what it refuses.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.hpp"
#include "refusal.hpp"

namespace cli_test {
namespace {

class Apply : public testing::Test {
 protected:
  std::string scene_with(const std::string& name, const std::string& noise) {
    return write_text(
        folder_ / name,
        "scene:\n  meshes: {room: {box: {size_m: [4, 4, 3]}}}\n"
        "  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]\n"
        "sensors:\n  - {name: camera, type: stereo_camera, width: 320, height: 240, fx: 200, baseline_m: 0.1,\n"
        "     position_m: [0, 0, 1.5], outputs: [depth_png, {npy: {channels: [depth]}}],\n     noise: [" +
            noise + "]}\nframes: 3\nseed: 3\n");
  }
  /// The folder of clean images, NPY and PNG.
  std::string clean_images() {
    const Ended ended = run_fathom({"simulate", scene_with("clean.yaml", ""), "--out", folder_ / "clean"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return folder_ / "clean/camera";
  }
  TemporaryFolder folder_;
};

TEST_F(Apply, GivesImagesTheNoiseOfTheSensor) {
  const std::string clean = clean_images();
  const std::string scene = scene_with("noisy.yaml", "{disparity: {stddev_px: 0.1}}, {dropout: {probability: 0.0002}}");
  const Ended ended =
      run_fathom({"apply", scene + ":camera", clean, "--seed", "5", "--reasons", "--out", folder_ / "noisy"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "noisy/reason_depth_000002.npy"));
  const Ended measured = run_fathom({"measure", "depth", folder_ / "noisy", "--focal-baseline", "20", "--json"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const auto found = nlohmann::json::parse(measured.out)["details"];
  const double error = found["deviation_px"]["std_error"];
  EXPECT_NEAR(found["deviation_px"]["value"].get<double>(), 0.1, 5 * error);
  EXPECT_LT(error, 0.002);
  EXPECT_NEAR(found["holes"]["share"].get<double>(), 0.0002, 0.0002);
  EXPECT_EQ(found["frames"], 3);
  // The same again, with other threads, and as PNG.
  const Ended again = run_fathom(
      {"apply", scene + ":camera", clean, "--seed", "5", "--threads", "3", "--out", folder_ / "again", "--quiet"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(bytes_of(folder_ / "noisy/depth_000001.npy"), bytes_of(folder_ / "again/depth_000001.npy"));
  EXPECT_NE(bytes_of(folder_ / "noisy/depth_000001.npy"), bytes_of(clean + "/depth_000001.npy"));
  const Ended png = run_fathom({"apply", scene + ":camera", clean, "--files", "*.png", "--out", folder_ / "png"});
  ASSERT_EQ(png.exit_code, 0) << png.err;
  EXPECT_EQ(bytes_of(folder_ / "png/depth_000000.png").substr(1, 3), "PNG");
}

TEST_F(Apply, APresetTakesTheCameraOfTheImages) {
  const std::string clean = clean_images();
  const Ended ended =
      run_fathom({"apply", "D435", clean, "--camera", "200,200,159.5,119.5,0.05", "--out", folder_ / "noisy"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "noisy/depth_000002.npy"));
}

TEST_F(Apply, RefusesWhatItCannotUse) {
  const std::string clean = clean_images(), out = folder_ / "out";
  const auto refused = [&](const std::string& sensor, const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> words = {"apply", sensor, clean, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(part, words, {part}, out);
  };
  refused("D345", {}, "D435");
  refused("D435", {}, "give --camera");
  refused("D435", {"--camera", "1,2,3"}, "--camera has 3 numbers");
  refused(scene_with("other.yaml", "") + ":kamera", {}, "nearest: camera");
  refused("D435", {"--camera", "200,200,159.5,119.5", "--files", "none*"}, "none*");
  expect_refused("clean", {"apply", "D435", clean, "--out", clean, "--camera", "200,200,159.5,119.5"},
                 {"is a clean image"}, out);
  const std::string scene = scene_with("same.yaml", "") + ":camera";
  EXPECT_EQ(run_fathom({"apply", scene, clean, "--out", folder_ / "first"}).exit_code, 0);
  expect_refused("twice", {"apply", scene, clean, "--out", folder_ / "first"}, {"--force replaces it"}, out);
  EXPECT_EQ(run_fathom({"apply", scene, clean, "--out", folder_ / "first", "--force"}).exit_code, 0);
}

}  // namespace
}  // namespace cli_test
