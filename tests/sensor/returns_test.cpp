// SPDX-License-Identifier: MIT
// The samples of a diverging ray, their weights, and the laws that make returns of what they met.

#include <fathom/sensor/returns.hpp>

#include "sensor/returns.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr ReturnChoice kAll[] = {ReturnChoice::kFirst, ReturnChoice::kSecond, ReturnChoice::kLast,
                                 ReturnChoice::kStrongest, ReturnChoice::kSecondStrongest};

SampleHits nothing() {
  SampleHits hits;
  std::fill_n(hits.range_m, kDivergingSamples, math::kInfinity);
  std::fill_n(hits.energy, kDivergingSamples, 0.0F);
  return hits;
}

SampleHits any_hits() {
  SampleHits hits = nothing();
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
    if (*rc::gen::inRange(0, 4) == 0) continue;
    hits.range_m[s] = 1.0F + 0.25F * static_cast<float>(*rc::gen::inRange(0, 60));  // no rounding, many equal ones
    hits.energy[s] = 0.125F * static_cast<float>(*rc::gen::inRange(0, 9));
  }
  return hits;
}

TEST(DivergingSamples, LieOnThreeConesAboutTheCentre) {
  const auto samples = diverging_samples(0.02, 0.01, 0.5);
  EXPECT_EQ(samples[0].x, 0.0F);
  EXPECT_EQ(samples[0].y, 0.0F);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double scale = 1.0 - static_cast<double>((i - 1) / 19) / 3.0;
    const double x = samples[i].x / 0.01, y = samples[i].y / 0.005;
    EXPECT_NEAR(std::sqrt(x * x + y * y), scale, 1e-4) << i;
    EXPECT_NEAR(std::hypot(std::hypot(samples[i].x, samples[i].y), samples[i].z), 1.0, 1e-6);
  }
}

TEST(DivergingSamples, HalvesOfTheConesHaveHalfOfTheEnergy) {
  for (const BeamProfile profile : {BeamProfile::kGaussian, BeamProfile::kUniform}) {
    const auto samples = diverging_samples(0.02, 0.02, 0.5);
    const auto weights = sample_weights(profile);
    for (int turn = 0; turn < 1000; ++turn) {
      const double a = 2 * std::numbers::pi * (turn + 0.5) / 1000;
      double share = 0.5 * double{weights[0]};
      for (std::size_t i = 1; i < samples.size(); ++i) {
        if (samples[i].x * std::cos(a) + samples[i].y * std::sin(a) > 0) share += double{weights[i]};
      }
      ASSERT_NEAR(share, 0.5, 0.003) << a;
    }
  }
}

TEST(DivergingSamples, WeightsSumToOneAndAreTheEnergyOfTheirRings) {
  for (const BeamProfile profile : {BeamProfile::kGaussian, BeamProfile::kUniform}) {
    const auto weights = sample_weights(profile);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-6);
    // By numbers: the integral of r exp(-2 r^2), or of r, over the ring of each cone.
    const auto ring = [&](double from, double to) {
      double sum = 0.0, all = 0.0;
      for (int k = 0; k < 200000; ++k) {
        const double r = (k + 0.5) / 200000,
                     density = r * (profile == BeamProfile::kUniform ? 1.0 : std::exp(-2 * r * r));
        all += density, sum += r > from && r <= to ? density : 0.0;
      }
      return sum / all;
    };
    EXPECT_NEAR(weights[0], ring(0, 1.0 / 6), 1e-4);
    EXPECT_NEAR(19 * weights[1], ring(5.0 / 6, 1), 1e-4);
    EXPECT_NEAR(19 * weights[20], ring(0.5, 5.0 / 6), 1e-4);
    EXPECT_NEAR(19 * weights[39], ring(1.0 / 6, 0.5), 1e-4);
  }
}

