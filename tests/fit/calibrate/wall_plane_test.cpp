// SPDX-License-Identifier: MIT
// Planes of frames against an obvious oracle, and what other things before the wall do to them.

#include <fathom/core/f64.hpp>

#include "fit/calibrate/walls.hpp"
#include "fit/chain/chain_fit.hpp"
#include "fit/wall/wall_work.hpp"
#include "support/expect.hpp"

namespace fathom::test::wall_plane_test {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// The plane that is nearest to points, by solving three normal equations over (1, x, y): disparity = a + b u + c v.
/// Written for one camera with a baseline, and by Cramer's rule.
WallMeasure::Plane disparity_oracle(const WallSensor& sensor, const std::vector<float>& depth_m) {
  const WallSensor::Camera& c = *sensor.camera;
  double s[3][4] = {};
  for (std::uint32_t row = 0; row < sensor.rows; ++row) {
    for (std::uint32_t col = 0; col < sensor.cols; ++col) {
      const float depth = depth_m[row * sensor.cols + col];
      if (std::isnan(depth)) continue;
      const double q[3] = {1.0, -(col - c.cx_px) / c.fx_px, -(row - c.cy_px) / c.fy_px};
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) s[j][k] += q[j] * q[k];
        s[j][3] += q[j] / double{depth};
      }
    }
  }
  const auto det = [&](int a, int b, int d) {
    return s[0][a] * (s[1][b] * s[2][d] - s[1][d] * s[2][b]) - s[0][b] * (s[1][a] * s[2][d] - s[1][d] * s[2][a]) +
           s[0][d] * (s[1][a] * s[2][b] - s[1][b] * s[2][a]);
  };
  const double all = det(0, 1, 2);
  const Vec3 m = {det(3, 1, 2) / all, det(0, 3, 2) / all, det(0, 1, 3) / all};
  WallMeasure::Plane plane;
  plane.is_found = true, plane.distance_m = 1.0 / norm(m), plane.normal = plane.distance_m * m;
  return plane;
}

/// The line through ranges by a search over its two numbers, ever finer: minimum of the sum of squares along the rays.
WallMeasure::Plane line_oracle(const WallSensor& sensor, const std::vector<float>& range_m) {
  const auto square = [&](double distance_m, double yaw) {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < sensor.cols; ++i) {
      if (std::isnan(range_m[i])) continue;
      const double clean = distance_m / std::cos(sensor.azimuth_rad[i] - yaw);
      sum += (range_m[i] - clean) * (range_m[i] - clean);
    }
    return sum;
  };
  double distance_m = 2.0, yaw = 0.0;
  for (double step = 0.3; step > 1e-9; step *= 0.7) {
    double best = square(distance_m, yaw), d = distance_m, y = yaw;
    for (int a = -3; a <= 3; ++a) {
      for (int b = -3; b <= 3; ++b) {
        const double value = square(distance_m + a * step, yaw + b * step);
        if (value < best) best = value, d = distance_m + a * step, y = yaw + b * step;
      }
    }
    distance_m = d, yaw = y;
  }
  WallMeasure::Plane plane;
  plane.is_found = true, plane.distance_m = distance_m, plane.normal = {std::cos(yaw), std::sin(yaw), 0.0};
  return plane;
}

void expect_same(const WallMeasure::Plane& found, const WallMeasure::Plane& expected, double within) {
  ASSERT_TRUE(found.is_found) << found.why_not;
  EXPECT_NEAR(found.distance_m, expected.distance_m, within * expected.distance_m);
  EXPECT_NEAR(norm(cross(found.normal, expected.normal)), 0.0, within);
}

TEST(WallPlanes, OfStereoCamerasAreTheLeastSquaresOfDisparity) {
  const WallFrames frames = simulate_wall(stereo_sensor(), std::vector{wall_at(1.4, 35, -12)},
                                          {Disparity{.stddev_px = 0.08F}, Dropout{0.1F}}, {.seed = 3});
  const WallMeasure measure = measure_wall(frames);
  expect_same(measure.planes[0], disparity_oracle(frames.sensor, frames.measured_m), 1e-9);
  expect_same(measure.planes[0], wall_at(1.4, 35, -12), 2e-3);
}

