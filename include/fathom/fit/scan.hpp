// SPDX-License-Identifier: MIT
#pragma once
// Scans of a log that learning takes, and the pairs (reading, expected range) made from them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/files/scan_log.hpp>
#include <fathom/scene/expected_ranges.hpp>

namespace fathom {

/// A reading that probably means "no return", else 0; the maximum range should then be set below it. It is the largest
/// finite reading if it lies below `max_range_m`, if more than 0.3 % of all readings, ten at least, equal it within
/// 0.1 %, and if others do not. A few readings may exceed it: at most 0.1 % of all, and 2 % of its equals.
/// Within 2 % of `max_range_m`, where hits pile up, too, its equals have the same bits and outnumber all others there.
FATHOM_API double suspected_no_return_m(const ScanLog& log, double max_range_m);

/// Scans, counted from 0, that `text` selects: "all", "odd", "even" or "start:stop:step" (each part may be left out;
/// stop excluded). Throws InputError for other texts and if none is selected.
FATHOM_API std::vector<std::uint32_t> select_scans(std::string_view text, std::size_t scans);

/// Casts every ray of the chosen scans. Throws InputError for no scans, unknown scans or an invalid `compute`.
FATHOM_API BeamData make_beam_data(const ScanLog& log, std::span<const std::uint32_t> scans,
                                   const ExpectedRanges& expected, double max_range_m, const Compute& compute = {});

}  // namespace fathom
