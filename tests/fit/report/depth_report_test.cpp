// SPDX-License-Identifier: MIT
// Folders of depth images: every kind of file says the same, bad ones are refused by name, and the page shows the
// numbers of the JSON.

#include <nlohmann/json.hpp>

#include <fathom/fit/reports.hpp>

#include "core/text/formats.hpp"
#include "fit/calibrate/depth_fields.hpp"
#include "fit/report/depth_folder.hpp"
#include "io/bag/mcap_writer.hpp"
#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "io/picture/painter.hpp"

namespace fathom::test::depth_report_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint32_t kRows = 72, kCols = 97;

/// Levels of 0.1 mm of a noisy surface with holes; of another one for each k.
std::vector<std::uint16_t> levels(std::uint64_t k) {
  std::vector<std::uint16_t> values;
  for (const float depth_m : bent_surface(make_field(k, kRows, kCols, 1, 0), kRows, kCols, 0.3)) {
    values.push_back(static_cast<std::uint16_t>(std::lround(1e4 * double{depth_m})));
  }
  for (std::size_t i = 0; i < 5; ++i) values[1000 + i] = i == 0 ? 65535 : 0;
  values[3] = 0;
  return values;
}

template <class T>
std::string npy_bytes(npy::Type type, const std::vector<T>& values, std::vector<std::size_t> shape = {kRows, kCols}) {
  std::string bytes = npy::header(type, shape);
  const std::size_t head = bytes.size();
  bytes.resize(head + values.size() * sizeof(T));
  std::memcpy(bytes.data() + head, values.data(), values.size() * sizeof(T));
  return bytes;
}

class DepthFolderTest : public testing::Test {
 protected:
  void write_png(const std::string& name, std::uint64_t k) {
    fs::create_directories((folder_ / name).parent_path());
    write_grey16_png(folder_ / name, kCols, kRows, levels(k));
  }
  [[nodiscard]] json measured(const std::string& name, const std::string& files = {}) const {
    DepthReport::Options options;
    options.levels_per_m = 1e4;
    options.files = files;
    options.meter.focal_baseline_px_m = kFocalBaseline;
    DepthReport::Folder report = measure_depth_folder(folder_ / name, options);
    EXPECT_EQ(report.name, (folder_ / name).string());
    report.name = "same";
    return json::parse(DepthReport{{report}}.text(ReportForm::kJson))["details"];
  }
  [[nodiscard]] std::string refusal(const fs::path& file) const {
    return input_error([&] { (void)read_depth_image(file); });
  }
  TemporaryFolder folder_;
};

TEST_F(DepthFolderTest, EveryKindOfFileSaysTheSame) {
  for (const char* kind : {"u16", "f32", "f64", "u16_channel", "f32_channel"}) fs::create_directory(folder_ / kind);
  for (std::uint64_t k = 0; k < 3; ++k) {
    const std::string name = "frame" + std::to_string(k);
    write_png("png/" + name + ".png", k);
    std::vector<float> f32;
    std::vector<double> f64;
    for (const std::uint16_t level : levels(k)) {
      f64.push_back(level == 0       ? -1.0
                    : level == 65535 ? std::numeric_limits<double>::infinity()
                                     : static_cast<double>(static_cast<float>(level / 1e4)));
      f32.push_back(level == 0 ? std::nanf("") : static_cast<float>(f64.back()));
    }
    folder_.write("u16/" + name + ".npy", npy_bytes(npy::Type::kUint16, levels(k)));
    folder_.write("f32/" + name + ".npy", npy_bytes(npy::Type::kFloat32, f32));
    folder_.write("f64/" + name + ".npy", npy_bytes(npy::Type::kFloat64, f64));
    const std::vector<std::size_t> one_channel = {kRows, kCols, 1};  // as numpy has images of OpenCV
    folder_.write("u16_channel/" + name + ".npy", npy_bytes(npy::Type::kUint16, levels(k), one_channel));
    folder_.write("f32_channel/" + name + ".npy", npy_bytes(npy::Type::kFloat32, f32, one_channel));
  }
  const json png = measured("png");
  EXPECT_EQ(png["frames"], 3);
  EXPECT_EQ(png["holes"]["holes"], 18);
  EXPECT_GT(png["patches"]["used"], 20);
  for (const char* kind : {"u16", "f32", "f64", "u16_channel", "f32_channel"}) EXPECT_EQ(measured(kind), png) << kind;
}

