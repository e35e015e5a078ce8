// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace fathom_cli {

/// "fathom-beam-fit"
std::string page_name(const CLI::App& command);

/// The manual page of a command, groff, from the same texts as its --help.
std::string man_page(const CLI::App& command);

}  // namespace fathom_cli
