// SPDX-License-Identifier: MIT
// Fog, rain and snow against brute force in double precision: every drop of a beam is thrown, and integrals are sums.

#include <fathom/noise/detail/weather.hpp>

#include <fathom/noise/fog.hpp>
#include <fathom/noise/power_noise.hpp>
#include <fathom/noise/rain.hpp>
#include <fathom/noise/snow.hpp>
#include <fathom/sensor/presets.hpp>

#include "sensor/noise/samples.hpp"
#include "sensor/noise/thrown_drops.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test::weather_test {
namespace {

/// A beam of a lidar, and the surface before it.
struct Beam {
  std::string_view preset;
  float width_m, rad;
  float range_m, reflectivity;
};
constexpr Beam kBeams[] = {{"VLP-16", 0.0127F, 0.003F, 40.0F, 0.3F},
                           {"OS1-128", 0.0095F, 0.00314F, 25.0F, 0.1F},
                           {"HDL-64E", 0.013F, 0.002F, 60.0F, 0.5F}};

/// Of a sensor that sees as weak drops as surfaces.
Receiver receiver_up_to(float max_range_m, float least, const std::vector<float>& table, const Ray& placed = {}) {
  return {0.0F, max_range_m, least, least, table.data(), placed};
}

Receiver receiver_of(const Beam& beam, const std::vector<float>& table) {
  const float least = find_preset(beam.preset).detection.least_power();
  return receiver_up_to(120.0F, least > 0.0F ? least : least_power_of(0.1F, 100.0F), table);
}

PoweredReading wall(const Beam& beam) {
  return {{beam.range_m, 0, 0, beam.range_m, beam.range_m}, Reason::kHit, beam.reflectivity, false};
}

/// What rays report: shares of readings, and the ranges of drops.
struct Tally {
  double lost = 0, hard = 0;
  std::vector<double> soft_m = {};