/// By the text of the law: sorted, cut at gaps, means in double precision.
struct PlainEcho {
  double range_m = 0.0, energy = 0.0;
};
std::vector<PlainEcho> plain_echoes(const SampleHits& hits, const float* weights, float separation_m) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
    if (std::isfinite(hits.range_m[s])) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return hits.range_m[a] < hits.range_m[b]; });
  std::vector<PlainEcho> echoes;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && !(hits.range_m[order[end]] - hits.range_m[order[end - 1]] > separation_m)) ++end;
    PlainEcho echo;
    double weight = 0.0, by_weight = 0.0, by_energy = 0.0;
    for (std::size_t k = i; k < end; ++k) {
      const std::uint32_t s = order[k];
      echo.energy += hits.energy[s], by_energy += double{hits.energy[s]} * hits.range_m[s];
      weight += weights[s], by_weight += double{weights[s]} * hits.range_m[s];
    }
    echo.range_m = echo.energy > 0.0 ? by_energy / echo.energy : by_weight / weight;
    echoes.push_back(echo);
    i = end;
  }
  return echoes;
}

RC_GTEST_PROP(Echoes, AreThoseOfThePlainLaw, ()) {
  const SampleHits hits = any_hits();
  const float separation_m = 0.25F * static_cast<float>(*rc::gen::inRange(0, 8));
  const auto weights = sample_weights(BeamProfile::kUniform);
  Echoes echoes;
  join_hits(hits, weights.data(), separation_m, echoes);
  const std::vector<PlainEcho> wanted = plain_echoes(hits, weights.data(), separation_m);
  RC_ASSERT(echoes.count == wanted.size());
  for (std::uint32_t e = 0; e < echoes.count; ++e) {
    RC_ASSERT(std::abs(echoes.range_m[e] - wanted[e].range_m) < 1e-5 * wanted[e].range_m);
    RC_ASSERT(std::abs(echoes.energy[e] - wanted[e].energy) < 1e-4);
    if (e > 0) RC_ASSERT(echoes.range_m[e - 1] < echoes.range_m[e]);
  }
}

RC_GTEST_PROP(Echoes, ReturnsAreDifferentEchoesAndNoneIsMissingThatCouldBeThere, ()) {
  const SampleHits hits = any_hits();
  const auto weights = sample_weights(BeamProfile::kGaussian);
  Echoes echoes;
  join_hits(hits, weights.data(), 0.3F, echoes);
  std::vector<ReturnChoice> choices(std::begin(kAll), std::end(kAll));
  for (std::size_t i = choices.size(); i > 1; --i)
    std::swap(choices[i - 1], choices[*rc::gen::inRange<std::size_t>(0, i)]);
  choices.resize(*rc::gen::inRange<std::size_t>(1, 6));
  std::uint32_t chosen[kMostReturns];
  choose_by_simulator(echoes, choices.data(), static_cast<std::uint32_t>(choices.size()), CoincidingReturn::kNext, 0.0F,
                      100.0F, chosen);
  std::vector<std::uint32_t> found;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    if (chosen[k] == kNoEcho) continue;
    RC_ASSERT(chosen[k] < echoes.count);
    found.push_back(chosen[k]);
  }
  std::sort(found.begin(), found.end());
  RC_ASSERT(std::adjacent_find(found.begin(), found.end()) == found.end());
  // With one echo there is no second return; with two or more, every return is filled if possible.
  if (echoes.count >= 2) RC_ASSERT(found.size() == std::min<std::size_t>(choices.size(), echoes.count));
  if (choices.front() == ReturnChoice::kFirst && echoes.count > 0) RC_ASSERT(chosen[0] == 0U);
  if (choices.front() == ReturnChoice::kLast && echoes.count > 0) RC_ASSERT(chosen[0] == echoes.count - 1);
  if (choices.front() == ReturnChoice::kStrongest && echoes.count > 0) {
    RC_ASSERT(echoes.energy[chosen[0]] == *std::max_element(echoes.energy, echoes.energy + echoes.count));
  }
}

