// SPDX-License-Identifier: MIT
// Losses beside jumps in depth: which pixels, and how often.

#include <fathom/core/geometry.hpp>
#include <fathom/noise/edge_loss.hpp>

#include "render/chain.hpp"
#include "render/lanes.hpp"
#include "render/stereo_scenes.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

constexpr float kDegree = static_cast<float>(kDeg);
/// Loses what lies beside a step of some length, and no wall.
constexpr EdgeLoss kSteps{.min_angle_rad = 170 * kDegree,
                          .max_angle_rad = 171 * kDegree,
                          .low_probability = 1,
                          .high_probability = 1,
                          .law = EdgeLaw::kAngle};

/// Calls f(neighbour) for each of the up to eight neighbours of a pixel.
template <class F>
void for_each_neighbour(const Frame& frame, std::size_t i, F f) {
  const auto rows = static_cast<std::int64_t>(frame.rows()), cols = static_cast<std::int64_t>(frame.cols());
  const std::int64_t row = static_cast<std::int64_t>(i) / cols, col = static_cast<std::int64_t>(i) % cols;
  for (std::int64_t r = std::max<std::int64_t>(row - 1, 0); r <= std::min(row + 1, rows - 1); ++r) {
    for (std::int64_t c = std::max<std::int64_t>(col - 1, 0); c <= std::min(col + 1, cols - 1); ++c) {
      if (r != row || c != col) f(static_cast<std::size_t>(r * cols + c));
    }
  }
}

/// The angle that the definition gives, in double precision.
double edge_angle(const Frame& frame, const RayPattern& pattern, std::size_t i) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Vec3 p = double{frame.clean_range_m()[i]} * direction_of(pattern, i);
  double farthest = -1.0;
  std::size_t at = i;
  for_each_neighbour(frame, i, [&](std::size_t q) {
    const double range = frame.clean_range_m()[q];
    if (range > farthest) farthest = range, at = q;
  });
  const Vec3 direction = direction_of(pattern, at);
  const Vec3 way = farthest == kInfinity ? direction : farthest * direction - p;
  return std::atan2(norm(cross(-1.0 * p, way)), dot(-1.0 * p, way));
}

constexpr double kDistance = 2.0, kPixel = kDistance / 2000;

/// A square plate with a square window, 2 m ahead, before a wall or before the sky. Sizes in pixels, odd.
Scene make_window_scene(int plate_px, int window_px, bool with_wall) {
  const double outer = plate_px * kPixel, inner = window_px * kPixel, bar = (outer - inner) / 2;
  Mesh plate;
  const auto add = [&](double width, double height, double y, double z) {
    Mesh part = make_plane(height, width);  // in the frame of the plate x is up, y left
    for (auto& v : part.vertices_m) v[0] += static_cast<float>(z), v[1] += static_cast<float>(y);
    append(plate, part);
  };
  if (window_px == 0) add(outer, outer, 0, 0);
  for (const double side : {-1.0, 1.0}) {
    if (window_px == 0) break;
    add(bar, outer, side * (inner + bar) / 2, 0);
    add(inner, bar, 0, side * (inner + bar) / 2);
  }
  Scene scene;
  scene.add_entity(
      {.name = "plate", .mesh = scene.add_mesh(plate), .parent_from_entity = TiltedPlane{kDistance, 0}.pose()});
  if (!with_wall) return scene;
  scene.add_entity({.name = "wall",
                    .mesh = scene.add_mesh(make_plane(100, 100)),
                    .parent_from_entity = TiltedPlane{2 * kDistance, 0}.pose()});
  return scene;
}

