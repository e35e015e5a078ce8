// SPDX-License-Identifier: MIT
#pragma once
// The beam model of range finders: the density of a reading z given the range z* that the map predicts.
//
//   p_hit    Normal(z*, sigma) cut to [0, Z]               p_short  l e^{-l z} / (1 - e^{-l z*}) on [0, z*]
//   p_max    a point mass at Z                             p_rand   1/Z on [0, Z)
//
//   f(z) = w_hit p_hit + w_short p_short + w_rand / Z for z < Z,     f(Z) = w_max
//
// That is the book's model. Hits with heavier tails (HitTail) extend it: BeamParameters::tail.
//
// Where a hit offset is set, z* + offset (cut to [0, Z]) replaces z* throughout: the surface is where hits are, and
// unexpected objects are in front of it.
//
// f is a density against Lebesgue measure on [0, Z) plus a unit mass at Z, so learned weights do not depend on the unit
// of length. Acts on one reading; readings of a scan are taken as independent (see ScoreOptions::alpha). Does not model
// cones, multiple returns or dependence between neighbouring readings.
// Source: Thrun, Burgard, Fox, Probabilistic Robotics (2005), section 6.3, equations 6.4 to 6.11; the atom replaces
// the narrow uniform of equation 6.10.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/distributions.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/random.hpp>

namespace fathom {

// What the noise model that draws by the beam model (noise/beam_mixture.hpp) shares with it.

/// The name of the noise model that draws readings by these densities (noise/beam_mixture.hpp). It is part of the
/// streams of its draws and of beam_key().
inline constexpr std::string_view kBeamMixtureSlug = "beam_mixture";

/// Limits of the parameters, also of the noise model, so that every fitted model can be simulated. They catch wrong
/// units only.
inline constexpr double kLeastSigmaHitM = 1e-6, kMostSigmaHitM = 1e6;
inline constexpr double kMostLambdaShortPerM = 1e6;
inline constexpr double kMostHitOffsetM = 1e3;  ///< to either side

/// Where the map predicts nothing within Z, the book keeps the hit density, cut at Z. Real sensors return Z, so `atom`
/// moves w_hit into the point mass there.
enum class MissPolicy : std::uint8_t { kBook, kAtom };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<MissPolicy> = {"book", "atom"};

// The book's Gaussian hits, and two laws with heavier tails.
//
//   gaussian    Normal(c, sigma)                  student_t   c + sigma T,   T ~ Student's t with nu degrees of freedom
//   grows       Normal(c, sigma + sigma' c)
//
// Each is cut to [0, Z] and renormalised; c is z* with the offset. gaussian is student_t for infinite nu, and grows
// with sigma' = 0. Errors of stereo and time of flight grow with the range.
// Source: Lange, Little and Taylor, "Robust statistical modeling using the t distribution", JASA 84 (1989).

enum class HitLaw : std::uint8_t { kGaussian, kStudentT, kGrows };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<HitLaw> = {"gaussian", "student_t", "grows"};

/// The extension of the book's parameters. Numbers that the law does not use are ignored.
struct HitTail {
  static constexpr double kLeastNu = 0.5, kMostNu = 1e6, kMostSigmaPerM = 1.0;

  HitLaw hit = HitLaw::kGaussian;
  double nu_hit = 4.0;           ///< of student_t
  double sigma_hit_per_m = 0.0;  ///< of grows

  friend constexpr bool operator==(const HitTail&, const HitTail&) = default;

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "Law of hits about the surface.";
  static constexpr auto fields() {
    using T = HitTail;
    return std::array<Field<T>, 3>{{
        {"hit", "gaussian|student_t|grows", choice<&T::hit>, 0, 0,
         "law of hits: as in the book, with heavy tails, or wider with the range"},
        {"nu_hit", "1", &T::nu_hit, kLeastNu, kMostNu,
         "degrees of freedom of student_t, whose scale is sigma_hit_m: the smaller, the heavier the tails"},
        {"sigma_hit_per_m", "m/m", &T::sigma_hit_per_m, 0, kMostSigmaPerM,
         "of grows: growth of the deviation per metre of range"},
    }};
  }
  /// The entry of the number that an extended law adds.
  static constexpr Field<HitTail> field_of(HitLaw law) { return fields()[law == HitLaw::kStudentT ? 1 : 2]; }
  [[nodiscard]] constexpr bool is_extended() const { return hit != HitLaw::kGaussian; }
};

/// The density of hits about one surface, in portable double precision.
class FATHOM_API HitDensity {
 public:
  HitDensity() = default;
  /// 0 <= center_m <= limit_m, sigma_m > 0 that of the law at 0.
  HitDensity(const HitTail& tail, double center_m, double sigma_m, double limit_m);

  [[nodiscard]] double center() const { return normal_.center; }
  [[nodiscard]] double scale() const { return normal_.sigma; }  ///< here: sigma, with its growth
  [[nodiscard]] double limit() const { return normal_.limit; }
  [[nodiscard]] double mass() const { return mass_; }  ///< of the law in [0, Z] before the cut

