// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <fathom/beam/report.hpp>

namespace fathom {

/// report.html: one page that needs no other file and no network.
std::string fit_page(const FitReport& report);

}  // namespace fathom
