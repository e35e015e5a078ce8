// SPDX-License-Identifier: MIT
// Filters and alignment of depth images, against slow oracles and closed forms.

#include <fathom/frame/digest.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "render/stereo_scenes.hpp"

namespace fathom {
namespace {

constexpr std::uint32_t kFilterCols = 24, kFilterRows = 18;
constexpr double kFilterFx = 40, kFilterBaseline = 0.05;
constexpr double kStepsTimesDepth = 32 * kFilterFx * kFilterBaseline;  // disparity in px/32 times depth
constexpr float kNever = std::numeric_limits<float>::quiet_NaN();

Sensor filtered_sensor(const DepthFilters& filters, NoiseChain noise = {}) {
  const StereoCamera camera =
      test::make_stereo(kFilterCols, kFilterRows, kFilterFx, kFilterBaseline, CameraReference::kLeft);
  Sensor sensor = test::make_sensor(camera, std::move(noise), {}, "camera");
  sensor.filters = filters;
  return sensor;
}

AlignedCamera colour_camera(const Pose& offset = {{0.01, 0.03, -0.02}, from_roll_pitch_yaw(0.02, -0.03, 0.05)}) {
  return {.fx = 61, .fy = 55, .cx = 17.3, .cy = 12.1, .width = 37, .height = 26, .offset = offset};
}

/// Holes in blobs, and errors: a chain that given frames apply exactly.
NoiseChain lossy_noise() {
  return {{Disparity{.stddev_px = 0.2F, .steps_per_px = 32}, Correlation{.across_px = 2, .down_px = 2}},
          {Dropout{.probability = 0.2F}, Correlation{.across_px = 1, .down_px = 1}}};
}

/// An image of disparities, row by row; 0: lost.
using Disparities = std::vector<float>;

/// The images after the filters.
std::vector<Disparities> filtered(const DepthFilters& filters, const std::vector<Disparities>& images) {
  SensorNoise noise(filtered_sensor(filters));
  Frame frame({Channel::kDepth});
  std::vector<Disparities> all;
  for (std::uint32_t k = 0; k < images.size(); ++k) {
    std::vector<float> depth_m;
    for (const float d : images[k]) depth_m.push_back(d > 0 ? static_cast<float>(kStepsTimesDepth / d) : 0.0F);
    noise.apply(k, {.depth_m = depth_m}, frame);
    Disparities& out = all.emplace_back();
    for (const float z : frame.depth_m()) out.push_back(z > 0 ? static_cast<float>(kStepsTimesDepth / z) : 0.0F);
  }
  return all;
}

/// Steps, slopes and holes.
Disparities rough_image(unsigned seed, double hole_share = 0.15) {
  Disparities image;
  unsigned state = seed;
  const auto next = [&] { return (state = state * 1664525U + 1013904223U) / 4294967296.0; };
  for (std::uint32_t v = 0; v < kFilterRows; ++v) {
    for (std::uint32_t u = 0; u < kFilterCols; ++u) {
      const double surface = (u + v > 20 ? 90 : 50) + 0.7 * u, noise = 30 * next();
      image.push_back(next() < hole_share ? 0.0F : static_cast<float>(surface + noise));
    }
  }
  return image;
}

void expect_same(const Disparities& found, const Disparities& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4F * expected[i]) << i;
}

/// A line of pixels, as the places of its pixels.
using Line = std::vector<std::size_t>;
Line line_of(bool is_row, std::size_t which, bool reverse) {
  Line line;
  for (std::size_t k = 0; k < (is_row ? kFilterCols : kFilterRows); ++k) {
    line.push_back(is_row ? which * kFilterCols + k : k * kFilterCols + which);
  }
  if (reverse) std::reverse(line.begin(), line.end());
  return line;
}

/// The filter as its page defines it.
Disparities spatial_oracle(Disparities image, const DepthFilters::Spatial& filter) {
  for (std::uint32_t pass = 0; pass < filter.iterations; ++pass) {
    for (const bool is_row : {true, false}) {
      for (std::size_t which = 0; which < (is_row ? kFilterRows : kFilterCols); ++which) {
        for (const bool reverse : {false, true}) {
          const Disparities before = image;
          const Line line = line_of(is_row, which, reverse);
          for (std::size_t k = 1; k < line.size(); ++k) {
            const float here = before[line[k]], last = before[line[k - 1]];
            if (here == 0 || last == 0 || std::abs(here - last) >= filter.delta) continue;
            image[line[k]] = filter.alpha * here + (1 - filter.alpha) * image[line[k - 1]];
          }
        }
      }
    }
  }
  constexpr std::size_t kMost[] = {0, 1, 3, 7, 15, 254};
  for (const bool reverse : {false, true}) {
    for (std::size_t row = 0; row < kFilterRows; ++row) {
      const Disparities before = image;
      const Line line = line_of(true, row, reverse);
      for (std::size_t k = 0; k < line.size(); ++k) {
        std::size_t back = 0;  // to the last valid pixel
        while (back < k && before[line[k - back]] == 0) ++back;
        if (back <= kMost[filter.holes_fill]) image[line[k]] = before[line[k - back]];
      }
    }
  }
  return image;
}

TEST(SpatialFilter, IsItsDefinition) {
  for (const DepthFilters::Spatial& filter :
       {DepthFilters::Spatial{}, DepthFilters::Spatial{.alpha = 0.3F, .delta = 12, .iterations = 1, .holes_fill = 1},
        DepthFilters::Spatial{.alpha = 0.8F, .delta = 50, .iterations = 5, .holes_fill = 2},
        DepthFilters::Spatial{.holes_fill = 5}}) {
    const Disparities image = rough_image(3);
    expect_same(filtered({.spatial = filter}, {image}).front(), spatial_oracle(image, filter));
  }
}

// An impulse becomes (a / (2 - a))^2 (1 - a)^(|k| + |l|) of itself.
TEST(SpatialFilter, SpreadsAnImpulseByItsClosedForm) {
  Disparities image(std::size_t{kFilterRows} * kFilterCols, 80.0F);
  constexpr std::int32_t kRow = 9, kCol = 12;
  image[kRow * kFilterCols + kCol] = 96.0F;
  const DepthFilters::Spatial filter = {.alpha = 0.6F, .iterations = 1};
  const Disparities found = filtered({.spatial = filter}, {image}).front();
  const double a = double{filter.alpha}, peak = 16 * (a / (2 - a)) * (a / (2 - a));
  for (std::int32_t v = kRow - 4; v <= kRow + 4; ++v) {
    for (std::int32_t u = kCol - 4; u <= kCol + 4; ++u) {
      const double expected = 80 + peak * std::pow(1 - a, std::abs(v - kRow) + std::abs(u - kCol));
      EXPECT_NEAR(found[static_cast<std::size_t>(v) * kFilterCols + static_cast<std::size_t>(u)], expected, 2e-3);
    }
  }
}

TEST(SpatialFilter, KeepsEdgesAndHoles) {
  Disparities image(std::size_t{kFilterRows} * kFilterCols, 80.0F);
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (i % kFilterCols >= 10) image[i] = 100.5F;  // delta is 20
    if (i % kFilterCols == 15) image[i] = 0.0F;
  }
  expect_same(filtered({.spatial = DepthFilters::Spatial{}}, {image}).front(), image);
}

