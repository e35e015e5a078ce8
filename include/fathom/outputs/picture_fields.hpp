// SPDX-License-Identifier: MIT
#pragma once
// Options that kinds of picture share, as entries of their tables.

#include <string_view>

#include <fathom/base/field.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/sensor/returns.hpp>

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

/// Of the member `return_number`: of a picture with a pixel per ray, where rays bring back several returns.
template <class M>
constexpr Field<M> return_field() {
  return {"return_number", "1", &M::return_number, 0, kMostReturns - 1, "which return of each ray it shows, from 0"};
}

/// Of the member `legend`.
template <class M>
constexpr Field<M> legend_field() {
  return {"legend", "1", &M::legend, 0, 0, "whether a bar or key of the colours stands below"};
}

}  // namespace fathom