// The window of one pixel is the far neighbour of eight pixels, each in another direction.
TEST(EdgeLoss, LosesExactlyTheRingOfPixelsBesideAStep) {
  for (const bool with_wall : {true, false}) {
    for (const auto& [plate_px, window_px, law] : {std::tuple{9, 0, EdgeLaw::kAngle},
                                                   {1, 0, EdgeLaw::kAngle},
                                                   {9, 1, EdgeLaw::kAngle},
                                                   {21, 5, EdgeLaw::kAngle},
                                                   {9, 0, EdgeLaw::kPlane},
                                                   {1, 0, EdgeLaw::kPlane},
                                                   {9, 1, EdgeLaw::kPlane},
                                                   {21, 5, EdgeLaw::kPlane}}) {
      EdgeLoss steps = kSteps;
      steps.law = law;
      const Frame f = render_once(make_window_scene(plate_px, window_px, with_wall),
                                  make_sensor(make_stereo(41, 33, 2000, 0.1), {steps}));
      std::ptrdiff_t ring = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        bool beside_a_step = false;
        for_each_neighbour(f, i, [&](std::size_t q) { beside_a_step |= f.entity_id()[q] != 0; });
        const bool lost = f.entity_id()[i] == 0 && beside_a_step;
        const Reason kept = f.entity_id()[i] == index(kNoEntity) ? Reason::kMiss : Reason::kHit;
        ASSERT_EQ(f.reason()[i], lost ? Reason::kEdgeLoss : kept) << i / 41 << " " << i % 41 << " of " << window_px;
        ring += lost ? 1 : 0;
      }
      const int outer = plate_px == 1 ? 1 : 4 * (plate_px - 1), inner = window_px == 0 ? 0 : 4 * (window_px + 1);
      EXPECT_EQ(ring, outer + inner);
    }
  }
}

TEST(EdgeLoss, LosesWhatTheAngleOfTheDefinitionSays) {
  for (const double limit_deg : {95.0, 130.0, 175.0}) {
    const float limit = static_cast<float>(limit_deg) * kDegree;
    const EdgeLoss beyond{.min_angle_rad = limit,
                          .max_angle_rad = limit,
                          .low_probability = 1,
                          .high_probability = 1,
                          .law = EdgeLaw::kAngle};
    const StereoCamera camera = make_stereo(161, 119, 80, 0.1);
    const Pose pose{{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 0.7)};
    const RayPattern pattern = make_pattern(camera);
    for (const Compute& compute : every_isa(1)) {
      const Frame f = render_once(make_room_scene(), make_sensor(camera, {beyond}, pose), all_channels(),
                                  {.seed = 7, .compute = compute});
      std::size_t lost = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        const double angle = edge_angle(f, pattern, i);
        if (std::abs(angle - double{limit}) < 2e-4) continue;
        ASSERT_EQ(f.reason()[i] == Reason::kEdgeLoss, angle > double{limit}) << i << " " << angle / kDeg;
        lost += angle > double{limit} ? 1 : 0;
      }
      EXPECT_GT(lost, 30U) << limit_deg;
      EXPECT_LT(lost, f.size() - 30U) << limit_deg;
    }
  }
}

struct Tally {
  double expected = 0, variance = 0, lost = 0;
};

// Below min_angle nothing, linear up to max_angle, constant beyond.
TEST(EdgeLoss, LossesFollowTheLawInEachOfItsBranches) {
  const EdgeLoss law{.min_angle_rad = 100 * kDegree,
                     .max_angle_rad = 140 * kDegree,
                     .low_probability = 0.2F,
                     .high_probability = 0.7F,
                     .law = EdgeLaw::kAngle};
  const StereoCamera camera = make_stereo(320, 240, 160, 0.1);
  const Frame f = render_once(make_room_scene(), make_sensor(camera, {law}));
  const RayPattern pattern = make_pattern(camera);
  Tally below, rising, above;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double angle = edge_angle(f, pattern, i) / kDeg;
    const double p = angle < 100 ? 0.0 : angle < 140 ? 0.2 + 0.5 * (angle - 100) / 40 : 0.7;
    if (std::abs(angle - 100) < 0.01) continue;
    Tally& tally = angle < 100 ? below : angle < 140 ? rising : above;
    tally.expected += p, tally.variance += p * (1 - p);
    tally.lost += f.reason()[i] == Reason::kEdgeLoss ? 1 : 0;
  }
  EXPECT_EQ(below.lost, 0);
  EXPECT_GT(rising.expected, 1000);
  EXPECT_GT(above.expected, 1000);
  EXPECT_NEAR(rising.lost, rising.expected, 4 * std::sqrt(rising.variance));
  EXPECT_NEAR(above.lost, above.expected, 4 * std::sqrt(above.variance));
}

