// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fathom_cli {

/// `fathom outputs [OUTPUT] [--json]`, `fathom channels [CHANNEL] [--json]`
struct ListOptions {
  std::string name;  ///< empty: all
  bool json = false;
};

/// Print what scene files can ask for. Throw fathom::InputError naming the nearest where there is none of that name.
void list_outputs(const ListOptions& options);
void list_channels(const ListOptions& options);

}  // namespace fathom_cli
