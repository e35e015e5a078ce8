// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fathom_cli {

/// `fathom noise [SLUG] [--json | --markdown]`
struct NoiseOptions {
  std::string slug;  ///< empty: all models
  bool json = false;
  bool markdown = false;
};

/// Prints the registered noise models.
void list_noise(const NoiseOptions& options);

}  // namespace fathom_cli
