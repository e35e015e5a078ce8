// SPDX-License-Identifier: MIT
#pragma once
// Datasets: the units of a scene rendered by any number of processes, on any number of computers, into one folder.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/dataset/format.hpp>
#include <fathom/dataset/unit.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

struct DatasetOptions {
  /// Its out, force, frames, seed, digest, compute, device, on_progress and should_stop count. `force` renders units
  /// again that are there. `digest` needs all units: no resume, no list of units and one shard. on_progress comes from
  /// any thread, and from one at a time; it counts frames of the scene.
  RunOptions run = {};
  NumberRange environments = {}, episodes = {};
  std::uint32_t block = 0;  ///< frames of a unit; 0: all of an episode
  Shard shard = {};
  DatasetFiles files = {};
  std::optional<std::vector<std::uint64_t>> units = {};  ///< these in place of the shard's; of folders alone
  bool resume = false;                                   ///< skip units that are complete and the same, redo others
  std::string command = {};                              ///< that makes the dataset; kept in dataset.json
};

inline constexpr std::size_t kMostUnitWarnings = 10;

/// What a process did for a dataset.
struct DatasetResult {
  std::uint64_t units = 0;             ///< of the dataset
  std::uint64_t rendered = 0;          ///< units, by this call
  std::uint64_t skipped = 0;           ///< because they were complete
  std::uint64_t files = 0, bytes = 0;  ///< of the units rendered
  double seconds = 0.0;                ///< from the first frame until all is written
  Progress progress;
  /// In the order of the scene file; of the units rendered. A digest is made of the digests of units, in their order.
  std::vector<SensorResult> sensors;
  /// Notes of the scene; then the first kMostUnitWarnings of units, "environment 3, episode 2: ...", and a count of the
  /// others. The summary.json of each unit has its own warnings.
  std::vector<std::string> warnings;
};

/// All units of the options. Throws InputError as the constructor of UnitList.
FATHOM_API UnitList dataset_units(const SceneSetup& setup, const DatasetOptions& options);

/// What a unit is made of, as 16 digits: the content of all files that the scene was read from, its overrides, the
/// seed, the caster, the version of fathom and the numbers of the unit. Equal digests mean equal files; with Embree as
/// the caster, on one kind of processor.
FATHOM_API std::string unit_digest(const SceneSetup& setup, const RunOptions& options, const Unit& unit);

/// Renders the units of a shard below options.run.out: each into a folder (unit_folder()), or many into a file. A
/// folder has the files of run_scene() for the same environment, episode and frames; its summary.json lacks `versions`,
/// `run`, digests and the notes of the scene. A file has the arrays of the sensor's `npy` outputs, or else the channels
/// that its outputs are made from. Shards count files then, and each sensor must make as many frames as the scene.
/// docs/scale.md describes all files. A folder or file appears whole or not at all. Shards, order and interruptions
/// change no byte of the dataset.
///
/// As many units are rendered side by side as there are threads, over one set of trees; fewer units than threads come
/// one after the other, each on all of them. Below the folder no link is followed, and none is removed. Throws
/// InputError (bad input, a folder that holds something else or a link, units that are there without resume and force;
/// an error of one unit begins with "environment 3, episode 2: "), SystemError (disk, memory) or Interrupted
/// (should_stop said yes; units that are there are whole).
FATHOM_API DatasetResult render_dataset(const SceneSetup& setup, const DatasetOptions& options);

/// Renders units of one scene in many calls, such as those of a scheduler. Calls share the trees where each has one
/// thread, and input files are read again only when they have changed. For any thread.
class FATHOM_API DatasetRenderer {
 public:
  /// The setup does not change afterwards.
  explicit DatasetRenderer(std::shared_ptr<const SceneSetup> setup);
  ~DatasetRenderer();
  DatasetRenderer(const DatasetRenderer&) = delete;
  DatasetRenderer& operator=(const DatasetRenderer&) = delete;

  /// As the function of this name, of the input files as they are now.
  [[nodiscard]] std::string unit_digest(const RunOptions& options, const Unit& unit);
  /// As render_dataset(). Where all units are complete, it builds no tree.
  DatasetResult render(const DatasetOptions& options);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
