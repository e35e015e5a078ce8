// SPDX-License-Identifier: MIT
// `fathom apply`: clean images get the noise of a sensor, and what it refuses.

#include <fathom/files/log_files.hpp>

#include "process.hpp"
#include "support/exr_bytes.hpp"

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
    succeed({"simulate", scene_with("clean.yaml", ""), "--out", folder_ / "clean"});
    return folder_ / "clean/camera";
  }
  TemporaryFolder folder_;
};

TEST_F(Apply, GivesImagesTheNoiseOfTheSensor) {
  const std::string clean = clean_images();
  const std::string scene = scene_with("noisy.yaml", "{disparity: {stddev_px: 0.1}}, {dropout: {probability: 0.0002}}");
  succeed({"apply", scene + ":camera", clean, "--seed", "5", "--reasons", "--out", folder_ / "noisy"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "noisy/reason_depth_000002.npy"));
  const Ended measured = succeed({"measure", "depth", folder_ / "noisy", "--focal-baseline", "20", "--json"});
  const auto found = json::parse(measured.out)["details"];
  const double error = found["deviation_px"]["std_error"];
  EXPECT_NEAR(found["deviation_px"]["value"].get<double>(), 0.1, 5 * error);
  EXPECT_LT(error, 0.002);
  EXPECT_NEAR(found["holes"]["share"].get<double>(), 0.0002, 0.0002);
  EXPECT_EQ(found["frames"], 3);
  // The same again, with other threads, and as PNG.
  const Ended again = succeed(
      {"apply", scene + ":camera", clean, "--seed", "5", "--threads", "3", "--out", folder_ / "again", "--quiet"});
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(bytes_of(folder_ / "noisy/depth_000001.npy"), bytes_of(folder_ / "again/depth_000001.npy"));
  EXPECT_NE(bytes_of(folder_ / "noisy/depth_000001.npy"), bytes_of(clean + "/depth_000001.npy"));
  const Ended png = succeed({"apply", scene + ":camera", clean, "--files", "*.png", "--out", folder_ / "png"});
  EXPECT_EQ(bytes_of(folder_ / "png/depth_000000.png").substr(1, 3), "PNG");
}

TEST_F(Apply, APresetTakesTheCameraOfTheImages) {
  const std::string clean = clean_images();
  succeed({"apply", "D435", clean, "--camera", "200,200,159.5,119.5,0.05", "--out", folder_ / "noisy"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "noisy/depth_000002.npy"));
}

