// SPDX-License-Identifier: MIT
// The legends below pictures, bars and keys, by their pixels.

#include <fathom/core/ids.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/scene/scene.hpp>

#include "io/picture/frames.hpp"
#include "io/picture/legend.hpp"
#include "io/picture/painter.hpp"
#include "io/picture/png_reader.hpp"

namespace fathom::test::legend_test {
namespace {

constexpr Rgb kBackground = kDarkPalette.background;
constexpr PictureLegend kBareLegend = {false, {}};

/// How many pixels of a rectangle are not the background.
std::size_t ink(const Picture& picture, std::uint32_t left, std::uint32_t top, std::uint32_t right, std::uint32_t low) {
  std::size_t count = 0;
  for (std::uint32_t y = top; y < std::min(low, picture.height); ++y) {
    for (std::uint32_t x = left; x < std::min(right, picture.width); ++x) count += picture.at(x, y) != kBackground;
  }
  return count;
}

Frame entity_frame(std::uint32_t rows, std::uint32_t cols) {
  Frame frame({Channel::kRange, Channel::kEntityId, Channel::kReason, Channel::kHitWorld, Channel::kAzimuth,
               Channel::kElevation});
  FrameWriter(frame).resize(rows, cols);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    FrameWriter(frame).floats(Channel::kRange)[i] = 1.0F + static_cast<float>(i % 7);
    FrameWriter(frame).entity_id()[i] = static_cast<std::uint32_t>(i % 5);
    FrameWriter(frame).reason()[i] = Reason::kHit;
    for (std::size_t k = 0; k < 3; ++k) {
      FrameWriter(frame).floats(Channel::kHitWorld)[k * frame.size() + i] = static_cast<float>(i % (3 + k));
    }
    FrameWriter(frame).floats(Channel::kAzimuth)[i] = static_cast<float>(i % 9) * 0.1F;
    FrameWriter(frame).floats(Channel::kElevation)[i] = static_cast<float>(i % 4) * 0.1F;
  }
  return frame;
}

/// The pixels of a picture of each kind.
std::vector<std::vector<Pixel>> pictures_of(const Frame& frame, Theme theme) {
  const TemporaryFolder folder;
  const PictureLegend legend = {.theme = theme};
  write_range_image(folder / "0", frame, ColorBy::kRange, 0.0, {}, legend);
  write_angle_image(folder / "1", frame, ColorBy::kEntity, 0.0, legend);
  write_birds_eye_view(folder / "2", frame, ColorBy::kReason, 0.0, 300, Pose{}, legend);
  write_reason_picture(folder / "3", frame, true, theme);
  std::vector<std::vector<Pixel>> pictures;
  for (const char* name : {"0", "1", "2", "3"}) pictures.push_back(read_png(folder / name).pixels);
  return pictures;
}

using PictureLegendTest = InFolder;

TEST_F(PictureLegendTest, ALightThemeHasAWhiteBackgroundAndTheSameColoursOfData) {
  Frame frame = entity_frame(20, 30);
  FrameWriter(frame).floats(Channel::kRange)[0] = kNan;
  FrameWriter(frame).reason()[0] = Reason::kMiss;
  const auto dark = pictures_of(frame, Theme::kDark), light = pictures_of(frame, Theme::kLight);
  for (std::size_t k = 0; k < dark.size(); ++k) {
    ASSERT_EQ(dark[k].size(), light[k].size());
    for (std::size_t i = 0; i < dark[k].size(); ++i) {
      if (dark[k][i] == kBackground) ASSERT_EQ(light[k][i], kLightPalette.background) << k << ", pixel " << i;
      if (dark[k][i] == kLostColor) ASSERT_EQ(light[k][i], kLightPalette.lost) << k << ", pixel " << i;
    }
    EXPECT_EQ(std::ranges::count(light[k], kBackground), 0) << k;
    const Pixel data = k == 0 ? range_color(1.0) : k == 1 ? entity_color(3) : reason_color(Reason::kHit);
    EXPECT_EQ(std::ranges::count(light[k], data), std::ranges::count(dark[k], data)) << k;
  }
}

TEST_F(PictureLegendTest, LeavesTheRaysAsTheyAreAtTheTopLeft) {
  for (const ColorBy color : {ColorBy::kRange, ColorBy::kEntity, ColorBy::kReason}) {
    for (const auto& shape : {std::pair(1U, 1U), std::pair(3U, 700U), std::pair(200U, 5U), std::pair(1U, 5000U)}) {
      const Frame frame = entity_frame(shape.first, shape.second);
      write_range_image(folder / "bare.png", frame, color, 0.0, {}, kBareLegend);
      write_range_image(folder / "full.png", frame, color);
      const Picture bare = read_png(folder / "bare.png"), full = read_png(folder / "full.png");
      EXPECT_GE(full.width, bare.width);
      ASSERT_GT(full.height, bare.height);
      for (std::uint32_t y = 0; y < bare.height; ++y) {
        for (std::uint32_t x = 0; x < full.width; ++x) {
          ASSERT_EQ(full.at(x, y), x < bare.width ? bare.at(x, y) : kBackground) << x << ", " << y;
        }
      }
      EXPECT_GT(ink(full, 0, bare.height, full.width, full.height), 300U);
      EXPECT_EQ(ink(full, 0, full.height - 3, full.width, full.height), 0U) << "nothing is cut off below";
    }
  }
}

TEST_F(PictureLegendTest, HasABarFromTheFirstToTheLastColourWithNumbersBelow) {
  write_range_image(folder / "a.png", entity_frame(480, 640), ColorBy::kRange, 8.0);
  const Picture picture = read_png(folder / "a.png");
  // Letters of 13 pixels: a border of 9, a title of 19, a bar of 9, ticks of 3, numbers of 19.
  constexpr std::uint32_t kBarTop = 480 + 9 + 19, kLeft = 9, kRight = 640 - 9;
  for (std::uint32_t y = kBarTop; y < kBarTop + 9; ++y) {
    EXPECT_EQ(picture.at(kLeft, y), range_color(0.0));
    EXPECT_EQ(picture.at(kRight - 1, y), range_color(1.0));
    EXPECT_EQ(picture.at(kLeft - 1, y), kBackground);
    EXPECT_EQ(picture.at(kRight, y), kBackground);
    for (std::uint32_t x = kLeft; x < kRight; ++x) {
      ASSERT_EQ(picture.at(x, y), range_color((x - kLeft) / (kRight - kLeft - 1.0)));
    }
  }
  // Every second metre has a number below.
  constexpr std::uint32_t kNumbers = kBarTop + 9 + 3;
  for (int metre = 0; metre <= 8; metre += 2) {
    const auto at = static_cast<std::uint32_t>(kLeft + metre / 8.0 * (kRight - kLeft - 1));
    EXPECT_GT(ink(picture, std::max(9U, at - 8), kNumbers, std::min(at + 8, kRight), kNumbers + 19), 10U) << metre;
  }
  EXPECT_GT(ink(picture, kLeft, 480 + 9, 200, kBarTop), 100U) << "the title";
}

TEST_F(PictureLegendTest, SaysWhoChoseTheScale) {
  const Frame frame = entity_frame(480, 640);
  write_range_image(folder / "auto.png", frame, ColorBy::kRange);
  write_range_image(folder / "given.png", frame, ColorBy::kRange, 8.0);
  const Picture automatic = read_png(folder / "auto.png"), given = read_png(folder / "given.png");
  ASSERT_EQ(automatic.height, given.height);
  std::uint32_t first = given.height, last = 0;
  for (std::uint32_t y = 0; y < given.height; ++y) {
    for (std::uint32_t x = 0; x < given.width; ++x) {
      if (automatic.at(x, y) != given.at(x, y)) first = std::min(first, y), last = std::max(last, y);
    }
  }
  EXPECT_GE(first, 480U + 9U) << "the same scale, so the same rays";
  EXPECT_LT(last, 480U + 9U + 19U) << "and the same numbers: only the title differs";
}

TEST(EntityKey, NamesTheLargestFirst) {
  Frame frame({Channel::kRange, Channel::kEntityId});
  FrameWriter(frame).resize(1, 10);
  const std::uint32_t ids[10] = {7, 7, 7, 7, 2, 2, index(kNoEntity), 9, 9, 9};
  std::copy_n(ids, 10, FrameWriter(frame).entity_id());
  std::fill_n(FrameWriter(frame).floats(Channel::kRange), 10, 1.0F);
  FrameWriter(frame).floats(Channel::kRange)[9] = kNan;  // a ray that met 9 and lost it
  const std::vector<std::string> names = {"a", "b", "two", "c", "d", "e", "f", "seven"};
  const Lettering letters(13);
  const Painter painter(frame, ColorBy::kEntity, 0.0);
  const Legend legend = make_legend(painter, frame, {true, names}, "", letters, 4000);
  const Key& key = std::get<Key>(legend);
  ASSERT_GE(key.entries.size(), 4U);
  EXPECT_EQ(key.entries[0].name, "seven");
  EXPECT_EQ(key.entries[0].color, entity_color(7));
  EXPECT_EQ(key.entries[0].value, "44.4 %") << "of the returns";
  EXPECT_EQ(key.entries[1].name, "two") << "of equally large ones the lower id";
  EXPECT_EQ(key.entries[2].name, "id 9") << "without a name";
  EXPECT_EQ(key.entries[3].name, "no entity");
  EXPECT_EQ(key.note, "by share of the returns");
  const Legend narrow = make_legend(painter, frame, {true, names}, "", letters, 1);
  EXPECT_EQ(std::get<Key>(narrow).entries.size(), 4U) << "one column of four lines";
}

RC_GTEST_PROP(EntityKeyProperty, CountsReturnsOnly, (const std::vector<bool>& returns)) {
  RC_PRE(!returns.empty());
  Frame frame({Channel::kRange, Channel::kEntityId});
  FrameWriter(frame).resize(1, static_cast<std::uint32_t>(returns.size()));
  std::array<std::uint64_t, 3> counts{};
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const auto id = *rc::gen::inRange<std::uint32_t>(0, 3);
    FrameWriter(frame).entity_id()[i] = id;  // a lost ray keeps what it met
    FrameWriter(frame).floats(Channel::kRange)[i] = returns[i] ? 1.0F : kNan;
    if (returns[i]) ++counts[id], ++total;
  }
  const std::vector<std::string> names = {"0", "1", "2"};
  const Legend legend =
      make_legend(Painter(frame, ColorBy::kEntity, 0.0), frame, {true, names}, "", Lettering(13), 4000);
  std::array<std::string, 3> shares = {"0 %", "0 %", "0 %"};
  for (const KeyEntry& entry : std::get<Key>(legend).entries) {
    if (!entry.name.empty()) shares.at(static_cast<std::size_t>(entry.name[0] - '0')) = entry.value;
  }
  for (std::size_t id = 0; id < 3; ++id) RC_ASSERT(shares[id] == percentage(counts[id], total));
}

