// SPDX-License-Identifier: MIT
#pragma once
// The folder of a fit, of whichever model.

#include <array>
#include <filesystem>
#include <string>

#include <fathom/beam/localizer.hpp>

namespace fathom {

/// What its files hold. A fit.json needs the keys w_hit and log_likelihood, which tell that fathom wrote it.
struct FitContents {
  std::string parameters_yaml, report_html, fit_json;
  std::array<std::string, kChoiceWords<Localizer>.size()> localizers;  ///< empty: none is written for this one
  std::string refined_log = {};                                        ///< empty: none is written
};

/// As write_fit().
void write_fit_folder(const std::filesystem::path& folder, const FitContents& contents, bool force);

}  // namespace fathom