TEST_F(Apply, RefusesWhatItCannotUse) {
  const std::string clean = clean_images(), out = folder_ / "out";
  const auto refused = [&](const std::string& sensor, const Words& more, const std::string& part) {
    expect_refused(part, Words{"apply", sensor, clean, "--out", out} + more, {part}, out);
  };
  refused("D345", {}, "D435");
  refused("D435", {}, "give --camera");
  refused("D435", {"--camera", "1,2,3"}, "--camera has 3 numbers");
  refused(scene_with("other.yaml", "") + ":kamera", {}, "nearest: camera");
  refused("D435", {"--camera", "200,200,159.5,119.5", "--files", "none*"}, "none*");
  expect_refused("clean", {"apply", "D435", clean, "--out", clean, "--camera", "200,200,159.5,119.5"},
                 {"is a clean file"}, out);
  const std::string scene = scene_with("same.yaml", "") + ":camera";
  succeed({"apply", scene, clean, "--out", folder_ / "first"});
  expect_refused("twice", {"apply", scene, clean, "--out", folder_ / "first"}, {"--force replaces it"}, out);
  succeed({"apply", scene, clean, "--out", folder_ / "first", "--force"});
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Points x y z intensity as KITTI has them, on a circle 5 m around the sensor.
std::string kitti(std::size_t points) {
  std::string bytes;
  for (std::size_t i = 0; i < points; ++i) {
    const double angle = 0.01 * static_cast<double>(i);
    append(bytes, static_cast<float>(5 * std::cos(angle))), append(bytes, static_cast<float>(5 * std::sin(angle)));
    append(bytes, 0.0F), append(bytes, static_cast<float>(i));
  }
  return bytes;
}

/// The same points as text, with a ring.
std::string pcd(std::size_t rows, std::size_t cols, const std::string& ring = "3") {
  std::string text = "VERSION 0.7\nFIELDS x y z intensity ring\nSIZE 4 4 4 4 2\nTYPE F F F F U\nCOUNT 1 1 1 1 1\n";
  text += "WIDTH " + std::to_string(cols) + "\nHEIGHT " + std::to_string(rows) + "\nDATA ascii\n";
  for (std::size_t i = 0; i < rows * cols; ++i) {
    const double angle = 0.01 * static_cast<double>(i % cols), z = 0.5 * static_cast<double>(i / cols);
    text += std::to_string(5 * std::cos(angle)) + " " + std::to_string(5 * std::sin(angle)) + " " + std::to_string(z) +
            " " + std::to_string(i) + " " + ring + "\n";
  }
  return text;
}

float float_at(const std::string& bytes, std::size_t at) {
  float value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

class ApplyToClouds : public Apply {
 protected:
  std::string lidar_with(const std::string& noise) {
    return write_text(folder_ / "lidar.yaml",
                      "scene:\n  meshes: {box: {box: {size_m: [1, 1, 1]}}}\n"
                      "  entities: [{name: box, mesh: box}]\n"
                      "sensors:\n  - {name: lidar, preset: VLP-16, outputs: [pcd], noise: [" +
                          noise + "]}\nframes: 1\nseed: 3\n") +
           ":lidar";
  }
};

TEST_F(ApplyToClouds, LostPointsLeaveACloudOfOneRowAndFieldsStay) {
  const std::string clean = write_text(folder_ / "a.bin", kitti(300));
  const std::string sensor = lidar_with("{distance: {stddev_m: 0.01}}, {dropout: {probability: 0.2}}");
  const Ended ended = succeed({"apply", sensor, clean, "--out", folder_ / "noisy"});
  const std::string bytes = bytes_of(folder_ / "noisy/a.bin");
  ASSERT_EQ(bytes.size() % 16, 0U);
  const std::size_t left = bytes.size() / 16;
  EXPECT_TRUE(left > 200 && left < 280) << left;
  EXPECT_TRUE(contains(ended.out, "1 cloud with 300 points: " + std::to_string(left) + " hit, " +
                                      std::to_string(300 - left) + " dropout"));
  float last = -1;
  for (std::size_t k = 0; k < left; ++k) {
    const float x = float_at(bytes, 16 * k), y = float_at(bytes, 16 * k + 4), number = float_at(bytes, 16 * k + 12);
    EXPECT_NEAR(std::hypot(x, y), 5.0, 0.06);
    EXPECT_NEAR(std::atan2(y, x), 0.01 * number, 1e-5);
    EXPECT_GT(number, last);
    last = number;
  }
}

TEST_F(ApplyToClouds, WeatherDimsIntensities) {
  const std::string clean = write_text(folder_ / "a.bin", kitti(200));  // the scale of 255
  const std::string sensor = lidar_with("{fog: {extinction_per_m: 0.1, backscatter_per_m_sr: 1e-9}}");
  succeed({"apply", sensor, clean, "--out", folder_ / "foggy"});
  const std::string bytes = bytes_of(folder_ / "foggy/a.bin");
  ASSERT_EQ(bytes.size(), 200U * 16);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_NEAR(float_at(bytes, 16 * k + 12), static_cast<double>(k) * std::exp(-2 * 0.1 * 5), 1e-2);
  }
}

TEST_F(ApplyToClouds, HardlyAnyWeatherKeepsEveryBitOfIntensities) {
  std::string points = kitti(200);
  for (std::size_t k = 0; k < 200; ++k) {
    const float odd = 1.0F + 0.317F * static_cast<float>(k);
    std::memcpy(points.data() + 16 * k + 12, &odd, sizeof(odd));
  }
  const std::string clean = write_text(folder_ / "a.bin", points);
  const std::string sensor = lidar_with("{fog: {visibility_m: 1.0e+12}}, {power_noise: {stddev_m: 1.0e-9}}");
  succeed({"apply", sensor, clean, "--out", folder_ / "foggy"});
  const std::string bytes = bytes_of(folder_ / "foggy/a.bin");
  ASSERT_EQ(bytes.size(), points.size());
  for (std::size_t k = 0; k < 200; ++k) EXPECT_EQ(bytes.substr(16 * k + 12, 4), points.substr(16 * k + 12, 4)) << k;
}

TEST_F(ApplyToClouds, BrightDropsEndAtTheLargestIntensity) {
  std::string text = pcd(2, 100);
  text.replace(text.find("4 4 4 4 2"), 9, "4 4 4 2 2"), text.replace(text.find("F F F F U"), 9, "F F F I U");
  text.replace(text.rfind(" 199 "), 5, " 300 ");  // the scale of 65535, which an int16 does not hold
  const std::string clean = write_text(folder_ / "a.pcd", text);
  const std::string sensor = lidar_with("{fog: {extinction_per_m: 1, backscatter_per_m_sr: 10}}");
  succeed({"apply", sensor, clean, "--out", folder_ / "foggy"});
  const std::string bytes = bytes_of(folder_ / "foggy/a.pcd");
  const std::size_t body = bytes.find("DATA binary\n") + 12;
  ASSERT_EQ(bytes.size(), body + std::size_t{200} * 16);
  std::int16_t most = 0;
  for (std::size_t k = 0; k < 200; ++k) {
    std::int16_t value = 0;
    std::memcpy(&value, bytes.data() + body + 16 * k + 12, sizeof(value));
    EXPECT_GE(value, 0);
    most = std::max(most, value);
  }
  EXPECT_EQ(most, 32767);
}

TEST_F(ApplyToClouds, LostPointsAreNanInRowsAndEveryFormatKeepsItsName) {
  std::filesystem::create_directories(folder_ / "in");
  const std::string rows = write_text(folder_ / "in/a.pcd", pcd(2, 100)),
                    rings = write_text(folder_ / "in/b.pcd", pcd(1, 200));
  const std::string sensor = lidar_with("{dropout: {probability: 0.2}}, {edge_loss: {high_probability: 0.5}}");
  const Ended ended = succeed({"apply", sensor, folder_ / "in", "--out", folder_ / "noisy"});
  EXPECT_TRUE(contains(ended.out, "2 clouds with 400 points"));
  const std::string organised = bytes_of(folder_ / "noisy/a.pcd");
  EXPECT_TRUE(contains(organised, "WIDTH 100\nHEIGHT 2\n"));
  const std::size_t body = organised.find("DATA binary\n") + 12;
  ASSERT_EQ(organised.size(), body + std::size_t{200} * 18);
  std::size_t lost = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    lost += std::isnan(float_at(organised, body + 18 * i)) ? 1 : 0;
    EXPECT_EQ(float_at(organised, body + 18 * i + 12), static_cast<float>(i));
  }
  EXPECT_TRUE(lost > 10 && lost < 100) << lost;
  EXPECT_TRUE(contains(bytes_of(folder_ / "noisy/b.pcd"), "FIELDS x y z intensity ring\n"));
  // What is written is read again.
  const Ended again = succeed({"apply", sensor, folder_ / "noisy", "--out", folder_ / "again", "--quiet"});
  EXPECT_EQ(again.out + again.err, "");
}

