// SPDX-License-Identifier: MIT
#pragma once
// Which scans are learned from and which judge, and how the fit of a log is a fit of pairs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/beam/fit.hpp>
#include <fathom/beam/log.hpp>

namespace fathom {

using ScanNumbers = std::vector<std::uint32_t>;

/// As select_scans(), naming the log.
ScanNumbers choose_scans(const std::string& log, std::string_view selection, std::size_t scans);

/// The scans to judge by, of so many; empty: none are left. Throws when one of them was learned from.
ScanNumbers held_out_scans(const FitLogOptions& options, const ScanNumbers& learned, const std::string& log,
                           std::size_t of);

FitOptions fit_options(const FitLogOptions& options);

}  // namespace fathom
