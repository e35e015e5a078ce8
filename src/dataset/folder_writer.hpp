// SPDX-License-Identifier: MIT
#pragma once
// The format of datasets that are folders: the files of a run and their digests, a folder for each unit.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dataset/pack_entry.hpp"
#include "dataset/pack_writer.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom {

/// Makes a unit under a hidden name beside its place, and moves it there by one rename.
class FolderWriter : public PackWriter {
 public:
  /// `run` renders the frames: its outputs are written.
  FolderWriter(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, std::string inputs);
  ~FolderWriter() override;

  void begin_pack(const Pack& /*pack*/) override {}
  void begin(const Unit& unit, const std::string& parameters_json) override;
  void add(const UnitFrame& frame) override;
  void end(RunCounts& counts) override;
  PackEntry end_pack() override { return entry_; }

 private:
  void begin_sensor(std::size_t sensor);
  [[nodiscard]] const std::string& name_of(std::size_t sensor) const;
  void close_logs();
  void write_summary(RunCounts& counts);
  [[nodiscard]] std::string files_json();
  void discard() noexcept;
  void move_into_place();

  std::filesystem::path dataset_, folder_;  // folder_: unfinished; empty: none
  const SceneSetup& setup_;
  PreparedRun& run_;
  std::string inputs_;                     // digest
  std::vector<std::string> entity_names_;  // [entity id]
  // [sensor][output file], empty until the first frame of a sensor without logs; null: a file for each frame
  std::vector<std::vector<std::unique_ptr<FrameLog>>> logs_;
  std::vector<std::string> files_;  // in the folder, in the order written
  Unit unit_;
  std::string parameters_;
  PackEntry entry_;  // of the unit that ended last
};

}  // namespace fathom