/// The values of one pixel over the frames after the filter.
std::vector<float> in_time(const DepthFilters::Temporal& filter, const std::vector<float>& values) {
  std::vector<Disparities> images;
  for (const float value : values) {
    images.emplace_back(std::size_t{kFilterRows} * kFilterCols, 70.0F).at(5) = value;
  }
  std::vector<float> found;
  for (const Disparities& image : filtered({.temporal = filter}, images)) found.push_back(image[5]);
  return found;
}

TEST(TemporalFilter, ApproachesAStepGeometrically) {
  std::vector<float> values(10, 86.0F);
  values[0] = 70.0F;
  const std::vector<float> found = in_time({.alpha = 0.3F}, values);
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], 86 - 16 * std::pow(0.7, k), 2e-3) << k;
  values[5] = 120.0F;  // another surface
  EXPECT_NEAR(in_time({.alpha = 0.3F}, values)[5], 120.0F, 1e-3);
  EXPECT_NEAR(in_time({.alpha = 0.3F}, values)[6], 86.0F, 1e-3);
}

TEST(TemporalFilter, KeepsLostPixelsByTheFramesBefore) {
  struct Rule {
    std::size_t frames, least;
  };
  constexpr Rule kRules[] = {{0, 1}, {8, 8}, {3, 2}, {4, 2}, {8, 2}, {2, 1}, {5, 1}, {8, 1}, {0, 0}};
  std::vector<float> values = {0, 0};
  for (const char c : std::string("1111111110100110000101000000000000")) values.push_back(c == '1' ? 70.0F : 0.0F);
  for (std::uint32_t mode = 0; mode <= 8; ++mode) {
    const std::vector<float> found = in_time({.persistency = mode}, values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::size_t valid = 0;
      for (std::size_t back = 1; back <= std::min(k, kRules[mode].frames); ++back)
        valid += values[k - back] > 0 ? 1 : 0;
      const bool is_kept = k >= 2 && valid >= kRules[mode].least;
      EXPECT_EQ(found[k] > 0, values[k] > 0 || is_kept) << mode << ", frame " << k;
    }
  }
}

