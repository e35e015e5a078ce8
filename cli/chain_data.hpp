// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/calibrate/chain_report.hpp>

namespace fathom_cli {

/// SCENE --measured DIR|LOG of `fathom calibrate chain` and `fathom score`.
struct ChainDataOptions {
  std::filesystem::path scene, measured;
  std::vector<std::string> set;
  fathom::MeasuredOptions how;
  std::optional<std::uint32_t> stretches;  ///< as in fathom::ChainFitOptions
  int threads = 0;
};

/// The frames that were measured, beside the scene.
fathom::ChainFrames read_chain_data(const fathom::SceneSetup& setup, const ChainDataOptions& options);

}  // namespace fathom_cli