TEST(WallPlanes, OfLasersAreTheLeastSquaresOfRange) {
  const WallFrames frames = simulate_wall(laser_sensor(181, 60), std::vector{wall_at(2.2, 15)},
                                          {DistanceNoise{.stddev_m = 0.02F}, Dropout{0.1F}}, {.seed = 3});
  const WallMeasure measure = measure_wall(frames);
  // Of one frame the deviation does not grow with the range but by chance, and readings then count a little unlike.
  expect_same(measure.planes[0], line_oracle(frames.sensor, frames.measured_m), 2e-3);
  expect_same(measure.planes[0], wall_at(2.2, 15), 5e-3);
}

TEST(WallPlanes, WithoutNoiseAreExact) {
  for (const WallSensor& sensor : {stereo_sensor(), depth_sensor(), laser_sensor(181, 60)}) {
    const bool turns = sensor.camera.has_value();
    const std::vector<WallMeasure::Plane> planes = walls(6, 0.5, 3.0, 40.0, turns ? 20.0 : 0.0);
    const WallMeasure measure = measure_wall(simulate_wall(sensor, planes, {}));
    for (std::size_t f = 0; f < planes.size(); ++f) expect_same(measure.planes[f], planes[f], 1e-6);
    EXPECT_LT(measure.deviation, 1e-4);
    EXPECT_EQ(measure.tails + measure.other, 0U);
  }
}

/// A box before the wall: the readings of a rectangle of pixels are of something nearer.
std::size_t put_chair(WallFrames& frames, double share, float nearer) {
  const WallSensor& s = frames.sensor;
  const auto width = static_cast<std::uint32_t>(std::sqrt(share) * s.cols),
             height = s.rows == 1 ? 1U : static_cast<std::uint32_t>(std::sqrt(share) * s.rows);
  const std::uint32_t wide = s.rows == 1 ? static_cast<std::uint32_t>(share * s.cols) : width;
  std::size_t covered = 0;
  for (std::size_t f = 0; f < frames.frames(); ++f) {
    for (std::uint32_t row = s.rows / 3; row < s.rows / 3 + height; ++row) {
      for (std::uint32_t col = s.cols / 4; col < s.cols / 4 + wide; ++col) {
        frames.measured_m[f * s.rays() + row * s.cols + col] *= nearer;
        ++covered;
      }
    }
  }
  return covered;
}

TEST(WallPlanes, AChairBeforeTheWallDisturbsNothing) {
  const std::vector<WallMeasure::Plane> planes = walls(8, 0.8, 1.6, 30.0, 10.0);
  const NoiseChain chain = {Disparity{.stddev_px = 0.08F}, Dropout{0.02F}};
  const WallFrames alone = simulate_wall(stereo_sensor(), planes, chain, {.seed = 9});
  WallFrames with = alone;
  const std::size_t covered = put_chair(with, 0.15, 0.6F);
  const WallMeasure a = measure_wall(alone), b = measure_wall(with);
  for (std::size_t f = 0; f < planes.size(); ++f) {
    ASSERT_TRUE(b.planes[f].is_found);
    // Fewer readings tell the plane: it may move as far as a sixth fewer do, and not as a chair would carry it.
    EXPECT_NEAR(b.planes[f].distance_m, a.planes[f].distance_m, 5e-4 * a.planes[f].distance_m);
    EXPECT_NEAR(b.planes[f].deviation, a.planes[f].deviation, 0.03 * a.planes[f].deviation);
  }
  EXPECT_NEAR(static_cast<double>(b.other), static_cast<double>(covered), 0.05 * static_cast<double>(covered));
  EXPECT_NEAR(b.deviation, a.deviation, 0.02 * a.deviation);
  EXPECT_NEAR(static_cast<double>(b.lost) / static_cast<double>(b.readings + b.lost),
              static_cast<double>(a.lost) / static_cast<double>(a.readings + a.lost), 0.002);
}

