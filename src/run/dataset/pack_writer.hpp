// SPDX-License-Identifier: MIT
#pragma once
// The formats of datasets as classes that get the frames of a pack, one unit after the other.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/dataset.hpp>

#include "run/dataset/dataset_file.hpp"
#include "run/dataset/digest.hpp"
#include "run/dataset/pack.hpp"
#include "run/prepare_run.hpp"
#include "run/summary.hpp"

namespace fathom {

/// A frame of a sensor. The frame lives until add() returns.
struct UnitFrame {
  std::size_t sensor;   ///< its number in the scene file
  std::uint32_t index;  ///< of the frame in its episode
  double time_s;        ///< when the frame begins
  const Frame& frame;
};

/// Used by one thread at a time. For each pack: begin_pack(); for each of its units begin(), add() for every frame, and
/// end(); end_pack(). Frames come in the order of the scene's frames, then in that of the sensors in the scene file. A
/// pack that is begun and not ended leaves nothing. Every function throws SystemError naming the file.
class PackWriter {
 public:
  PackWriter() = default;
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;
  virtual ~PackWriter() = default;

  virtual void begin_pack(const Pack& pack) = 0;
  /// `parameters_json` describes the unit: its numbers, and the drawn parameters of each sensor.
  virtual void begin(const Unit& unit, const std::string& parameters_json) = 0;
  virtual void add(const UnitFrame& frame) = 0;
  /// `counts`: of the unit; the writer may list its files there.
  virtual void end(RunCounts& counts) = 0;
  /// The pack is complete: it appears now, whole.
  virtual PackEntry end_pack() = 0;
};

/// Common code of formats with many units in a file. Makes a pack under a hidden name beside its place, moves it
/// there by one rename, and writes a description beside it.
class FileWriter : public PackWriter {
 public:
  /// `inputs`: their digest.
  FileWriter(std::filesystem::path dataset, const PackList& packs, std::string inputs);

  void begin_pack(const Pack& pack) final;
  PackEntry end_pack() final;

 protected:
  /// Removes the file in the making; the destructor of each format calls it, after it has closed the file.
  void remove_unfinished() noexcept;
  [[nodiscard]] const Pack& pack() const { return pack_; }
  [[nodiscard]] const std::filesystem::path& unfinished() const { return unfinished_; }
  [[nodiscard]] const PackList& packs() const { return packs_; }

 private:
  virtual void open_file() = 0;  ///< creates unfinished()
  /// All units of pack() are written. The digest of the bytes that went into the file.
  virtual FileDigest close_file() = 0;

  std::filesystem::path dataset_, unfinished_;  // unfinished_: empty if no file is in the making
  PackList packs_;
  std::string inputs_;
  Pack pack_;
};

/// Writes the files of a run and their digests, into a folder for each unit. `run` renders the frames.
std::unique_ptr<PackWriter> make_folder_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                               PreparedRun& run, std::string inputs);

/// Writes WebDataset (https://github.com/webdataset/webdataset): tar files in which a sample is the consecutive members
/// with the same name before the first dot. A sample is a frame:
///   000003_000000_000017.lidar.range.npy   a channel of a sensor: environment 3, episode 0, frame 17
///   000003_000000_000017.json              numbers, times and poses, and the parameters drawn for the episode
std::unique_ptr<PackWriter> make_tar_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                            PreparedRun& run, const DatasetFile& file);

/// Writes HDF5, after check_hdf5(). In each file, for U units of at most F frames:
///   /SENSOR/CHANNEL      [U, F, rows, cols] or, for points, [U, F, rows, cols, 3]; a chunk for each frame
///   /SENSOR/time_s       [U, F], when the frame was measured
///   /SENSOR/delivered_s  [U, F], for a sensor with a timing: when it arrived; NaN: it was dropped
///   /SENSOR/pose         [U, F, 7]: x, y, z, and the quaternion w, x, y, z; world from sensor, when the frame begins
///   /unit/index, environment, episode, first_frame, frames   [U]
///   /unit/parameters     [U]: JSON, the parameters drawn for the episode
/// Frames that a shorter unit lacks are NaN, or 0 in arrays of whole numbers.
std::unique_ptr<PackWriter> make_hdf5_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                             PreparedRun& run, const DatasetFile& file);
/// Throws InputError for a sensor whose arrays have no place in a file.
void check_hdf5(const SceneSetup& setup);

}  // namespace fathom