Echoes two_echoes(float first_energy, float second_energy) {
  SampleHits hits = nothing();
  hits.range_m[3] = 5.0F, hits.energy[3] = first_energy;
  hits.range_m[9] = 9.0F, hits.energy[9] = second_energy;
  Echoes echoes;
  join_hits(hits, sample_weights(BeamProfile::kUniform).data(), 0.5F, echoes);
  return echoes;
}

TEST(Echoes, WhereTheStrongestIsTheLastTheOtherOneIsReported) {
  const ReturnChoice dual[] = {ReturnChoice::kStrongest, ReturnChoice::kLast};
  std::uint32_t chosen[2];
  choose_by_simulator(two_echoes(1, 2), dual, 2, CoincidingReturn::kNext, 0, 100, chosen);
  EXPECT_EQ(chosen[0], 1U);
  EXPECT_EQ(chosen[1], 0U);
  choose_by_simulator(two_echoes(2, 1), dual, 2, CoincidingReturn::kNext, 0, 100, chosen);
  EXPECT_EQ(chosen[0], 0U);
  EXPECT_EQ(chosen[1], 1U);
}

/// The echoes that returns report, by their numbers; -1: none.
std::vector<int> reported(const Echoes& echoes, const ReturnChoices& choices, CoincidingReturn coinciding) {
  std::uint32_t chosen[kMostReturns];
  choose_by_simulator(echoes, choices.data(), static_cast<std::uint32_t>(choices.size()), coinciding, 0, 100, chosen);
  std::vector<int> numbers;
  for (std::size_t k = 0; k < choices.size(); ++k) numbers.push_back(static_cast<int>(chosen[k]));
  return numbers;
}

