// SPDX-License-Identifier: MIT
#pragma once
// Datasets: any number of processes, on any number of computers, render the units of a scene into one folder.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/export.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// The whole numbers from `first` on, below `end`.
struct NumberRange {
  std::uint32_t first = 0, end = 1;

  [[nodiscard]] constexpr std::uint64_t size() const { return end > first ? end - first : 0; }
};

/// The frames [first_frame, first_frame + frames) of one environment and episode, as run_scene() renders them.
struct Unit {
  std::uint64_t index = 0;  ///< in its UnitList
  std::uint64_t environment = 0, episode = 0;
  std::uint64_t first_frame = 0;
  std::uint32_t frames = 1;

  /// Its folder within the dataset: "units/000/012/000012345". No folder above the units has more than 1000 entries.
  [[nodiscard]] FATHOM_API std::filesystem::path folder() const;
  friend bool operator==(const Unit&, const Unit&) = default;
};

/// All units of a dataset, ordered by environment, then by episode, then by block. The last block of an episode may be
/// shorter than the others.
class FATHOM_API UnitList {
 public:
  UnitList() = default;
  /// `frames` of every episode, in blocks of `block` frames; 0: one block. Throws InputError for an empty range, for
  /// frames outside [1, kMaxFrames] and for more than kMaxUnits units.
  UnitList(NumberRange environments, NumberRange episodes, std::uint32_t frames, std::uint32_t block = 0);

  [[nodiscard]] std::uint64_t size() const { return environments_.size() * episodes_.size() * blocks(); }
  /// Throws InputError for an index that is not below size().
  [[nodiscard]] Unit at(std::uint64_t index) const;

  [[nodiscard]] NumberRange environments() const { return environments_; }
  [[nodiscard]] NumberRange episodes() const { return episodes_; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }  ///< of an episode
  [[nodiscard]] std::uint32_t block() const { return block_; }

 private:
  [[nodiscard]] std::uint64_t blocks() const { return (std::uint64_t{frames_} + block_ - 1) / block_; }

  NumberRange environments_, episodes_;
  std::uint32_t frames_ = 1, block_ = 1;
};

/// Names of units have nine digits.
inline constexpr std::uint64_t kMaxUnits = 1'000'000'000;

/// docs/scale.md describes the files of each.
enum class DatasetFormat : std::uint8_t {
  kFolders,     ///< a folder for each unit, with the files of a run
  kHdf5,        ///< files of many units each; in them an array [units, frames, rows, cols] for each channel
  kWebDataset,  ///< tar files of many units each; in them a NPY for each channel of a frame, and a JSON for the frame
};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<DatasetFormat> = {"folders", "hdf5", "webdataset"};
constexpr std::string_view to_string(DatasetFormat format) {
  return kChoiceWords<DatasetFormat>[static_cast<std::size_t>(format)];
}

/// A format and its options.
struct DatasetFiles {
  DatasetFormat format = DatasetFormat::kFolders;
  /// Units in each file of a format with many; 0: as many as fit into 64 MiB of arrays, at least one. Each thread keeps
  /// the HDF5 file that it makes in memory.
  std::uint64_t units_per_file = 0;
  int compression = 1;  ///< of HDF5, in [0, 9]: 0 for none, 1 for the fastest deflate, 9 for the smallest

  friend bool operator==(const DatasetFiles&, const DatasetFiles&) = default;
};

struct DatasetOptions {
  /// The units of one process among several: those whose index is `index` modulo `count`.
  struct Shard {
    std::uint64_t index = 0, count = 1;

    /// Parses "3/16". Throws InputError unless the index is below the count, and the count at most kMaxUnits.
    FATHOM_API static Shard parse(const std::string& text);
    friend bool operator==(const Shard&, const Shard&) = default;
  };

  /// Uses out, force, frames, seed, digest, compute, device, on_progress and should_stop. `force` renders existing
  /// units again. `digest` needs all units: no resume, no list of units and one shard. Any thread may call on_progress,
  /// one at a time; it counts frames of the scene.
  RunOptions run = {};
  NumberRange environments = {}, episodes = {};
  std::uint32_t block = 0;  ///< frames of a unit; 0: all of an episode
  Shard shard = {};
  DatasetFiles files = {};
  std::optional<std::vector<std::uint64_t>> units = {};  ///< these instead of the shard's; for folders only
  bool resume = false;                                   ///< skip units that are complete and unchanged, redo others
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
  RunOptions::Progress progress;
  /// Of the units rendered, in the order of the scene file. Digests combine the digests of the units, in their order.
  std::vector<RunResult::Sensor> sensors;
  /// Notes of the scene; then the first kMostUnitWarnings of units, "environment 3, episode 2: ...", and a count of the
  /// others. The summary.json of each unit has its own warnings.
  std::vector<std::string> warnings;
};

/// All units of the options. Throws InputError as the constructor of UnitList.
FATHOM_API UnitList dataset_units(const SceneSetup& setup, const DatasetOptions& options);