TEST_F(DepthFolderTest, FilesStandInTheOrderOfTheirNumbers) {
  for (const char* name :
       {"depth_10.png", "depth_9.png", "depth_09.png", "depth_1000.png", "sheet_1.png", "depth_x.txt"}) {
    folder_.write(name, "x");
  }
  const auto names = [&](const std::string& pattern) {
    std::vector<std::string> found;
    for (const fs::path& file : depth_images(folder_.path(), pattern)) found.push_back(file.filename().string());
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(""), (Names{"depth_09.png", "depth_9.png", "depth_10.png", "depth_1000.png"}));
  EXPECT_EQ(names("*_1*.png"), (Names{"depth_10.png", "depth_1000.png", "sheet_1.png"}));
  folder_.write("depth_2.npy", "x");
  EXPECT_EQ(names(""), Names{"depth_2.npy"}) << "arrays are finer";
}

TEST_F(DepthFolderTest, RefusesWhatIsNoDepthByName) {
  write_png("good.png", 1);
  const std::string good = bytes_of(folder_ / "good.png");
  EXPECT_TRUE(contains(refusal(folder_.write("cut.png", good.substr(0, good.size() / 2))), "cut.png"));
  EXPECT_TRUE(contains(refusal(folder_.write("cut.png", good.substr(0, good.size() - 8))), "cut.png"));
  EXPECT_TRUE(contains(refusal(folder_.write("empty.png", "")), "empty.png"));
  EXPECT_TRUE(contains(refusal(folder_.write("text.png", "hello")), "text.png"));
  Image colours(4, 3, {1, 2, 3});
  fathom::write_png(folder_ / "colours.png", colours);
  EXPECT_TRUE(contains(refusal(folder_ / "colours.png"), "a grey picture of 16 bits"));
  const std::vector<std::uint8_t> bytes(12, 7);
  EXPECT_TRUE(contains(refusal(folder_.write("u8.npy", npy_bytes(npy::Type::kUint8, bytes, {3, 4}))), "uint16"));
  const std::vector<float> floats(12, 1.0F);
  EXPECT_TRUE(
      contains(refusal(folder_.write("3d.npy", npy_bytes(npy::Type::kFloat32, floats, {1, 3, 4}))), "(rows, cols)"));
  const std::string array = npy_bytes(npy::Type::kFloat32, floats, {3, 4});
  EXPECT_TRUE(contains(refusal(folder_.write("cut.npy", array.substr(0, array.size() - 1))), "cut.npy"));
  EXPECT_EQ(refusal(folder_.write("whole.npy", array)), "");
  EXPECT_EQ(refusal(folder_.write("array.without", array)) + refusal(folder_.write("image.PNG", good)), "");
  const std::string map = "Pf\n4 3\n-1.0\n" + array.substr(array.size() - 12 * sizeof(float));
  EXPECT_EQ(refusal(folder_.write("map.pfm", map)) + refusal(folder_.write("map.without", map)), "");
  EXPECT_EQ(read_depth_image(folder_ / "map.without").depth_m, floats);
  EXPECT_TRUE(contains(refusal(folder_.write("short", "Pf")), "short: "));
  EXPECT_TRUE(contains(refusal(folder_.write("shorter", "P")), "shorter: is no depth image"));
  EXPECT_TRUE(contains(refusal(folder_.write("cloud.pcd", "VERSION 0.7\n")),
                       "cloud.pcd: is no depth image: neither .png, .npy, .pfm nor .exr"));
  for (const double scale : {0.0, -1.0, 1e9, std::nan("")}) {
    EXPECT_TRUE(contains(input_error([&] { (void)read_depth_image(folder_ / "good.png", scale); }), "levels_per_m"));
  }
}