TEST(EntityKey, KeepsItsHeightWhateverAFrameShows) {
  const std::vector<std::string> names(40, "thing");
  const Lettering letters(13);
  std::set<std::uint32_t> heights;
  for (const std::uint32_t shown : {0U, 1U, 5U, 40U}) {
    Frame frame({Channel::kRange, Channel::kEntityId});
    FrameWriter(frame).resize(1, 40);
    for (std::uint32_t i = 0; i < 40; ++i) {
      FrameWriter(frame).floats(Channel::kRange)[i] = i < shown ? 1.0F : kNan;
      FrameWriter(frame).entity_id()[i] = i < shown ? i : index(kNoEntity);
    }
    const Legend legend = make_legend(Painter(frame, ColorBy::kEntity, 0.0), frame, {true, names}, "", letters, 640);
    heights.insert(legend_height(letters, legend, 640));
    const auto& key = std::get<Key>(legend);
    EXPECT_EQ(key.note.starts_with("the largest 8 of 40"), shown == 40) << key.note;
  }
  EXPECT_EQ(heights.size(), 1U);
}

TEST(EntityKey, CutsHugeNamesAndDrawsAnyBytes) {
  const TemporaryFolder folder;
  std::vector<std::string> names = {std::string(1 << 20, 'W'), "\xff\xfe\x1b[2J", "", "Stühle Шкаф \u6905", "e"};
  write_range_image(folder / "a.png", entity_frame(80, 640), ColorBy::kEntity, 0.0, {}, {true, names});
  const Picture picture = read_png(folder / "a.png");
  EXPECT_EQ(picture.width, 640U);
  // Between the two columns of the key nothing is drawn: the name of 1 MB ends before.
  const std::uint32_t middle = 9 + (640 - 18) / 2;
  EXPECT_EQ(ink(picture, middle - 12, 80 + 9 + 19, middle - 2, picture.height), 0U);
}

