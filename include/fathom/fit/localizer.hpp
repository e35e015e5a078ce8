// SPDX-License-Identifier: MIT
#pragma once
// A learned beam model as the parameters of localizers: amcl of ROS 1, nav2_amcl, and beluga_amcl. All of them give a
// reading z where z* is expected
//
//   p(z) = z_hit h exp(-(z - z*)^2 / (2 sigma_hit^2)) + z_short s lambda_short exp(-lambda_short z) [z < z*]
//          + z_rand / Z [z < Z] + z_max [z at Z]
//
// beluga's h and s are the normalisers of BeamDensity, so it takes BeamParameters unchanged. It would divide by a rate
// of 0, which becomes 1e-6 1/m. amcl and nav2 have h = s = 1: their hit term lacks 1 / (sigma_hit sqrt(2 pi)), and
// nothing is cut at 0, z* and Z. Hence
//
//   z_hit : z_short : z_max : z_rand = w_hit / (sigma_hit sqrt(2 pi)) : w_short : w_max : w_rand,
//
// scaled to sum 1, and log p(z) is log f(z) and one constant, except at the cuts.
// Source: nav2_amcl/src/sensors/laser/beam_model.cpp (amcl's is the same), beluga/sensor/beam_model.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/report/fit.hpp>

namespace fathom {

enum class Localizer : std::uint8_t { kAmcl, kNav2, kBeluga };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Localizer> = {"amcl", "nav2", "beluga"};

/// The beam model of a localizer, by the names of its parameters. Weights sum to 1; lengths in m, rates in 1/m.
struct LocalizerBeam {
  double z_hit = 0.0, z_short = 0.0, z_max = 0.0, z_rand = 0.0, sigma_hit = 0.0, lambda_short = 0.0;
};

/// Throws InputError unless hits are gaussian.
FATHOM_API void check_hit_law(HitLaw law, Localizer localizer);

/// Throws InputError for invalid parameters, and as check_hit_law() does.
FATHOM_API LocalizerBeam localizer_beam(const BeamParameters& parameters, Localizer localizer);

/// Properties that the localizer lacks, one sentence each.
FATHOM_API std::vector<std::string> localizer_notes(const BeamParameters& parameters, Localizer localizer);

/// "nav2.yaml".
FATHOM_API std::string localizer_file_name(Localizer localizer);

// The likelihood field of range finders, which most localizers use: the density depends on the distance between the end
// of a reading and the nearest occupied cell of the map.
//
//   f = w_hit exp(-d^2 / (2 sigma^2)) / (sigma sqrt(2 pi)) + w_rand / Z,
//
// d the distance between the centres of cells, as localizers take it, and at most max_distance. Readings without a
// return carry no evidence. f is a density where the ray meets its surface head-on. At other angles d grows more slowly
// than the range, and f is a score. Readings of a scan are independent, and occlusion is not modelled.
// Source: Thrun, Burgard, Fox, Probabilistic Robotics (2005), section 6.4, table 6.3, without its weight of readings
// without a return, as amcl and beluga have it.

/// Weights are >= 0 and sum to 1 within 1e-6; they are never renormalised.
struct LikelihoodFieldModel {
  double w_hit = 0.9;
  double w_rand = 0.1;
  double sigma_hit_m = 0.2;     ///< > 0
  double max_range_m = 30.0;    ///< Z; readings from here on, and +inf, carry no evidence
  double min_range_m = 0.0;     ///< readings below carry no evidence
  double max_distance_m = 2.0;  ///< no end counts as farther from all occupied cells

  static constexpr std::string_view kSlug = "likelihood_field";
  static constexpr std::string_view kDoc = "Ends of readings about the occupied cells of a map.";
  static constexpr auto fields() {
    using M = LikelihoodFieldModel;
    return std::array<Field<M>, 6>{{
        {"w_hit", "1", &M::w_hit, 0, 1, "weight of readings that end at an occupied cell", true},
        {"w_rand", "1", &M::w_rand, 0, 1, "weight of readings that nothing explains", true},
        {"sigma_hit_m", "m", &M::sigma_hit_m, kLeastSigmaHitM, kMostSigmaHitM,
         "standard deviation of ends about occupied cells", true},
        {"max_range_m", "m", &M::max_range_m, 1e-6, BeamSensor::kMostRangeM,
         "Z: readings from here on carry no evidence", true},
        {"min_range_m", "m", &M::min_range_m, 0, BeamSensor::kMostRangeM, "readings below carry no evidence"},
        {"max_distance_m", "m", &M::max_distance_m, 1e-6, BeamSensor::kMostRangeM,
         "ends count as no farther than this from the nearest occupied cell"},
    }};
  }
  /// Throws InputError unless the weights sum to 1.
  FATHOM_API void check() const;

  /// f, per metre, of an end at this distance.
  [[nodiscard]] FATHOM_API double density(double distance_m) const;
  /// Whether a reading carries evidence.
  [[nodiscard]] FATHOM_API bool counts(double reading_m) const;

  /// parameters.yaml: a line per parameter of the table.
  FATHOM_API static LikelihoodFieldModel read(const std::filesystem::path& file);
  FATHOM_API void write(const std::filesystem::path& file) const;
  /// The parameters of a localizer as YAML. Weights of amcl and nav2 make up for the missing 1 / (sigma_hit sqrt(2
  /// pi)): their log p is log f and one constant.
  FATHOM_API std::string localizer_text(Localizer localizer) const;
};

/// Its parameters are w_hit, w_rand and sigma_hit_m.
struct FieldFit : IteratedFit {
  LikelihoodFieldModel model;
};

}  // namespace fathom