TEST_F(ApplyToClouds, RefusesHostileFiles) {
  const std::string out = folder_ / "out";
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::string& part,
                           const std::string& noise = "{dropout: {probability: 0.2}}") {
    const std::string file = write_text(folder_ / name, bytes);
    expect_refused(name, {"apply", lidar_with(noise), file, "--out", out}, {name, part}, out);
  };
  refused("short.bin", kitti(3).substr(0, 40), "40 bytes are no whole number of points");
  refused("huge.pcd",
          "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 4000000000\nHEIGHT 1\nDATA "
          "binary\n",
          "more than 4 GiB");
  refused("cut.pcd", pcd(2, 5).substr(0, 207), "10 points are announced, and 3 are there");
  refused("nan.bin", std::string(64, '\xff'), "none of the 4 points met anything");
  refused("zero.bin", std::string(64, '\0'), "none of the 4 points met anything");
  refused(
      "ring.pcd",
      [] {
        std::string text = pcd(1, 2);
        return text.replace(text.find("TYPE F F F F U"), 14, "TYPE F F F F I").replace(text.rfind("3\n"), 2, "-3\n");
      }(),
      "point 1: ring = -3 is no whole number in [0, 65535]");
  refused(
      "whole.ply",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\nend_header\n1 2 3\n",
      "its x is no float32 or float64");
  refused("unordered.bin", kitti(9), "edge_loss needs neighbours", "{edge_loss: {high_probability: 0.5}}");
  refused(
      "mm.bin",
      [] {
        std::string bytes;
        for (const float v : {1000.0F, 1000.0F, 1000.0F, 1.0F}) append(bytes, v);
        return bytes;
      }(),
      "are they millimetres?");
  refused("a.exr", "v/1", "EXR");
  const std::string cloud = write_text(folder_ / "a.bin", kitti(9)), never = folder_ / "never";
  expect_refused("camera", {"apply", "VLP-16", cloud, "--camera", "1,1,1,1", "--out", never}, {"depth images alone"},
                 never);
  expect_refused("mixed", {"apply", "VLP-16", cloud, write_text(folder_ / "a.png", "x"), "--out", never},
                 {"a.png", "no cloud as the first file is"}, never);
  expect_refused("absent", {"apply", "VLP-16", folder_ / "none", "--out", never}, {"none: no such file or folder"},
                 never);
}