  /// Per metre; 0 outside [0, Z].
  [[nodiscard]] double density(double z_m) const;
  [[nodiscard]] double cdf(double z_m) const;
  [[nodiscard]] double quantile(double u) const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double variance() const;

  /// The law before it is cut, at z in [0, Z], per scale(): density() times scale() times mass().
  [[nodiscard]] double shape(double z_m) const;
  /// log(factor * shape(z)), also where that underflows.
  [[nodiscard]] double log_shape(double z_m, double factor) const;
  /// Mass of the law in [low, high], within [0, Z], before the cut.
  [[nodiscard]] double mass_between(double low_m, double high_m) const;
  /// Its logarithm, where it underflows: error below 1 / u^2, u the distance in scales.
  [[nodiscard]] double log_far_mass(double low_m, double high_m) const;

 private:
  [[nodiscard]] FATHOM_HIDDEN bool is_student() const { return nu_ > 0.0; }
  /// Integral of u^power times the law's density over [0, Z], in scales from the centre.
  [[nodiscard]] FATHOM_HIDDEN double student_moment(int power) const;

  TruncatedNormal normal_ = {0.0, 1.0, 0.0};
  double nu_ = 0.0;  // 0: normal
  double log_peak_ = 0.0, mass_ = 1.0;
};

/// The intrinsic parameters Theta. Weights are >= 0 and sum to 1 within 1e-6; they are never renormalised.
struct BeamParameters {
  double w_hit = 0.7;
  double w_short = 0.15;
  double w_max = 0.05;
  double w_rand = 0.1;
  double sigma_hit_m = 0.1;         ///< > 0
  double lambda_short_per_m = 0.4;  ///< >= 0; 0 makes short readings uniform on [0, z*]
  double hit_offset_m = 0.0;        ///< the surface is at z* + offset: walls of maps are 1 to 4 cells thick
  HitTail tail = {};                ///< by default hits are Gaussian, as in the book

  friend constexpr bool operator==(const BeamParameters&, const BeamParameters&) = default;

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "Readings of a range finder about the range that a map predicts.";
  /// The parameters of the book. HitTail has its own table.
  static constexpr auto fields() {
    using P = BeamParameters;
    return std::array<Field<P>, 7>{{
        {"w_hit", "1", &P::w_hit, 0, 1, "weight of readings of the expected surface", true},
        {"w_short", "1", &P::w_short, 0, 1, "weight of readings of something in front of it", true},
        {"w_max", "1", &P::w_max, 0, 1, "weight of readings without a return", true},
        {"w_rand", "1", &P::w_rand, 0, 1, "weight of readings that nothing explains", true},
        {"sigma_hit_m", "m", &P::sigma_hit_m, kLeastSigmaHitM, kMostSigmaHitM, "standard deviation of hits", true},
        {"lambda_short_per_m", "1/m", &P::lambda_short_per_m, 0, kMostLambdaShortPerM, "rate of short readings", true},
        {"hit_offset_m", "m", &P::hit_offset_m, -kMostHitOffsetM, kMostHitOffsetM,
         "offset of hits beyond the expected range"},
    }};
  }
  /// Throws InputError unless the weights sum to 1, and as validate(HitTail) does.
  FATHOM_API void check() const;
};

/// The meaning of a NaN reading: no evidence, or a reading without a return.
enum class NanPolicy : std::uint8_t { kSkip, kMax };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<NanPolicy> = {"skip", "max"};

/// The properties of the sensor that are known and not learned.
struct BeamSensor {
  double max_range_m = 30.0;  ///< Z; every reading >= Z, and +inf, is a "max" reading
  double min_range_m = 0.0;   ///< readings below carry no evidence; they are never "max"
  /// D > 0: readings are rounded to multiples of D, and a multiple that reaches Z is "max". They score
  /// P(z) = F(z + D/2) - F(z - D/2); "max" scores all beyond the last of these cells. The sampler rounds likewise.
  /// At least 1e-6 Z, the precision of readings. Learning takes readings as exact (FitOptions).
  double step_m = 0.0;
  double expected_floor_m = 0.025;  ///< z* below is clamped to it: half a cell of the map
  MissPolicy miss = MissPolicy::kAtom;
  NanPolicy nan = NanPolicy::kSkip;

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "A range finder and its readings.";
  static constexpr auto fields() {
    using S = BeamSensor;
    return std::array<Field<S>, 6>{{
        {"max_range_m", "m", &S::max_range_m, 1e-6, kMostRangeM,
         "Z: every reading from here on is one without a return", true},
        {"min_range_m", "m", &S::min_range_m, 0, kMostRangeM, "readings below carry no evidence"},
        Field<S>{"step_m", "m", &S::step_m, 0, kMostRangeM, "readings are multiples of it; 0: they are not rounded"}
            .formerly("sensor_step_m"),
        {"expected_floor_m", "m", &S::expected_floor_m, 1e-9, kMostRangeM,
         "smaller expected ranges are raised to it: half a cell of the map"},
        {"miss", "book|atom", choice<&S::miss>, 0, 0,
         "hits where the map has nothing within Z: just below Z (book) or at Z (atom)"},
        {"nan", "skip|max", choice<&S::nan>, 0, 0, "a NaN is ignored (skip), or means no return (max)"},
    }};
  }
  static constexpr double kMostRangeM = 1e7;
};

/// Throws InputError naming the field, its value and its limits. No length may exceed Z.
FATHOM_API void validate(const BeamSensor& sensor);

enum class ReadingKind : std::uint8_t { kRange, kMax, kNone };

/// Whether z >= Z, allowing for a z that single precision has rounded to a value just below Z.
[[nodiscard]] constexpr bool reaches(double z_m, double limit_m) {
  return z_m >= limit_m || (z_m > 0.999 * limit_m && static_cast<float>(z_m) >= static_cast<float>(limit_m));
}

/// Max, no evidence, or a range in [min_range, Z). Logs code "no return" in many ways.
[[nodiscard]] constexpr ReadingKind classify(double z_m, const BeamSensor& sensor) {
  if (reaches(z_m, sensor.max_range_m)) return ReadingKind::kMax;
  if (z_m >= sensor.min_range_m && z_m >= 0.0) return ReadingKind::kRange;
  const bool is_nan = !(z_m < 0.0) && !(z_m >= 0.0);
  return is_nan && sensor.nan == NanPolicy::kMax ? ReadingKind::kMax : ReadingKind::kNone;
}

/// The cumulative distribution of a reading just below a value, and at it.
struct CdfJump {
  double before, after;
};

/// The mixture for one expected range, in double precision. Its bits, except logarithms, are the same on every
/// computer. NaN gives NaN unless stated; infinite arguments lie beyond all others.
class FATHOM_API BeamDensity {
 public:
  /// expected_m: z*; from Z on, also +inf, the map says nothing within Z. Throws InputError for invalid parameters, an
  /// invalid sensor and unless z* >= 0.
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
  /// A reading from two uniforms in (0, 1): u1 picks the component, u2 inverts it. With a step, a multiple of it or Z.
  [[nodiscard]] double sample(double u1, double u2) const;