  void add(Reason reason, bool from_medium, double range_m) {
    if (reason != Reason::kHit) {
      ++lost;
    } else if (from_medium) {
      soft_m.push_back(range_m);
    } else {
      ++hard;
    }
  }
};

constexpr std::size_t kRays = 20000;

template <class Model>
Tally tally_of(const Model& model, const Beam& beam) {
  const std::vector<float> table = model.tabulate();
  const Receiver receiver = receiver_of(beam, table);
  std::mt19937 random(7);
  const auto unit = [&] { return static_cast<float>(random() >> 8U) * 0x1p-24F; };
  std::normal_distribution<float> normal;
  Tally tally;
  for (std::size_t i = 0; i < kRays; ++i) {
    DrawsOf<Model> draws = {};
    if constexpr (Model::kDraws.normals > 0) draws.normal[0] = normal(random);
    for (float& u : draws.uniform) u = unit();
    const PoweredReading out = Model::apply(model, {0, 0, 0, 1, 0, 0}, wall(beam), receiver, draws);
    tally.add(out.reason, out.from_medium, double{out.hit.range_m});
  }
  return tally;
}

Tally thrown(const DropLaw& law, const Beam& beam) {
  const Receiver receiver = receiver_of(beam, {});
  const double alpha = law.extinction_per_m(), d = double{beam.range_m}, least = double{receiver.least_power};
  const double hard = double{beam.reflectivity} * std::exp(-2 * alpha * d) / (d * d);
  std::mt19937_64 random(11);
  Tally tally;
  for (std::size_t ray = 0; ray < kRays; ++ray) {
    const ThrownDrop drop = throw_drops(law, d, least, random);
    const bool is_soft = drop.power >= least && drop.power > (hard >= least ? hard : 0.0);
    tally.add(is_soft || hard >= least ? Reason::kHit : Reason::kLowPower, is_soft, drop.range_m);
  }
  return tally;
}

/// The largest distance between two empirical distributions.
double distance_of(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
  double most = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    a[i] < b[j] ? ++i : ++j;
    most = std::max(most, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                   static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return most;
}

void expect_same_law(const Tally& a, const Tally& b) {
  const auto expect_share = [](double x, double y) {
    const double p = (x + y) / (2.0 * kRays), sigma = std::sqrt(2 * p * (1 - p) / kRays);
    EXPECT_LE(std::abs(x - y) / kRays, 4.5 * sigma + 1e-3) << x << " and " << y;
  };
  expect_share(a.lost, b.lost), expect_share(a.hard, b.hard);
  const auto n = static_cast<double>(a.soft_m.size()), m = static_cast<double>(b.soft_m.size());
  expect_share(n, m);
  if (n < 100 || m < 100) return;
  const double distance = distance_of(a.soft_m, b.soft_m), size = n * m / (n + m);
  EXPECT_GT(ks_p_value(std::max(distance - 1e-3, 0.0), static_cast<std::size_t>(size)), kLowestP) << distance;
}

template <class Model>
void expect_law_of_thrown_drops() {
  for (const Beam& beam : kBeams) {
    for (const float rate : {1.0F, 10.0F, 100.0F}) {
      SCOPED_TRACE(std::string(beam.preset) + ", " + std::to_string(rate) + " mm/h");
      const Model model = {.rate_mm_per_h = rate, .beam_m = beam.width_m, .beam_rad = beam.rad};
      expect_same_law(tally_of(model, beam), thrown(model.drops(), beam));
    }
  }
}

TEST(Rain, HasTheLawOfThrownDrops) { expect_law_of_thrown_drops<Rain>(); }
TEST(Snow, HasTheLawOfThrownDrops) { expect_law_of_thrown_drops<Snow>(); }

/// The mean number of drops before a surface at d that return more than a power: Lambda(p, d).
double summed_count(const DropLaw& law, double power, double d) {
  constexpr int kSteps = 2000;
  const double alpha = law.extinction_per_m(), step = std::log(d / law.nearest_m) / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double r = law.nearest_m * std::exp(step * (i + 0.5)), w = law.beam_m + law.beam_rad * r;
    const double least = w * r * std::sqrt(power * std::exp(2 * alpha * r) / law.reflectivity);
    if (least > w) continue;
    sum += step * r * 0.25 * M_PI * w * w * law.per_m3_mm / law.per_mm * std::exp(-law.per_mm * 1e3 * least);
  }
  return sum;
}

/// The share of rays whose strongest drop returns at least a power, by the tables.
double share_of_table(const std::vector<float>& table, double power, double d) {
  double low = 0, high = 1;
  for (int i = 0; i < 24; ++i) {
    const double u = 0.5 * (low + high);
    const SoftReturn drop = strongest_drop(table.data(), static_cast<float>(d), static_cast<float>(u), 0.5F);
    (double{drop.power} >= power ? low : high) = u;
  }
  return low;
}

/// For powers that may outshine a surface of reflectivity 0.01.
void expect_shares_of_the_integral(const DropLaw& law, double tolerance) {
  const std::vector<float> table = DropTable::make(law);
  for (const double d : {2.0, 5.0, 12.0, 40.0, 120.0, 250.0}) {
    for (const double power : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
      if (power < 0.01 / (d * d)) continue;
      EXPECT_NEAR(share_of_table(table, power, d), -std::expm1(-summed_count(law, power, d)), tolerance)
          << "power " << power << ", surface at " << d;
    }
  }
}

TEST(Weather, DropsHaveTheSharesOfTheIntegral) {
  for (const Beam& beam : {kBeams[0], kBeams[1], kBeams[2], Beam{"laser pointer", 0.001F, 1e-6F, 0, 0}}) {
    for (const float rate : {1.0F, 10.0F, 100.0F}) {
      SCOPED_TRACE(std::string(beam.preset) + ", " + std::to_string(rate) + " mm/h");
      const bool is_narrow = beam.rad < 1e-3F;  // drops fill it
      const Rain rain = {.rate_mm_per_h = rate, .beam_m = beam.width_m, .beam_rad = beam.rad};
      const Snow snow = {.rate_mm_per_h = rate, .beam_m = beam.width_m, .beam_rad = beam.rad};
      expect_shares_of_the_integral(rain.drops(), 1e-3);
      expect_shares_of_the_integral(snow.drops(), is_narrow ? 5e-3 : rate > 10 ? 2.5e-3 : 1e-3);
    }
  }
}

/// Calls f(name, law, rate) for rain and snow before each beam.
template <class F>
void for_each_law(F f) {
  for (const Beam& beam : kBeams) {
    for (const float rate : {1.0F, 10.0F, 100.0F}) {
      SCOPED_TRACE(std::string(beam.preset) + ", " + std::to_string(rate) + " mm/h");
      f(Rain{.rate_mm_per_h = rate, .beam_m = beam.width_m, .beam_rad = beam.rad}.drops());
      f(Snow{.rate_mm_per_h = rate, .beam_m = beam.width_m, .beam_rad = beam.rad}.drops());
    }
  }
}

TEST(Weather, TheBoundOfPowersMissesNoDropAndFewRaysMore) {
  for_each_law([](const DropLaw& law) {
    const std::vector<float> table = DropTable::make(law);
    std::mt19937 random(3);
    const auto unit = [&] { return static_cast<float>(random() >> 8U) * 0x1p-24F; };
    for (int i = 0; i < 20000; ++i) {
      const float d = math::exp(7.0F * unit() - 1.0F), u1 = i % 2 == 0 ? unit() : math::exp(-16.0F * unit());
      const float power = strongest_drop(table.data(), d, u1 < 1.0F ? u1 : 0.0F, unit()).power;
      ASSERT_TRUE(power == 0.0F || may_show_drop(table.data(), power * (1.0F - 1e-6F), u1)) << d << ' ' << u1;
    }
    for (const float power : {1e-6F, 1e-5F, 1e-4F, 1e-3F}) {
      const double share = share_of_table(table, double{power}, 250.0);
      EXPECT_FALSE(may_show_drop(table.data(), power, static_cast<float>(2.5 * share + 0.02))) << power << ' ' << share;
    }
  });
}

/// Readings of every reason at ranges of a lidar.
void fill_readings(const std::uint32_t* quads, RayBlock& rays, ReturnBlock& b) {
  std::mt19937 random(5);
  const auto unit = [&] { return static_cast<float>(random() >> 8U) * 0x1p-24F; };
  for (std::uint32_t i = 0; i < kBlockRays; ++i) {
    const float range = math::exp(5.0F * unit()), x = 0.6F * range, y = 0.8F * range;
    rays.dx[i] = 0.6F, rays.dy[i] = 0.8F, rays.dz[i] = 0.0F;
    const bool is_hit = i % 3 != 0;
    b.reason[i] = is_hit ? static_cast<std::uint32_t>(Reason::kHit) : 1 + i % 18;
    b.x[i] = x, b.y[i] = y, b.z[i] = 0.0F, b.range_m[i] = b.radius_m[i] = is_hit ? range : math::kInfinity;
    b.intensity[i] = is_hit ? unit() : 0.0F, b.from_medium[i] = 0;
  }
  static constexpr float kFar = 100.0F, kNear = 1.1F;
  b.max_range_m = &kFar, b.min_range_m = &kNear, b.least_power = 2e-5F;
  rays.quads = b.quads = quads, rays.count = b.count = kBlockRays;
}

template <class Model>
void expect_steps_as_apply(const Model& model) {
  const auto given = std::make_unique<Workspace>(), w = std::make_unique<Workspace>();
  std::array<std::uint32_t, kBlockRays / 4> quads;
  for (std::uint32_t q = 0; q < quads.size(); ++q) quads[q] = 7 * q;
  fill_readings(quads.data(), given->rays, given->returns);
  const std::vector<float> table = model.tabulate();
  const NoiseKey key = {11, 2, 5};
  for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) continue;
    *w = *given;
    Noise(model).apply(isa, key, w->rays, w->returns, w->draws);
    std::size_t drops = 0;
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      DrawsOf<Model> draws;
      for (std::uint32_t k = 0; k < 2; ++k) {
        draws.uniform[k] = uniform_from_word(keyed_block(key, quads[i / 4], k).word[i % 4]);
      }
      Receiver receiver = receiver_up_to(100.0F, 2e-5F, table);
      receiver.min_range_m = 1.1F;
      const PoweredReading out =
          Model::apply(model, ray_of_lane(given->rays, i), powered_of_lane(given->returns, i), receiver, draws);
      const PoweredReading of_block = powered_of_lane(w->returns, i);
      ASSERT_EQ(math::bits_of(of_block.hit.range_m), math::bits_of(out.hit.range_m)) << i;
      ASSERT_EQ(math::bits_of(of_block.hit.x), math::bits_of(out.hit.x)) << i;
      ASSERT_EQ(math::bits_of(of_block.hit.radius_m), math::bits_of(out.hit.radius_m)) << i;
      ASSERT_EQ(math::bits_of(of_block.intensity), math::bits_of(out.intensity)) << i;
      ASSERT_EQ(of_block.reason, out.reason) << i;
      ASSERT_EQ(of_block.from_medium, out.from_medium) << i;
      drops += out.from_medium ? 1 : 0;
    }
    EXPECT_GT(drops, 3U);
  }
}

