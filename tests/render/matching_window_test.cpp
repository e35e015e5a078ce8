// SPDX-License-Identifier: MIT
// The window over the image of a frame: where it stands among the stages, what follows it, and its loops over images.

#include <fathom/noise/matching_window.hpp>

#include "render/any_sensors.hpp"
#include "render/lanes.hpp"
#include "render/render.hpp"
#include "sensor/noise/windows.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

// Images of any size, so that strips and bands begin and end anywhere; steps about as large as max_step, where the
// short way to see that a window holds one surface must not be wrong.
RC_GTEST_PROP(MatchingWindowLoops, GiveTheBitsOfTheRuleForOnePixel, ()) {
  const auto rows = *rc::gen::inRange<std::uint32_t>(1, 16), cols = *rc::gen::inRange<std::uint32_t>(1, 150);
  Disparities d =
      any_disparities(rows, cols, *rc::gen::arbitrary<std::uint32_t>(), *rc::gen::element(0.0, 0.0, 0.01, 0.3));
  const double rough = *rc::gen::element(0.0, 0.5, 2.0);
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  for (float& px : d.px) {
    if (px > 0) px += static_cast<float>(rough * static_cast<double>(random()) * 0x1p-32);
  }
  const WindowRule rule = {.radius_px = *rc::gen::element(0, 1, 2, 3, 4, 5, 9),
                           .share = 0.25F,
                           .sure_share = *rc::gen::element(0.0F, 0.6F),
                           .max_step_px = *rc::gen::element(0.01F, 0.25F, 1.0F, 4.0F),
                           .flying = *rc::gen::arbitrary<bool>()};
  std::vector<WindowPixel> wanted;
  for (std::uint32_t i = 0; i < rows * cols; ++i) {
    const WindowPixel none = {0.0F, i, Reason::kHit};
    wanted.push_back(d.px[i] > 0 ? match_window(rule, d.image(), i / cols, i % cols) : none);
  }
  const std::uint32_t cut = *rc::gen::inRange<std::uint32_t>(0, rows + 1);
  for (const Isa isa : usable_isas()) {
    std::vector<float> matched(d.px.size(), -1.0F);
    std::vector<std::uint32_t> taken(d.px.size(), 7);
    std::vector<Reason> reason(d.px.size(), Reason::kHit);
    const WindowResult out = {matched.data(), taken.data(), reason.data()};
    if (cut > 0) window_kernels(isa).match(rule, d.image(), 0, cut, out);
    if (cut < rows) window_kernels(isa).match(rule, d.image(), cut, rows, out);
    for (std::uint32_t i = 0; i < rows * cols; ++i) {
      RC_ASSERT(math::bits_of(matched[i]) == math::bits_of(wanted[i].disparity_px));
      RC_ASSERT(reason[i] == wanted[i].reason);
      RC_ASSERT(taken[i] == wanted[i].taken);
    }
  }
}

// The bits from which regions are found, at every width around that of a word.
RC_GTEST_PROP(MatchingWindowLoops, TellWhichPixelsBelongToOneRegion, ()) {
  const auto cols = *rc::gen::inRange<std::uint32_t>(1, 200);
  Disparities d = any_disparities(2, cols, *rc::gen::arbitrary<std::uint32_t>(), 0.1);
  const float step = *rc::gen::element(0.01F, 0.25F, 1.0F, 4.0F);
  const float *const above = d.px.data(), *const row = above + cols;
  const auto is_one = [&](float a, float b) { return a > 0 && b > 0 && a - b < step && b - a < step; };
  const std::size_t words = EdgeScratch::link_words(cols);
  for (const Isa isa : usable_isas()) {
    std::vector<std::uint64_t> valid(words, ~0ULL), right(words, ~0ULL), up(words, ~0ULL);
    window_kernels(isa).links(above, row, cols, step, {valid.data(), right.data(), up.data()});
    const auto is_set = [](const std::vector<std::uint64_t>& of, std::uint32_t i) {
      return (of[i / 64] >> i % 64 & 1U) != 0;
    };
    for (std::uint32_t i = 0; i < cols; ++i) {
      RC_ASSERT(is_set(valid, i) == (row[i] > 0));
      RC_ASSERT(is_set(right, i) == (i + 1 < cols && is_one(row[i], row[i + 1])));
      RC_ASSERT(is_set(up, i) == is_one(above[i], row[i]));
    }
    for (std::uint32_t i = cols; i < (cols + 63) / 64 * 64; ++i) {
      RC_ASSERT(!is_set(valid, i) && !is_set(right, i) && !is_set(up, i));
    }
  }
}

