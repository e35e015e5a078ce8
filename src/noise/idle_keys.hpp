// SPDX-License-Identifier: MIT
#pragma once
// Parameters that do nothing beside the others of their model.

#include <string>
#include <string_view>

#include <fathom/noise/correlation.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom {

/// Why a parameter of the model may have any value, or that which it has as a flag, without a change: "law = angle does
/// not read it". Empty: it has an effect, as far as is known here.
std::string why_idle(const Noise& noise, std::string_view field);

/// The same of a correlation.
std::string why_idle(const Correlation& correlation, std::string_view field);

}  // namespace fathom
