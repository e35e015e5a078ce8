// SPDX-License-Identifier: MIT
#pragma once
// report.html of a learned chain.

#include <string>

#include <fathom/calibrate/chain_report.hpp>

namespace fathom {

std::string chain_page(const ChainReport& report);

}  // namespace fathom
