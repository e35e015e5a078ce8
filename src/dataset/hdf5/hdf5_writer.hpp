// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset_file.hpp"
#include "dataset/file_writer.hpp"
#include "dataset/hdf5/compress.hpp"
#include "dataset/hdf5/handle.hpp"
#include "simulate/outputs/array_plan.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom::hdf5 {

/// Writes the file of a pack: each frame of a channel is a chunk, which is written as it comes.
class Hdf5Writer : public FileWriter {
 public:
  Hdf5Writer(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, DatasetFile file);
  ~Hdf5Writer() override;

  void begin(const Unit& unit, const std::string& parameters_json) override;
  void add(const UnitFrame& frame) override;
  void end(RunCounts& /*counts*/) override {}

 private:
  struct SensorArrays {
    Handle group;
    std::vector<Handle> channels;  // as in plans_; empty before the first frame
    std::uint32_t returns = 0, rows = 0, cols = 0;
    std::vector<double> time_s, pose;  // [units, frames], [units, frames, 7]
    std::vector<double> delivered_s;   // [units, frames]; empty: the sensor has no timing
  };

  void open_file() override;
  FileDigest close_file() override;
  void make_channels(const UnitFrame& frame);
  [[nodiscard]] Handle make_channel(const SensorArrays& sensor, const ChannelInfo& info);
  void write_frame(hid_t array, const ChannelInfo& info, std::span<const std::byte> elements);
  void keep_pose(const UnitFrame& frame);
  void write_numbers();
  void write_array(hid_t group, const char* name, hid_t file_type, hid_t memory_type, std::span<const hsize_t> shape,
                   const void* elements);

  DatasetFile about_;
  PreparedRun& run_;
  std::vector<std::vector<ArrayPlan>> plans_;  // [sensor]
  std::optional<ChunkFilter> filter_;          // none without compression
  FileMemory memory_;
  std::optional<NewFile> file_;
  std::vector<SensorArrays> sensors_;
  std::vector<Unit> units_;  // of the pack, so far
  std::vector<std::string> parameters_;
  std::uint64_t frame_ = 0;    // of the unit, of what is being added
  std::vector<float> buffer_;  // one array
};

}  // namespace fathom::hdf5
