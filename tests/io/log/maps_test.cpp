// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <png.h>

#include <fathom/files/meshes.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/scene/trajectory.hpp>

#include "core/text/formats.hpp"
#include "io/log/maps.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

const std::string kYaml =
    "image: map.pgm\nresolution: 0.1\norigin: [1, -2, 0.5]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n";
// 3 x 2, the top row first: black, grey, white / white, black, grey.
const std::string kPixels("\x00\x80\xfe\xfe\x00\xcd", 6);

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

void expect_map(const GridMap& map) {
  ASSERT_EQ(map.cols, 3U);
  ASSERT_EQ(map.rows, 2U);
  using enum Cell;
  // Row 0 is the bottom of the image.
  EXPECT_EQ(map.cells, (std::vector<Cell>{kFree, kOccupied, kUnknown, kOccupied, kUnknown, kFree}));
}

TEST(GridMap, ReadsYamlWithPgmAndPng) {
  const test::TemporaryFolder folder;
  const auto yaml = folder.write("map.yaml", kYaml);
  static_cast<void>(folder.write("map.pgm", "P5\n# by hand\n3 2\n255\n" + kPixels));
  const GridMap map = read_grid_map(yaml);
  expect_map(map);
  EXPECT_EQ(map.resolution_m, 0.1);
  EXPECT_EQ(map.world_from_map, (PlanarPose{1, -2, 0.5}));
  static_cast<void>(folder.write("map.pgm", "P2 3 2 255\n0 128 254\n254 0 205\n"));
  expect_map(read_grid_map(yaml));
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = 3, png.height = 2, png.format = PNG_FORMAT_GRAY;
  png_image_write_to_file(&png, (folder.path() / "map.png").c_str(), 0, kPixels.data(), 0, nullptr);
  expect_map(read_grid_map(folder.write("png.yaml", replaced(kYaml, "map.pgm", "map.png"))));
}

TEST(GridMap, NegateTurnsBlackIntoFree) {
  const test::TemporaryFolder folder;
  static_cast<void>(folder.write("map.pgm", "P5 3 2 255\n" + kPixels));
  const GridMap map = read_grid_map(folder.write("map.yaml", replaced(kYaml, "negate: 0", "negate: 1")));
  EXPECT_EQ(map.cells[0], Cell::kOccupied);
  EXPECT_EQ(map.cells[1], Cell::kFree);
}

TEST(GridMap, NamesFileLineKeyAndValue) {
  const test::TemporaryFolder folder;
  static_cast<void>(folder.write("map.pgm", "P5 3 2 255\n" + kPixels));
  const auto refusal = [&](const std::string& what, const std::string& by) {
    const auto file = folder.write("bad.yaml", replaced(kYaml, what, by));
    const std::string message = input_error([&] { read_grid_map(file); });
    return message.substr(std::min(message.size(), folder.path().string().size() + 1));
  };
  EXPECT_EQ(refusal("0.1", "0"), "bad.yaml:2:13: resolution = 0 is not in [0.0001, 10000] m");
  EXPECT_EQ(refusal("0.1", ".nan"), "bad.yaml:2:13: resolution = .nan is not a finite number");
  EXPECT_EQ(refusal("0.1", "coarse"), "bad.yaml:2:13: resolution = coarse is not a number");
  EXPECT_EQ(refusal("[1, -2, 0.5]", "[1, 2]"), "bad.yaml:3:9: origin = [1, 2] is not [x, y, yaw]");
  EXPECT_EQ(refusal("[1, -2, 0.5]", "[1, 2, 90]"), "bad.yaml:3:16: origin.2 = 90 is not in [-6.3, 6.3] rad");
  EXPECT_EQ(refusal("negate", "negatd"), "bad.yaml:1:1: the key 'negate' is missing; is 'negatd' meant to be it?");
  EXPECT_EQ(refusal("negate: 0", "negate: 2"), "bad.yaml:4:9: negate = 2 is not 0 or 1");
  EXPECT_EQ(refusal("0.196", "0.7"), "bad.yaml:6:14: free_thresh = 0.7 is not in [0, 0.65]");
  EXPECT_EQ(refusal("negate: 0", "mode: raw\nnegate: 0"), "bad.yaml:4:7: mode = raw is not one of trinary, scale");
  EXPECT_EQ(refusal("resolution: 0.1\n", ""), "bad.yaml:1:1: the key 'resolution' is missing");
  EXPECT_TRUE(contains(refusal("map.pgm", "gone.pgm"), "bad.yaml:1:8: image: "));
  EXPECT_EQ(refusal("map.pgm", "\"map.pgm\\0.txt\""), "bad.yaml:1:8: image = map.pgm\\x00.txt is not a file name");
  EXPECT_EQ(refusal("negate: 0", "negate: 0\nnegate: 1"),
            "bad.yaml:5:1: the key 'negate' is there twice; the first is on line 4");
  EXPECT_EQ(refusal("negate: 0", "\tnegate: 0"), "bad.yaml:4: the line begins with a tab; YAML indents with blanks");
  EXPECT_TRUE(contains(refusal("map.pgm", "gone.pgm"), "no such file"));
  // Whatever the file holds, a message is one line (found by tests/fuzz/fuzz_map.cpp).
  EXPECT_EQ(refusal("negate", "\"neg\\nate\"").find("bad.yaml:1:1: the key 'negate' is missing; is 'neg ate'"), 0U);
  EXPECT_EQ(refusal("0.1", "\"\\\n1\"").find('\n'), std::string::npos);
}

