// SPDX-License-Identifier: MIT
#pragma once
// What the beam model (model.hpp) and the noise model that draws by it (noise/beam_mixture.hpp) have in common.

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/field_member.hpp>

namespace fathom {

/// The name of the noise model that draws readings by these densities (noise/beam_mixture.hpp). It is part of the
/// streams of its draws and of beam_key().
inline constexpr std::string_view kBeamMixtureSlug = "beam_mixture";

/// Limits of the parameters. The noise model has the same, so every fitted model can be simulated. They are wide: they
/// catch a wrong unit, and never get in the way of a fit.
inline constexpr double kLeastSigmaHitM = 1e-6, kMostSigmaHitM = 1e6;
inline constexpr double kMostLambdaShortPerM = 1e6;
inline constexpr double kMostHitOffsetM = 1e3;  ///< to either side

/// A weight up to this is at its boundary 0, which learning comes near and never reaches.
inline constexpr double kWeightBoundary = 1e-7;

/// Readings where the map predicts nothing within Z: the book keeps the hit density, cut at Z; real sensors return Z,
/// so `atom` moves w_hit into the point mass there.
enum class MissPolicy : std::uint8_t { kBook, kAtom };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<MissPolicy> = {"book", "atom"};

}  // namespace fathom