TEST(HoleFilling, TakesTheNeighbourOfItsRule) {
  const Disparities image = rough_image(5, 0.4);
  for (const HoleFilling rule : {HoleFilling::kLeft, HoleFilling::kFarthest, HoleFilling::kNearest}) {
    Disparities expected = image;
    for (std::size_t v = 0; v < kFilterRows; ++v) {
      for (std::size_t u = 1; u < kFilterCols; ++u) {
        float& here = expected[v * kFilterCols + u];
        const bool is_border = v == 0 || v + 1 == kFilterRows;
        if (here > 0 || (is_border && rule != HoleFilling::kLeft)) continue;
        std::vector<float> around = {expected[v * kFilterCols + u - 1]};
        if (rule != HoleFilling::kLeft) {
          for (const std::size_t row : {v - 1, v + 1}) {
            for (const std::size_t col : {u - 1, u}) around.push_back(expected[row * kFilterCols + col]);
          }
        }
        std::erase(around, 0.0F);
        if (around.empty()) continue;
        const auto [low, high] = std::minmax_element(around.begin(), around.end());
        here = rule == HoleFilling::kNearest ? *high : *low;
      }
    }
    expect_same(filtered({.hole_filling = rule}, {image}).front(), expected);
  }
}

/// A post before a wall.
Scene align_scene() { return test::make_post_scene(0.8, 1.7, 0.2); }

Frame rendered(Sensor sensor, std::uint32_t index, int threads = 1, ChannelSet channels = test::all_channels()) {
  Simulator simulator(align_scene(), {.seed = 5, .compute = {.threads = threads}});
  const SensorId id = simulator.add_sensor(std::move(sensor));
  Frame frame(channels);
  simulator.render(id, index, frame);
  return frame;
}

/// For each pixel of the colour camera the depth pixel whose values it gets.
std::vector<std::optional<std::size_t>> align_oracle(const Frame& raw, const AlignedCamera& to) {
  std::vector<std::optional<std::size_t>> nearest(std::size_t{to.width} * to.height);
  std::vector<double> depth(nearest.size());
  for (const bool valid : {true, false}) {
    const std::vector<std::optional<std::size_t>> before = nearest;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if ((raw.reason()[i] == Reason::kHit) != valid) continue;
      const double z = std::min(1e12, double{(valid ? raw.depth_m() : raw.clean_depth_m())[i]});
      const auto corner = [&](double side) {
        const double u = static_cast<double>(i % kFilterCols) + side, v = static_cast<double>(i / kFilterCols) + side;
        const Vec3 point = {z, -z * (u - (kFilterCols - 1) / 2.0) / kFilterFx,
                            -z * (v - (kFilterRows - 1) / 2.0) / kFilterFx};
        const Vec3 there = inverse(*to.offset) * point;
        return std::pair(std::floor(to.cx - to.fx * there.y / there.x + 0.5),
                         std::floor(to.cy - to.fy * there.z / there.x + 0.5));
      };
      const auto [left, top] = corner(-0.5);
      const auto [right, bottom] = corner(0.5);
      for (std::uint32_t v = 0; v < to.height; ++v) {
        for (std::uint32_t u = 0; u < to.width; ++u) {
          const std::size_t at = std::size_t{v} * to.width + u;
          if (u < left || u > right || v < top || v > bottom || before[at]) continue;
          if (!nearest[at] || z < depth[at]) nearest[at] = i, depth[at] = z;
        }
      }
    }
  }
  return nearest;
}