/// A float map of 4 x 3 pixels, 2 m everywhere except one, which met nothing.
std::string pfm(bool big_endian) {
  std::string bytes = std::string("Pf\n4 3\n") + (big_endian ? "1.0\n" : "-1.0\n");
  for (int i = 0; i < 12; ++i) {
    std::string value;
    append(value, i == 0 ? 0.0F : 2.0F);
    if (big_endian) std::reverse(value.begin(), value.end());
    bytes += value;
  }
  return bytes;
}

TEST_F(Apply, KeepsTheByteOrderOfFloatMaps) {
  for (const bool big_endian : {false, true}) {
    const std::string name = big_endian ? "big.pfm" : "little.pfm", clean = write_text(folder_ / name, pfm(big_endian));
    succeed({"apply", scene_with("plain.yaml", "") + ":camera", clean, "--camera", "4,4,1.5,1,0.05", "--out",
             folder_ / "noisy"});
    const std::string noisy = bytes_of(folder_ / "noisy" / name);
    EXPECT_EQ(noisy.size(), pfm(big_endian).size());
    EXPECT_EQ(noisy.substr(0, 10), pfm(big_endian).substr(0, 10));
    std::string first = noisy.substr(noisy.size() - 48, 4);  // of the lowest row
    if (big_endian) std::reverse(first.begin(), first.end());
    EXPECT_TRUE(std::isnan(float_at(first, 0)));
  }
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::string& part) {
    const std::string file = write_text(folder_ / name, bytes);
    expect_refused(name, {"apply", "D435", file, "--camera", "4,4,1.5,1", "--out", folder_ / "out"}, {name, part},
                   folder_ / "out");
  };
  refused("cut.pfm", pfm(false).substr(0, 50), "4 x 3 pixels need 48 bytes");
  refused("colours.pfm", "PF\n4 3\n-1.0\n", "has colours");
  refused("wide.pfm", "Pf\n99999 3\n-1.0\n", "a side is not in [1, 32768]");
  refused("scale.pfm", "Pf\n4 3\n0\n", "no width, height and scale");
  std::string far = "Pf\n4 3\n-1.0\n";
  for (int i = 0; i < 12; ++i) append(far, 1000.0F);
  refused("far.pfm", far, "are they millimetres?");
}

