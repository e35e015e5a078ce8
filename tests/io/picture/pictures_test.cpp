// SPDX-License-Identifier: MIT

#include <fathom/core/ids.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/scene/scene.hpp>

#include "io/picture/frames.hpp"
#include "io/picture/painter.hpp"
#include "io/picture/png_reader.hpp"

namespace fathom::test::pictures_test {
namespace {

/// The colours that docs/output-formats.md promises.
constexpr PictureLegend kBare = {false, {}};
constexpr Pixel kLost = {34, 36, 46}, kNear = {148, 12, 0}, kMiddle = {166, 247, 72}, kFar = {74, 67, 186};

Frame range_frame(std::uint32_t rows, std::uint32_t cols, std::vector<float> range_m) {
  Frame frame({Channel::kRange});
  FrameWriter(frame).resize(rows, cols);
  std::copy(range_m.begin(), range_m.end(), FrameWriter(frame).floats(Channel::kRange));
  return frame;
}

using RangeImageTest = InFolder;

TEST_F(RangeImageTest, ShowsOnePixelPerRayByRange) {
  write_range_image(folder / "a.png", range_frame(2, 3, {0, 5, 10, kNan, 99, 2.5F}), ColorBy::kRange, 10.0, {}, kBare);
  const Picture picture = read_png(folder / "a.png");
  ASSERT_EQ(picture.width, 3U);
  ASSERT_EQ(picture.height, 2U);
  EXPECT_EQ(picture.at(0, 0), kNear);
  EXPECT_EQ(picture.at(1, 0), kMiddle);
  EXPECT_EQ(picture.at(2, 0), kFar);
  EXPECT_EQ(picture.at(0, 1), kLost);
  EXPECT_EQ(picture.at(1, 1), kFar) << "beyond the scale: the last colour";
  EXPECT_EQ(picture.at(2, 1), (Pixel{255, 131, 30}));
}

TEST_F(RangeImageTest, ScalesByItselfToARoundRange) {
  std::vector<float> range_m(200, 3.0F);
  range_m[0] = kNan;
  std::fill_n(range_m.begin() + 1, 9, 90.0F);  // 9 of 199 returns are past the 95 %
  write_range_image(folder / "auto.png", range_frame(10, 20, range_m), ColorBy::kRange, 0.0, {}, kBare);
  write_range_image(folder / "three.png", range_frame(10, 20, range_m), ColorBy::kRange, 3.0, {}, kBare);
  EXPECT_EQ(bytes_of(folder / "auto.png"), bytes_of(folder / "three.png"));
  write_range_image(folder / "lost.png", range_frame(1, 2, {kNan, kNan}), ColorBy::kRange);
  EXPECT_EQ(read_png(folder / "lost.png").at(1, 0), kLost);
}

TEST_F(RangeImageTest, RepeatsTheRowsOfThinFramesAndFoldsLongLines) {
  const auto size_of = [&](std::uint32_t rows, std::uint32_t cols) {
    Frame frame({Channel::kRange});
    FrameWriter(frame).resize(rows, cols);
    for (std::size_t i = 0; i < frame.size(); ++i)
      FrameWriter(frame).floats(Channel::kRange)[i] = i == frame.size() - 1 ? 1.0F : kNan;
    write_range_image(folder / "a.png", frame, ColorBy::kRange, 1.0, {}, kBare);
    const Picture picture = read_png(folder / "a.png");
    // The last ray is where the rule says, in each of its repeated pixels, and nowhere else.
    const std::uint32_t lines = cols > 4096 && rows == 1 ? (cols + 2047) / 2048 : rows;
    const auto column = static_cast<std::uint32_t>((frame.size() - 1) % picture.width);
    for (std::uint32_t y = 0; y < picture.height; ++y) {
      const bool is_last = y / (picture.height / lines) == lines - 1;
      EXPECT_EQ(picture.at(column, y) == kFar, is_last) << rows << " x " << cols << " line " << y;
    }
    EXPECT_EQ(static_cast<std::size_t>(std::count(picture.pixels.begin(), picture.pixels.end(), kFar)),
              picture.height / lines);
    return std::pair(picture.width, picture.height);
  };
  EXPECT_EQ(size_of(480, 640), std::pair(640U, 480U));
  EXPECT_EQ(size_of(16, 1800), std::pair(1800U, 16U * 14U));
  EXPECT_EQ(size_of(1, 1081), std::pair(1081U, 135U));
  EXPECT_EQ(size_of(1, 4096), std::pair(4096U, 256U));
  EXPECT_EQ(size_of(1, 4097), std::pair(2048U, 3U));
  EXPECT_EQ(size_of(1, 1), std::pair(1U, 1U));
  EXPECT_EQ(size_of(5, 1), std::pair(1U, 5U));
}

TEST_F(RangeImageTest, RowsMoveByTheirShiftsAndWrapRound) {
  const Frame frame = range_frame(3, 3, {0, 10, 10, 0, 10, 10, 0, 10, 10});
  write_range_image(folder / "a.png", frame, ColorBy::kRange, 10.0, std::vector<std::int32_t>{0, 1, -7});
  const Picture picture = read_png(folder / "a.png");
  const std::uint32_t nearest[] = {0, 1, 2};  // -7 columns are 2 to the right
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 3; ++x) EXPECT_EQ(picture.at(x, y) == kNear, x == nearest[y]) << x << ", " << y;
  }
  const std::vector<std::int32_t> two = {0, 1};
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { write_range_image(folder / "b.png", frame, ColorBy::kRange, 10.0, two); }),
               "2 shifts for 3 rows"));
}