TEST(EdgeLoss, RowsAreThoseOfTheEntityThatThePixelShows) {
  const StereoCamera camera = make_stereo(41, 33, 2000, 0.1);
  for (const bool by_row : {true, false}) {
    EdgeLoss none = kSteps;
    none.low_probability = none.high_probability = 0;
    Sensor sensor = make_sensor(camera, {by_row ? none : kSteps});
    sensor.noise[0].by_entity = {{EntityId{by_row ? 0U : 1U}, by_row ? kSteps : none}};
    const Frame f = render_once(make_window_scene(9, 1, true), sensor);
    EXPECT_EQ(count_of(f, Reason::kEdgeLoss), 40U);
    sensor.noise[0].by_entity[0].entity = EntityId{by_row ? 1U : 0U};  // the wall, which has no pixel before a step
    EXPECT_EQ(count_of(render_once(make_window_scene(9, 1, true), sensor), Reason::kEdgeLoss), 0U);
  }
}

TEST(EdgeLoss, RowsOfEntitiesKeepTheDraws) {
  const EdgeLoss half{.min_angle_rad = 0,
                      .max_angle_rad = 0,
                      .low_probability = 0.5F,
                      .high_probability = 0.5F,
                      .law = EdgeLaw::kAngle};
  EdgeLoss often = half;
  often.high_probability = 0.8F;
  Sensor sensor = make_sensor(make_stereo(161, 119, 80, 0.1), {half});
  const Frame plain = render_once(make_room_scene(), sensor);
  sensor.noise[0].by_entity = {{EntityId{1}, often}};
  std::size_t more = 0;
  for (const int threads : {1, 3}) {
    const Frame f =
        render_once(make_room_scene(), sensor, all_channels(), {.seed = 7, .compute = {.threads = threads}});
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f.entity_id()[i] != 1 || plain.reason()[i] == Reason::kEdgeLoss) {
        ASSERT_EQ(f.reason()[i], plain.reason()[i]) << i;
      } else {
        more += f.reason()[i] == Reason::kEdgeLoss ? 1 : 0;
      }
    }
  }
  EXPECT_GT(more, 100U);
}

// Only what some model reads of the neighbours is found: angles for one law, jumps and normals for the other.
TEST(EdgeLoss, EachEntryGetsWhatItsLawReads) {
  const auto chance = [](EdgeLaw law) {
    return EdgeLoss{.min_angle_rad = 0, .low_probability = 0.3F, .high_probability = 0.9F, .law = law};
  };
  const EdgeLoss by_angle = chance(EdgeLaw::kAngle), by_plane = chance(EdgeLaw::kPlane);
  // No normals among the channels, which could bring them.
  const ChannelSet channels = {Channel::kReason, Channel::kEntityId};
  const auto frame_of = [&](const EdgeLoss& first, const EdgeLoss& of_second_wall) {
    Sensor sensor = make_sensor(make_stereo(161, 119, 80, 0.1), {first});
    sensor.noise[0].by_entity = {{EntityId{1}, of_second_wall}};
    return render_once(make_room_scene(), sensor, channels);
  };
  const Frame angle = frame_of(by_angle, by_angle), plane = frame_of(by_plane, by_plane);
  const Frame both = frame_of(by_plane, by_angle), other = frame_of(by_angle, by_plane);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < both.size(); ++i) {
    const bool is_wall = both.entity_id()[i] == 1;
    ASSERT_EQ(both.reason()[i], (is_wall ? angle : plane).reason()[i]) << i;
    ASSERT_EQ(other.reason()[i], (is_wall ? plane : angle).reason()[i]) << i;
    differ += angle.reason()[i] != plane.reason()[i] ? 1 : 0;
  }
  EXPECT_GT(differ, 1000U);

  const auto reads = [](const EdgeLoss& first, const EdgeLoss& second) {
    ChainEntry entry = first;
    entry.by_entity = {{EntityId{1}, second}};
    return stage_chain("s", {entry}, RangePolicy::kKeep, {}).edge_reads;
  };
  EXPECT_TRUE(reads(by_angle, by_angle).angles && !reads(by_angle, by_angle).jumps);
  EXPECT_TRUE(reads(by_plane, by_plane).jumps && !reads(by_plane, by_plane).angles);
  EXPECT_TRUE(reads(by_plane, by_angle).angles && reads(by_plane, by_angle).jumps);
}

