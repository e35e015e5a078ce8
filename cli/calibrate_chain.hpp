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

/// The learned parameters as lines of columns.
/// `was_given`: whether learning began at a chain of the user's, which is shown then.
std::string parameter_table(const fathom::ChainFit& fit, bool was_given);

/// Learns the chain of a sensor and prints it, as a table or as JSON. Throws fathom::Error.
void calibrate_chain(const CalibrateChainOptions& options);

}  // namespace fathom_cli