void expect_values_of(const Frame& found, const Frame& raw, const std::vector<std::optional<std::size_t>>& nearest) {
  std::size_t none = 0, lost = 0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const std::size_t from = nearest[i].value_or(0);
    none += nearest[i] ? 0 : 1, lost += nearest[i] && raw.reason()[from] != Reason::kHit ? 1 : 0;
    EXPECT_EQ(found.reason()[i], nearest[i] ? raw.reason()[from] : Reason::kMasked) << i;
    EXPECT_EQ(found.entity_id()[i], nearest[i] ? raw.entity_id()[from] : index(kNoEntity)) << i;
    for (const Channel channel : {Channel::kDepth, Channel::kRange, Channel::kCleanRange, Channel::kAzimuth}) {
      const float expected = nearest[i] ? raw.floats(channel)[from] : kNever;
      const float value = found.floats(channel)[i];
      EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << i;
    }
    const float y = nearest[i] ? raw.hit_world_m().y[from] : kNever;
    EXPECT_TRUE(found.hit_world_m().y[i] == y || (std::isnan(found.hit_world_m().y[i]) && std::isnan(y))) << i;
  }
  EXPECT_GT(none, 0U);
  EXPECT_GT(lost, 0U);
}

TEST(Alignment, GivesEachPixelTheNearestDepthPixelOnIt) {
  Sensor sensor = filtered_sensor({}, lossy_noise());
  const Frame raw = rendered(sensor, 2);
  for (const Pose& offset : {Pose{{0.01, 0.03, -0.02}, from_roll_pitch_yaw(0.02, -0.03, 0.05)}, Pose{{0, 0.06, 0}, {}},
                             Pose{{-0.1, 0, 0.02}, from_roll_pitch_yaw(0, 0.2, -0.1)}}) {
    sensor.aligned_to = colour_camera(offset);
    const Frame found = rendered(sensor, 2);
    ASSERT_EQ(found.rows(), sensor.aligned_to->height);
    ASSERT_EQ(found.cols(), sensor.aligned_to->width);
    expect_values_of(found, raw, align_oracle(raw, *sensor.aligned_to));
  }
}

/// A given image, seen by the depth camera moved by `offset`, whose principal point is 0.3 px to the right and below:
/// depth pixel u fills u and u + 1.
Frame seen_beside(const std::vector<float>& depth_m, const Pose& offset) {
  Sensor sensor = filtered_sensor({});
  sensor.aligned_to = AlignedCamera{.fx = kFilterFx,
                                    .fy = kFilterFx,
                                    .cx = (kFilterCols - 1) / 2.0 + 0.3,
                                    .cy = (kFilterRows - 1) / 2.0 + 0.3,
                                    .width = kFilterCols,
                                    .height = kFilterRows,
                                    .offset = offset};
  Frame frame({Channel::kDepth, Channel::kReason});
  SensorNoise(sensor).apply(0, {.depth_m = depth_m}, frame);
  return frame;
}

TEST(Alignment, OfACameraInTheSamePlaceTakesTheNearestOfFourPixels) {
  std::vector<float> depth_m;
  for (const float d : rough_image(9)) depth_m.push_back(d > 0 ? static_cast<float>(kStepsTimesDepth / d) : 0.0F);
  const Frame found = seen_beside(depth_m, {});
  for (std::uint32_t v = 0; v < kFilterRows; ++v) {
    for (std::uint32_t u = 0; u < kFilterCols; ++u) {
      float nearest = 1e9F;
      for (const std::uint32_t row : {v == 0 ? 0 : v - 1, v}) {
        for (const std::uint32_t col : {u == 0 ? 0 : u - 1, u}) {
          const float z = depth_m[row * kFilterCols + col];
          if (z > 0) nearest = std::min(nearest, z);
        }
      }
      const std::size_t i = std::size_t{v} * kFilterCols + u;
      if (nearest < 1e9F) {
        EXPECT_NEAR(found.depth_m()[i], nearest, 1e-6) << i;
      } else {
        EXPECT_EQ(found.reason()[i], Reason::kMiss) << i;
      }
    }
  }
}

// fx b / z = 2.5 px, and 0.3 px: the first depth pixel fills columns 2 and 3.
TEST(Alignment, ShiftsAWallByItsDisparity) {
  const std::vector<float> wall_m(std::size_t{kFilterRows} * kFilterCols, 0.8F);
  const Frame beside = seen_beside(wall_m, {{0, 0.05, 0}, {}}), behind = seen_beside(wall_m, {{0.9, 0, 0}, {}});
  for (std::size_t i = 0; i < wall_m.size(); ++i) {
    EXPECT_EQ(beside.reason()[i], i % kFilterCols < 2 ? Reason::kMasked : Reason::kHit) << i;
    if (i % kFilterCols >= 2) {
      EXPECT_NEAR(beside.depth_m()[i], 0.8, 1e-6) << i;
    }
    EXPECT_EQ(behind.reason()[i], Reason::kMasked) << i;
  }
}