  /// The contribution of a reading to a log-likelihood: 0 without evidence, else log f(z), or log P(z) with a step.
  /// Over 0, D, 2 D, ... and Z these P sum to 1.
  [[nodiscard]] double log_likelihood(double z_m) const;
  /// The cdf of classified and rounded readings, below z and up to z. They differ at Z, and with a step everywhere. NaN
  /// without evidence.
  [[nodiscard]] CdfJump cdf_jump(double z_m) const;

  [[nodiscard]] double expected_m() const { return short_.limit; }  ///< with the offset, as clamped
  [[nodiscard]] double w_hit() const { return w_hit_; }             ///< after the miss policy
  [[nodiscard]] double w_max() const { return w_max_; }
  [[nodiscard]] const HitDensity& hit() const { return hit_; }
  [[nodiscard]] const TruncatedExponential& shorts() const { return short_; }

 private:
  [[nodiscard]] FATHOM_HIDDEN double continuous_cdf(double z_m) const;
  [[nodiscard]] FATHOM_HIDDEN double mass_between(double low_m, double high_m) const;
  [[nodiscard]] FATHOM_HIDDEN double log_cell_mass(double z_m) const;

  BeamSensor sensor_;
  double top_edge_m_;  // from here on readings are "max": Z, or where rounding reaches it
  double w_hit_, w_short_, w_max_, w_rand_;
  HitDensity hit_;
  TruncatedExponential short_;
  double hit_scale_, short_scale_;  // 1 / (sigma N) and the density of shorts at 0: once per z*, not per reading
};

/// The key of the readings of one scan.
inline NoiseKey beam_key(std::uint64_t seed, std::uint32_t scan, std::string_view sensor = "beam") {
  return {seed, scan, make_stream(sensor, 0, kBeamMixtureSlug)};
}

/// Uniform number in (0, 1), an odd multiple of 2^-53.
inline double open_uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 20U) | (low >> 12U);
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

/// The reading of a ray, a pure function of its number, the key, the parameters and z*.
inline double sample_reading(const BeamDensity& density, const NoiseKey& key, std::uint32_t ray) {
  const PhiloxBlock block = keyed_block(key, ray, 0);
  return density.sample(open_uniform(block.word[0], block.word[1]), open_uniform(block.word[2], block.word[3]));
}

/// One reading per expected range; both [rays]. A reading without return is Z. Throws InputError for sizes that
/// disagree, invalid parameters, and an expected range that is negative or NaN.
FATHOM_API void sample_scan(const BeamParameters& parameters, const BeamSensor& sensor, const NoiseKey& key,
                            std::span<const float> expected_m, std::span<float> reading_m);

}  // namespace fathom
