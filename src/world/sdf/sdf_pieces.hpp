// SPDX-License-Identifier: MIT
#pragma once
// A prepared document cut into pieces: libsdformat keeps 2.4 MB of element trees for each model that it reads, until it
// has read all of a text. Models of a world whose poses name each other belong together, and stay in one piece.

#include <cstddef>
#include <string>
#include <vector>

#include "mesh/xml_document.hpp"
#include "world/sdf/sdf_preparation.hpp"

namespace fathom {

/// Most models in a piece, nested and included ones counted.
inline constexpr std::size_t kMostModelsTogether = 500;
/// Models in a piece, if they do not belong together: libsdformat reads its description of the format for each piece.
inline constexpr std::size_t kUsualModelsTogether = 16;

struct SdfPiece {
  std::string text;                 ///< a whole SDF document
  std::string scope;                ///< before the names of its models
  std::vector<std::size_t> places;  ///< of its models, counted over all worlds
};

/// Throws InputError where more than kMostModelsTogether models belong together, or two of a world have one name.
std::vector<SdfPiece> cut_sdf(const XmlDocument& document, const SdfPreparation& preparation);

}  // namespace fathom
