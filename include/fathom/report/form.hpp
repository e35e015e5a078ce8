// SPDX-License-Identifier: MIT
#pragma once
// Forms of report_text(), which fathom/beam/report.hpp, fathom/beam/field_log.hpp, fathom/calibrate/*_report.hpp and
// fathom/calibrate/log_pairs.hpp declare. Each form begins with the verdict: whether the result is usable.
// On a terminal, settings have the names that the caller gives, else the names in the library.
// docs/output-formats.md describes the JSON.

#include <cstdint>

#include <fathom/base/error.hpp>

namespace fathom {

enum class ReportForm : std::uint8_t {
  kTerminal,  ///< aligned columns in ASCII
  kBrief,     ///< of these the verdict and the parameters
  kHtml,      ///< report.html: one page without scripts that loads nothing
  kJson       ///< fit.json
};

}  // namespace fathom