/// A post of `post_px` columns at 1 m before a wall at 2 m, seen by a camera of 121 x 41 pixels: disparities 20 and 10.
constexpr double kFocal = 200, kBaseline = 0.1;
StereoCamera post_camera() { return make_stereo(121, 41, kFocal, kBaseline, CameraReference::kLeft); }
Scene post_scene(int post_px) { return make_post_scene(1, 2, post_px / kFocal); }

TEST(MatchingWindowFrames, APostGrowsByTheClosedFormAndAThinOneDisappears) {
  for (const int post_px : {1, 3, 21}) {
    const Frame off = render_once(post_scene(post_px), make_sensor(post_camera()));
    ASSERT_EQ(std::count(off.entity_id().begin(), off.entity_id().begin() + 121, 1U), post_px);
    const Frame on = render_once(post_scene(post_px), make_sensor(post_camera(), {MatchingWindow{.radius_px = 5}}));
    // Share 0.25 of 11 columns: 3 must be there. So 3 on each side of a wide post, and none of a post of one column.
    const std::ptrdiff_t expected = post_px == 21 ? 27 : post_px == 3 ? 11 - 2 : 0;
    for (std::uint32_t row = 0; row < 41; ++row) {
      const auto* begin = on.entity_id().data() + std::size_t{row} * 121;
      ASSERT_EQ(std::count(begin, begin + 121, 1U), post_px == 3 ? 9 : expected) << post_px;
    }
    for (std::size_t i = 0; i < on.size(); ++i) {
      ASSERT_EQ(on.reason()[i], Reason::kHit);
      const float depth = on.entity_id()[i] == 1 ? 1.0F : 2.0F;
      ASSERT_NEAR(on.depth_m()[i], depth, 2e-6F);
      ASSERT_NEAR(on.range_m()[i], depth / make_pattern(post_camera()).direction_x[i], 4e-6F);
    }
  }
}

// The k-th of 4 columns beside the shadow of 10 has 4 + k valid columns of 9; at the border, of fewer rows.
TEST(MatchingWindowFrames, AShadowWidensByTheClosedForm) {
  for (const std::ptrdiff_t lost : {1, 2, 3, 4}) {
    const MatchingWindow window{.radius_px = 4, .valid_share = (static_cast<float>(lost) + 4.5F) / 9};
    const Frame f = render_once(post_scene(21), make_sensor(post_camera(), {StereoShadow{}, window}));
    for (std::uint32_t row = 0; row < 41; ++row) {
      const double rows = std::min(row, 4U) + 1 + std::min(40 - row, 4U);
      const double wanted = double{window.valid_share} * (9 * rows + 0.4 * (81 - 9 * rows));
      std::ptrdiff_t beside = 0;
      while (beside < 4 && static_cast<double>(5 + beside) * rows < wanted) ++beside;
      const auto* begin = f.reason().data() + std::size_t{row} * 121;
      ASSERT_EQ(std::count(begin, begin + 121, Reason::kHiddenRight), 10);
      ASSERT_EQ(std::count(begin, begin + 121, Reason::kEdge), 2 * beside) << row;
      if (row >= 4 && row < 37) {
        ASSERT_EQ(beside, lost);
      }
    }
  }
}