TEST_F(Apply, WritesTheChannelOfAnExr) {
  const std::string line = fathom::test::bytes_of_line(std::vector<float>{2, NAN, 0, 2});
  const std::filesystem::path clean = folder_ / "clean";
  std::filesystem::create_directory(clean);
  for (const char* name : {"Image0001.exr", "Image0002.exr"}) {
    write_text(clean / name, fathom::test::ExrBytes{.cols = 4, .rows = 3, .channels = {{"R"}}, .line = line}.made());
  }
  const Ended ended = run_fathom({"apply", scene_with("plain.yaml", "") + ":camera", clean, "--camera",
                                  "4,4,1.5,1,0.05", "--out", folder_ / "noisy"});
  if (ended.err.find("this build of fathom has no OpenEXR") != std::string::npos) GTEST_SKIP() << "no OpenEXR";
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "2 images with 24 pixels: 12 hit, 12 miss"));
  const std::string noisy = bytes_of(folder_ / "noisy/Image0002.exr");
  EXPECT_TRUE(noisy.starts_with("v/1\x01"));
  EXPECT_TRUE(contains(noisy, std::string("chlist\0\x13\0\0\0R\0\x02", 15)));
}

TEST_F(Apply, TheLivePageRefusesWhatItCannotShow) {
  const std::string clean = clean_images(), image = clean + "/depth_000000.npy", none = folder_ / "none";
  const std::string scene = scene_with("scene.yaml", ""), bad = write_text(folder_ / "bad.npy", "no image");
  const auto refused = [&](const std::string& part, Words words) {
    words.insert(words.begin(), {"serve", "--port", "0"});
    expect_refused(part, words, {part}, none);
  };
  const std::string camera = "200,200,159.5,119.5";
  refused("none.png", {"--given", folder_ / "none.png", "--camera", camera});
  refused("bad.npy", {"--given", bad, "--camera", camera});
  refused("text.txt: is no depth image: neither .png, .npy, .pfm nor .exr",
          {"--given", write_text(folder_ / "text.txt", "0"), "--camera", camera});
  const std::string cloud = write_text(folder_ / "cloud.pcd", pcd(2, 5));
  refused("SCENE is required with a cloud", {"--given", cloud});
  refused("--camera is of depth images alone", {"VLP-16", "--given", cloud, "--camera", camera});
  refused("cloud.pcd: sensor 'sensor': stereo_shadow", {"Kinect-v1", "--given", cloud});
  refused("none.ply: no such file", {"VLP-16", "--given", folder_ / "none.ply"});
  refused("give --camera", {"D435", "--given", image});
  refused("depth images need a depth_camera, a stereo_camera or a tof_camera",
          {"VLP-16", "--given", image, "--camera", camera});
  refused("is not in the image, 320 x 240 pixels", {"--given", image, "--camera", "200,200,320,119.5"});
  refused("or FILE:NAME", {scene, "--given", image});
  refused("nearest: camera", {scene + ":kamera", "--given", image});
  refused("millimetres", {"D435", "--given", clean + "/depth_000000.png", "--camera", camera, "--levels-per-m", "1"});
  refused("SCENE is required", {});
  refused("--given", {scene, "--camera", camera});
  refused("--set", {scene + ":camera", "--given", image, "--set", "frames=2"});
}

// `fathom apply --bag` makes of a bag what it makes of the same images in a folder; refusals name the options.