/// Renders the units of a shard below options.run.out: each into a folder (Unit::folder()), or many into a file. A
/// folder has the files of run_scene() for the same environment, episode and frames; its summary.json lacks `versions`,
/// `run`, digests and the notes of the scene. A file has the arrays of the sensor's `npy` outputs, or else the channels
/// that its outputs need. Shards then count files, and each sensor must make as many frames as the scene. docs/scale.md
/// describes all files. A folder or file appears whole or not at all. Shards, order and interruptions change no byte of
/// the dataset.
///
/// Each thread renders its own unit, over one set of trees; with fewer units than threads, all threads render one unit
/// after the other. Below the folder no link is followed or removed. Throws InputError (bad input, a folder with
/// other content or a link, existing units without resume and force; an error of one unit begins with "environment 3,
/// episode 2: "), SystemError (disk, memory) or Interrupted (should_stop returned true; units that exist are whole).
FATHOM_API DatasetResult render_dataset(const SceneSetup& setup, const DatasetOptions& options);

/// Renders units of one scene in many calls, for example of a scheduler. Calls with one thread each share the trees,
/// and input files are read again only when they have changed. For any thread.
class FATHOM_API DatasetRenderer {
 public:
  /// The setup must not change afterwards.
  explicit DatasetRenderer(std::shared_ptr<const SceneSetup> setup);
  ~DatasetRenderer();
  DatasetRenderer(const DatasetRenderer&) = delete;
  DatasetRenderer& operator=(const DatasetRenderer&) = delete;

  /// Identifies the inputs of a unit, in 16 digits: the content of all files that the scene was read from, its
  /// overrides, the seed, the version of fathom and the numbers of the unit. Equal digests mean equal files.
  [[nodiscard]] std::string unit_digest(const RunOptions& options, const Unit& unit);
  /// As render_dataset(). Where all units are complete, it builds no tree.
  DatasetResult render(const DatasetOptions& options);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

struct DatasetEstimate {
  std::uint64_t complete_units = 0;  ///< that resume keeps; no other field counts them
  /// To be rendered; exact. `frames` of the scene; `rays` by the sample if sensors make more or fewer frames.
  std::uint64_t units = 0, frames = 0, rays = 0;
  std::uint64_t files = 0;        ///< exact for formats with many units in each
  std::uint64_t bytes = 0;        ///< by the sample
  double seconds = 0.0;           ///< of this computer with these threads, for all these units
  std::uint64_t shard_units = 0;  ///< units of the options' shard
  double shard_seconds = 0.0;
  std::uint64_t sample_frames = 0;  ///< that were rendered and written
  double sample_seconds = 0.0;      ///< that they took
};

/// Estimates the cost of a dataset from a sample. Renders the first frames of the first, a middle and the last
/// environment, for some seconds in all, into a hidden folder beside options.run.out, on the same disk, and removes it.
/// Also removes the samples of killed calls on this computer; nothing else is written. Throws as render_dataset();
/// SystemError where no folder can be made.
FATHOM_API DatasetEstimate estimate_dataset(const SceneSetup& setup, const DatasetOptions& options);

struct DatasetInfo {
  std::string version;  ///< of the fathom that rendered it
  std::string scene;    ///< name of the scene file
  std::string command;  ///< that renders it, without --out; empty: unknown
  std::uint64_t seed = 0;
  DatasetFiles format;
  UnitList units;
  std::uint64_t complete = 0;                  ///< units that exist, made of the dataset's inputs
  std::uint64_t others = 0;                    ///< units that exist, made of other inputs
  std::optional<std::uint64_t> first_missing;  ///< the first that is not complete
  std::uint64_t unfinished = 0;                ///< units, or files of units, that a process began
  std::uint64_t foreign = 0;                   ///< links, and files and folders that are not part of the dataset
  std::optional<std::filesystem::path> first_foreign;
  std::uint64_t files = 0, bytes = 0;  ///< of the complete units
};

/// Reads the descriptions of existing units and the sizes of their files, but no array. The time grows with these
/// units, not with the number of units that the dataset will have. Throws InputError for a folder that is no dataset.
FATHOM_API DatasetInfo read_dataset_info(const std::filesystem::path& dataset);

struct VerifyOptions {
  int threads = 0;                         ///< 0: one per core
  std::function<bool()> should_stop = {};  ///< asked before every unit, from any thread
  /// Removes faulty and unfinished units and files; rendering with resume then completes the dataset. Missing units are
  /// no faults then. Keeps links, units that hold one, and files that are not part of the dataset. No process may be
  /// rendering.
  bool remove_faulty = false;
};

struct VerifyResult {
  std::uint64_t units = 0, files = 0, bytes = 0;  ///< read
  std::uint64_t fault_count = 0;
  std::uint64_t removed = 0;        ///< units, and files with their units
  std::uint64_t left = 0;           ///< faults that remove_faulty does not remove
  std::vector<std::string> faults;  ///< a sentence each, sorted by units; the first kMostFaults
};

inline constexpr std::size_t kMostFaults = 100;

/// Reads every file of a dataset and compares its size and digest with the recorded ones. Finds files and units
/// that are missing, changed, unfinished, foreign, or made of other inputs; opens no array by a library of its
/// format. Throws InputError for a folder that is no dataset; Interrupted; SystemError.
FATHOM_API VerifyResult verify_dataset(const std::filesystem::path& dataset, const VerifyOptions& options = {});

}  // namespace fathom