// A post of 1 m before a wall at 1.05 m throws a shadow of one column.
TEST(MatchingWindowFrames, ALineOfShadowDoesNotSurvive) {
  const auto matched = [](float valid_share) {
    const MatchingWindow window{.radius_px = 4, .max_step_px = 2, .valid_share = valid_share};
    Frame f = render_once(make_post_scene(1, 1.05, 21 / kFocal), make_sensor(post_camera(), {StereoShadow{}, window}));
    for (std::uint32_t i = 0; i < f.size(); ++i) {
      if (f.reason()[i] != Reason::kHit) continue;
      EXPECT_NEAR(f.depth_m()[i], 1.025, 0.03);
    }
    EXPECT_EQ(count_of(f, Reason::kEdge), 0U);
    return f;
  };
  const Frame without = matched(0), with = matched(0.65F);
  EXPECT_EQ(count_of(without, Reason::kHiddenRight), 41U);
  EXPECT_EQ(count_of(with, Reason::kHiddenRight), 0U);
  for (std::uint32_t i = 0; i < with.size(); ++i) {
    if (without.reason()[i] != Reason::kHiddenRight) continue;
    EXPECT_EQ(with.reason()[i], Reason::kHit);
    EXPECT_NEAR(with.depth_m()[i], 20 / 19.524, 0.003) << "f B over the mean of both disparities";
  }
}

// A camera does not know that a ray was turned: its pixel reports a distance along its own ray. So ray noise that is
// correlated over some pixels makes a silhouette wavy, in the image and in the points.
TEST(MatchingWindowFrames, RayNoiseMovesWhatAPixelSeesAndNotThePixel) {
  const ChainEntry turned = {AngularRay{.stddev_rad = static_cast<float>(1.5 / kFocal)},
                             Correlation{.across_px = 3, .down_px = 3}};
  const Sensor sensor = make_sensor(post_camera(), {turned, MatchingWindow{.radius_px = 5}});
  const Frame f = render_once(post_scene(21), sensor);
  const RayPattern pattern = make_pattern(post_camera());
  std::vector<std::ptrdiff_t> widths;
  for (std::uint32_t row = 0; row < 41; ++row) {
    const auto* begin = f.entity_id().data() + std::size_t{row} * 121;
    widths.push_back(std::count(begin, begin + 121, 1U));
    EXPECT_NEAR(static_cast<double>(widths.back()), 27, 12);
  }
  const auto [least, most] = std::minmax_element(widths.begin(), widths.end());
  EXPECT_GE(*most - *least, 2);
  for (std::size_t i = 0; i < f.size(); ++i) {
    ASSERT_EQ(f.reason()[i], Reason::kHit);
    ASSERT_NEAR(f.depth_m()[i], f.entity_id()[i] == 1 ? 1.0F : 2.0F, 2e-6F);
    const auto hit = f.hit_sensor_m();
    ASSERT_NEAR(hit.y[i] / hit.x[i], pattern.direction_y[i] / pattern.direction_x[i], 1e-6F);
    ASSERT_NEAR(hit.z[i] / hit.x[i], pattern.direction_z[i] / pattern.direction_x[i], 1e-6F);
    ASSERT_NEAR(f.range_m()[i], f.depth_m()[i] / pattern.direction_x[i], 1e-6F);
  }
}

TEST(MatchingWindowFrames, APlaneKeepsItsDepthToRoundingAtEverySlant) {
  for (const double slant_deg : {0.0, 20.0, 50.0, 70.0}) {
    const Scene scene = make_plane_scene({2.0, slant_deg * kDeg});
    const StereoCamera camera = make_stereo(160, 120, 150, 0.06);
    const Frame off = render_once(scene, make_sensor(camera));
    const Frame on = render_once(scene, make_sensor(camera, {MatchingWindow{.radius_px = 4, .min_area_px = 50}}));
    std::size_t seen = 0;
    for (std::size_t i = 0; i < off.size(); ++i) {
      ASSERT_EQ(off.reason()[i], on.reason()[i]);
      if (off.reason()[i] != Reason::kHit) continue;
      ++seen;
      ASSERT_NEAR(on.depth_m()[i], off.depth_m()[i], 4e-6 * (1 + off.depth_m()[i] * off.depth_m()[i])) << slant_deg;
    }
    EXPECT_GT(seen, off.size() / 2);
  }
}

