// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <png.h>

#include <fathom/files/maps.hpp>
#include <fathom/scene/grid_map.hpp>

#include "beam/files.hpp"
#include "log/grid_map.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::input_error;

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
  EXPECT_EQ(refusal("negate", "negatd"), "bad.yaml:1:1: the key 'negate' is missing; is 'negatd' meant to be it?");
  EXPECT_EQ(refusal("negate: 0", "negate: 2"), "bad.yaml:4:9: negate = 2 is not 0 or 1");
  EXPECT_EQ(refusal("0.196", "0.7"), "bad.yaml:6:14: free_thresh = 0.7 is not in [0, 0.65]");
  EXPECT_EQ(refusal("negate: 0", "mode: raw\nnegate: 0"), "bad.yaml:4:7: mode = raw is not one of trinary, scale");
  EXPECT_EQ(refusal("resolution: 0.1\n", ""), "bad.yaml:1:1: the key 'resolution' is missing");
  EXPECT_NE(refusal("map.pgm", "gone.pgm").find("bad.yaml:1:8: image: "), std::string::npos);
  EXPECT_EQ(refusal("map.pgm", "\"map.pgm\\0.txt\""), "bad.yaml:1:8: image = map.pgm\\x00.txt is not a file name");
  EXPECT_EQ(refusal("negate: 0", "negate: 0\nnegate: 1"),
            "bad.yaml:5:1: the key 'negate' is there twice; the first is on line 4");
  EXPECT_EQ(refusal("negate: 0", "\tnegate: 0"), "bad.yaml:4: the line begins with a tab; YAML indents with blanks");
  EXPECT_NE(refusal("map.pgm", "gone.pgm").find("no such file"), std::string::npos);
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
  // Without alpha they read alike: what lies between the thresholds is not known to be free, nor a wall.
  static_cast<void>(folder.write("map.pgm", "P5 3 2 255\n" + kPixels));
  EXPECT_EQ(cells("mode: scale\n", "map.pgm"), cells("mode: trinary\n", "map.pgm"));
  EXPECT_EQ(cells("mode: scale\n", "map.pgm")[2], kUnknown);
}

// As nav2 does: https://docs.nav2.org/configuration/packages/configuring-map-server.html.
TEST(GridMap, NotesKeysThatMapServerPassesOver) {
  const test::TemporaryFolder folder;
  static_cast<void>(folder.write("map.pgm", "P5 3 2 255\n" + kPixels));
  const auto yaml = folder.write("map.yaml", kYaml + "trinary: true\nmap_type: occupancy\nmoed: scale\n");
  const GridMapFile read = read_grid_map_file(yaml);
  expect_map(read.map);
  const std::string file = yaml.string();
  EXPECT_EQ(read.notes, (std::vector<std::string>{
                            file + ":7:1: trinary is not a known key, and is not read",
                            file + ":8:1: map_type is not a known key, and is not read",
                            file + ":9:1: moed is not a known key (nearest known: 'mode'), and is not read"}));
  EXPECT_TRUE(read_grid_map_file(folder.write("map.yaml", kYaml)).notes.empty());
}

// What the header leaves over is not read, and never moves a pixel.
TEST(GridMap, NotesBytesBehindThePixels) {
  const test::TemporaryFolder folder;
  const auto yaml = folder.write("map.yaml", kYaml);
  const std::string file = (folder.path() / "map.pgm").string(), ends = ": the 3 x 2 pixels end ";
  const auto notes = [&](const std::string& image) {
    static_cast<void>(folder.write("map.pgm", image));
    const GridMapFile read = read_grid_map_file(yaml);
    expect_map(read.map);
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
  EXPECT_NE(refusal("P5 3 3 255\n" + kPixels).find("map.pgm: 3 x 3 pixels need 9 bytes, 6 are there"),
            std::string::npos);
  EXPECT_NE(refusal("P5 3 2 256\n" + kPixels).find("need 12 bytes, 6 are there"), std::string::npos);
  EXPECT_NE(refusal("P2 3 3 255\n0 128 254\n254 0 205\n").find("no pixel at byte"), std::string::npos);
}

TEST(GridMap, RefusesImagesThatAreCutShortOrNotImages) {
  const test::TemporaryFolder folder;
  const auto yaml = folder.write("map.yaml", kYaml);
  for (const std::string& image :
       {"P5 3 3 255\n" + kPixels, std::string("P5 3 2 255"), std::string("P5 0 2 255\n"),
        std::string("P2 3 2 255 1 2 3"), std::string("P5 99999 99999 255\n"), std::string("GIF89a"),
        std::string("\x89PNG\r\n\x1a\n...."), std::string("P2 2 1 255 1 900")}) {
    static_cast<void>(folder.write("map.pgm", image));
    EXPECT_NE(input_error([&] { read_grid_map(yaml); }).find("map.yaml:1:8: image: "), std::string::npos) << image;
  }
}

TEST(GridMap, RefusesAPngWithoutItsEnd) {
  const test::TemporaryFolder folder;
  const auto image = write_png_with_alpha(folder);
  EXPECT_EQ(read_grid_image(image).cols, 4U);
  std::filesystem::resize_file(image, std::filesystem::file_size(image) - 12);
  const std::string message = input_error([&] { read_grid_image(image); });
  EXPECT_NE(message.find("alpha.png: cut short: the PNG has no end (IEND)"), std::string::npos) << message;
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

}  // namespace
}  // namespace fathom
