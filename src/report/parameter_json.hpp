// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// A learned parameter in a fit.json.
nlohmann::ordered_json parameter_json(const LearnedParameter& p);

}  // namespace fathom