Sensor sensor_with_all_steps() {
  Sensor sensor = filtered_sensor({.spatial = DepthFilters::Spatial{.holes_fill = 1},
                                   .temporal = DepthFilters::Temporal{},
                                   .hole_filling = HoleFilling::kFarthest},
                                  lossy_noise());
  sensor.aligned_to = colour_camera();
  return sensor;
}

void expect_same_frames(const Frame& a, const Frame& b) {
  FrameDigest of_a, of_b;
  of_a.add(a), of_b.add(b);
  EXPECT_EQ(of_a.text(), of_b.text());
}

TEST(ImageFilters, DependOnlyOnTheNumberOfTheFrame) {
  Sensor sensor = sensor_with_all_steps();
  sensor.parent_from_sensor = Trajectory({{0, {}}, {1, {{0.1, 0.05, 0}, from_roll_pitch_yaw(0, 0, 0.1)}}});
  sensor.noise[0].correlation.motion_m = sensor.noise[0].correlation.motion_rad = 0.02;
  sensor.timing.freeze = 0.3;
  Simulator simulator(align_scene(), {.seed = 5, .compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame(test::all_channels());
  for (const std::uint32_t index : {0U, 1U, 2U, 2U, 6U, 3U}) {
    simulator.render(id, index, frame);
    expect_same_frames(frame, rendered(sensor, index, 3));
  }
}

TEST(ImageFilters, DependOnNoOtherChannel) {
  const Frame all = rendered(sensor_with_all_steps(), 1),
              one = rendered(sensor_with_all_steps(), 1, 1, {Channel::kRange});
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(std::isnan(one.range_m()[i]), std::isnan(all.range_m()[i])) << i;
    EXPECT_TRUE(std::isnan(one.range_m()[i]) || one.range_m()[i] == all.range_m()[i]) << i;
  }
}

TEST(ImageFilters, PutFilledPixelsOnTheirRays) {
  const Frame raw = rendered(filtered_sensor({}, lossy_noise()), 0);
  const Frame found = rendered(filtered_sensor({.hole_filling = HoleFilling::kLeft}, lossy_noise()), 0);
  const RayPattern rays = make_pattern(filtered_sensor({}).model);
  std::size_t filled = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found.reason()[i] != Reason::kHit) continue;
    filled += raw.reason()[i] == Reason::kHit ? 0 : 1;
    EXPECT_NEAR(found.range_m()[i] * rays.direction_x[i], found.depth_m()[i], 1e-6);
    EXPECT_NEAR(found.range_m()[i] * rays.direction_y[i], found.hit_sensor_m().y[i], 1e-6);
    EXPECT_NEAR(found.hit_sensor_m().z[i], found.hit_world_m().z[i], 1e-6);
  }
  EXPECT_GT(filled, 20U);
}

TEST(ImageFilters, OfGivenFramesAreThoseOfASimulator) {
  const Sensor sensor = sensor_with_all_steps();
  Sensor plain = sensor;
  plain.filters = {}, plain.aligned_to.reset();
  const Frame clean = rendered(plain, 0);
  const GivenFrame given = {.range_m = clean.clean_range_m(), .entity_id = clean.entity_id()};
  SensorNoise noise(sensor, {.seed = 5});
  EXPECT_EQ(noise.rows(), kFilterRows);
  const ChannelSet channels = {Channel::kDepth, Channel::kReason, Channel::kHitSensor, Channel::kEntityId};
  Frame frame(channels), batch(channels);
  for (const std::uint32_t index : {0U, 1U, 1U, 2U, 3U}) {
    noise.apply(index, given, frame);
    expect_same_frames(frame, rendered(sensor, index, 2, channels));
  }
  const std::vector<GivenFrame> two = {given, given};
  noise.apply(4, two, batch);
  noise.apply(5, given, frame);
  ASSERT_EQ(batch.rows(), 2 * frame.rows());
  for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_EQ(batch.reason()[frame.size() + i], frame.reason()[i]) << i;
  EXPECT_EQ(test::message_of<InputError>([&] { noise.apply(9, given, frame); }),
            "sensor 'camera': filters.temporal takes frames in their order: frame 0 or 6, not 9");
}

