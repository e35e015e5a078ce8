// SPDX-License-Identifier: MIT
#pragma once
// stereo_energy: the more obliquely light leaves towards a camera, the less arrives, and pixels are lost at random. The
// energy of a return is the share of the light from a surface that reaches the worse of the two cameras:
//
//   E = min(cos theta_1, cos theta_2);   E <= min_energy: lost;   otherwise lost with probability clamp(X, 0, 1)^pow
//
//   energy: cosine       theta_i = angle between the normal and the way to camera i (as in the source)
//           half_vector  theta_i = angle between the normal and the bisector of the ways to camera i and to the
//                                  emitter: the specular reading
//   normalization: document   X = 1 - E / (1 - min_energy): negative for E > 1 - min_energy, and P jumps to 1 at the
//                             threshold
//                  threshold  X = (1 - E) / (1 - min_energy): P runs from 1 at E = min_energy to 0 at E = 1
//
// X is clamped here and not in the source, where a negative X gives no probability: NaN, or one above 1, depending on
// pow. Clamped, nothing is lost there.
//
// A sensor without cameras takes both angles at its emitter. A camera behind the surface sees E < 0: always lost.
// Source: the energy model of the depth cameras that docs/depth-cameras.md cites. The threshold law with min_energy
// 0.18, pow 14 and a floor of 0.3 % (add dropout) fits real structured-light frames from 0 to 74 degrees.
//
// Limits: min_energy below 1, so at most 1 - 2^-24, and pow above 0. Below 1e-9 and above 1e9 the law has no shape left
// in single precision: P is 1, or 0, for every X between 0 and 1. P has a relative error of about 1e-7 (2 + pow / X),
// the error of E: with pow above 1e5 P is accurate to some percent only.
//
// The array of energies (Channel::kEnergy) is the E that decides. So every stereo_energy of a chain must have the same
// `energy`, and so must its entries for entities and rings. Two models of a chain lose returns independently.
//
// As in the source, E depends by default on neither reflectivity nor range nor ambient light. reflectivity_exponent a,
// range_exponent k and ambient_klx scale it:
//
//   E' = E rho^a (r / 1 m)^-k / (1 + ambient / half_ambient)
//
// rho is the reflectivity of the entity that was struck, r the range. The renderer computes the factor, and apply()
// reads it as Surface::energy_gain. These parameters, too, must be the same in a chain.
//
// Not modelled: exposure, and light that other surfaces throw.

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/core/f32.hpp>
#include <fathom/core/field.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

enum class EnergyAngle : std::uint8_t { kCosine, kHalfVector };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<EnergyAngle> = {"cosine", "half_vector"};

/// E of one return, without the factor.
FATHOM_KERNEL float return_energy(EnergyAngle angle, const Surface& s) {
  // |l + e|^2 = 2 + 2 l . e; the bisector of opposite directions is nowhere, and E then 0.
  const float left_square = 2.0F + 2.0F * s.left_to_emitter, right_square = 2.0F + 2.0F * s.right_to_emitter;
  constexpr float kTiny = 1e-12F;
  const float left = (s.cos_left + s.cos_emitter) / math::sqrt(math::select(left_square > kTiny, left_square, kTiny));
  const float right =
      (s.cos_right + s.cos_emitter) / math::sqrt(math::select(right_square > kTiny, right_square, kTiny));
  const bool half = angle == EnergyAngle::kHalfVector;
  const float a = math::select(half, left, s.cos_left), b = math::select(half, right, s.cos_right);
  return math::select(a < b, a, b);
}

/// The exponents and the light of E' / E, for a chain.
struct EnergyGain {
  float reflectivity_exponent = 0.0F;  ///< a
  float range_exponent = 0.0F;         ///< k
  float light = 1.0F;                  ///< 1 / (1 + ambient / half_ambient)

  friend constexpr bool operator==(const EnergyGain&, const EnergyGain&) = default;
};

/// E' / E of a surface of that reflectivity, in [0, 1], at that range. An exponent of 0 gives a factor of exactly 1.
FATHOM_KERNEL float energy_gain_of(const EnergyGain& g, float reflectivity, float range_m) {
  const float least = math::select(range_m > 1e-6F, range_m, 1e-6F), far = math::select(least < 1e9F, least, 1e9F);
  const bool by_reflectivity = g.reflectivity_exponent > 0.0F, by_range = g.range_exponent > 0.0F;
  const float of_surface =
      math::power_of_fraction(reflectivity, math::select(by_reflectivity, g.reflectivity_exponent, 1.0F));
  const float of_range = math::exp(-g.range_exponent * math::log(far));
  return math::select(by_reflectivity, of_surface, 1.0F) * math::select(by_range, of_range, 1.0F) * g.light;
}

enum class EnergyNormalization : std::uint8_t { kDocument, kThreshold };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<EnergyNormalization> = {"document", "threshold"};

struct StereoEnergy {
  float min_energy = 0.18F;
  float pow = 14.0F;
  EnergyNormalization normalization = EnergyNormalization::kDocument;
  EnergyAngle energy = EnergyAngle::kCosine;
  float reflectivity_exponent = 0.0F;
  float range_exponent = 0.0F;
  float ambient_klx = 0.0F;
  float half_ambient_klx = 10.0F;

