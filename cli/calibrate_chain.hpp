// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chain_data.hpp"

namespace fathom_cli {

/// `fathom calibrate chain SCENE --measured DIR|LOG --free PATTERN --out DIR`
struct CalibrateChainOptions {
  ChainDataOptions data;
  std::vector<std::string> free;
  fathom::ChainFitOptions fit;
  std::filesystem::path out;  ///< empty: nothing is written
  bool json = false, force = false, quiet = false;
};

/// Learns the chain of a sensor and prints it, as a table or as JSON. Throws fathom::Error.
void calibrate_chain(const CalibrateChainOptions& options);

}  // namespace fathom_cli
