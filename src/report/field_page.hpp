// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <fathom/beam/field_log.hpp>

namespace fathom {

/// Distances of ends from occupied cells, and what the model expects, on a logarithmic scale.
std::string distance_figure(const FieldReport& report);

/// report.html of a likelihood field: one page that needs no other file and no network.
std::string field_page(const FieldReport& report);

}  // namespace fathom