TEST_F(DepthFolderTest, RefusesFolders) {
  const auto refused = [&](const std::string& name) {
    return input_error([&] { (void)measure_depth_folder(folder_ / name); });
  };
  EXPECT_TRUE(contains(refused("gone"), "is no folder"));
  fs::create_directory(folder_ / "run");
  EXPECT_TRUE(contains(refused("run"), "holds no depth image"));
  write_png("run/camera/depth_0.png", 1);
  EXPECT_TRUE(contains(refused("run"), "its folder camera does"));
  write_grey16_png(folder_ / "run/camera/depth_1.png", 3, 2, std::vector<std::uint16_t>(6, 1));
  const std::string text = refused("run/camera");
  EXPECT_TRUE(contains(text, "depth_1.png: 3 x 2 pixels, but the first image has 97 x 72"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(DepthFolderTest, LeavesOutWhatFilesSay) {
  // Of 20 pixels pixel 0 is a hole of the camera, 1 shows nothing, 2 is farther than 5 m, and noise carried 3 from 3 m
  // beyond the reach. The user's mask knows 1 and 19, which is measured.
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const char* k : {"0", "1"}) {
    std::vector<float> depth(20, 2.0F), clean = depth;
    std::vector<std::uint8_t> reason(20), mask(20);
    depth[0] = depth[1] = depth[2] = depth[3] = kNan;
    clean[1] = kNan, clean[2] = 5.0F, clean[3] = 3.0F;
    reason[0] = 7, reason[1] = 1, reason[2] = 3, reason[3] = 3;
    mask[1] = 255, mask[19] = 1;
    fs::create_directories(folder_ / "run"), fs::create_directories(folder_ / "masks");
    const auto write = [&](const std::string& name, const std::string& bytes) {
      folder_.write(name + k + ".npy", bytes);
    };
    write("run/depth_", npy_bytes(npy::Type::kFloat32, depth, {4, 5}));
    write("run/clean_depth_", npy_bytes(npy::Type::kFloat32, clean, {4, 5}));
    write("run/reason_", npy_bytes(npy::Type::kUint8, reason, {4, 5}));
    write("masks/", npy_bytes(npy::Type::kUint8, mask, {4, 5}));
  }
  const auto found = [&](const DepthReport::Options::LeftOut& left_out) {
    const DepthReport::Folder report = measure_depth_folder(folder_ / "run", {.left_out = left_out});
    const json m = json::parse(DepthReport{{report}}.text(ReportForm::kJson))["details"]["holes"];
    EXPECT_EQ(m["left_out"].get<int>() + m["pixels"].get<int>(), 40);
    EXPECT_EQ(m["left_out_by"].is_null(), m["left_out"] == 0);
    return std::pair(m["left_out"].get<int>(), m["holes"].get<int>());
  };
  EXPECT_EQ(found({}), std::pair(0, 8));
  EXPECT_EQ(found({.beyond_m = 5.0}), std::pair(4, 4));
  EXPECT_EQ(found({.beyond_m = 5.1}), std::pair(2, 6));
  EXPECT_EQ(found({.lost_beyond_reach = true}), std::pair(6, 2));
  EXPECT_EQ(found({.mask = folder_ / "masks"}), std::pair(4, 6));
  EXPECT_EQ(found({.mask = folder_ / "masks/1.npy"}), std::pair(4, 6));
  EXPECT_EQ(found({.beyond_m = 5.0, .mask = folder_ / "masks"}), std::pair(6, 4));
  write_grey16_png(folder_ / "mask.png", 5, 4, std::vector<std::uint16_t>(20, 1));
  EXPECT_EQ(found({.mask = folder_ / "mask.png"}), std::pair(40, 0)) << "nothing is left";
  EXPECT_EQ(depth_folder_inputs(folder_ / "run", {.left_out = {.beyond_m = 5.0, .mask = folder_ / "mask.png"}}).size(),
            5U);
}

TEST_F(DepthFolderTest, ABagHasFilesAndNoTruth) {
  fs::create_directory(folder_ / "bag");
  const fs::path file = folder_ / "bag/bag_0.mcap";
  const std::vector<std::uint16_t> pixels = levels(1);
  msg::Image image;
  image.height = kRows, image.width = kCols, image.encoding = "16UC1", image.step = 2 * kCols;
  image.data = std::as_bytes(std::span(pixels));
  McapWriter writer(file);
  writer.write(writer.add_topic("/depth", msg::Image::kType), 0, write_message(image));
  writer.commit();
  EXPECT_EQ(depth_folder_inputs(folder_ / "bag", {}), (std::vector<fs::path>{file, folder_ / "bag"}));
  EXPECT_EQ(depth_folder_inputs(file, {}), std::vector<fs::path>{file});
  for (const fs::path& bag : {file, fs::path(folder_ / "bag")}) {
    const std::string text =
        input_error([&] { (void)measure_depth_folder(bag, {.left_out = {.lost_beyond_reach = true}}); });
    EXPECT_TRUE(contains(text, "holds no file 'reason*.npy': a bag has no truth of the simulator")) << text;
  }
  const std::vector<std::string> flags = measure_depth_folder(file).measure.flags;
  folder_.write("bag/bag_1.mcap", bytes_of(file).substr(0, 8));  // the magic alone
  const std::vector<std::string> torn = measure_depth_folder(folder_ / "bag").measure.flags;
  ASSERT_EQ(torn.size(), flags.size() + 1);
  EXPECT_TRUE(contains(torn.back(), "bag_1.mcap: the file ends at byte 8")) << torn.back();
}

TEST_F(DepthFolderTest, RefusesWhatDoesNotSayWhatIsLeftOut) {
  write_png("in/depth_0.png", 1), write_png("in/depth_1.png", 2);
  const auto refused = [&](const DepthReport::Options::LeftOut& left_out) {
    const std::string text = input_error([&] { (void)measure_depth_folder(folder_ / "in", {.left_out = left_out}); });
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  };
  EXPECT_TRUE(contains(refused({.beyond_m = 10.0}), "in: holds no file 'clean_depth*.npy'"));
  EXPECT_TRUE(contains(refused({.lost_beyond_reach = true}), "holds no file 'reason*.npy'"));
  EXPECT_TRUE(contains(refused({.beyond_m = 10.0, .lost_beyond_reach = true}), "give one of them"));
  for (const double m : {0.0, -1.0, 2e6, std::nan("")}) {
    EXPECT_TRUE(contains(refused({.beyond_m = m}), "beyond_m = "));
  }
  const std::vector<float> far(std::size_t{kRows} * kCols, 9.0F);
  folder_.write("in/clean_depth_0.npy", npy_bytes(npy::Type::kFloat32, far));
  EXPECT_TRUE(contains(refused({.beyond_m = 10.0}), "1 files 'clean_depth*.npy' for 2 depth images"));
  folder_.write("in/clean_depth_1.npy", npy_bytes(npy::Type::kFloat32, std::vector<float>(6, 1), {2, 3}));
  EXPECT_TRUE(
      contains(refused({.beyond_m = 10.0}), "clean_depth_1.npy: 3 x 2 pixels, but the depth image has 97 x 72"));
  EXPECT_TRUE(contains(refused({.mask = folder_ / "gone.png"}), "gone.png"));
  fs::create_directory(folder_ / "empty");
  EXPECT_TRUE(contains(refused({.mask = folder_ / "empty"}), "empty: holds no mask"));
  EXPECT_TRUE(contains(refused({.mask = folder_ / "in/clean_depth_0.npy"}), "uint8 or uint16"));
  Image colours(kCols, kRows, {1, 2, 3});
  fathom::write_png(folder_ / "colours.png", colours);
  EXPECT_TRUE(contains(refused({.mask = folder_ / "colours.png"}), "masks are a grey picture"));
}

TEST_F(DepthFolderTest, ThePageSaysWhatIsLeftOut) {
  write_png("in/depth_0.png", 1);
  write_grey16_png(folder_ / "<mask>.png", kCols, kRows, [] {
    std::vector<std::uint16_t> mask(std::size_t{kRows} * kCols);
    std::fill(mask.begin(), mask.begin() + 1746, 1);  // of 6984: a quarter
    return mask;
  }());
  const auto page = [&](const DepthReport::Options::LeftOut& left_out) {
    const DepthReport::Folder report =
        measure_depth_folder(folder_ / "in", {.levels_per_m = 1e4, .left_out = left_out});
    DepthReport{{report}}.write(folder_ / "out", true);
    return bytes_of(folder_ / "out/report.html");
  };
  EXPECT_TRUE(contains(page({}), "nothing: all holes count"));
  const std::string with = page({.mask = folder_ / "<mask>.png"});
  EXPECT_TRUE(contains(with, "<td>pixels left out</td><td class=\"number\">25.00 %</td>"));
  EXPECT_TRUE(contains(with, ">not 0 in "));
  EXPECT_TRUE(contains(with, "&lt;mask"));
  EXPECT_FALSE(contains(with, "<mask"));
}

TEST_F(DepthFolderTest, CoarseStepsAreFlagged) {
  std::vector<std::uint16_t> coarse;
  for (const std::uint16_t level : levels(1)) coarse.push_back(static_cast<std::uint16_t>(level / 500));  // 50 mm
  fs::create_directory(folder_ / "coarse");
  write_grey16_png(folder_ / "coarse/a.png", kCols, kRows, coarse);
  const DepthReport::Folder report = measure_depth_folder(folder_ / "coarse", {.levels_per_m = 20});
  ASSERT_FALSE(report.measure.flags.empty());
  EXPECT_TRUE(contains(report.measure.flags.back(), "steps of 50 mm"));
}

/// The text of the cells of a page, in their order.
std::vector<std::string> cells_of(const std::string& page) {
  std::vector<std::string> cells;
  for (std::size_t at = page.find("<td"); at != std::string::npos; at = page.find("<td", at + 1)) {
    const std::size_t begin = page.find('>', at) + 1;
    cells.push_back(page.substr(begin, page.find("</td>", begin) - begin));
  }
  return cells;
}

TEST_F(DepthFolderTest, ThePageShowsTheNumbersOfTheJson) {
  write_png("a<b/depth_0.png", 1);
  write_png("other/depth_0.png", 2);
  DepthReport::Options options;
  options.levels_per_m = 1e4;
  options.meter.focal_baseline_px_m = kFocalBaseline;
  const std::vector<DepthReport::Folder> reports = {measure_depth_folder(folder_ / "a<b", options),
                                                    measure_depth_folder(folder_ / "other", options)};
  DepthReport{reports}.write(folder_ / "out");
  const json found = json::parse(bytes_of(folder_ / "out/measure.json"))["details"];
  const std::string page = bytes_of(folder_ / "out/report.html");
  const std::vector<std::string> cells = cells_of(page);
  const auto after = [&](const std::string& name, std::size_t nth) {
    const auto at = std::find(cells.begin(), cells.end(), name);
    return at == cells.end() ? std::nan("") : std::stod(*(at + 1 + static_cast<std::ptrdiff_t>(nth)));
  };
  std::size_t nth = 0;
  for (const json& m : {found, found["compared_with"][0]}) {
    EXPECT_NEAR(after("deviation of disparity, px", nth), m["deviation_px"]["value"], 5.1e-5);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = "deviation on a wall (" + std::to_string(24 * (k + 1)) + " px patches), px";
      EXPECT_NEAR(after(name, nth), m["walls"][k]["deviation_px"], 5.1e-5);
    }
    EXPECT_NEAR(after("deviation of depth, mm", nth), 1e3 * m["deviation_m"]["value"].get<double>(), 5.1e-4);
    EXPECT_NEAR(after("share of pixels", nth), 100 * m["holes"]["share"].get<double>(), 5.1e-3);
    EXPECT_NEAR(after("of hole pixels in blobs of 4 to 50 px", nth),
                100 * m["holes"]["blobs"][1]["share_of_holes"].get<double>(), 5.1e-3);
    EXPECT_EQ(after("largest blob, px", nth), m["holes"]["largest_blob_px"]);
    EXPECT_NEAR(after("of their pixels in blobs of 4 to 50 px", nth),
                100 * m["holes"]["whole_blobs"][1]["share_of_holes"].get<double>(), 5.1e-3);
    EXPECT_EQ(after("pixels left out", nth), 0);
    for (std::size_t lag : {1, 4, 12}) {
      EXPECT_NEAR(after(std::to_string(lag), 4 * nth), m["correlation"]["across"][lag - 1]["value"], 5.1e-4);
      EXPECT_NEAR(after(std::to_string(lag), 4 * nth + 3), m["correlation"]["down_residual"][lag - 1], 5.1e-4);
    }
    ++nth;
  }
  const auto deviation = [](const json& m) { return m["deviation_px"]["value"].get<double>(); };
  EXPECT_NEAR(after("deviation of disparity, px", 2), deviation(found) / deviation(found["compared_with"][0]), 5.1e-3)
      << "the ratio of both";
  // One file, without scripts; a name is text.
  EXPECT_FALSE(contains(page, "<script"));
  EXPECT_FALSE(contains(page, "http"));
  EXPECT_TRUE(contains(page, "a&lt;b"));
  EXPECT_FALSE(contains(page, "a<b"));
  EXPECT_TRUE(contains(page, "width=device-width"));
  std::size_t pictures = 0;
  for (std::size_t at = page.find("data:image/png;base64,iVBOR"); at != std::string::npos;
       at = page.find("data:image/png", at + 1)) {
    ++pictures;
  }
  EXPECT_EQ(pictures, 6U);
}

TEST_F(DepthFolderTest, ReplacesNothingButItsOwn) {
  write_png("in/depth_0.png", 1);
  const std::vector<DepthReport::Folder> reports = {measure_depth_folder(folder_ / "in")};
  const fs::path out = folder_ / "out";
  DepthReport{reports}.write(out);
  EXPECT_TRUE(contains(input_error([&] { DepthReport{reports}.write(out); }), "an earlier measurement wrote"));
  DepthReport{reports}.write(out, true);
  folder_.write("out/measure.json", "{}");
  EXPECT_TRUE(contains(input_error([&] { DepthReport{reports}.write(out, true); }), "no measurement of fathom"));
  EXPECT_TRUE(contains(input_error([&] { DepthReport{{}}.write(folder_ / "new"); }), "no measurement"));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(DepthFolderTest, JsonHasNoNanAndReadsNamesOfAnyBytes) {
  DepthMeter meter;
  meter.add(std::vector<float>(12, 0.0F), 3, 4);
  const DepthReport::Folder report{.name = "\xff", .measure = meter.result(), .picture = meter.picture()};
  const json found = json::parse(DepthReport{{report}}.text(ReportForm::kJson))["details"];
  EXPECT_TRUE(found["deviation_m"]["value"].is_null());
  EXPECT_EQ(found["holes"]["share"], 1.0);
  DepthReport{{report}}.write(folder_ / "out");  // pictures of nothing but holes
  EXPECT_TRUE(fs::exists(folder_ / "out/report.html"));
}

}  // namespace
}  // namespace fathom::test::depth_report_test