TEST(WallPlanes, OneOfTwoWallsIsFoundWhereItHasMostReadings) {
  WallFrames frames = simulate_wall(stereo_sensor(), std::vector{wall_at(1.0, 0)}, {Disparity{.stddev_px = 0.05F}});
  const WallFrames other =
      simulate_wall(stereo_sensor(), std::vector{wall_at(1.3, 60)}, {Disparity{.stddev_px = 0.05F}});
  const std::uint32_t cols = frames.sensor.cols;
  for (std::size_t i = 0; i < frames.measured_m.size(); ++i) {
    if (i % cols < 2 * cols / 5) frames.measured_m[i] = other.measured_m[i];
  }
  expect_same(measure_wall(frames).planes[0], wall_at(1.0, 0), 2e-3);
}

TEST(WallPlanes, ABallIsNoWall) {
  WallFrames frames = simulate_wall(stereo_sensor(), walls(3, 1.0, 1.5, 0.0), {Disparity{.stddev_px = 0.05F}});
  const WallSensor& s = frames.sensor;
  for (std::size_t i = 0; i < s.rays(); ++i) {
    const double u = (static_cast<double>(i % s.cols) - 47.5) / 48.0,
                 v = (static_cast<double>(i / s.cols) - 35.5) / 36.0;
    frames.measured_m[s.rays() + i] = static_cast<float>(0.4 + 1.6 * (u * u + v * v));
  }
  const WallFit fit = fit_wall(frames, {.hold_out = 0});
  EXPECT_FALSE(fit.measure.planes[1].is_found);
  EXPECT_TRUE(std::ranges::any_of(texts_of(fit.chain.findings),
                                  [](const std::string& flag) { return flag.starts_with("frame 1: "); }));
  EXPECT_TRUE(fit.measure.planes[0].is_found && fit.measure.planes[2].is_found);
}

/// Disparities that are noise may deviate from the nearest plane by more than it is away.
TEST(WallPlanes, NoiseIsNoWall) {
  WallFrames frames{.sensor = stereo_sensor(), .measured_m = {}};
  const double unit = frames.sensor.camera->fx_px * frames.sensor.camera->baseline_m;
  std::mt19937 random(5);
  std::lognormal_distribution<double> disparity_px(0.0, 1.2);
  for (std::size_t i = 0; i < frames.sensor.rays(); ++i) {
    const double d = disparity_px(random);
    frames.measured_m.push_back(static_cast<float>(unit / d));
  }
  const std::string why = input_error([&] { static_cast<void>(measure_wall(frames)); });
  EXPECT_TRUE(contains(why, "deviate from every plane by more than the distance, and 5 % is the most for a wall"));
}

TEST(WallPlanes, AFrameThatErrsMuchMoreThanOthersIsLeftOut) {
  const std::vector<WallMeasure::Plane> planes = walls(9, 0.8, 1.6, 30.0, 10.0);
  WallFrames frames = simulate_wall(stereo_sensor(), planes, {Disparity{.stddev_px = 0.05F}}, {.seed = 9});
  const WallFrames rough = simulate_wall(stereo_sensor(), planes, {Disparity{.stddev_px = 0.25F}}, {.seed = 9});
  const std::size_t rays = frames.sensor.rays();
  std::copy_n(rough.measured_m.begin() + static_cast<std::ptrdiff_t>(4 * rays), rays,
              frames.measured_m.begin() + static_cast<std::ptrdiff_t>(4 * rays));
  const WallMeasure measure = measure_wall(frames);
  for (std::size_t f = 0; f < planes.size(); ++f) EXPECT_EQ(measure.planes[f].is_found, f != 4);
  EXPECT_TRUE(contains(measure.planes[4].why_not, "times as much as the readings of other frames"));
  EXPECT_NEAR(measure.deviation, 0.05, 0.001);
}