/// 4 x 1 pixels with alpha: black, opaque grey, white, black again but transparent.
std::filesystem::path write_png_with_alpha(const test::TemporaryFolder& folder) {
  const std::string pixels("\0\0\0\xff\xcd\xcd\xcd\xff\xfe\xfe\xfe\xff\0\0\0\0", 16);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = 4, png.height = 1, png.format = PNG_FORMAT_RGBA;
  png_image_write_to_file(&png, (folder.path() / "alpha.png").c_str(), 0, pixels.data(), 0, nullptr);
  return folder.path() / "alpha.png";
}

// As map_server reads them: https://wiki.ros.org/map_server#Value_Interpretation and its map_io.cpp.
TEST(GridMap, ModesDifferInWhatAlphaMeans) {
  const test::TemporaryFolder folder;
  static_cast<void>(write_png_with_alpha(folder));
  const auto cells = [&](const std::string& more, const std::string& image = "alpha.png") {
    return read_grid_map(folder.write("map.yaml", replaced(kYaml, "map.pgm", image) + more)).cells;
  };
  using enum Cell;
  // Averaged with alpha, grey 205 is 217.5: occupancy .147; black, opaque, is .75 and stays a wall.
  EXPECT_EQ(cells("mode: trinary\n"), (std::vector<Cell>{kOccupied, kFree, kFree, kOccupied}));
  EXPECT_EQ(cells(""), cells("mode: trinary\n"));
  EXPECT_EQ(cells("mode: scale\n"), (std::vector<Cell>{kOccupied, kUnknown, kFree, kUnknown}));
  // Without alpha both modes read the same: cells between the thresholds are unknown.
  static_cast<void>(folder.write("map.pgm", "P5 3 2 255\n" + kPixels));
  EXPECT_EQ(cells("mode: scale\n", "map.pgm"), cells("mode: trinary\n", "map.pgm"));
  EXPECT_EQ(cells("mode: scale\n", "map.pgm")[2], kUnknown);
}

// As nav2 does: https://docs.nav2.org/configuration/packages/configuring-map-server.html.
TEST(GridMap, NotesKeysThatMapServerPassesOver) {
  const test::TemporaryFolder folder;
  static_cast<void>(folder.write("map.pgm", "P5 3 2 255\n" + kPixels));
  const auto yaml = folder.write("map.yaml", kYaml + "trinary: true\nmap_type: occupancy\nmoed: scale\n");
  const GridMap read = read_grid_map(yaml);
  expect_map(read);
  const std::string file = yaml.string();
  EXPECT_EQ(read.notes, (std::vector<std::string>{
                            file + ":7:1: trinary is not a known key, and is not read",
                            file + ":8:1: map_type is not a known key, and is not read",
                            file + ":9:1: moed is not a known key (nearest known: 'mode'), and is not read"}));
  EXPECT_TRUE(read_grid_map(folder.write("map.yaml", kYaml)).notes.empty());
}