TEST(Weather, BlocksHaveTheBitsOfApply) {
  for (const float rate : {3.0F, 50.0F, 300.0F}) {
    if (rate > 10.0F) expect_steps_as_apply(Rain{.rate_mm_per_h = rate});
    expect_steps_as_apply(Snow{.rate_mm_per_h = rate});
  }
}

/// (pi / 4) 1e-6 integral of 2 D^2 n(D), by the rule of trapezoids.
double summed_extinction(double per_m3_mm, double per_mm) {
  double sum = 0;
  for (double mm = 0; mm < 60 / per_mm; mm += 1e-3) sum += 1e-3 * 2 * mm * mm * per_m3_mm * std::exp(-per_mm * mm);
  return 0.25 * M_PI * 1e-6 * sum;
}

TEST(Weather, ExtinctionIsTheIntegralOverTheDrops) {
  for (const double rate : {0.1, 1.0, 25.0, 300.0}) {
    const Rain rain = {.rate_mm_per_h = static_cast<float>(rate)};
    const Snow snow = {.rate_mm_per_h = static_cast<float>(rate)};
    const double of_rain = summed_extinction(8000, 4.1 * std::pow(rate, -0.21));
    const double of_snow = summed_extinction(7600 * std::pow(rate, -0.87), 2.55 * std::pow(rate, -0.48));
    EXPECT_NEAR(rain.drops().extinction_per_m() / of_rain, 1.0, 1e-5);
    EXPECT_NEAR(snow.drops().extinction_per_m() / of_snow, 1.0, 1e-5);
  }
}