TEST_F(RangeImageTest, ColorsByEntityAndByReason) {
  Frame frame({Channel::kRange, Channel::kEntityId, Channel::kReason});
  FrameWriter(frame).resize(1, 4);
  const float range_m[] = {1, 2, 3, kNan};
  const std::uint32_t ids[] = {7, 8, index(kNoEntity), index(kNoEntity)};
  const Reason reasons[] = {Reason::kHit, Reason::kDropout, Reason::kHit, Reason::kMiss};
  std::copy_n(range_m, 4, FrameWriter(frame).floats(Channel::kRange));
  std::copy_n(ids, 4, FrameWriter(frame).entity_id());
  std::copy_n(reasons, 4, FrameWriter(frame).reason());
  write_range_image(folder / "e.png", frame, ColorBy::kEntity);
  const Picture by_entity = read_png(folder / "e.png");
  EXPECT_EQ(by_entity.at(0, 0), entity_color(7));
  EXPECT_EQ(by_entity.at(1, 0), entity_color(8));
  EXPECT_EQ(by_entity.at(2, 0), (Pixel{150, 150, 150})) << "a return that belongs to nothing";
  EXPECT_EQ(by_entity.at(3, 0), kLost);
  write_range_image(folder / "r.png", frame, ColorBy::kReason);
  const Picture by_reason = read_png(folder / "r.png");
  EXPECT_EQ(by_reason.at(0, 0), (Pixel{120, 200, 120}));
  EXPECT_EQ(by_reason.at(1, 0), (Pixel{213, 94, 0}));
  EXPECT_EQ(by_reason.at(3, 0), kLost);
}

TEST_F(RangeImageTest, RefusesWhatMakesNoPicture) {
  const auto refusal = [&](const Frame& frame, ColorBy color, double scale_m) {
    return message_of<InputError>([&] { write_range_image(folder / "a.png", frame, color, scale_m); });
  };
  EXPECT_TRUE(contains(refusal(range_frame(0, 5, {}), ColorBy::kRange, 1.0), "a frame of 0 x 5 rays makes no picture"));
  EXPECT_TRUE(contains(refusal(range_frame(1, 1, {1}), ColorBy::kRange, -1.0), "= -1 m is not >= 0"));
  EXPECT_TRUE(contains(refusal(range_frame(1, 1, {1}), ColorBy::kRange, kNan), "= nan m is not >= 0"));
  EXPECT_TRUE(contains(refusal(range_frame(1, 1, {1}), ColorBy::kReason, 1.0), "'reason'"));
  EXPECT_EQ(folder.count(), 0);
}

TEST(PaletteTest, KeepsColorsApart) {
  EXPECT_EQ(entity_color(0), (Rgb{242, 109, 109})) << "tests of the live page and of Python have the same numbers";
  EXPECT_EQ(entity_color(1), (Rgb{48, 105, 242}));
  EXPECT_EQ(entity_color(2), (Rgb{204, 242, 150}));
  std::set<Rgb> entities;
  for (std::uint32_t id = 0; id < 1000; ++id) entities.insert(entity_color(id));
  EXPECT_GT(entities.size(), 950U);
  const auto distance = [](Rgb a, Rgb b) {
    return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
  };
  for (std::uint32_t id = 0; id < 1000; ++id) {
    EXPECT_GT(distance(entity_color(id), entity_color(id + 1)), 60) << id;
    EXPECT_GT(distance(entity_color(id), kLostColor), 60) << id;
  }
  for (std::uint32_t a = 0; a < 24; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) EXPECT_GE(distance(entity_color(a), entity_color(b)), 30) << a << " " << b;
  }
  for (std::size_t a = 0; a < kReasonNames.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GT(distance(reason_color(static_cast<Reason>(a)), reason_color(static_cast<Reason>(b))), 25) << a << b;
    }
  }
  for (int i = 0; i <= 100; ++i) EXPECT_GT(distance(range_color(i / 100.0), kLostColor), 90) << i;
}