class ApplyMessages : public testing::Test {
 protected:
  std::string scene_with(const std::string& name, const std::string& noise) {
    return write_text(folder_ / name,
                      "scene:\n  meshes: {room: {box: {size_m: [4, 4, 3]}}}\n"
                      "  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]\n"
                      "sensors:\n  - {name: camera, type: stereo_camera, width: 160, height: 120, fx: 100,\n"
                      "     baseline_m: 0.1, position_m: [0, 0, 1.5], outputs: [{npy: {channels: [depth]}}],\n"
                      "     noise: [" +
                          noise +
                          "]}\n  - {name: laser, preset: RPLIDAR-A2, position_m: [0, 0, 1], noise: [], outputs: []}\n"
                          "frames: 3\nseed: 3\n");
  }
  void simulate_clean() {
    succeed({"simulate", scene_with("clean.yaml", ""), "--out", folder_ / "clean", "--bag", bag()});
  }
  [[nodiscard]] std::string bag() const { return folder_ / "clean.mcap"; }
  [[nodiscard]] std::string noisy() const { return folder_ / "noisy.mcap"; }

  TemporaryFolder folder_;
};

TEST_F(ApplyMessages, OfABagEqualTheImagesOfAFolder) {
  simulate_clean();
  const std::string sensor = scene_with("noisy.yaml", "{disparity: {stddev_px: 0.1}}") + ":camera";
  const Words words = {"apply", sensor, "--bag", bag(), "--topic", "/camera/depth", "--out", noisy()};
  const Ended ended = succeed(words);
  EXPECT_TRUE(contains(ended.out, "noisy.mcap: 3 messages with noise, "));
  succeed({"apply", sensor, folder_ / "clean/camera", "--out", folder_ / "noisy"});
  const auto measured = [&](const std::string& path) {
    return json::parse(run_fathom({"measure", "depth", path, "--focal-baseline", "10", "--json"}).out)["details"];
  };
  const auto of_bag = measured(noisy()), of_folder = measured(folder_ / "noisy");
  EXPECT_EQ(of_bag["deviation_px"], of_folder["deviation_px"]);
  EXPECT_NEAR(of_bag["deviation_px"]["value"].get<double>(), 0.1, 0.01);
  // All topics are still there, with as many messages.
  const fathom::BagInfo before = fathom::read_bag_info(bag()), after = fathom::read_bag_info(noisy());
  EXPECT_EQ(before.messages, after.messages);
  EXPECT_EQ(before.topics.size(), after.topics.size());
  EXPECT_EQ(before.last_s, after.last_s);
  expect_refused("again", words, {"noisy.mcap: exists already; force (--force) replaces it"}, folder_ / "none");
}

TEST_F(ApplyMessages, RefuseWhatCannotBe) {
  simulate_clean();
  const auto refused = [&](const Words& words, const std::string& part) {
    expect_refused(part, Words{"apply"} + words, {part}, noisy());
  };
  refused({"D435"}, "PATH, --bag or --topic is required");
  refused({"D435", "--topic", "/a"}, "--bag or --publish is required with --topic");
  refused({"D435", "--bag", bag(), "--topic", "/a"}, "--out is required");
  refused({"D435", "--bag", bag(), "--out", noisy()}, "--topic");
  refused({"D435", folder_ / "clean", "--topic", "/a", "--publish", "/b"}, "--topic");
  refused({"D435", "--topic", "/a", "--publish", "/b", "--out", noisy()}, "--out");
  refused({"D435", "--topic", "/a", "--publish", "/a"}, "/a: noisy messages need another topic than clean ones");
  refused({"D435", "--bag", bag(), "--topic", "/a", "--out", noisy(), "--frames", "2"}, "--publish");
  refused({"D435", "--bag", bag(), "--topic", "/camera/dept", "--out", noisy()}, "nearest: /camera/depth");
  refused({"D435", "--bag", bag(), "--topic", "/laser/scan", "--out", noisy()}, "scans need rays");
  refused({"D435", "--bag", bag(), "--topic", "/clock", "--out", noisy()}, "rosgraph_msgs/msg/Clock");
  refused({"D435", "--bag", bag(), "--topic", "/camera/depth", "--camera-info", "/other", "--out", noisy()},
          "has no CameraInfo on /other; see --camera-info");
  refused({"D435", "--bag", bag(), "--topic", "/camera/depth", "--out", folder_ / "noisy.db3"}, "ends in .mcap");
}

}  // namespace
}  // namespace cli_test
