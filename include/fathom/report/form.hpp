// SPDX-License-Identifier: MIT
#pragma once
// Forms of report_text(), which fathom/fit/beam.hpp and fathom/fit/reports.hpp declare, and folders of results.
// Each form begins with the verdict: whether the result is usable. On a terminal, settings have the names that the
// caller gives, else the names in the library. docs/output-formats.md describes the JSON.

#include <cstdint>
#include <filesystem>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/core/export.hpp>

namespace fathom {

enum class ReportForm : std::uint8_t {
  kTerminal,  ///< aligned columns in ASCII
  kBrief,     ///< of these the verdict and the parameters
  kHtml,      ///< report.html: one page without scripts that loads nothing
  kJson       ///< fit.json
};

/// Results that become a folder of files: a fit of scans, of a chain or of a wall, and a measured depth camera.
enum class ResultKind : std::uint8_t { kFit, kChain, kWall, kDepth };

/// The files that such a result may have in `folder`. The last is JSON and is written last: a folder that holds it is
/// complete.
FATHOM_API std::vector<std::filesystem::path> result_files(ResultKind kind, const std::filesystem::path& folder);

/// Throws InputError unless such a result may be written into `folder`: when it exists and `force` is not set, when it
/// is no folder, or when it holds files of these names that no such result wrote. Changes nothing. Functions that
/// write a result check this, too, and with `force` replace what an earlier one wrote. Each of their files appears
/// whole or not at all. They throw InputError or SystemError.
FATHOM_API void check_result_folder(ResultKind kind, const std::filesystem::path& folder, bool force);

}  // namespace fathom
