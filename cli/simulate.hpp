// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/run.hpp>

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom simulate SCENE --out DIR ...`
struct SimulateOptions {
  std::filesystem::path scene;
  std::filesystem::path out;
  std::filesystem::path bag;  ///< empty: none
  std::optional<std::uint32_t> frames;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> environment, episode;
  std::optional<fathom::NumberRange> environments, episodes;  ///< one of them: a dataset of units
  int threads = 0;                                            ///< 0: one per core
  std::vector<std::string> set;                               ///< "path=value"
  bool force = false, quiet = false;
  bool digest = false;
  std::optional<fathom::Isa> isa;      ///< nothing: the widest that this computer has
  std::optional<std::uint32_t> block;  ///< any of these: a dataset of units
  std::optional<std::string> shard;    ///< "i/n"
  bool resume = false;
  std::optional<fathom::DatasetFormat> format;
  std::optional<std::uint64_t> units_per_file;
  std::optional<std::uint32_t> compression;
  bool dry_run = false;
  std::string device;  ///< empty: the scene file's
};

/// The options that choose the run of a scene, for `fathom simulate` and `fathom check`.
void add_run_options(CLI::App& c, SimulateOptions& o);

/// Which run of the scene the options ask for.
fathom::RunOptions run_options(const SimulateOptions& options);
/// The number of runs requested. Throws fathom::InputError if simulate() would, because of these options.
std::uint64_t count_runs(const fathom::SceneSetup& setup, const SimulateOptions& options);

/// A word as a shell reads it.
std::string quoted(const std::string& word);

}  // namespace fathom_cli
