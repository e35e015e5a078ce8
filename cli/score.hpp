// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "chain_data.hpp"

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom score SCENE --measured DIR|LOG [--compare FILE]`
struct ScoreOptions {
  ChainDataOptions data;
  std::filesystem::path compare;  ///< a list of noise, or another scene; empty: none
  bool json = false, quiet = false;
};

/// Scores frames under the chain of a sensor and prints nats per return, as text or as JSON. Throws fathom::Error.
void score(const ScoreOptions& options);

}  // namespace fathom_cli