TEST(WallPlanes, ThreadsChangeNoBit) {
  const WallFrames frames =
      simulate_wall(stereo_sensor(64, 48), walls(7, 0.6, 2.0, 50.0, 15.0),
                    {StereoEnergy{.min_energy = 0.2F, .pow = 5.0F}, Disparity{.stddev_px = 0.08F}}, {.seed = 2});
  const WallFit one = fit_wall(frames, {.still = true, .most_returns = 2000, .threads = 1}),
                many = fit_wall(frames, {.still = true, .most_returns = 2000, .threads = 5});
  ASSERT_EQ(one.chain.parameters.size(), many.chain.parameters.size());
  for (std::size_t k = 0; k < one.chain.parameters.size(); ++k) {
    EXPECT_EQ(one.chain.parameters[k].value, many.chain.parameters[k].value);
    const double a = one.chain.parameters[k].std_error, b = many.chain.parameters[k].std_error;
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)));
  }
  EXPECT_EQ(one.correlation.across_px.value, many.correlation.across_px.value);
  EXPECT_EQ(one.measure.deviation, many.measure.deviation);
  for (std::size_t lag = 0; lag < one.measure.across.size(); ++lag) {
    EXPECT_EQ(one.measure.across[lag].value, many.measure.across[lag].value);
  }
  EXPECT_EQ(one.chain.findings, many.chain.findings);
}

TEST(WallPlanes, WrongInputIsRefused) {
  const auto refusal = [](WallFrames frames, WallOptions options = {}) {
    return input_error([&] { static_cast<void>(measure_wall(frames, options)); });
  };
  const WallFrames good = simulate_wall(stereo_sensor(32, 24), walls(2, 1.0, 1.2, 0.0), {});
  WallFrames bad = good;
  bad.measured_m.pop_back();
  EXPECT_EQ(refusal(bad), "1535 measured values are no whole number of frames of 24 x 32 rays");
  bad = good, bad.sensor.camera->fx_px = std::nan("");
  EXPECT_EQ(refusal(bad), "fx_px = nan is not in [0.001, 1e+07] px");
  bad = good, bad.sensor.camera->cx_px = 64.5;
  EXPECT_EQ(refusal(bad), "cx_px = 64.5 is not in [-32, 64] px");
  bad = good, bad.sensor.camera->cy_px = -24.5;
  EXPECT_EQ(refusal(bad), "cy_px = -24.5 is not in [-24, 48] px");
  bad = good, bad.tape_m = {1.0, -1.0};
  EXPECT_EQ(refusal(bad), "distance of frame 1 = -1 is not in [0.001, 1e+06] m");
  bad = good, bad.tape_m = {1.0};
  EXPECT_EQ(refusal(bad), "1 distances given for 2 frames");
  bad = good, bad.left_out.assign(5, 0);
  EXPECT_EQ(refusal(bad), "5 numbers leave out rays of 2 frames of 24 x 32 rays");
  bad = good, bad.measured_m.assign(bad.measured_m.size(), kNone);
  EXPECT_EQ(refusal(bad), "frame 0: has 0 readings, and a wall needs 100; no frame shows a wall");
  EXPECT_EQ(refusal(good, {.rate_hz = 0.0}), "rate_hz = 0 is not in [0.001, 1e+06] Hz");
  EXPECT_EQ(refusal(good, {.most_returns = 10}), "max_returns = 10 is not at least 1000");
  EXPECT_EQ(refusal(good, {.hold_out = 1}), "hold_out = 1 leaves nothing to learn from");
  WallFrames laser = simulate_wall(laser_sensor(61, 40), walls(2, 1.0, 1.2, 0.0), {});
  laser.sensor.max_range_m = 0.9;
  EXPECT_EQ(refusal(laser),
            "frame 0: has 0 readings, and a wall needs 20 (61 more are not below max_range_m = 0.9); no frame shows a "
            "wall");
  laser.sensor.azimuth_rad.pop_back();
  EXPECT_EQ(refusal(laser), "a laser of 1 x 61 rays has 60 azimuths, and one row");
}

// What a plane takes of errors that neighbours share, against a sum over all pairs of readings.

