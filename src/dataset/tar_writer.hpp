// SPDX-License-Identifier: MIT
#pragma once
// The format of WebDataset (https://github.com/webdataset/webdataset): tar files in which consecutive members of one
// name before the first dot are a sample. A sample is a frame:
//   000003_000000_000017.lidar.range.npy   a channel of a sensor: environment 3, episode 0, frame 17
//   000003_000000_000017.json              numbers, times and poses, and what was drawn for the episode

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dataset/file_writer.hpp"
#include "simulate/outputs/array_plan.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom {

class TarWriter : public FileWriter {
 public:
  TarWriter(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, const PackList& packs,
            std::string inputs);
  ~TarWriter() override;

  void begin(const Unit& unit, const std::string& parameters_json) override;
  void add(const UnitFrame& frame) override;
  void end(RunCounts& /*counts*/) override {}

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open_file() override;
  FileDigest close_file() override;
  void write(std::span<const std::byte> bytes);
  void begin_member(const std::string& name, std::size_t bytes);
  void end_member(std::size_t bytes);
  void add_json();

  PreparedRun& run_;
  std::vector<std::vector<ArrayPlan>> arrays_;  // [sensor]
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::optional<Digester> written_;  // to the file
  Unit unit_;
  nlohmann::ordered_json parameters_, sample_;
  std::string key_;            // of the sample
  std::vector<float> buffer_;  // one array
};

}  // namespace fathom