// What the header leaves over is not read, and never moves a pixel.
TEST(GridMap, NotesBytesBehindThePixels) {
  const test::TemporaryFolder folder;
  const auto yaml = folder.write("map.yaml", kYaml);
  const std::string file = (folder.path() / "map.pgm").string(), ends = ": the 3 x 2 pixels end ";
  const auto notes = [&](const std::string& image) {
    static_cast<void>(folder.write("map.pgm", image));
    const GridMap read = read_grid_map(yaml);
    expect_map(read);
    return read.notes;
  };
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes("P5 3 2 255\n" + kPixels + "\n"), Notes{file + ends + "1 byte before the file does"});
  EXPECT_EQ(notes("P5 3 2 255\n" + kPixels + "\r\n"), Notes{file + ends + "2 bytes before the file does"});
  EXPECT_EQ(notes("P5 3 2 255\n" + kPixels + kPixels),
            Notes{file + ends + "6 bytes before the file does; are width and height right?"});
  EXPECT_EQ(notes("P5 3 2 255\r\n" + kPixels), Notes{});
  EXPECT_EQ(notes("P5 3 2 255\r\n" + kPixels + "\n"), Notes{file + ends + "1 byte before the file does"});
  EXPECT_EQ(notes("P2 3 2 255\n0 128 254\n254 0 205 x\n"), Notes{file + ends + "2 bytes before the file does"});
  EXPECT_EQ(notes("P2 3 2 255\n0 128 254\n254 0 205\n\n# by hand\n"), Notes{});
  std::string deep = "P5 3 2 65535\n";
  for (const char grey : kPixels) deep += std::string(2, grey);
  EXPECT_EQ(notes(deep + "\n"), Notes{file + ends + "1 byte before the file does"});
}

TEST(GridMap, RefusesImagesOfAnotherSizeThanTheirHeaderSays) {
  const test::TemporaryFolder folder;
  const auto yaml = folder.write("map.yaml", kYaml);
  const auto refusal = [&](const std::string& image) {
    static_cast<void>(folder.write("map.pgm", image));
    return input_error([&] { read_grid_map(yaml); });
  };
  EXPECT_TRUE(contains(refusal("P5 3 3 255\n" + kPixels), "map.pgm: 3 x 3 pixels need 9 bytes, 6 are there"));
  EXPECT_TRUE(contains(refusal("P5 3 2 256\n" + kPixels), "need 12 bytes, 6 are there"));
  EXPECT_TRUE(contains(refusal("P2 3 3 255\n0 128 254\n254 0 205\n"), "no pixel at byte"));
}

TEST(GridMap, RefusesImagesThatAreCutShortOrNotImages) {
  const test::TemporaryFolder folder;
  const auto yaml = folder.write("map.yaml", kYaml);
  for (const std::string& image :
       {"P5 3 3 255\n" + kPixels, std::string("P5 3 2 255"), std::string("P5 0 2 255\n"),
        std::string("P2 3 2 255 1 2 3"), std::string("P5 99999 99999 255\n"), std::string("GIF89a"),
        std::string("\x89PNG\r\n\x1a\n...."), std::string("P2 2 1 255 1 900")}) {
    static_cast<void>(folder.write("map.pgm", image));
    EXPECT_TRUE(contains(input_error([&] { read_grid_map(yaml); }), "map.yaml:1:8: image: ")) << image;
  }
}

TEST(GridMap, RefusesAPngWithoutItsEnd) {
  const test::TemporaryFolder folder;
  const auto image = write_png_with_alpha(folder);
  EXPECT_EQ(read_grid_image(image).cols, 4U);
  std::filesystem::resize_file(image, std::filesystem::file_size(image) - 12);
  const std::string message = input_error([&] { read_grid_image(image); });
  EXPECT_TRUE(contains(message, "alpha.png: cut short: the PNG has no end (IEND)"));
}

