// SPDX-License-Identifier: MIT
#pragma once
// A learned beam model as the parameters of localizers: amcl of ROS 1, nav2_amcl, and beluga_amcl. All of them give a
// reading z where z* is expected
//
//   p(z) = z_hit h exp(-(z - z*)^2 / (2 sigma_hit^2)) + z_short s lambda_short exp(-lambda_short z) [z < z*]
//          + z_rand / Z [z < Z] + z_max [z at Z]
//
// beluga's h and s are the normalisers of BeamDensity, so that it takes BeamParameters unchanged. A rate
// of 0, by which it would divide, becomes 1e-6 1/m, which is as uniform. amcl and nav2 have h = s = 1: their
// hit term lacks 1 / (sigma_hit sqrt(2 pi)), and nothing is cut at 0, z* and Z. Hence
//
//   z_hit : z_short : z_max : z_rand = w_hit / (sigma_hit sqrt(2 pi)) : w_short : w_max : w_rand,
//
// scaled to sum 1, and log p(z) is log f(z) and one constant, except at the cuts.
// Source: nav2_amcl/src/sensors/laser/beam_model.cpp (amcl's is the same), beluga/sensor/beam_model.hpp.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/beam/model.hpp>

namespace fathom {

enum class Localizer : std::uint8_t { kAmcl, kNav2, kBeluga };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Localizer> = {"amcl", "nav2", "beluga"};

/// The beam model of a localizer, by the names of its parameters. Weights sum to 1; lengths in m, rates in 1/m.
struct LocalizerBeam {
  double z_hit = 0.0, z_short = 0.0, z_max = 0.0, z_rand = 0.0, sigma_hit = 0.0, lambda_short = 0.0;
};

/// Throws InputError unless the localizer knows this law of hits: all of them know gaussian alone.
FATHOM_API void check_hit_law(HitLaw law, Localizer localizer);

/// Throws InputError for invalid parameters, and as check_hit_law() does.
FATHOM_API LocalizerBeam localizer_beam(const BeamParameters& parameters, Localizer localizer);

/// Properties that the localizer lacks, one sentence each: a hit offset, shorts that its formula does not normalise.
FATHOM_API std::vector<std::string> localizer_notes(const BeamParameters& parameters, Localizer localizer);

/// The parameters as YAML: private parameters of the node for amcl, which rosparam loads; for the others parameters of
/// the node amcl, as ROS 2 takes them. The notes are comments. Throws InputError for an invalid model, and as
/// check_hit_law() does.
FATHOM_API std::string localizer_text(const BeamParameters& parameters, const BeamSensor& sensor, Localizer localizer);

/// "nav2.yaml": what write_fit() calls the file.
FATHOM_API std::string localizer_file_name(Localizer localizer);

}  // namespace fathom