TEST(EdgeLoss, RowsOfChannelsAreThoseOfTheImage) {
  EdgeLoss all{
      .min_angle_rad = 0, .max_angle_rad = 0, .low_probability = 1, .high_probability = 1, .law = EdgeLaw::kAngle};
  Sensor sensor = make_sensor(make_stereo(33, 9, 80, 0.1), {EdgeLoss{}});
  sensor.noise[0].by_ring = {{4, all}};
  const Frame image = render_once(make_room_scene(), sensor);
  for (std::uint32_t row = 0; row < 9; ++row) {
    EXPECT_EQ(count_in_row(image, row, Reason::kEdgeLoss), row == 4 ? 33U : 0U);
  }
  sensor.model = make_lidar(8, 90);
  const Frame scan = render_once(make_room_scene(), sensor);
  for (std::size_t i = 0; i < scan.size(); ++i) {
    ASSERT_EQ(scan.reason()[i] == Reason::kEdgeLoss, scan.ring()[i] == 4) << i;
  }
}

/// Loses everything beside a jump, whatever its angle.
EdgeLoss beside_jumps(EdgeLaw law) {
  return {.min_angle_rad = 0, .max_angle_rad = 0, .low_probability = 1, .high_probability = 1, .law = law};
}

// On one plane there is no jump, however obliquely it is seen; the law of angles takes a floor for an edge.
TEST(EdgeLoss, ByThePlaneAFlatFloorLosesNothing) {
  for (const double pitch_deg : {37.5, 45.0, 60.0, 90.0}) {
    Scene scene;  // at 37.5 degrees the camera sees it nearly up to the horizon
    scene.add_entity(
        {.name = "floor", .mesh = scene.add_mesh(make_plane(1e4, 1e4)), .parent_from_entity = Pose{{0, 0, -1}, {}}});
    const Pose pose{{}, from_roll_pitch_yaw(0.1, pitch_deg * kDeg, 0.3)};
    for (const Isa isa : usable_isas()) {
      const SimulatorOptions options = {.seed = 7, .compute = {.threads = 1, .isa = isa}};
      const auto lost = [&](const EdgeLoss& law) {
        const Frame f =
            render_once(scene, make_sensor(make_stereo(160, 120, 100, 0.1), {law}, pose), all_channels(), options);
        EXPECT_GT(count_of(f, Reason::kHit) + count_of(f, Reason::kEdgeLoss), f.size() / 3);
        return count_of(f, Reason::kEdgeLoss);
      };
      EXPECT_EQ(lost(beside_jumps(EdgeLaw::kPlane)), 0U) << pitch_deg;
      EXPECT_GT(lost(beside_jumps(EdgeLaw::kAngle)), 160U * 120U / 3) << pitch_deg;
    }
  }
}

/// The largest r / t - 1 of the definition, in double precision: `n` is the normal of the pixel in the sensor frame.
double jump_of(const Frame& frame, const RayPattern& pattern, std::size_t i, const Vec3& n) {
  const double distance = frame.clean_range_m()[i] * dot(n, direction_of(pattern, i));
  double most = 0;
  for_each_neighbour(frame, i, [&](std::size_t q) {
    const double slope = dot(n, direction_of(pattern, q));
    if (slope * distance > 0)
      most = std::max(most, std::min(1e18, double{frame.clean_range_m()[q]}) * slope / distance);
  });
  return most - 1;
}