TEST(PercentageTest, NeverSaysNoneOrAllOfWhatIsNot) {
  EXPECT_EQ(percentage(0, 7), "0 %");
  EXPECT_EQ(percentage(7, 7), "100 %");
  EXPECT_EQ(percentage(1, 1000000), "< 0.1 %");
  EXPECT_EQ(percentage(999999, 1000000), "> 99.9 %");
  EXPECT_EQ(percentage(1, 8), "12.5 %");
  EXPECT_EQ(percentage(0, 0), "0 %");
}

TEST(RoundValues, AreMultiplesOfARoundStep) {
  EXPECT_EQ(round_values(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_values(-3.7, -0.3, 4), (std::vector<double>{-3, -2, -1}));
  EXPECT_TRUE(round_values(0, 0, 5).empty());
  EXPECT_TRUE(round_values(0, INFINITY, 5).empty());
  EXPECT_TRUE(round_values(kNan, 1, 5).empty());
  EXPECT_TRUE(round_values(0, 1, 0).empty());
}

RC_GTEST_PROP(RoundValuesProperty, LieWithinAndAreFew, (double low, double high)) {
  const auto values = round_values(low, high, 10);
  RC_ASSERT(values.size() <= 12U);
  for (const double value : values) {
    RC_ASSERT(value >= low - 1e-6 * (high - low) && value <= high + 1e-6 * (high - low));
  }
}

TEST_F(PictureLegendTest, SurvivesWhateverAFrameHolds) {
  constexpr float kInf = std::numeric_limits<float>::infinity(), kHuge = std::numeric_limits<float>::max();
  for (const float range_m : {kNan, kInf, -kInf, 0.0F, -1.0F, kHuge, 1e-45F}) {
    for (const ColorBy color : {ColorBy::kRange, ColorBy::kEntity, ColorBy::kReason}) {
      for (const double scale_m : {0.0, 1e-300, 1e300}) {
        Frame frame = entity_frame(1, 3);
        FrameWriter(frame).floats(Channel::kRange)[1] = range_m;
        FrameWriter(frame).floats(Channel::kHitWorld)[1] = range_m;
        write_range_image(folder / "a.png", frame, color, scale_m);
        write_birds_eye_view(folder / "b.png", frame, color, scale_m, 64, Pose{});
        for (const char* const name : {"a.png", "b.png"}) {
          const Picture picture = read_png(folder / name);
          EXPECT_LE(picture.width, 400U);
          EXPECT_LE(picture.height, 153U + 19U * kReasonNames.size()) << "a line for each reason";
        }
      }
    }
    Frame frame = entity_frame(1, 3);
    FrameWriter(frame).floats(Channel::kRange)[1] = FrameWriter(frame).floats(Channel::kAzimuth)[1] = range_m;
    write_angle_image(folder / "c.png", frame, ColorBy::kRange, static_cast<double>(range_m > 0.0F ? range_m : 0.0F));
    EXPECT_LE(read_png(folder / "c.png").width, 1200U);
  }
}

TEST(BirdsEyeViewLegend, LeavesTheMapAndWritesTheCoordinatesOfItsLines) {
  const TemporaryFolder folder;
  const Frame frame = entity_frame(10, 10);
  write_birds_eye_view(folder / "bare.png", frame, ColorBy::kRange, 0.0, 512, Pose{{1, 1, 0}, {}}, kBareLegend);
  write_birds_eye_view(folder / "full.png", frame, ColorBy::kRange, 0.0, 512, Pose{{1, 1, 0}, {}});
  const Picture bare = read_png(folder / "bare.png"), full = read_png(folder / "full.png");
  for (std::uint32_t y = 0; y < bare.height; ++y) {
    for (std::uint32_t x = 0; x < bare.width; ++x) ASSERT_EQ(full.at(x, y), bare.at(x, y)) << x << ", " << y;
  }
  // A grid line is a pixel between two of the background; to the right of each horizontal one stands a number.
  std::size_t lines = 0;
  for (std::uint32_t y = 40; y + 40 < bare.height; ++y) {
    if (bare.at(0, y) == kBackground || bare.at(0, y + 1) != kBackground) continue;
    ++lines;
    EXPECT_GT(ink(full, bare.width, y - 6, full.width, y + 7), 10U) << y;
  }
  EXPECT_GE(lines, 3U);
  EXPECT_GT(ink(full, 0, bare.height, bare.width, bare.height + 20), 50U) << "numbers below";
}

TEST(BirdsEyeViewLegend, ShowsWhichWayTheSensorLooks) {
  const TemporaryFolder folder;
  Frame frame({Channel::kHitWorld, Channel::kRange});
  FrameWriter(frame).resize(1, 2);
  for (std::size_t k = 0; k < 6; ++k) FrameWriter(frame).floats(Channel::kHitWorld)[k] = k % 2 == 0 ? -10.0F : 10.0F;
  std::fill_n(FrameWriter(frame).floats(Channel::kRange), 2, 1.0F);
  const auto is_stroke = [&](const Quaternion& rotation, double heading_rad) {
    write_birds_eye_view(folder / "a.png", frame, ColorBy::kRange, 0.0, 1024, Pose{{0, 0, 0}, rotation}, kBareLegend);
    const Picture picture = read_png(folder / "a.png");
    // Strokes are 2 pixels thick, the ring ends at 15; the points are symmetric about the sensor.
    const double x = picture.width / 2.0 + 30 * std::cos(heading_rad);
    const double y = (picture.height - 56) / 2.0 - 30 * std::sin(heading_rad);
    return picture.at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) == Rgb{235, 238, 245};
  };
  constexpr double kQuarter = std::numbers::pi / 2;
  for (int k = 0; k < 4; ++k) {
    const Quaternion turned = from_roll_pitch_yaw(0, 0.3, k * kQuarter);
    for (int other = 0; other < 4; ++other) EXPECT_EQ(is_stroke(turned, other * kQuarter), k == other) << k << other;
  }
  for (int k = 0; k < 4; ++k) EXPECT_FALSE(is_stroke(from_roll_pitch_yaw(0, kQuarter, 0), k * kQuarter)) << "downwards";
}