NoiseChain many_losses() {
  return {StereoShadow{}, LossAngle{.max_incidence_rad = 1.3F}, StereoEnergy{.min_energy = 0.2F, .pow = 3},
          EdgeLoss{.min_angle_rad = 2.0F, .low_probability = 0.2F, .high_probability = 0.6F},
          MatchingWindow{.radius_px = 3, .sure_share = 0.4F, .min_area_px = 12}};
}

// What was lost before keeps its reason, and what the window loses has its own; clean values and energies stay.
TEST(MatchingWindowFrames, StandsBetweenTheLossesAndHitNoise) {
  NoiseChain losses = many_losses();
  losses.pop_back();
  const StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  const Frame before = render_once(make_room_scene(), make_sensor(camera, losses));
  const Frame on = render_once(make_room_scene(), make_sensor(camera, many_losses()));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (before.reason()[i] != Reason::kHit) {
      ASSERT_EQ(on.reason()[i], before.reason()[i]);
    } else {
      ASSERT_TRUE(on.reason()[i] == Reason::kHit || on.reason()[i] == Reason::kEdge ||
                  on.reason()[i] == Reason::kSpeckle);
    }
    ASSERT_EQ(std::isnan(on.depth_m()[i]), on.reason()[i] != Reason::kHit);
    moved += on.entity_id()[i] != before.entity_id()[i] ? 1 : 0;
  }
  EXPECT_GT(moved, 30U);
  for (const Reason r : {Reason::kEdge, Reason::kSpeckle, Reason::kEdgeLoss, Reason::kHiddenRight}) {
    EXPECT_GT(count_of(on, r), 10U) << to_string(r);
  }
  EXPECT_TRUE(same_bits(before.clean_range_m(), on.clean_range_m()));
  EXPECT_TRUE(same_bits(before.clean_depth_m(), on.clean_depth_m()));
  EXPECT_TRUE(same_bits(before.floats(Channel::kCleanHit), on.floats(Channel::kCleanHit)));
  EXPECT_TRUE(same_bits(before.energy(), on.energy()));
  // Disparity noise comes after it: without noise the window alone decides the levels.
  NoiseChain noisy = many_losses();
  noisy.push_back(Disparity{.bias_px = 1});  // at the end: the draws of the others stay
  const Frame shifted = render_once(make_room_scene(), make_sensor(camera, noisy));
  for (std::size_t i = 0; i < on.size(); ++i) {
    ASSERT_EQ(shifted.entity_id()[i], on.entity_id()[i]);
    if (on.reason()[i] != Reason::kHit || shifted.reason()[i] != Reason::kHit) continue;
    ASSERT_NEAR(27 / shifted.depth_m()[i], 27 / on.depth_m()[i] + 1, 1e-4);
  }
}

TEST(MatchingWindowFrames, WhatAPixelShowsIsThatOfTheSurfaceTaken) {
  const Frame off = render_once(post_scene(21), make_sensor(post_camera()));
  Scene scene = post_scene(21);
  const Frame on = render_once(scene, make_sensor(post_camera(), {MatchingWindow{.radius_px = 5}}));
  const std::size_t row = std::size_t{20} * 121, first = row + 50, grown = first - 2;  // the post begins at column 50
  ASSERT_EQ(off.entity_id()[grown], 0U);
  ASSERT_EQ(off.entity_id()[first], 1U);
  EXPECT_EQ(on.entity_id()[grown], 1U);
  EXPECT_EQ(on.triangle_id()[grown], off.triangle_id()[first]);
  EXPECT_EQ(on.label()[grown], off.label()[first]);
  EXPECT_EQ(on.normal_world().x[grown], off.normal_world().x[first]);
  EXPECT_EQ(on.incidence_rad()[grown], off.incidence_rad()[first]);
  EXPECT_EQ(on.intensity()[grown], off.intensity()[first]);
  EXPECT_EQ(on.clean_depth_m()[grown], off.clean_depth_m()[grown]);
  EXPECT_NEAR(on.hit_sensor_m().x[grown], 1.0, 1e-6);
}