RC_GTEST_PROP(PainterTest, RoundsUpToTheNextOfItsNumbers, (std::uint32_t seed)) {
  const double value = std::exp((seed % 100000) * 4e-4 - 20.0);
  const auto is_next = [&](double found, std::vector<double> digits) {
    double expected = std::numeric_limits<double>::infinity();
    for (int power = -12; power < 12; ++power) {
      for (const double digit : digits) {
        const double candidate = digit * std::pow(10.0, power);
        if (candidate >= value * (1 - 1e-12)) expected = std::min(expected, candidate);
      }
    }
    return std::abs(found - expected) <= 1e-9 * expected;
  };
  RC_ASSERT(is_next(round_length(value), {1, 2, 5}));
  RC_ASSERT(is_next(round_scale(value), {1, 1.5, 2, 3, 4, 5, 6, 8}));
}

TEST(PainterTest, KeepsRoundNumbers) {
  EXPECT_DOUBLE_EQ(round_length(0.1), 0.1);
  EXPECT_DOUBLE_EQ(round_length(2.0), 2.0);
  EXPECT_DOUBLE_EQ(round_length(2.1), 5.0);
  EXPECT_DOUBLE_EQ(round_scale(9.0), 10.0);
  EXPECT_DOUBLE_EQ(round_scale(1000.0), 1000.0);
}

/// A frame of points in the world.
Frame world_frame(const std::vector<std::array<float, 3>>& points, std::vector<std::uint32_t> ids = {}) {
  Frame frame({Channel::kHitWorld, Channel::kRange, Channel::kEntityId});
  FrameWriter(frame).resize(1, static_cast<std::uint32_t>(points.size()));
  ids.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      FrameWriter(frame).floats(Channel::kHitWorld)[k * points.size() + i] = points[i][k];
    FrameWriter(frame).floats(Channel::kRange)[i] = points[i][0];
    FrameWriter(frame).entity_id()[i] = ids[i];
  }
  return frame;
}

/// The middle of all pixels of a colour; count 0: none.
struct Blob {
  double x = 0, y = 0;
  int count = 0;
};
Blob find(const Picture& picture, Pixel color) {
  Blob blob;
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      if (picture.at(x, y) == color) blob.x += x, blob.y += y, ++blob.count;
    }
  }
  if (blob.count > 0) blob.x /= blob.count, blob.y /= blob.count;
  return blob;
}

using BirdsEyeViewTest = InFolder;

TEST_F(BirdsEyeViewTest, DrawsPointsWhereTheyAre) {
  const Frame frame = world_frame({{0, 0, 0}, {8, 0, 0}, {0, 4, 0}, {kNan, kNan, kNan}}, {1, 2, 3, 4});
  write_birds_eye_view(folder / "a.png", frame, ColorBy::kEntity, 0.0, 512, std::nullopt, kBare);
  const Picture picture = read_png(folder / "a.png");
  EXPECT_EQ(picture.width, 512U);
  EXPECT_LE(picture.height, 512U);
  const Blob origin = find(picture, entity_color(1)), right = find(picture, entity_color(2)),
             up = find(picture, entity_color(3));
  EXPECT_EQ(origin.count, 9) << "few points are squares of 3 x 3";
  EXPECT_EQ(right.count, 9);
  EXPECT_EQ(up.count, 9);
  EXPECT_NEAR(right.y, origin.y, 1.0);
  EXPECT_NEAR(up.x, origin.x, 1.0);
  EXPECT_GT(right.x, origin.x + 100) << "x to the right";
  EXPECT_LT(up.y, origin.y - 50) << "y up";
  EXPECT_NEAR((right.x - origin.x) / 8.0, (origin.y - up.y) / 4.0, 0.5) << "one scale for both axes";
  EXPECT_EQ(find(picture, entity_color(4)).count, 0);
}