// A frozen frame is its content once more, and is no new frame of the filter.
TEST(ImageFilters, OfGivenFramesLeaveOutFrozenFrames) {
  Sensor sensor = sensor_with_all_steps();
  Sensor plain = sensor;
  plain.filters = {}, plain.aligned_to.reset();
  const Frame clean = rendered(plain, 0);
  sensor.timing.freeze = 0.5;
  const GivenFrame given = {.range_m = clean.clean_range_m(), .entity_id = clean.entity_id()};
  SensorNoise noise(sensor, {.seed = 5});
  const ChannelSet channels = {Channel::kDepth, Channel::kReason, Channel::kHitSensor, Channel::kEntityId};
  Frame frame(channels);
  std::uint32_t frozen = 0;
  for (std::uint32_t index = 0; index < 8; ++index) {
    frozen += noise.frame_time(index).is_frozen() ? 1 : 0;
    noise.apply(index, given, frame);
    expect_same_frames(frame, rendered(sensor, index, 2, channels));
  }
  EXPECT_GT(frozen, 0U);
  EXPECT_LT(frozen, 8U);
}

TEST(ImageFilters, OfEnvironmentsAreThoseOfSimulators) {
  Sensor sensor = sensor_with_all_steps();
  EXPECT_EQ(test::message_of<InputError>([&] { Environments(align_scene(), sensor, {.count = 2}); }),
            "sensor 'camera': filters.temporal needs the frames before, which environments do not keep");
  sensor.filters.temporal.reset();
  const ParameterRange focal = {.field = "fx", .low = 30, .high = 45, .target = ParameterRange::Target::kSensor};
  Environments batch(align_scene(), sensor, {.simulator = {.seed = 7}, .count = 3, .ranges = {focal}});
  EXPECT_EQ(batch.rows(SensorId{0}), sensor.aligned_to->height);
  Frame all(test::all_channels()), one(test::all_channels());
  batch.render(4, all);
  for (std::uint32_t e = 0; e < 3; ++e) {
    Simulator simulator(align_scene(), {.seed = episode_seed(7, e, 0)});
    std::get<StereoCamera>(sensor.model).fx = batch.drawn(e)[0].value;
    simulator.render(simulator.add_sensor(sensor), 4, one);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(all.reason()[e * one.size() + i], one.reason()[i]);
      if (one.reason()[i] != Reason::kHit) continue;
      ASSERT_EQ(all.depth_m()[e * one.size() + i], one.depth_m()[i]);
    }
  }
  Frame some(test::all_channels());
  constexpr std::uint32_t kSecond = 1;
  batch.render(4, some, std::span(&kSecond, 1));
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_EQ(some.reason()[i], i / one.size() == 1 ? all.reason()[i] : Reason::kMasked);
  }
}

TEST(ImageFilters, AreRefusedWhereTheyMakeNoSense) {
  const auto text = [](const Sensor& sensor) { return test::message_of<InputError>([&] { rendered(sensor, 0); }); };
  Sensor sensor = filtered_sensor({.spatial = DepthFilters::Spatial{.alpha = 0.1F}});
  EXPECT_EQ(text(sensor), "sensor 'camera': spatial.alpha = 0.1 is not in [0.25, 1]");
  sensor.filters = {.temporal = DepthFilters::Temporal{.persistency = 9}};
  EXPECT_EQ(text(sensor), "sensor 'camera': temporal.persistency = 9 is not in [0, 8]");
  sensor.filters = {.spatial = DepthFilters::Spatial{}};
  std::get<StereoCamera>(sensor.model).baseline_m = 0;
  EXPECT_EQ(
      text(sensor),
      "sensor 'camera': filters.spatial acts on disparities: it needs a stereo_camera with baseline_m above 0, or "
      "with poses of both");
  sensor.model = test::make_lidar();
  EXPECT_EQ(text(sensor), "sensor 'camera': filters acts on the images of a depth camera, not of a spinning_lidar");
  sensor = filtered_sensor({});
  sensor.aligned_to = AlignedCamera{.fx = 61, .fy = 55, .cx = 17, .cy = 12, .width = 37};
  EXPECT_EQ(text(sensor), "sensor 'camera': aligned_to.height = 0 is not in [1, 65536] px");
}

}  // namespace
}  // namespace fathom