/// The peak of the soft return before a surface at d, and its place.
SoftReturn summed_peak(const Fog& fog, double d) {
  const double alpha = std::log(20.0) / double{fog.visibility_m}, beta = 0.046 / double{fog.visibility_m};
  const double begin = double{fog.crossover_begin_m}, end = double{fog.crossover_end_m}, l = double{fog.pulse_m};
  double best = 0, place = 0;
  for (double at = begin; at < end + 2 * l; at += 0.02) {
    double sum = 0;
    constexpr double kStep = 1e-3;
    for (double r = std::max(begin, at - 2 * l) + kStep / 2; r < std::min(at, d); r += kStep) {
      const double pulse = std::sin(M_PI * (at - r) / (2 * l)), xi = std::min((r - begin) / (end - begin), 1.0);
      sum += kStep * pulse * pulse * xi * std::exp(-2 * alpha * r) / (r * r);
    }
    if (sum > best) best = sum, place = std::max(at - l, begin);
  }
  return {static_cast<float>(M_PI * beta * best), static_cast<float>(place)};
}

TEST(Fog, ReportsTheStrongerOfDropletsAndSurface) {
  for (const float visibility : {10.0F, 50.0F, 300.0F, 1000.0F}) {
    const Fog fog = {.visibility_m = visibility, .scatter_m = 0.0F, .power_scatter = 0.0F};
    const std::vector<float> table = fog.tabulate();
    for (const float d : {1.5F, 4.0F, 10.0F, 40.0F}) {
      const SoftReturn soft = summed_peak(fog, double{d});
      const float hard = 0.3F * std::exp(-2 * std::log(20.0F) / visibility * d);
      const PoweredReading in = {{d, 0, 0, d, d}, Reason::kHit, 0.3F, false};
      const PoweredReading out =
          Fog::apply(fog, {0, 0, 0, 1, 0, 0}, in, receiver_up_to(120, 1e-6F, table), {{0.0F}, {0.5F}});
      SCOPED_TRACE(std::to_string(visibility) + " m, surface at " + std::to_string(d));
      const bool is_soft = soft.power > hard / (d * d);
      EXPECT_EQ(out.from_medium, is_soft);
      EXPECT_NEAR(out.hit.range_m, is_soft ? soft.range_m : d, 0.05);
      EXPECT_NEAR(out.intensity / (out.hit.range_m * out.hit.range_m) / (is_soft ? soft.power : hard / (d * d)), 1.0,
                  3e-3);
    }
  }
}