// With ray noise it is the ray that was cast which met the surface, as in a frame without a window.
TEST(MatchingWindowFrames, WithRayNoiseIncidenceIsThatOfTheRayThatMet) {
  const ChainEntry turned = {AngularRay{.stddev_rad = 0.01F}, Correlation{.across_px = 3, .down_px = 3}};
  const Frame off = render_once(post_scene(21), make_sensor(post_camera(), {turned}));
  const Frame on = render_once(post_scene(21), make_sensor(post_camera(), {turned, MatchingWindow{.radius_px = 2}}));
  std::size_t own = 0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (on.entity_id()[i] != off.entity_id()[i]) continue;
    ASSERT_EQ(on.incidence_rad()[i], off.incidence_rad()[i]);
    ASSERT_EQ(on.intensity()[i], off.intensity()[i]);
    ++own;
  }
  EXPECT_GT(own, on.size() * 9 / 10);
}

/// Regions by walking over each of them.
std::vector<std::uint32_t> areas_of(const Frame& f, double scale, float step) {
  const auto rows = static_cast<std::ptrdiff_t>(f.rows()), cols = static_cast<std::ptrdiff_t>(f.cols());
  std::vector<std::uint32_t> area(f.size(), 0);
  std::vector<std::ptrdiff_t> walk;
  std::vector<bool> seen(f.size(), false);
  const auto px = [&](std::ptrdiff_t i) { return scale / f.depth_m()[static_cast<std::size_t>(i)]; };
  for (std::ptrdiff_t start = 0; start < rows * cols; ++start) {
    if (seen[static_cast<std::size_t>(start)] || std::isnan(px(start))) continue;
    walk.assign(1, start), seen[static_cast<std::size_t>(start)] = true;
    for (std::size_t k = 0; k < walk.size(); ++k) {
      const std::ptrdiff_t at = walk[k];
      for (const std::ptrdiff_t next : {at % cols > 0 ? at - 1 : -1, at % cols + 1 < cols ? at + 1 : -1, at - cols,
                                        at + cols < rows * cols ? at + cols : -1}) {
        if (next < 0 || seen[static_cast<std::size_t>(next)] || !(std::abs(px(next) - px(at)) < step)) continue;
        seen[static_cast<std::size_t>(next)] = true;
        walk.push_back(next);
      }
    }
    for (const std::ptrdiff_t i : walk) area[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(walk.size());
  }
  return area;
}

TEST(MatchingWindowFrames, LosesRegionsOfFewerPixelsThanTheLeastArea) {
  const StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  std::size_t lost = 0;
  for (const float least : {2.0F, 9.0F, 60.0F}) {
    // Many returns are lost at random, so that regions of all sizes are left.
    const MatchingWindow all{.radius_px = 0, .min_area_px = 0, .max_step_px = 0.3F};
    MatchingWindow large = all;
    large.min_area_px = least;
    const NoiseChain thin = {StereoEnergy{.min_energy = 0.01F, .pow = 0.5F}};
    const Frame before = render_once(make_room_scene(), make_sensor(camera, thin));
    const std::vector<std::uint32_t> areas = areas_of(before, 27, 0.3F);
    const Frame after = render_once(make_room_scene(), make_sensor(camera, {thin[0], large}));
    for (std::size_t i = 0; i < after.size(); ++i) {
      const bool small = before.reason()[i] == Reason::kHit && static_cast<float>(areas[i]) < least;
      ASSERT_EQ(after.reason()[i], small ? Reason::kSpeckle : before.reason()[i]) << i << " " << areas[i];
      lost += small ? 1 : 0;
    }
  }
  EXPECT_GT(lost, 1000U);
}

TEST(MatchingWindowFrames, AreTheSameWithAnyThreadsInstructionSetAndDevice) {
  NoiseChain chain = many_losses();
  chain.insert(chain.begin(), AngularRay{.axis = Axis::kZ, .stddev_rad = 0.002F});
  chain.push_back(Disparity{.stddev_px = 0.1F});
  const StereoCamera camera = make_stereo(161, 119, 90, 0.3, CameraReference::kLeft);
  const Sensor sensor = make_sensor(camera, chain, {{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 0.7)});
  const Frame expected = render_once(make_room_scene(), sensor);
  ASSERT_GT(count_of(expected, Reason::kSpeckle) + count_of(expected, Reason::kEdge), 10U);
  for (const Isa isa : usable_isas()) {
    for (const int threads : {1, 3}) {
      const Frame f = render_once(make_room_scene(), sensor, all_channels(),
                                  {.seed = 7, .compute = {.threads = threads, .isa = isa}});
      EXPECT_EQ(channels_that_differ(expected, f), "") << to_string(isa) << " " << threads;
    }
  }
}

// Asked for alone, a channel holds what it holds beside all others.
TEST(MatchingWindowFrames, AChannelDoesNotDependOnTheOthers) {
  const StereoCamera camera = make_stereo(60, 45, 40, 0.3, CameraReference::kLeft);
  const Sensor sensor = make_sensor(camera, many_losses());
  const Frame all = render_once(make_room_scene(), sensor);
  for (const Channel c :
       {Channel::kRange, Channel::kDepth, Channel::kIncidence, Channel::kIntensity, Channel::kEnergy}) {
    EXPECT_TRUE(same_bits(render_once(make_room_scene(), sensor, {c}).floats(c), all.floats(c))) << to_string(c);
  }
  EXPECT_TRUE(same_bits(render_once(make_room_scene(), sensor, {Channel::kEntityId}).entity_id(), all.entity_id()));
  EXPECT_TRUE(same_bits(render_once(make_room_scene(), sensor, {Channel::kReason}).reason(), all.reason()));
}

TEST(MatchingWindowFrames, AnEnvironmentAloneEqualsItselfInABatch) {
  const StereoCamera camera = make_stereo(64, 48, 40, 0.3, CameraReference::kLeft);
  NoiseChain chain = many_losses();
  chain.push_back(Disparity{.stddev_px = 0.1F});
  const std::vector<ParameterRange> ranges = {{.entry = 4, .field = "radius_px", .low = 0, .high = 6},
                                              {.entry = 4, .field = "share", .low = 0.1, .high = 0.4}};
  const auto make = [&](std::uint32_t first, std::uint32_t count, int threads) {
    return Environments(
        make_room_scene(), make_sensor(camera, chain),
        {.simulator = {.seed = 3, .compute = {.threads = threads}}, .count = count, .first = first, .ranges = ranges});
  };
  Frame all(all_channels()), one(all_channels());
  make(0, 6, 3).render(2, all);
  for (const std::uint32_t e : {0U, 4U}) {
    make(e, 1, 1).render(2, one);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(math::bits_of(one.depth_m()[i]), math::bits_of(all.depth_m()[e * one.size() + i])) << e << " " << i;
      ASSERT_EQ(one.reason()[i], all.reason()[e * one.size() + i]) << e << " " << i;
      ASSERT_EQ(one.entity_id()[i], all.entity_id()[e * one.size() + i]) << e << " " << i;
    }
  }
}