/// The trace of H R: H projects errors on what the plane takes, and R has their correlations.
double taken_of(const WallWork& work, const WallLags& across, const WallLags& down) {
  const WallPlaneFit& fit = *work.fits[0];
  std::vector<Vec3> slopes;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < work.rays.size(); ++i) {
    if (work.measure.pixels[i] != WallMeasure::Pixel::kWall) continue;
    const double clean_m = work.rays.clean_m(i, fit.m), sigma = fit.scale.at(work.rays, i, clean_m);
    slopes.push_back((1.0 / sigma) * work.rays.slope(i, clean_m, fit.m)), at.push_back(i);
  }
  double trace = 0.0;
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = 0; b < at.size(); ++b) {
      const auto apart = [&](std::size_t x, std::size_t y) { return x > y ? x - y : y - x; };
      const std::size_t right = apart(at[a] % work.rays.cols, at[b] % work.rays.cols),
                        below = apart(at[a] / work.rays.cols, at[b] / work.rays.cols);
      if (right >= across.size() || below >= down.size() || across[right] * down[below] == 0.0) continue;
      trace += vector_of(slopes[a]).dot(fit.covariance * vector_of(slopes[b])) * across[right] * down[below];
    }
  }
  return trace;
}

TEST(WallNeighbours, SumWhatAPlaneTakes) {
  const WallLags across = field_correlations(CorrelationShape::kGaussian, 1.5),
                 down = field_correlations(CorrelationShape::kGaussian, 1.2);
  const StereoEnergy losing = {.min_energy = 0.15F, .pow = 6.0F, .normalization = EnergyNormalization::kThreshold};
  for (const NoiseChain& chain :
       {NoiseChain{Disparity{.stddev_px = 0.08F}}, NoiseChain{losing, Disparity{.stddev_px = 0.08F}, Dropout{0.3F}}}) {
    const WallWork work = measure_frames(
        simulate_wall(stereo_sensor(64, 48), std::vector{wall_at(1.2, 55.0, 10.0)}, chain, {.seed = 3}), {}, nullptr);
    ASSERT_TRUE(work.fits[0]);
    const double taken = taken_of(work, across, down);
    EXPECT_NEAR(3.0 * WallNeighbours(work).sum(across, down), taken, 0.1 * taken);
  }
}

/// Blocks give the densities that single returns have, also after any parameter has moved and has moved back.
TEST(ChainLikelihood, OfBlocksIsThatOfReturns) {
  const StereoEnergy losing = {.min_energy = 0.15F, .pow = 6.0F, .normalization = EnergyNormalization::kThreshold};
  const NoiseChain chain = {losing, Disparity{.stddev_px = 0.08F, .steps_per_px = 16.0F}, GainBias{}, Dropout{0.05F}};
  const WallFrames frames = simulate_wall(stereo_sensor(64, 48), walls(4, 0.8, 3.0, 50.0), chain, {.seed = 5});
  const ChainReturns returns = wall_returns(frames, measure_frames(frames, {}, nullptr), {.most_returns = 2000});
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < returns.size(); i += 2) used.push_back(i);
  const auto executor = make_executor(1);
  const ChainData data = {returns, used, *executor};
  std::vector<FreeNumber> free;
  for (const char* name :
       {"disparity.stddev_px", "disparity.bias_px", "gain_bias.bias_m", "dropout.probability", "stereo_energy.pow"}) {
    for (FreeNumber& p : free_numbers(chain, chain_parameters(chain, name), std::vector<std::uint16_t>()))
      free.push_back(p);
  }
  ASSERT_EQ(free.size(), 5U);
  const ChainLikelihood likelihood(chain, free, data);
  const std::vector<double> start = values_of(chain, free);
  std::size_t lost = 0;
  for (std::size_t moved = 0; moved <= free.size(); ++moved) {
    SCOPED_TRACE(moved == free.size() ? "all moved back" : free[moved].field);
    std::vector<double> values = start;
    if (moved < free.size()) values[moved] = as_float(1.1 * start[moved] + 0.01);
    const std::vector<double> nats = likelihood.each(values);
    const ChainDensity density(likelihood.chain_at(values), returns);
    for (std::size_t k = 0; k < used.size(); ++k) {
      const double kept = density.kept(used[k]), part = density.range_part(used[k]);
      const double expected = data.is_lost(k) ? math::log(1.0 - kept * part) : math::log(kept) + part;
      EXPECT_EQ(nats[k], std::max(expected, ChainDensity::kLeastLog)) << used[k];
      lost += data.is_lost(k) ? 1 : 0;
    }
  }
  EXPECT_GT(lost, 100U);
}

}  // namespace
}  // namespace fathom::test::wall_plane_test
