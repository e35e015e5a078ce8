// SPDX-License-Identifier: MIT
#pragma once
// report.html of a learned chain.

#include <string>

#include <fathom/calibrate/chain_report.hpp>

namespace fathom {

std::string chain_page(const ChainReport& report);

/// The table of learned parameters, with its heading. `was_given`: whether learning began at a chain of the user's,
/// which is shown then.
std::string chain_parameters_html(const ChainFit& fit, bool was_given);

}  // namespace fathom
