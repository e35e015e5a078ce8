// SPDX-License-Identifier: MIT
#pragma once
// Options that kinds of picture share, as entries of their tables.

#include <string_view>

#include <fathom/base/field.hpp>
#include <fathom/files/pictures.hpp>

namespace fathom {

/// Of the member `color`, a ColorBy.
template <class M>
constexpr Field<M> color_field() {
  return {"color", "range|entity|reason", choice<&M::color>, 0, 0, "coloured by range, entity or reason"};
}

/// Of the member `max_range_m`; nothing: chosen for each picture.
template <class M>
constexpr Field<M> max_range_field(std::string_view doc = "range that gets the last colour, m") {
  return {.name = "max_range_m",
          .unit = "m",
          .member = &M::max_range_m,
          .low = 1e-3,
          .high = kMostColorScaleM,
          .doc = doc,
          .default_text = ""};
}

/// Of the member `legend`.
template <class M>
constexpr Field<M> legend_field() {
  return {"legend", "1", &M::legend, 0, 0, "whether a bar or key of the colours stands below"};
}

}  // namespace fathom