TEST_F(BirdsEyeViewTest, ShowsTheHighestPointAndThenTheFirstRay) {
  const Frame frame = world_frame({{1, 1, 0}, {1, 1, 2}, {1, 1, 2}, {1, 1, -9}, {5, 5, 0}}, {1, 2, 3, 4, 5});
  write_birds_eye_view(folder / "a.png", frame, ColorBy::kEntity, 0.0, 256, std::nullopt, kBare);
  const Picture picture = read_png(folder / "a.png");
  EXPECT_EQ(find(picture, entity_color(2)).count, 9);
  for (const std::uint32_t hidden : {1U, 3U, 4U}) EXPECT_EQ(find(picture, entity_color(hidden)).count, 0) << hidden;
}

TEST_F(BirdsEyeViewTest, LeavesOutPointsBeyondTheRangeOfTheSensor) {
  const Frame frame = world_frame({{101, 0, 0}, {99, 3, 0}, {160, 0, 0}}, {1, 2, 3});
  write_birds_eye_view(folder / "a.png", frame, ColorBy::kEntity, 10.0, 256, Pose{{100, 0, 0}, {}}, kBare);
  const Picture near = read_png(folder / "a.png");
  EXPECT_GT(find(near, entity_color(1)).count, 0);
  EXPECT_EQ(find(near, entity_color(3)).count, 0);
  write_birds_eye_view(folder / "b.png", frame, ColorBy::kEntity, 0.0, 256, Pose{{100, 0, 0}, {}}, kBare);
  EXPECT_GT(find(read_png(folder / "b.png"), entity_color(3)).count, 0);
}

TEST_F(BirdsEyeViewTest, MarksTheSensorAndDrawsAScaleBarOfTheRightLength) {
  constexpr Pixel kInk = {235, 238, 245};
  const Frame frame = world_frame({{-10, -10, 0}, {10, 10, 0}}, {1, 2});
  write_birds_eye_view(folder / "plain.png", frame, ColorBy::kEntity, 0.0, 500, std::nullopt, kBare);
  write_birds_eye_view(folder / "marked.png", frame, ColorBy::kEntity, 0.0, 500, Pose{}, kBare);
  const Picture plain = read_png(folder / "plain.png"), marked = read_png(folder / "marked.png");
  ASSERT_EQ(plain.width, marked.width);
  const Blob low = find(plain, entity_color(1)), high = find(plain, entity_color(2));
  EXPECT_EQ(
      marked.at(static_cast<std::uint32_t>((low.x + high.x) / 2), static_cast<std::uint32_t>((low.y + high.y) / 2)),
      kInk);
  EXPECT_NE(
      plain.at(static_cast<std::uint32_t>((low.x + high.x) / 2), static_cast<std::uint32_t>((low.y + high.y) / 2)),
      kInk);
  // The longest run of ink in the picture without a sensor is the bar: a round number of metres.
  int longest = 0;
  for (std::uint32_t y = 0; y < plain.height; ++y) {
    int run = 0;
    for (std::uint32_t x = 0; x < plain.width; ++x) {
      run = plain.at(x, y) == kInk ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  const double pixels_per_m = (high.x - low.x) / 20.0;
  EXPECT_NEAR(longest / pixels_per_m, 2.0, 0.1);
}

TEST_F(BirdsEyeViewTest, MakesAPictureOfAnything) {
  const auto size_of = [&](const Frame& frame, std::uint32_t pixels) {
    write_birds_eye_view(folder / "a.png", frame, ColorBy::kRange, 0.0, pixels, Pose{}, kBare);
    const Picture picture = read_png(folder / "a.png");
    EXPECT_LE(picture.width, pixels);
    EXPECT_LE(picture.height, pixels);
    EXPECT_GE(std::min(picture.width, picture.height), pixels / 3);
  };
  size_of(world_frame({}), 1024);
  size_of(world_frame({{kNan, kNan, kNan}}), 64);
  size_of(world_frame({{1e30F, 1e30F, 0}}), 128);
  size_of(world_frame({{3e38F, -3e38F, 0}, {-3e38F, 3e38F, 0}}), 128);
  size_of(world_frame({{0, 0, 0}, {1000, 0, 0}}), 300);
  size_of(world_frame({{0, 0, 0}, {0, 1000, 0}}), 301);
}

TEST_F(BirdsEyeViewTest, RefusesSizesThatMakeNoPicture) {
  for (const std::uint32_t pixels : {0U, 63U, 16385U}) {
    EXPECT_TRUE(contains(message_of<InputError>([&] {
                           write_birds_eye_view(folder / "a.png", world_frame({}), ColorBy::kRange, 0.0, pixels);
                         }),
                         "is not in [64, 16384]"));
  }
}

}  // namespace
}  // namespace fathom::test::pictures_test