TEST(GridMap, ReadsGreyAndColoursAlike) {
  const test::TemporaryFolder folder;
  std::string colours;
  for (const char grey : kPixels) colours.append(3, grey);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = 3, png.height = 2, png.format = PNG_FORMAT_RGB;
  png_image_write_to_file(&png, (folder.path() / "map.png").c_str(), 0, colours.data(), 0, nullptr);
  expect_map(read_grid_map(folder.write("map.yaml", replaced(kYaml, "map.pgm", "map.png"))));
}

TEST(GridMap, AsksForTheYamlWhereAnImageIsGiven) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    const auto file = folder.write(name, bytes);
    return input_error([&] { read_grid_map(file); }).substr(folder.path().string().size() + 1);
  };
  const std::string pgm = "P5 3 2 255\n" + kPixels;
  EXPECT_EQ(refusal("map.pgm", pgm), "map.pgm: is an image; give the map's YAML, which names the image");
  EXPECT_EQ(refusal("map.png", "\x89PNG\r\n"), "map.png: is an image; give the map's YAML, which names the image");
  EXPECT_EQ(refusal("map.gz", "\x1f\x8b\x08"),
            "map.gz: is compressed (gzip); give the map's YAML, which names the image");
  const std::string yaml = folder.write("map.yaml", kYaml);
  EXPECT_EQ(refusal("map.pgm", pgm), "map.pgm: is an image; give the map's YAML, which names the image: " + yaml);
  EXPECT_EQ(refusal("s.yaml", "scene: {}\nsensors: []\n"), "s.yaml:1:1: this is a scene, not a map");
  EXPECT_EQ(refusal("p.yaml", "w_hit: 1\n"), "p.yaml:1:1: this is the parameters of a beam model, not a map");
}

// 3 x 2, the top row first; levels that a conversion by gamma would move.
const std::vector<std::uint16_t> kLevels = {0, 13107, 65535, 1, 40000, 300};

enum class Gamma { kNone, kSrgb, kHalf };

