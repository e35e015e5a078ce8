#pragma once
// The beam model of range finders: the density of a reading z given the range z* that the map predicts.
//
//   p_hit    Normal(z*, sigma) cut to [0, Z]               p_short  l e^{-l z} / (1 - e^{-l z*}) on [0, z*]
//   p_max    a point mass at Z                             p_rand   1/Z on [0, Z)
//
//   f(z) = w_hit p_hit + w_short p_short + w_rand / Z for z < Z,     f(Z) = w_max
//
// Where a hit offset is set, z* + offset (cut to [0, Z]) stands for z* throughout: the surface is where hits are, and
// what is unexpected lies in front of it.
//
// f is a density against Lebesgue measure on [0, Z) plus a unit mass at Z, so learned weights do not depend on the unit
// of length. Acts on one beam; beams of a scan are taken as independent (see ScanScorer's alpha). Does not model cones,
// multiple returns or dependence between neighbouring beams.
// Source: Thrun, Burgard, Fox, Probabilistic Robotics (2005), section 6.3, equations 6.4 to 6.11; the atom in place of
// the narrow uniform of equation 6.10.

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/distributions.hpp>
#include <fathom/export.hpp>

namespace fathom {

/// The intrinsic parameters Theta. Weights are >= 0 and sum to 1 within 1e-6; they are never renormalised.
struct BeamParameters {
  double w_hit = 0.7;
  double w_short = 0.15;
  double w_max = 0.05;
  double w_rand = 0.1;
  double sigma_hit_m = 0.1;         ///< > 0
  double lambda_short_per_m = 0.4;  ///< >= 0; 0 makes short readings uniform on [0, z*]
  double hit_offset_m = 0.0;        ///< the surface is at z* + offset: walls of maps are 1 to 4 cells thick

  friend constexpr bool operator==(const BeamParameters&, const BeamParameters&) = default;
};

/// One parameter by name: what files, help and reports need.
struct BeamField {
  std::string_view name, unit;
  double BeamParameters::*member;
  double low, high;
  std::string_view doc;
};
inline constexpr std::array<BeamField, 7> kBeamFields = {{
    {"w_hit", "1", &BeamParameters::w_hit, 0, 1, "weight of readings of the expected surface"},
    {"w_short", "1", &BeamParameters::w_short, 0, 1, "weight of readings of something unexpected in front of it"},
    {"w_max", "1", &BeamParameters::w_max, 0, 1, "weight of readings without a return"},
    {"w_rand", "1", &BeamParameters::w_rand, 0, 1, "weight of readings that nothing explains"},
    {"sigma_hit_m", "m", &BeamParameters::sigma_hit_m, 1e-6, 1e6, "standard deviation of hits"},
    {"lambda_short_per_m", "1/m", &BeamParameters::lambda_short_per_m, 0, 1e6, "rate of short readings"},
    {"hit_offset_m", "m", &BeamParameters::hit_offset_m, -1e3, 1e3, "where hits centre, beyond the expected range"},
}};

/// Beams on which the map says nothing within Z: the book keeps the hit density, cut at Z; real sensors return Z, so
/// `atom` moves w_hit into the point mass there.
enum class MissPolicy : std::uint8_t { kBook, kAtom };
/// What a NaN reading is: no evidence, or a reading without a return.
enum class NanPolicy : std::uint8_t { kSkip, kMax };

/// What is known of the sensor and not learned.
struct BeamSensor {
  double max_range_m = 30.0;  ///< Z; every reading >= Z, and +inf, is a "max" reading
  double min_range_m = 0.0;   ///< readings below carry no evidence; they are never "max"
  /// D > 0: readings are rounded to multiples of D, a multiple that reaches Z being "max". They score
  /// P(z) = F(z + D/2) - F(z - D/2), "max" all that lies beyond the last of these cells, and the sampler draws them so.
  /// At least 1e-6 Z, as readings in single precision are no finer. Learning takes them as exact (FitOptions).
  double step_m = 0.0;
  double expected_floor_m = 0.025;  ///< z* below is clamped to it: half a cell of the map
  MissPolicy miss = MissPolicy::kBook;
  NanPolicy nan = NanPolicy::kSkip;
};

/// Throws InputError naming the field, its value and its limits; also when the weights do not sum to 1.
FATHOM_API void validate(const BeamParameters& parameters);
FATHOM_API void validate(const BeamSensor& sensor);

enum class ReadingKind : std::uint8_t { kRange, kMax, kNone };

/// z >= Z, where z may have been stored in single precision and so lie a rounding below.
[[nodiscard]] constexpr bool reaches(double z_m, double limit_m) {
  return z_m >= limit_m || (z_m > 0.999 * limit_m && static_cast<float>(z_m) >= static_cast<float>(limit_m));
}

/// Max, no evidence, or a range in [min_range, Z). Never decided by ==: logs code "no return" in many ways.
[[nodiscard]] constexpr ReadingKind classify(double z_m, const BeamSensor& sensor) {
  if (reaches(z_m, sensor.max_range_m)) return ReadingKind::kMax;
  if (z_m >= sensor.min_range_m && z_m >= 0.0) return ReadingKind::kRange;
  const bool is_nan = !(z_m < 0.0) && !(z_m >= 0.0);
  return is_nan && sensor.nan == NanPolicy::kMax ? ReadingKind::kMax : ReadingKind::kNone;
}

/// What the cumulative distribution of a reading jumps by there.
struct CdfJump {
  double before, after;
};

/// The mixture for one expected range, in double precision: the slow, complete path. Portable bits. Functions of z or u
/// give NaN for NaN, unless they say otherwise; infinite arguments lie below or beyond all others.
class FATHOM_API BeamDensity {
 public:
  /// expected_m: z* >= 0; +inf and anything >= Z mean that the map says nothing within Z. Throws InputError, as
  /// validate() does, when parameters or sensor are invalid, weights that do not sum to 1 among them, or z* is not >=
  /// 0.
  BeamDensity(const BeamParameters& parameters, const BeamSensor& sensor, double expected_m);

