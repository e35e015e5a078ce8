// SPDX-License-Identifier: MIT
#include <fathom/noise/edge_loss.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

// The ends of the branches, draw by draw.
TEST(EdgeLossLaw, TheAnglesThemselvesBelongToTheBranchAbove) {
  EdgeLoss law{.min_angle_rad = 2.0F,
               .max_angle_rad = 2.5F,
               .low_probability = 0.25F,
               .high_probability = 0.75F,
               .law = EdgeLaw::kAngle};
  const auto lost = [&](float angle, float u) {
    Surface surface;
    surface.edge_rad = angle;
    return EdgeLoss::apply(law, {}, surface, {{}, {u}}) == Reason::kEdgeLoss;
  };
  EXPECT_FALSE(lost(std::nextafter(2.0F, 0.0F), 0.0F));
  EXPECT_TRUE(lost(2.0F, 0.2499F));
  EXPECT_FALSE(lost(2.0F, 0.25F));
  EXPECT_TRUE(lost(2.25F, 0.4999F));
  EXPECT_FALSE(lost(2.25F, 0.5001F));
  EXPECT_TRUE(lost(2.5F, 0.7499F));
  EXPECT_FALSE(lost(2.5F, 0.75F));
  EXPECT_TRUE(lost(3.1F, 0.7499F));
  EXPECT_FALSE(lost(3.1F, 0.75F));
  law.max_angle_rad = 1.0F;  // taken as min_angle
  EXPECT_FALSE(lost(1.5F, 0.0F));
  EXPECT_TRUE(lost(2.0F, 0.7499F));
  EXPECT_FALSE(lost(2.0F, 0.75F));
}

double probability_of_edge(const EdgeLoss& p, double angle) {
  if (angle < double{p.min_angle_rad}) return 0.0;
  if (angle >= double{p.max_angle_rad}) return p.high_probability;
  const double u = (angle - p.min_angle_rad) / (double{p.max_angle_rad} - p.min_angle_rad);
  return p.low_probability + u * (double{p.high_probability} - p.low_probability);
}

// The angles are from sensor/noise/blocks.hpp, evenly from 0 to 3.
TEST(EdgeLossLaw, LosesTheShareOfEachAngle) {
  constexpr EdgeLaw kAngle = EdgeLaw::kAngle, kPlane = EdgeLaw::kPlane;
  for (const EdgeLoss& law :
       {EdgeLoss{1.0F, 2.0F, 0.2F, 0.9F, 0, kAngle}, EdgeLoss{0.5F, 2.9F, 0.9F, 0.1F, 0, kAngle},
        EdgeLoss{1.5F, 0.5F, 0.9F, 0.3F, 0, kAngle}, EdgeLoss{0.0F, 0.0F, 0.0F, 1e-3F, 0, kAngle},
        EdgeLoss{1.0F, 2.0F, 0.2F, 0.9F, 0.02F, kPlane}, EdgeLoss{0.5F, 2.9F, 0.9F, 0.1F, 0.04F, kPlane}}) {
    const Lanes lanes = sample(law, 1, 2, 3);
    SurfaceBlock surface;
    double expected = 0, variance = 0, lost = 0;
    for (std::size_t begin = 0; begin < lanes.size(); begin += kBlockRays) {
      fill_surface(lanes.quads.data() + begin / 4, kBlockRays, surface);
      for (std::size_t i = 0; i < kBlockRays; ++i) {
        const bool by_plane = law.law == kPlane, is_flat = by_plane && surface.jump[i] <= law.step;
        const double angle = by_plane ? surface.jump_rad[i] : surface.edge_rad[i];
        const double p = is_flat ? 0.0 : probability_of_edge(law, angle);
        const bool is_lost = lanes.reasons[begin + i] == static_cast<std::uint32_t>(Reason::kEdgeLoss);
        expected += p, variance += p * (1 - p), lost += is_lost ? 1 : 0;
        if (p == 0) {
          ASSERT_FALSE(is_lost) << angle;
        }
      }
    }
    EXPECT_NEAR(lost, expected, 4 * std::sqrt(variance));
    EXPECT_GT(lost, 100);
  }
}

TEST(EdgeLossLaw, IsTheIdentityWithoutAProbability) {
  EXPECT_TRUE(EdgeLoss{}.is_identity());
  EXPECT_FALSE(EdgeLoss{.low_probability = 0.1F}.is_identity());
  EXPECT_FALSE(EdgeLoss{.high_probability = 0.1F}.is_identity());
}

}  // namespace
}  // namespace fathom::test