/// By libpng's own low interface, so that the file may say what it likes of gamma.
std::filesystem::path write_deep_png(const TemporaryFolder& folder, Gamma gamma, int colour = PNG_COLOR_TYPE_GRAY) {
  const std::filesystem::path file = folder / "deep.png";
  std::FILE* out = std::fopen(file.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, out);
  const std::size_t samples = colour == PNG_COLOR_TYPE_GRAY ? 1 : 2;  // grey, or grey with alpha
  png_set_IHDR(png, info, 3, 2, 16, colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (gamma == Gamma::kSrgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (gamma == Gamma::kHalf) png_set_gAMA(png, info, 0.5);
  png_write_info(png, info);
  for (std::size_t row = 0; row < 2; ++row) {
    std::vector<png_byte> bytes;
    for (std::size_t i = 0; i < 3 * samples; ++i) {
      const unsigned level = i % samples == 0 ? kLevels[row * 3 + i / samples] : 65535U;
      bytes.push_back(static_cast<png_byte>(level >> 8U));
      bytes.push_back(static_cast<png_byte>(level & 255U));
    }
    png_write_row(png, bytes.data());
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(out);
  return file;
}

const HeightImageOptions kOptions = {.size_x_m = 4, .size_y_m = 2, .elevation_m = 10, .stretch = false, .base_m = 1};

using HeightImage = InFolder;

TEST_F(HeightImage, HasTheStoredLevelsWhateverTheFileSaysOfGamma) {
  for (const Gamma gamma : {Gamma::kNone, Gamma::kSrgb, Gamma::kHalf}) {
    const HeightField field = read_height_image(write_deep_png(folder, gamma), kOptions);
    ASSERT_EQ(field.rows, 2U);
    ASSERT_EQ(field.cols, 3U);
    EXPECT_EQ(field.size_x_m, 4);
    EXPECT_EQ(field.size_y_m, 2);
    EXPECT_EQ(field.base_m, 1);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t pixel = i < 3 ? i + 3 : i - 3;  // the bottom row of the picture first
      EXPECT_FLOAT_EQ(field.heights_m[i], static_cast<float>(10.0 * kLevels[pixel] / 65535)) << i;
    }
  }
}

TEST_F(HeightImage, OfEightBitsAndOfPgmTakesItsOwnWhite) {
  const std::vector<std::uint8_t> levels = {0, 51, 255, 102};
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = 2, png.height = 2, png.format = PNG_FORMAT_GRAY;
  png_image_write_to_file(&png, (folder / "flat.png").c_str(), 0, levels.data(), 0, nullptr);
  const std::vector<float> heights = {10, 4, 0, 2};
  EXPECT_EQ(read_height_image(folder / "flat.png", kOptions).heights_m, heights);
  EXPECT_EQ(read_height_image(folder.write("deep.pgm", "P2 2 2 1000 0 200 1000 400"), kOptions).heights_m, heights);
}

TEST_F(HeightImage, IsStretchedFromItsLowestToItsHighestPixel) {
  HeightImageOptions options = kOptions;
  options.stretch = true;
  const auto heights = [&](const char* pgm) {
    return read_height_image(folder.write("a.pgm", pgm), options).heights_m;
  };
  EXPECT_EQ(heights("P2 2 2 255 50 70 60 50"), (std::vector<float>{5, 0, 0, 10}));
  EXPECT_EQ(heights("P2 2 2 255 7 7 7 7"), (std::vector<float>{0, 0, 0, 0})) << "a flat picture";
}

TEST_F(HeightImage, NamesTheFileAndWhatIsWrong) {
  const auto error = [&](const std::filesystem::path& file, const HeightImageOptions& options = kOptions) {
    const std::string text = input_error([&] { read_height_image(file, options); });
    const std::size_t slash = text.rfind('/');
    return slash == std::string::npos ? text : text.substr(slash + 1);
  };
  EXPECT_EQ(error(write_deep_png(folder, Gamma::kNone, PNG_COLOR_TYPE_GRAY_ALPHA)),
            "deep.png: has colours or transparency; heights are a grey picture of 8 or 16 bits");
  const std::string whole = bytes_of(write_deep_png(folder, Gamma::kNone));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error(folder.write("cut.png", whole.substr(0, size))), "") << size;
  }
  EXPECT_EQ(error(folder.write("cut.png", whole.substr(0, whole.size() - 12))),
            "cut.png: cut short: the PNG has no end (IEND)");
  EXPECT_EQ(error(folder.write("no.png", "v 0 0 0")), "no.png: is neither PGM (P2, P5) nor PNG");
  EXPECT_NE(error(folder / "missing.png"), "");
  HeightImageOptions flat = kOptions;
  flat.elevation_m = 0;
  EXPECT_EQ(error(folder / "deep.png", flat), "height_field.elevation_m = 0 is not in (0, 1000000] m");
}

std::filesystem::path write_heights(const TemporaryFolder& folder, std::vector<std::size_t> shape,
                                    const std::vector<double>& values) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return folder.write("heights.npy", npy::header(npy::Type::kFloat64, shape) + bytes);
}

TEST(HeightArray, IsReadInItsOwnOrder) {
  const TemporaryFolder folder;
  const HeightField field = read_height_array(write_heights(folder, {2, 3}, {1, 2, 3, -4, 5.5, 6}));
  EXPECT_EQ(field.rows, 2U);
  EXPECT_EQ(field.cols, 3U);
  EXPECT_EQ(field.heights_m, (std::vector<float>{1, 2, 3, -4, 5.5, 6}));
}

TEST(HeightArray, NamesTheFileAndTheElementThatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [&](std::vector<std::size_t> shape, const std::vector<double>& values) {
    const auto file = write_heights(folder, std::move(shape), values);
    return input_error([&] { read_height_array(file); }).substr(folder.path().string().size() + 1);
  };
  EXPECT_EQ(error({4}, {1, 2, 3, 4}), "heights.npy: heights are an array of shape (rows, cols)");
  EXPECT_EQ(error({2, 2}, {1, 2, 3, 1e300}), "heights.npy: height [1, 1] = 1e+300 is not in [-1000000, 1000000] m");
  EXPECT_EQ(error({2, 2}, {1, NAN, 3, 4}), "heights.npy: height [0, 1] = nan is not in [-1000000, 1000000] m");
}