TEST(Echoes, ThatAnEarlierReturnHasAreReportedAsTheSensorChooses) {
  const ReturnChoices dual = {ReturnChoice::kLast, ReturnChoice::kStrongest};
  const ReturnChoices seconds = {ReturnChoice::kStrongest, ReturnChoice::kSecondStrongest, ReturnChoice::kSecond};
  const Echoes two = two_echoes(1, 2);
  Echoes one = two;
  one.count = 1;
  using enum CoincidingReturn;
  EXPECT_EQ(reported(two, dual, kNext), (std::vector<int>{1, 0}));
  EXPECT_EQ(reported(one, dual, kNext), (std::vector<int>{0, -1}));
  EXPECT_EQ(reported(two, seconds, kNext), (std::vector<int>{1, 0, -1}));
  EXPECT_EQ(reported(one, seconds, kNext), (std::vector<int>{0, -1, -1}));
  EXPECT_EQ(reported(two, dual, kNextOrRepeat), (std::vector<int>{1, 0}));
  EXPECT_EQ(reported(one, dual, kNextOrRepeat), (std::vector<int>{0, 0}));
  EXPECT_EQ(reported(two, seconds, kNextOrRepeat), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(reported(one, seconds, kNextOrRepeat), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(reported(two, dual, kRepeat), (std::vector<int>{1, 1}));
  EXPECT_EQ(reported(one, dual, kRepeat), (std::vector<int>{0, 0}));
  EXPECT_EQ(reported(two, seconds, kRepeat), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(reported(one, seconds, kRepeat), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(reported(two, dual, kBlank), (std::vector<int>{1, -1}));
  EXPECT_EQ(reported(one, dual, kBlank), (std::vector<int>{0, -1}));
  EXPECT_EQ(reported(two, seconds, kBlank), (std::vector<int>{1, 0, -1}));
  EXPECT_EQ(reported(one, seconds, kBlank), (std::vector<int>{0, -1, -1}));
}

RC_GTEST_PROP(Echoes, WithRepetitionsEveryReturnOfARayThatMetSomethingIsThere, ()) {
  const SampleHits hits = any_hits();
  Echoes echoes;
  join_hits(hits, sample_weights(BeamProfile::kGaussian).data(), 0.3F, echoes);
  const ReturnChoices all(std::begin(kAll), std::end(kAll));
  for (const int number : reported(echoes, all, CoincidingReturn::kRepeat)) {
    RC_ASSERT(number < static_cast<int>(echoes.count) && (number >= 0) == (echoes.count > 0));
  }
  const std::vector<int> next = reported(echoes, all, CoincidingReturn::kNext);
  const std::vector<int> filled = reported(echoes, all, CoincidingReturn::kNextOrRepeat);
  for (std::size_t k = 0; k < all.size(); ++k) {
    RC_ASSERT((filled[k] >= 0) == (echoes.count > 0));
    if (next[k] >= 0) RC_ASSERT(filled[k] == next[k]);
  }
}

TEST(Echoes, ThoseOutsideTheLimitsCountOnlyWhereNoneIsInside) {
  const ReturnChoice first[] = {ReturnChoice::kFirst, ReturnChoice::kLast};
  std::uint32_t chosen[2];
  choose_by_simulator(two_echoes(1, 1), first, 2, CoincidingReturn::kNext, 6, 100, chosen);
  EXPECT_EQ(chosen[0], 1U);
  EXPECT_EQ(chosen[1], kNoEcho);
  choose_by_simulator(two_echoes(1, 1), first, 1, CoincidingReturn::kNext, 0, 8, chosen);
  EXPECT_EQ(chosen[0], 0U);
  choose_by_simulator(two_echoes(1, 1), first, 2, CoincidingReturn::kNext, 6, 8, chosen);
  EXPECT_EQ(chosen[0], 0U);
  EXPECT_EQ(chosen[1], 1U);
}

TEST(Echoes, OfSurfacesThatSendNothingBackHaveTheMeanOfTheirWeights) {
  SampleHits hits = nothing();
  hits.range_m[0] = 4.0F, hits.range_m[1] = 5.0F;
  float weights[kDivergingSamples] = {3.0F, 1.0F};
  Echoes echoes;
  join_hits(hits, weights, 2.0F, echoes);
  ASSERT_EQ(echoes.count, 1U);
  EXPECT_FLOAT_EQ(echoes.range_m[0], 4.25F);
  EXPECT_EQ(echoes.energy[0], 0.0F);
}

TEST(Echoes, ReturnsReportThemAndTheirSamples) {
  const Echoes two = two_echoes(1, 2);
  const ChosenReturn far = return_of(two, 1);
  EXPECT_TRUE(far.met);
  EXPECT_FALSE(far.blank);
  EXPECT_EQ(far.sample, 9U);
  EXPECT_EQ(far.range_m, 9.0F);
  EXPECT_EQ(far.energy, 2.0F);
  for (const Echoes& echoes : {two, Echoes{}}) {
    const ChosenReturn none = return_of(echoes, kNoEcho);
    EXPECT_FALSE(none.met);
    EXPECT_EQ(none.blank, echoes.count > 0);
    EXPECT_EQ(none.sample, 0U);
    EXPECT_EQ(none.range_m, math::kInfinity);
    EXPECT_EQ(none.energy, 0.0F);
  }
}

// Robotec's law.

/// One echo for each pair of range and energy, of every third sample.
Echoes robotec_echoes(const std::vector<std::pair<float, float>>& hits) {
  Echoes echoes;
  for (const auto& [range_m, energy] : hits) add_echo(echoes, range_m, energy, 3 * echoes.count);
  return echoes;
}

/// The ranges and energies of the five choices, as the law has them word by word.
struct Pick {
  float range_m, energy;
  bool operator==(const Pick&) const = default;
};
std::vector<Pick> robotec_picks(const std::vector<std::pair<float, float>>& hits) {
  const auto at = [&](std::size_t i) { return Pick{hits[i].first, hits[i].second}; };
  std::vector<std::size_t> nearest = {0}, strongest = {0};  // echoes that displaced the one before
  std::size_t second = 0, next = 0, last = 0;
  for (std::size_t i = 1; i < hits.size(); ++i) {
    const auto& [range, energy] = hits[i];
    if (range < at(nearest.back()).range_m) {
      second = nearest.back(), nearest.push_back(i);
    } else if (range != at(nearest.back()).range_m && range < at(second).range_m) {
      second = i;
    }
    if (energy > at(strongest.back()).energy) {
      next = strongest.back(), strongest.push_back(i);
    } else if (energy != at(strongest.back()).energy && energy > at(next).energy) {
      next = i;
    }
    if (range > at(last).range_m) last = i;
  }
  return {at(nearest.back()), at(second), at(last), at(strongest.back()), at(next)};
}

std::vector<Pick> picks_by_robotec(const Echoes& echoes) {
  std::uint32_t chosen[kMostReturns];
  choose_by_robotec(echoes, chosen);
  std::vector<Pick> picks;
  for (const std::uint32_t e : chosen) picks.push_back({echoes.range_m[e], echoes.energy[e]});
  return picks;
}

RC_GTEST_PROP(RobotecReturns, AreThoseOfTheLaw, ()) {
  const auto level = [](int most) { return 0.25F * static_cast<float>(*rc::gen::inRange(1, most)); };
  std::vector<std::pair<float, float>> hits(*rc::gen::inRange<std::size_t>(1, kDivergingSamples + 1));
  for (auto& [range_m, energy] : hits) range_m = level(20), energy = level(9);
  RC_ASSERT(picks_by_robotec(robotec_echoes(hits)) == robotec_picks(hits));
}

TEST(RobotecReturns, OfTheSameHitsInAnotherOrderHaveAnotherSecond) {
  using Picks = std::vector<Pick>;
  const Pick a = {1, 3}, b = {2, 2}, c = {3, 1};
  // The nearest first: nothing displaces it, and nothing lies between it and itself.
  EXPECT_EQ(picks_by_robotec(robotec_echoes({{1, 3}, {2, 2}, {3, 1}})), (Picks{a, a, c, a, a}));
  // The farthest first: each hit displaces the one before.
  EXPECT_EQ(picks_by_robotec(robotec_echoes({{3, 1}, {2, 2}, {1, 3}})), (Picks{a, b, c, a, b}));
  // Displaced first, then one between the two.
  EXPECT_EQ(picks_by_robotec(robotec_echoes({{3, 1}, {1, 3}, {2, 2}})), (Picks{a, b, c, a, b}));
}

TEST(RobotecReturns, OfNoHitAreNone) {
  std::uint32_t chosen[kMostReturns];
  choose_by_robotec({}, chosen);
  for (const std::uint32_t e : chosen) EXPECT_EQ(e, kNoEcho);
}

TEST(Returns, AreCheckedByName) {
  const auto message = [](const Divergence& divergence, const ReturnChoices& returns) {
    return input_error([&] { validate(divergence, returns); });
  };
  const Divergence wide = {.horizontal_rad = 0.003F};
  EXPECT_EQ(message(wide, {ReturnChoice::kStrongest, ReturnChoice::kLast}), "");
  EXPECT_EQ(message({}, {ReturnChoice::kLast}), "");
  EXPECT_EQ(message({}, {ReturnChoice::kFirst, ReturnChoice::kLast}),
            "2 returns of each ray need a divergence: a ray that does not widen has one");
  EXPECT_EQ(message({}, {ReturnChoice::kSecondStrongest}),
            "returns: 'second_strongest' needs a divergence: a ray that does not widen has one return");
  EXPECT_EQ(message(wide, {ReturnChoice::kSecond}), "");
  EXPECT_EQ(message(wide, {ReturnChoice::kLast, ReturnChoice::kLast}), "returns names 'last' twice");
  EXPECT_EQ(message(wide, {}), "returns names no return; a sensor reports at least one");
  EXPECT_EQ(message({.horizontal_rad = 0.3F}, {ReturnChoice::kLast}),
            "divergence.horizontal_rad = 0.3 is not in [0, 0.2] rad");
  EXPECT_NE(message({.vertical_rad = std::numeric_limits<float>::quiet_NaN()}, {ReturnChoice::kLast}), "");
  EXPECT_NE(message({.horizontal_rad = 0.003F, .separation_m = -1}, {ReturnChoice::kLast}), "");
}

}  // namespace
}  // namespace fathom::test
