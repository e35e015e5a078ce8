// SPDX-License-Identifier: MIT
#pragma once
// dropout: a return is lost at random, whatever it struck.
//
//   lost when U < probability,   U ~ uniform[0, 1) per return
//
// The last stage of a frame: it acts on the returns that all other models left. Not modelled: losses that depend on the
// surface, the angle or the neighbours, and bursts (draws are independent per ray).

#include <array>

#include <fathom/noise/model.hpp>

namespace fathom {

struct Dropout {
  float probability = 0.0F;

  static constexpr std::string_view kSlug = "dropout";
  static constexpr std::string_view kDoc = "Loses each return with a fixed probability.";
  static constexpr Stage kStage = Stage::kDropout;
  static constexpr DrawCount kDraws = {.uniforms = 1};

  static constexpr auto fields() {
    return std::array<Field<Dropout>, 1>{{
        {"probability", "1", &Dropout::probability, 0, 1, "probability that a return is lost"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return probability == 0.0F; }

  FATHOM_KERNEL static Reason apply(const Dropout& p, const Return& /*hit*/, const Draws<kDraws>& draws) {
    return draws.uniform[0] < p.probability ? Reason::kDropout : Reason::kHit;
  }

  static constexpr std::array<LearnedField, 1> kLearned = {{{"probability"}}};
  static constexpr LossCause kLossCause = LossCause::kChance;
  static constexpr std::array<std::string_view, 1> kLossFree = {"probability"};
  FATHOM_API static Dropout begin_loss(const LossCover& cover);
  FATHOM_KERNEL static double loss_probability(const Dropout& p, const Return& /*hit*/, const Surface& /*surface*/) {
    return double{p.probability};
  }
};

}  // namespace fathom
