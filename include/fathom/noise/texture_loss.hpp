// SPDX-License-Identifier: MIT
#pragma once
// texture_loss: stereo needs contrast: the texture of the surface, and the pattern that a projector adds.
//
//   s = texture + projector exp(-(z - 1 m) / reach) / (z / 1 m)^2 / (1 + ambient / half_ambient)
//   P = 1 / (1 + exp((s - midpoint) / width));   lost with probability P; the reason is low_texture
//
// z is the distance of the hit point to the image plane. The projector's part is its contrast at 1 m in the dark: there
// s = texture + projector. The light of the pattern falls with the square of the distance and is absorbed over `reach`;
// ambient light does not fall, and the contrast of a pattern is its share of all light, hence the last factor. So a
// plain wall (texture 0) fails far away and in the sun, a textured one does not. Give entities their own parameters
// (ChainEntry::by_entity) for their textures. Typical: 0.1 klx in an office, 1 by a window, 100 in the sun.
//
// Source: the falloff is the inverse square law with absorption; midpoint, width, reach and half_ambient by eye.
//
// Not modelled: the cameras' exposure, and texture that repeats.

#include <array>

#include <fathom/noise/model.hpp>

namespace fathom {

struct TextureLoss {
  float texture = 0.0F;
  float projector = 1.0F;
  float reach_m = 10.0F;
  float ambient_klx = 0.0F;
  float half_ambient_klx = 10.0F;
  float midpoint = 0.03F;
  float width = 0.01F;

  static constexpr std::string_view kSlug = "texture_loss";
  static constexpr std::string_view kDoc = "Loses returns where texture and projected pattern are too faint to match.";
  static constexpr Stage kStage = Stage::kEnergyLoss;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr SurfaceNeeds kNeeds = {.camera = true};

  static constexpr auto fields() {
    return std::array<Field<TextureLoss>, 7>{{
        {"texture", "1", &TextureLoss::texture, 0, 1, "contrast of the surface itself"},
        {"projector", "1", &TextureLoss::projector, 0, 1, "contrast of the projected pattern at 1 m in the dark"},
        {"reach_m", "m", &TextureLoss::reach_m, 0.01, 1e6, "distance over which the pattern fades to 1 / e"},
        {"ambient_klx", "klx", &TextureLoss::ambient_klx, 0, 1000, "ambient light on the surfaces"},
        {"half_ambient_klx", "klx", &TextureLoss::half_ambient_klx, 1e-3, 1e6,
         "ambient light that halves the contrast of the pattern"},
        {"midpoint", "1", &TextureLoss::midpoint, -10, 10, "signal at which half of the returns are lost"},
        {"width", "1", &TextureLoss::width, 1e-6, 10, "change of signal that reduces the odds of loss to 1 / e"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return false; }

  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "half_ambient_klx" && ambient_klx == 0.0F ? "ambient_klx = 0" : "";
  }

  FATHOM_KERNEL static Reason apply(const TextureLoss& p, const Return& hit, const Surface& /*surface*/,
                                    const Draws<kDraws>& draws) {
    return draws.uniform[0] < probability_of(p, hit) ? Reason::kLowTexture : Reason::kHit;
  }

  static constexpr std::array<LearnedField, 3> kLearned = {{{"reach_m"}, {"midpoint"}, {"width"}}};
  static constexpr LossCause kLossCause = LossCause::kDepth;
  static constexpr std::array<std::string_view, 2> kLossFree = {"midpoint", "width"};
  FATHOM_API static TextureLoss begin_loss(const LossCover& cover);
  FATHOM_KERNEL static double loss_probability(const TextureLoss& p, const Return& hit, const Surface& /*surface*/) {
    const float probability = probability_of(p, hit);
    return double{math::select(probability > 0.0F, probability, 0.0F)};
  }

 private:
  FATHOM_KERNEL static float probability_of(const TextureLoss& p, const Return& hit) {
    const float z = math::select(hit.x > 1e-3F, hit.x, 1e-3F);
    const float light = 1.0F / (1.0F + p.ambient_klx / p.half_ambient_klx);
    const float pattern = math::exp((1.0F - z) / p.reach_m) / (z * z) * light;
    const float bounded = math::select(pattern < 1e9F, pattern, 1e9F);
    const float odds = math::exp((p.texture + p.projector * bounded - p.midpoint) / p.width);
    // A uniform is a multiple of 2^-24: less than half of that counts as never.
    return 1.0F / (1.0F + odds) - 0x1p-25F;
  }
};

}  // namespace fathom