/// The droplets' light, and its place, of the chord through a ball that thins out towards its edge; by sums.
SoftReturn summed_light(const Fog& ball, double chord_m, double miss) {
  const std::size_t steps = std::max<std::size_t>(600, static_cast<std::size_t>(chord_m / 0.05));
  const double step = chord_m / static_cast<double>(steps), alpha = double{ball.extinction()}, l = double{ball.pulse_m};
  std::vector<double> light(steps);
  double depth = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double u = 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(steps) - 1;
    const double density = 1 - double{ball.falloff} * (miss * miss + (1 - miss * miss) * u * u);
    light[i] = step * density * std::exp(-2 * alpha * (depth + 0.5 * step * density));
    depth += step * density;
  }
  double best = 0, place = 0;
  for (double at = 0; at < chord_m + 2 * l; at += 0.02) {
    double sum = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      const double before = at - step * (static_cast<double>(i) + 0.5);
      if (before > 0 && before < 2 * l) sum += light[i] * std::pow(std::sin(M_PI * before / (2 * l)), 2);
    }
    if (sum > best) best = sum, place = at - l;
  }
  return {static_cast<float>(M_PI * double{ball.backscatter()} * best), static_cast<float>(place)};
}

/// `miss`: of the ray, in halves of the size.
void compare_with_the_integral(float size, float alpha, float miss, float falloff) {
  constexpr float kFarM = 500.0F;
  SCOPED_TRACE(testing::Message() << size << " m, " << alpha << " per m, falloff " << falloff);
  const Fog ball = {.extinction_per_m = alpha,
                    .scatter_m = 0.0F,
                    .power_scatter = 0.0F,
                    .region = FogRegion::kSphere,
                    .x_m = kFarM,
                    .z_m = -0.5F * size * miss,
                    .size_x_m = size,
                    .size_y_m = size,
                    .size_z_m = size,
                    .falloff = falloff};
  const std::vector<float> table = ball.tabulate();
  const Ray ray = {0, 0, 0, 1, 0, 0};
  const PoweredReading nothing = {{math::kInfinity, 0, 0, math::kInfinity, math::kInfinity}, Reason::kMiss, 0, {}};
  const PoweredReading out =
      Fog::apply(ball, ray, nothing, receiver_up_to(2 * kFarM, 1e-12F, table, ray), {{0.0F}, {0.5F}});
  const double chord = double{size} * std::sqrt(1 - double{miss} * double{miss});
  const bool thins_out = falloff == 1.0F;  // to nothing
  const SoftReturn light = summed_light(ball, chord, double{miss});
  ASSERT_TRUE(out.from_medium);
  EXPECT_NEAR(out.intensity / light.power, 1.0F, thins_out ? 0.02F : 0.08F);
  EXPECT_NEAR(double{out.hit.range_m} - kFarM + 0.5 * chord, double{light.range_m},
              thins_out ? 0.03 + 0.006 * chord : 1.2 * double{ball.pulse_m});
}

TEST(Fog, CloudsWithSoftEdgesReturnTheLightOfTheIntegral) {
  for (const float size : {1.0F, 3.0F, 10.0F, 40.0F, 150.0F}) {
    for (const float alpha : {0.005F, 0.02F, 0.2F, 1.0F}) {
      for (const float falloff : {0.1F, 0.5F, 1.0F}) {
        for (const float miss : {0.0F, 0.7F}) compare_with_the_integral(size, alpha, miss, falloff);
      }
    }
  }
}

TEST(Fog, ScattersDropletsByTheBetaLaw) {
  const Beam beam = {"OS1-128", 0, 0, 100.0F, 0.0F};
  const Tally tally = tally_of(Fog{.visibility_m = 30.0F}, beam);
  ASSERT_EQ(tally.soft_m.size(), kRays);
  const double first = double{Fog{.visibility_m = 30.0F}.tabulate()[255]};  // the place without scatter
  std::vector<double> u;
  for (const double range : tally.soft_m) {
    const double x = (range - first) / 10.0;  // P(Beta(2, 20) <= x)
    u.push_back(1.0 - std::pow(1.0 - x, 20) * (1.0 + 20.0 * x));
  }
  EXPECT_GT(chi_square_p_of_uniforms(u, 51), kLowestP);
}

