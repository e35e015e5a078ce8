// SPDX-License-Identifier: MIT
#pragma once
// How hits spread about the surface: by the book's Gaussian, or by one of two laws with heavier tails, which extend it.
//
//   gaussian    Normal(c, sigma)                  student_t   c + sigma T,   T ~ Student's t with nu degrees of freedom
//   grows       Normal(c, sigma + sigma' c)
//
// Each is cut to [0, Z] and renormalised; c is z* with the offset. gaussian is student_t as nu goes to infinity, and
// grows with sigma' = 0.
// Source: Lange, Little and Taylor, "Robust statistical modeling using the t distribution", JASA 84 (1989); the growth
// is that of stereo and time of flight, whose error rises with the range.

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/math/distributions.hpp>

namespace fathom {

enum class HitLaw : std::uint8_t { kGaussian, kStudentT, kGrows };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<HitLaw> = {"gaussian", "student_t", "grows"};

/// The extension of the book's parameters. Numbers that the law does not use have no say.
struct HitTail {
  static constexpr double kLeastNu = 0.5, kMostNu = 1e6, kMostSigmaPerM = 1.0;

  HitLaw hit = HitLaw::kGaussian;
  double nu_hit = 4.0;           ///< of student_t
  double sigma_hit_per_m = 0.0;  ///< of grows

  friend constexpr bool operator==(const HitTail&, const HitTail&) = default;

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "How hits spread about the surface.";
  static constexpr auto fields() {
    using T = HitTail;
    return std::array<Field<T>, 3>{{
        {"hit", "gaussian|student_t|grows", choice<&T::hit>, 0, 0,
         "how hits spread: as the book says, with heavy tails, or more the farther the surface is"},
        {"nu_hit", "1", &T::nu_hit, kLeastNu, kMostNu,
         "degrees of freedom of student_t, whose scale is sigma_hit_m: the smaller, the heavier the tails"},
        {"sigma_hit_per_m", "m/m", &T::sigma_hit_per_m, 0, kMostSigmaPerM,
         "by how much the deviation of grows is larger per metre of range"},
    }};
  }
  /// The entry of the number that a law has beside those of the book. Of gaussian there is none.
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
  [[nodiscard]] double mass() const { return mass_; }  ///< that the law has in [0, Z] before it is cut

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
  /// What lies in [low, high], of [0, Z], before the law is cut.
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

}  // namespace fathom
