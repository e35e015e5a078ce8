// SPDX-License-Identifier: MIT
#include <fathom/noise/stereo_shadow.hpp>

#include "sensor/noise/blocks.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

Reason of_hidden(std::uint32_t hidden, float tolerance = 0.0F) {
  Surface surface;
  surface.hidden = hidden;
  return StereoShadow::apply({.tolerance = tolerance}, {}, surface, {});
}

TEST(StereoShadowLoss, NamesTheCameraThatDoesNotSeeThePoint) {
  for (const float tolerance : {0.0F, 0.1F}) {  // it is for who casts the rays
    EXPECT_EQ(of_hidden(0, tolerance), Reason::kHit);
    EXPECT_EQ(of_hidden(kHiddenFromLeft, tolerance), Reason::kHiddenLeft);
    EXPECT_EQ(of_hidden(kHiddenFromRight, tolerance), Reason::kHiddenRight);
    EXPECT_EQ(of_hidden(kHiddenFromLeft | kHiddenFromRight, tolerance), Reason::kHiddenBoth);
  }
}

TEST(StereoShadowLoss, ReadsTheSurfaceOfEachLane) {
  constexpr std::size_t kCount = 1024;
  for (const Isa isa : usable_isas()) {
    Lanes lanes = make_lanes(kCount);
    apply(StereoShadow{}, isa, {1, 1, 1}, lanes);
    SurfaceBlock surface;
    for (std::size_t begin = 0; begin < kCount; begin += kBlockRays) {
      fill_surface(lanes.quads.data() + begin / 4, kBlockRays, surface);
      for (std::size_t i = 0; i < kBlockRays; ++i) {
        ASSERT_EQ(lanes.reasons[begin + i], static_cast<std::uint32_t>(of_hidden(surface.hidden[i])));
      }
    }
  }
}

TEST(StereoShadowLoss, IsNeverTheIdentityAndTellsItsTolerance) {
  EXPECT_FALSE(StereoShadow{}.is_identity());
  EXPECT_EQ(StereoShadow{.tolerance = 0.03F}.sight_tolerance(), 0.03F);
}

}  // namespace
}  // namespace fathom::test