TEST(MatchingWindowFrames, TheRangePolicyMeetsWhatTheWindowMoved) {
  StereoCamera camera = post_camera();
  camera.min_range_m = 1.5;  // the post is lost by the gate
  Sensor sensor = make_sensor(camera, {MatchingWindow{.radius_px = 5}});
  const Frame f = render_once(post_scene(21), sensor);
  EXPECT_EQ(count_in_row(f, 20, Reason::kBelowMinRange), 21U);
  EXPECT_EQ(count_in_row(f, 20, Reason::kHit), 100U);  // nothing grows out of what was lost
}

TEST(MatchingWindowFrames, AreRefusedWhereTheWindowCannotBe) {
  const auto error_of = [](const Sensor& sensor) {
    return input_error([&] { render_once(make_room_scene(), sensor, {Channel::kDepth}); });
  };
  EXPECT_EQ(error_of(make_sensor(make_lidar(), {MatchingWindow{}}))
                .find("sensor 'lidar': matching_window needs two cameras apart"),
            0U);
  const StereoCamera camera = make_stereo(64, 48, 40, 0.3);
  EXPECT_EQ(error_of(make_sensor(camera, {MatchingWindow{}, MatchingWindow{}})),
            "sensor 'lidar': a chain has one model of stage image: matching_window is there with another");
  Sensor sensor = make_sensor(camera, {MatchingWindow{}});
  sensor.noise[0].by_entity = {{EntityId{1}, MatchingWindow{.radius_px = 1}}};
  EXPECT_EQ(error_of(sensor), "sensor 'lidar': by_entity: matching_window cannot differ by entity");
}

