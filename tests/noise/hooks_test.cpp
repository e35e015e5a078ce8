// SPDX-License-Identifier: MIT
// What a model says of itself beyond its kernel reaches its Noise; see noise/model.hpp.

#include <gtest/gtest.h>

#include <fathom/noise/custom.hpp>

#include "noise/blind_zone.hpp"
#include "noise/busy.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

TEST(Hooks, OfAModelOfOnesOwnAreFound) {
  const Noise zone = BlindZone{.depth_m = 0.5F};
  EXPECT_EQ(zone.least_depth_m({}), 0.5);
  EXPECT_EQ(zone.with("share", 0.5).least_depth_m({}), 0.0);
  ASSERT_EQ(zone.same_in_chain().size(), 1U);
  EXPECT_EQ(zone.same_in_chain()[0].field, "depth_m");
  EXPECT_EQ(input_error([&] { zone.check_on({}); }), "blind_zone is that of a camera");
  EXPECT_EQ(input_error([&] { zone.check_on({.optics = {500, 320, 0}}); }), "");
  // Those that it has not.
  EXPECT_EQ(zone.sight_tolerance(), 0.0F);
  EXPECT_FALSE(zone.energy_angle());
}

TEST(Hooks, OfRegisteredModelsAreFound) {
  EXPECT_EQ(Noise(StereoShadow{.tolerance = 0.02F}).sight_tolerance(), 0.02F);
  EXPECT_EQ(Noise(StereoEnergy{}).energy_angle(), EnergyAngle::kCosine);
  EXPECT_EQ(Noise(StereoEnergy{.energy = EnergyAngle::kHalfVector}).energy_angle(), EnergyAngle::kHalfVector);
  const Optics optics = {.fx_px = 600, .cx_px = 320, .baseline_m = 0.05F};
  EXPECT_NEAR(Noise(InvalidBand{.max_disparity_px = 126}).least_depth_m(optics), 600 * 0.05 / 126, 1e-8);
  EXPECT_EQ(Noise(InvalidBand{}).least_depth_m(optics), 0.0);
  EXPECT_NE(input_error([] { Noise(InvalidBand{}).check_on({}); }), "");
  EXPECT_EQ(input_error([] { Noise(InvalidBand{}).check_on({.optics = {}, .left_is_reference = true}); }), "");
}

TEST(Hooks, WhatIsTheSameInAChainIsAParameter) {
  for (const Noise& noise : busy_models()) {
    for (const SameInChain& same : noise.same_in_chain()) {
      const std::vector<FieldInfo>& fields = noise.info().fields;
      EXPECT_TRUE(std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == same.field; }))
          << noise.slug() << "." << same.field;
    }
  }
}

}  // namespace
}  // namespace fathom::test
