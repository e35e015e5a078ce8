// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/calibrate/chain_report.hpp>

namespace CLI {
class App;
}

namespace fathom_cli {

/// SCENE --measured DIR|LOG of `fathom fit chain`, `fathom score chain` and `fathom compare chain`.
struct ChainDataOptions {
  std::filesystem::path scene, measured;
  std::vector<std::string> set;
  fathom::MeasuredOptions how;
  std::optional<std::uint32_t> stretches;  ///< as in fathom::ChainFitOptions
  int threads = 0;
};

/// These options.
void add_chain_data(CLI::App& c, ChainDataOptions& o);

/// The frames that were measured, beside the scene.
fathom::ChainFrames read_chain_data(const fathom::SceneSetup& setup, const ChainDataOptions& options);

/// How well a model describes data, and, where two are compared, another model.
struct ChainScores {
  fathom::MeanScore first;
  std::optional<fathom::MeanScore> second = {}, difference = {};
};
/// score, and of two other and difference, each with its std_error.
nlohmann::ordered_json scores_json(const ChainScores& scores);
/// A line for each, "nats per `unit`".
std::string scores_text(const ChainScores& scores, const std::filesystem::path& first,
                        const std::filesystem::path& second, std::string_view unit);

}  // namespace fathom_cli