// What a pixel shows that a window gave a surface beside it.

// The side of a box that the camera sees at a grazing angle grows over pixels whose own rays would meet that side from
// behind, which gave intensities below 0. What such a pixel shows is what the ray of the nearest pixel of the side met.
TEST(MatchingWindowFrames, ASurfaceThatGrowsIsNeverSeenFromBehind) {
  Scene scene;
  scene.add_entity(
      {.name = "wall", .mesh = scene.add_mesh(make_plane(100, 100)), .parent_from_entity = TiltedPlane{10, 0}.pose()});
  scene.add_entity(
      {.name = "box",
       .mesh = scene.add_mesh(make_box({0.25, 1, 4})),
       .parent_from_entity = Pose{{1.125, -0.504, 0}, {}}});  // of its side, in y = -0.004, a pixel is seen
  const StereoCamera camera = make_stereo(81, 5, 600, 0.1, CameraReference::kLeft);
  const MatchingWindow window{.radius_px = 8, .max_step_px = 12};
  Sensor sensor = make_sensor(camera), matched = make_sensor(camera, {window});
  sensor.falloff = matched.falloff = {.law = FalloffLaw::kInverseSquare, .reference_m = 0.5F};
  const Frame off = render_once(scene, sensor), on = render_once(scene, matched);
  const RayPattern rays = make_pattern(camera);
  std::size_t behind = 0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    ASSERT_GE(on.intensity()[i], 0.0F);
    ASSERT_LE(on.incidence_rad()[i], std::numbers::pi_v<float> / 2);
    if (on.entity_id()[i] == off.entity_id()[i]) continue;
    ASSERT_EQ(on.entity_id()[i], 1U);  // the box grew
    const std::size_t row = i / 81 * 81;
    std::size_t nearest = row;
    for (std::size_t k = row; k < row + 81; ++k) {
      const auto distance = [&](std::size_t at) { return at > i ? at - i : i - at; };
      if (off.entity_id()[k] == 1 && (off.entity_id()[nearest] != 1 || distance(k) < distance(nearest))) nearest = k;
    }
    const auto normal = on.normal_world();
    const Vec3 n = {normal.x[i], normal.y[i], normal.z[i]};
    behind += dot(n, direction_of(rays, i)) > 0 ? 1 : 0;
    ASSERT_EQ(on.triangle_id()[i], off.triangle_id()[nearest]);
    ASSERT_EQ(on.incidence_rad()[i], off.incidence_rad()[nearest]);
    ASSERT_EQ(on.intensity()[i], off.intensity()[nearest]);
  }
  EXPECT_GT(behind, 0U);
}

}  // namespace
}  // namespace fathom::test