TEST(AngleImage, ShowsRaysWhereTheyPoint) {
  const TemporaryFolder folder;
  Frame frame({Channel::kRange, Channel::kEntityId, Channel::kAzimuth, Channel::kElevation});
  FrameWriter(frame).resize(1, 4);
  // Left up, left down, right down, and one that points nowhere.
  const float azimuth_rad[] = {0.2F, 0.2F, -0.2F, kNan}, elevation_rad[] = {0.1F, -0.1F, -0.1F, 0.0F};
  std::copy_n(azimuth_rad, 4, FrameWriter(frame).floats(Channel::kAzimuth));
  std::copy_n(elevation_rad, 4, FrameWriter(frame).floats(Channel::kElevation));
  for (std::uint32_t i = 0; i < 4; ++i) {
    FrameWriter(frame).floats(Channel::kRange)[i] = i == 2 ? kNan : 1.0F;
    FrameWriter(frame).entity_id()[i] = i;
  }
  write_angle_image(folder / "a.png", frame, ColorBy::kEntity, 0.0, kBareLegend);
  const Picture picture = read_png(folder / "a.png");
  EXPECT_EQ(picture.width, 1024U);
  const auto middle_of = [&](Rgb color) {
    double x = 0, y = 0, count = 0;
    for (std::uint32_t i = 0; i < picture.pixels.size(); ++i) {
      if (picture.pixels[i] == color) x += i % picture.width, y += i / picture.width, ++count;
    }
    EXPECT_EQ(count, 9) << "a dot of 3 x 3";
    return std::pair(x / count, y / count);
  };
  const auto up = middle_of(entity_color(0)), down = middle_of(entity_color(1)), right = middle_of(kLostColor);
  EXPECT_NEAR(up.first, down.first, 1);
  EXPECT_NEAR(down.second, right.second, 1);
  EXPECT_GT(right.first, down.first + 500) << "azimuth grows to the left";
  EXPECT_NEAR((right.first - down.first) / 2, down.second - up.second, 1.5) << "one scale for both";
  write_angle_image(folder / "b.png", frame, ColorBy::kEntity);
  const Picture full = read_png(folder / "b.png");
  EXPECT_GT(ink(full, picture.width, 0, full.width, picture.height), 50U) << "elevations";
  EXPECT_GT(ink(full, 0, picture.height, picture.width, picture.height + 20), 50U) << "azimuths";
}

}  // namespace
}  // namespace fathom::test::legend_test