/// P(x' < x) of a gamma number x' of this shape, by its series.
double gamma_cdf(double shape, double x) {
  double term = 1.0 / shape, sum = term;
  for (int n = 1; term > 1e-12 * sum; ++n) sum += term *= x / (shape + n);
  return sum * std::exp(shape * std::log(x) - x - std::lgamma(shape));
}

TEST(Fog, ScattersPowersByTheGammaLaw) {
  constexpr double kApproximation = 3e-3;  // of Wilson and Hilferty's cube, at the widest scatter
  for (const float scatter : {0.1F, 0.2F, 0.5F}) {
    const Fog fog = {.visibility_m = 30.0F, .scatter_m = 0.0F, .power_scatter = scatter};
    const std::vector<float> table = fog.tabulate();
    const float peak = fog.peak_of_fog(table.data(), 100.0F).power;
    const PoweredReading nothing = {{math::kInfinity, 0, 0, math::kInfinity, math::kInfinity}, Reason::kMiss, 0, {}};
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<double> u;
    const double shape = 1 / std::pow(double{scatter}, 2);
    for (std::size_t i = 0; i < kRays; ++i) {
      const PoweredReading out =
          Fog::apply(fog, {0, 0, 0, 1, 0, 0}, nothing, receiver_up_to(100, 1e-9F, table), {{normal(random)}, {0.5F}});
      ASSERT_TRUE(out.from_medium);
      u.push_back(gamma_cdf(shape, shape * double{out.intensity / (out.hit.range_m * out.hit.range_m) / peak}));
    }
    std::sort(u.begin(), u.end());
    double distance = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      distance = std::max(distance, std::abs(u[i] - (static_cast<double>(i) + 0.5) / static_cast<double>(u.size())));
    }
    EXPECT_GT(ks_p_value(std::max(distance - kApproximation, 0.0), kRays), kLowestP) << scatter << ": " << distance;
  }
}

TEST(Weather, LosesSurfacesBehindIt) {
  // exp(-2 alpha d) is 1/400 at the visibility; without it, the sensor would see 0.1 up to 100 m.
  const Fog fog = {.visibility_m = 50.0F, .backscatter_per_m_sr = 1e-9F};
  const std::vector<float> table = fog.tabulate();
  const auto reason_at = [&](float d, Reason before) {
    const PoweredReading in = {{d, 0, 0, d, d}, before, 0.1F, false};
    return Fog::apply(fog, {0, 0, 0, 1, 0, 0}, in, receiver_up_to(120, 1e-5F, table), {{0.0F}, {0.5F}}).reason;
  };
  EXPECT_EQ(reason_at(23.8F, Reason::kHit), Reason::kHit);
  EXPECT_EQ(reason_at(24.0F, Reason::kHit), Reason::kLowPower);
  EXPECT_EQ(reason_at(5.0F, Reason::kDropout), Reason::kDropout) << "lost for another reason";
}

TEST(PowerNoise, GrowsAsThePowerFalls) {
  Lanes lanes = make_equal_lanes(kDraws, 20, 0, 0);  // intensities of fill_surface()
  const auto workspace = std::make_unique<Workspace>();
  fill_surface(lanes.quads.data(), 256, workspace->surface);
  const PowerNoise noise = {.stddev_m = 0.02F, .reference_m = 30.0F, .most_m = 0.05F};
  std::vector<double> u;
  apply(noise, detect_isa(), {1, 2, 3}, lanes);
  for (std::size_t begin = 0; begin < lanes.size(); begin += 256) {
    fill_surface(lanes.quads.data() + begin / 4, 256, workspace->surface);
    for (std::size_t i = 0; i < 256; ++i) {
      const double power = double{workspace->surface.cos_emitter[i]} / 400;
      const double sigma = std::min(0.02 * std::sqrt(0.1 / 900 / power), 0.05);
      u.push_back(normal_cdf((double{lanes.returns[begin + i].range_m} - 20) / sigma));
    }
  }
  EXPECT_GT(chi_square_p_of_uniforms(u, 101), kLowestP);
}

}  // namespace
}  // namespace fathom::test::weather_test
