// SPDX-License-Identifier: MIT
#pragma once
// report.html of a learned chain.

#include <string>

#include <fathom/calibrate/chain_report.hpp>

namespace fathom {

std::string chain_page(const ChainReport& report);

/// The table of learned parameters, with its heading.
std::string chain_parameters_html(const ChainFit& fit);

}  // namespace fathom