TEST(EdgeLoss, ByThePlaneLosesWhatLiesFartherBehindItThanTheStep) {
  const StereoCamera camera = make_stereo(161, 119, 80, 0.1);
  const Pose pose{{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 0.7)};
  const RayPattern pattern = make_pattern(camera);
  for (const float step : {0.005F, 0.02F, 0.3F}) {
    EdgeLoss law = beside_jumps(EdgeLaw::kPlane);
    law.step = step;
    const Frame f = render_once(make_room_scene(), make_sensor(camera, {law}, pose));
    std::size_t lost = 0, kept = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Vec3 n =
          rotate(conjugate(pose.rotation), {f.normal_world().x[i], f.normal_world().y[i], f.normal_world().z[i]});
      const double jump = jump_of(f, pattern, i, n);
      if (std::abs(jump - double{step}) < 1e-4) continue;
      ASSERT_EQ(f.reason()[i] == Reason::kEdgeLoss, jump > double{step}) << i << " " << jump;
      (jump > double{step} ? lost : kept) += 1;
    }
    EXPECT_GT(lost, 100U) << step;
    EXPECT_GT(kept, f.size() / 2) << step;
  }
}

// The angle of a wall seen head-on is 90 degrees plus the slant of the ray; beside a step it comes near 180.
TEST(EdgeLoss, LosesAtStepsAndNotOnWalls) {
  const EdgeLoss sharp{
      .min_angle_rad = 170 * kDegree, .max_angle_rad = 171 * kDegree, .low_probability = 1, .high_probability = 1};
  const Frame f = render_once(make_post_scene(2, 4, 0.2), make_sensor(make_stereo(321, 5, 600, 0.1), {sharp}));
  // The post is 60 px wide; its outermost pixel on either side looks past the edge.
  EXPECT_EQ(count_in_row(f, 2, Reason::kEdgeLoss), 2U);
  EXPECT_EQ(count_of(f, Reason::kHit) + count_of(f, Reason::kEdgeLoss), f.size());
  for (std::size_t i = 0; i < f.size(); ++i) ASSERT_EQ(std::isnan(f.range_m()[i]), f.reason()[i] != Reason::kHit);
}

TEST(EdgeLoss, ProbabilityRisesLinearlyWithTheAngle) {
  const EdgeLoss rising{.min_angle_rad = 90 * kDegree,
                        .max_angle_rad = 150 * kDegree,
                        .low_probability = 0.1F,
                        .high_probability = 0.9F,
                        .law = EdgeLaw::kAngle};
  // One row over a plane that slopes along it: the steepest neighbour is the farther one, and the angle is 90 degrees
  // plus the incidence.
  const Frame f =
      render_once(make_plane_scene({3.0, 40 * kDeg}), make_sensor(make_stereo(6000, 1, 20000, 0.1), {rising}));
  double expected = 0, variance = 0;
  for (const float theta : f.incidence_rad()) {
    const double p = 0.1 + 0.8 * (theta / kDeg) / 60;
    expected += p, variance += p * (1 - p);
  }
  EXPECT_NEAR(double(count_of(f, Reason::kEdgeLoss)), expected, 4 * std::sqrt(variance));
}

TEST(EdgeLoss, ComesBeforeDropoutInTheReasons) {
  const EdgeLoss all{.min_angle_rad = 0,
                     .max_angle_rad = 1 * kDegree,
                     .low_probability = 1,
                     .high_probability = 1,
                     .law = EdgeLaw::kAngle};
  const Frame f =
      render_once(make_room_scene(), make_sensor(make_stereo(64, 48, 40, 0.1), {Dropout{.probability = 0.5F}, all}));
  EXPECT_EQ(count_of(f, Reason::kDropout), 0U);
  EXPECT_GT(count_of(f, Reason::kEdgeLoss), f.size() / 2);
}

// The angles that edge_loss reads, against their definition (fathom/noise/edge_loss.hpp) in double precision.

/// Directions of a camera and random ranges, some of them misses.
struct Image {
  std::ptrdiff_t rows, cols;
  std::vector<float> dx, dy, dz, range_m;