  /// f(z): per metre for z < Z, a probability at or above Z; 0 below 0. Ignores the step and the reading policies.
  [[nodiscard]] double density(double z_m) const;
  /// log f(z); -inf where f is 0.
  [[nodiscard]] double log_density(double z_m) const;
  /// P(reading <= z): 0 below 0, 1 from Z on.
  [[nodiscard]] double cdf(double z_m) const;
  /// The smallest z with F(z) >= u; Z for u in the atom.
  [[nodiscard]] double quantile(double u) const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double variance() const;
  /// A reading from two uniforms in (0, 1): u1 picks the component, u2 inverts it. A multiple of the step, if the
  /// sensor has one, or Z.
  [[nodiscard]] double sample(double u1, double u2) const;

  /// What a reading contributes to a log-likelihood: 0 where it carries no evidence, which NaN is or is not by policy;
  /// log f(z), or log P(z) when the sensor has a step. Over 0, D, 2 D, ... and Z these P sum to 1.
  [[nodiscard]] double log_likelihood(double z_m) const;
  /// The cdf of readings as they are classified and rounded: below z, and up to z. They differ at Z, and anywhere when
  /// the sensor has a step. NaN where a reading carries no evidence.
  [[nodiscard]] CdfJump cdf_jump(double z_m) const;

  [[nodiscard]] double expected_m() const { return short_.limit; }  ///< with the offset, as clamped
  [[nodiscard]] double w_hit() const { return w_hit_; }             ///< after the miss policy
  [[nodiscard]] double w_max() const { return w_max_; }
  [[nodiscard]] const TruncatedNormal& hit() const { return hit_; }
  [[nodiscard]] const TruncatedExponential& shorts() const { return short_; }

 private:
  [[nodiscard]] double continuous_cdf(double z_m) const;
  [[nodiscard]] double mass_between(double low_m, double high_m) const;
  [[nodiscard]] double log_cell_mass(double z_m) const;

  BeamSensor sensor_;
  double top_edge_m_;  // from here on readings are "max": Z, or where rounding to the step begins to reach it
  double w_hit_, w_short_, w_max_, w_rand_;
  TruncatedNormal hit_;
  TruncatedExponential short_;
  double hit_scale_, short_scale_;  // 1 / (sigma N) and the density of shorts at 0: once per z*, not per reading
};

}  // namespace fathom