  static constexpr std::string_view kSlug = "stereo_energy";
  /// Names of parameters.
  static constexpr std::string_view kMinEnergy = "min_energy", kPow = "pow", kNormalization = "normalization";
  static constexpr std::string_view kDoc =
      "Loses returns by the light that reaches the cameras: too little, or at random.";
  static constexpr std::string_view kNote =
      "Differs from its source on purpose: a negative X counts as 0, so that nothing is lost there. The source's "
      "formula then gives no probability.";
  static constexpr Stage kStage = Stage::kEnergyLoss;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr SurfaceNeeds kNeeds = {.angles = true};
  static constexpr std::string_view kOneReading = "the energy array has one reading";
  static constexpr std::array<SameInChain, 5> kSameInChain = {{{"energy", kOneReading},
                                                               {"reflectivity_exponent", kOneReading},
                                                               {"range_exponent", kOneReading},
                                                               {"ambient_klx", kOneReading},
                                                               {"half_ambient_klx", kOneReading}}};

  static constexpr auto fields() {
    return std::array<Field<StereoEnergy>, 8>{{
        {kMinEnergy, "1", &StereoEnergy::min_energy, 0, 1.0 - 0x1p-24, "energy up to which every return is lost"},
        {kPow, "1", &StereoEnergy::pow, 1e-9, 1e9, "exponent of the probability of loss"},
        {kNormalization, "document|threshold", choice<&StereoEnergy::normalization>, 0, 0,
         "X = 1 - E / (1 - min_energy), or (1 - E) / (1 - min_energy)"},
        {"energy", "cosine|half_vector", choice<&StereoEnergy::energy>, 0, 0,
         "angle to the returning ray, or to the bisector of both rays"},
        {"reflectivity_exponent", "1", &StereoEnergy::reflectivity_exponent, 0, 8,
         "exponent of the entity's reflectivity in the energy"},
        {"range_exponent", "1", &StereoEnergy::range_exponent, 0, 4, "exponent of 1 m / range in the energy"},
        {"ambient_klx", "klx", &StereoEnergy::ambient_klx, 0, 1000, "ambient light on the surfaces"},
        {"half_ambient_klx", "klx", &StereoEnergy::half_ambient_klx, 1e-3, 1e6, "ambient light that halves the energy"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return false; }

  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "half_ambient_klx" && ambient_klx == 0.0F ? "ambient_klx = 0" : "";
  }

  static constexpr StereoEnergy without_losses(StereoEnergy p) {
    p.min_energy = 0.0F, p.pow = 1e9F;
    return p;
  }

  /// The array of energies shows the E that decides.
  [[nodiscard]] constexpr EnergyAngle energy_angle() const { return energy; }
  [[nodiscard]] constexpr EnergyGain energy_gain() const {
    return {reflectivity_exponent, range_exponent, 1.0F / (1.0F + ambient_klx / half_ambient_klx)};
  }

  FATHOM_KERNEL static Reason apply(const StereoEnergy& p, const Return& /*hit*/, const Surface& surface,
                                    const Draws<kDraws>& draws) {
    const float e = return_energy(p.energy, surface) * surface.energy_gain;
    const bool random = draws.uniform[0] < random_probability(p, e);
    const Reason above = random ? Reason::kRandomLoss : Reason::kHit;
    return e <= p.min_energy ? Reason::kLowEnergy : above;
  }

  static constexpr std::array<LearnedField, 2> kLearned = {{{kMinEnergy, LearnedRole::kThreshold}, {kPow}}};
  /// Under `threshold` the probability of loss rises to 1 at min_energy, without a jump.
  [[nodiscard]] constexpr bool jumps(std::string_view /*field*/) const {
    return normalization == EnergyNormalization::kDocument;
  }
  static constexpr StereoEnergy with_other_law(StereoEnergy p) {
    const bool is_document = p.normalization == EnergyNormalization::kDocument;
    p.normalization = is_document ? EnergyNormalization::kThreshold : EnergyNormalization::kDocument;
    return p;
  }
  [[nodiscard]] constexpr std::string_view law() const {
    return kChoiceWords<EnergyNormalization>[static_cast<std::size_t>(normalization)];
  }

  static constexpr LossCause kLossCause = LossCause::kIncidence;
  static constexpr std::array<std::string_view, 2> kLossFree = {kMinEnergy, kPow};
  static constexpr StereoEnergy begin_loss(const LossCover& /*cover*/) {
    return {.min_energy = 0.05F, .pow = 10.0F, .normalization = EnergyNormalization::kThreshold};
  }

  FATHOM_KERNEL static double loss_probability(const StereoEnergy& p, const Return& /*hit*/, const Surface& surface) {
    const float e = return_energy(p.energy, surface) * surface.energy_gain;
    return double{math::select(e <= p.min_energy, 1.0F, random_probability(p, e))};
  }

 private:
  /// Of a return of energy e above min_energy.
  FATHOM_KERNEL static float random_probability(const StereoEnergy& p, float e) {
    const float share = 1.0F - p.min_energy;
    const bool document = p.normalization == EnergyNormalization::kDocument;
    const float x = math::select(document, 1.0F - e / share, (1.0F - e) / share);
    return math::power_of_fraction(x, p.pow);
  }
};

}  // namespace fathom