  Image(std::ptrdiff_t r, std::ptrdiff_t c, std::uint32_t seed) : rows(r), cols(c) {
    std::mt19937 random(seed);
    for (std::ptrdiff_t i = 0; i < rows * cols; ++i) {
      const Vec3 d = {1, 0.01 * static_cast<double>(cols / 2 - i % cols),
                      0.01 * static_cast<double>(rows / 2 - i / cols)};
      dx.push_back(static_cast<float>(d.x / norm(d)));
      dy.push_back(static_cast<float>(d.y / norm(d)));
      dz.push_back(static_cast<float>(d.z / norm(d)));
      const auto range = 1.0F + 9.0F * static_cast<float>(random()) * 0x1p-32F;
      range_m.push_back(random() % 8 == 0 ? std::numeric_limits<float>::infinity() : range);
    }
  }
  [[nodiscard]] EdgeRow row(std::ptrdiff_t r) const {
    const std::ptrdiff_t at = r * cols;
    return {dx.data() + at, dy.data() + at, dz.data() + at, range_m.data() + at};
  }
  [[nodiscard]] Vec3 direction(std::ptrdiff_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return {dx[k], dy[k], dz[k]};
  }
  [[nodiscard]] double range(std::ptrdiff_t i) const {
    return std::min(1e18, double{range_m[static_cast<std::size_t>(i)]});
  }
};

/// What the angle of pixel (r, c) may be: neighbours that are equally far all count.
std::vector<double> angles_by_definition(const Image& image, std::ptrdiff_t r, std::ptrdiff_t c) {
  std::vector<double> angles;
  double farthest = 0;
  const std::ptrdiff_t p = r * image.cols + c;
  for (std::ptrdiff_t row = std::max<std::ptrdiff_t>(r - 1, 0); row <= std::min(r + 1, image.rows - 1); ++row) {
    for (std::ptrdiff_t col = std::max<std::ptrdiff_t>(c - 1, 0); col <= std::min(c + 1, image.cols - 1); ++col) {
      const std::ptrdiff_t q = row * image.cols + col;
      if (q == p || image.range(q) < farthest) continue;
      if (image.range(q) > farthest) angles.clear();
      farthest = image.range(q);
      const Vec3 to_camera = (-1.0) * image.direction(p);
      const Vec3 to_q = image.range(q) * image.direction(q) - image.range(p) * image.direction(p);
      angles.push_back(std::atan2(norm(cross(to_camera, to_q)), dot(to_camera, to_q)));
    }
  }
  return angles.empty() ? std::vector{0.0} : angles;
}

bool is_one_of(double value, const std::vector<double>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](double w) { return std::abs(value - w) < 1e-4; });
}

RC_GTEST_PROP(EdgeAngles, FollowTheirDefinitionInImagesOfAnySize, ()) {
  const Image image(*rc::gen::inRange(1, 7), *rc::gen::inRange(1, 50), *rc::gen::arbitrary<std::uint32_t>());
  const auto cols = static_cast<std::uint32_t>(image.cols);
  const std::uint32_t begin = *rc::gen::inRange<std::uint32_t>(0, cols);  // a row may be cut anywhere
  std::vector<float> angle(cols), of_baseline;
  for (std::ptrdiff_t r = 0; r < image.rows; ++r) {
    const EdgeRow row = image.row(r), above = image.row(std::max<std::ptrdiff_t>(r - 1, 0)),
                  below = image.row(std::min(r + 1, image.rows - 1));
    for (const Isa isa : usable_isas()) {
      const auto run = [&](std::uint32_t from, std::uint32_t count) {
        surface_kernels(isa).edge_angles(row, r > 0 ? &above : nullptr, r + 1 < image.rows ? &below : nullptr, cols,
                                         from, count, angle.data() + from);
      };
      if (begin > 0) run(0, begin);
      run(begin, cols - begin);
      if (isa == Isa::kBase) of_baseline = angle;
      RC_ASSERT(angle == of_baseline);
    }
    for (std::ptrdiff_t c = 0; c < image.cols; ++c) {
      if (image.range(r * image.cols + c) > 1e17) continue;  // a miss has no angle
      RC_ASSERT(is_one_of(angle[static_cast<std::size_t>(c)], angles_by_definition(image, r, c)));
    }
  }
}

}  // namespace
}  // namespace fathom::test