TEST(TrajectoryFileTest, ReadsTumLines) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.tum",
                                 "# stamp tx ty tz qx qy qz qw\r\n"
                                 "\n"
                                 "  10.5\t1 2 3 0 0 0 1\r\n"
                                 "11e0 -4 5.25 +6 0 0 0.70710678 0.70710678");
  const Trajectory trajectory = read_trajectory(file);
  const auto& keys = trajectory.keys();
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].stamp_s, 10.5);
  EXPECT_EQ(keys[0].pose, (Pose{{1, 2, 3}, {}}));
  EXPECT_EQ(keys[1].stamp_s, 11.0);
  EXPECT_EQ(keys[1].pose.translation_m, (Vec3{-4, 5.25, 6}));
  // w is last in the file and first in memory: a quarter turn takes x to y.
  const Vec3 turned = rotate(keys[1].pose.rotation, {1, 0, 0});
  EXPECT_NEAR(turned.x, 0.0, 1e-8);
  EXPECT_NEAR(turned.y, 1.0, 1e-8);
}

RC_GTEST_PROP(TrajectoryFileTest, ReadsBackWhatWasWritten, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::array<int, 6>>>(
      rc::gen::container<std::array<int, 6>>(rc::gen::inRange(-1000000, 1000000))));
  std::vector<Trajectory::Key> keys;
  std::string text;
  for (const auto& v : values) {
    const double stamp = static_cast<double>(keys.size()) * 0.1 + 1e9;
    const Quaternion q = from_roll_pitch_yaw(v[3] * 1e-6, v[4] * 1e-6, v[5] * 1e-6);
    keys.push_back({stamp, {{v[0] / 7.0, v[1] / 7.0, v[2] / 7.0}, q}});
    text += fmt::format("{} {} {} {} {} {} {} {}\n", stamp, v[0] / 7.0, v[1] / 7.0, v[2] / 7.0, q.x, q.y, q.z, q.w);
  }
  const TemporaryFolder folder;
  const std::vector<Trajectory::Key> found = read_trajectory(folder.write("a.tum", text)).keys();
  RC_ASSERT(found.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    RC_ASSERT(found[i].stamp_s == keys[i].stamp_s);
    RC_ASSERT(found[i].pose.translation_m == keys[i].pose.translation_m);
    RC_ASSERT(std::abs(dot(found[i].pose.rotation, keys[i].pose.rotation) - 1.0) < 1e-14);
  }
}

TEST(TrajectoryFileTest, NamesTheLineOfWhatIsWrong) {
  const TemporaryFolder folder;
  const std::vector<std::array<std::string, 2>> cases = {
      {"# only a comment\n", "a.tum: holds no poses"},
      {"0 0 0 0 0 0 1\n", "a.tum:1: 7 values, expected 8"},
      {"0 0 0 0 0 0 0 1 9\n", "a.tum:1: 9 values, expected 8"},
      {"0 0 0 0 0 0 0 1\n\n# x\n1 0 zero 0 0 0 0 1\n", "a.tum:4: ty = 'zero' is not a finite number"},
      {"0 0 0 inf 0 0 0 1\n", "a.tum:1: tz = 'inf' is not a finite number"},
      {"nan 0 0 0 0 0 0 1\n", "a.tum:1: stamp = 'nan'"},
      {"0 0 0 0 0 0 0 0\n", "a.tum:1: quaternion has length 0, not 1"},
      {"0 0 0 0 1 0 0 1\n", "a.tum:1: quaternion has length 1.414"},
      {"0 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n", "a.tum:2: stamp 0 s does not come after 0 s"},
      {"5 0 0 0 0 0 0 1\n4 0 0 0 0 0 0 1\n", "a.tum:2: stamp 4 s does not come after 5 s"},
      {"0,0,0,0,0,0,0,1\n", "a.tum:1: 1 values, expected 8"}};
  for (const auto& [text, message] : cases) {
    const auto file = folder.write("a.tum", text);
    EXPECT_TRUE(contains(message_of<InputError>([&] { read_trajectory(file); }), message)) << text;
  }
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_trajectory(folder / "b.tum"); }), "b.tum: no such file"));
}

}  // namespace
}  // namespace fathom::test
