// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "run/dataset/own_files.hpp"
#include "run/dataset/pack_tree.hpp"
#include "run/dataset/pack_writer.hpp"
#include "run/prepare_run.hpp"
#include "run/run_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0777) == 0) return;
  std::error_code error;
  if (errno == ENOENT) {  // the first unit of its thousand
    fs::create_directories(folder.parent_path(), error);
    if (mkdir(folder.c_str(), 0777) == 0) return;
  }
  fail_at(folder, "be made", errno);
}

bool writes_log(const RunSensor& sensor) {
  return std::ranges::any_of(sensor.files, [](const OutputFile& file) { return file.is_log(); });
}

/// Makes a unit under a hidden name beside its place, and moves it there by one rename.
class FolderWriter final : public PackWriter {
 public:
  FolderWriter(fs::path dataset, const SceneSetup& setup, PreparedRun& run, std::string inputs);
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

  fs::path dataset_, folder_;  // folder_: of the unfinished unit; empty between units
  const SceneSetup& setup_;
  PreparedRun& run_;
  std::string inputs_;                     // digest
  std::vector<std::string> entity_names_;  // [entity id]
  // [sensor][output file], empty until the first frame of a sensor without logs; null: a file for each frame
  std::vector<std::vector<std::unique_ptr<OutputFile::Log>>> logs_;
  std::vector<std::string> files_;  // in the folder, in the order written
  Unit unit_;
  std::string parameters_;
  PackEntry entry_;  // of the unit that ended last
};

FolderWriter::FolderWriter(fs::path dataset, const SceneSetup& setup, PreparedRun& run, std::string inputs)
    : dataset_(std::move(dataset)), setup_(setup), run_(run), inputs_(std::move(inputs)), logs_(run.sensors.size()) {
  for (const Entity& entity : setup.scene.entities()) entity_names_.push_back(entity.name);
}

FolderWriter::~FolderWriter() { discard(); }

void FolderWriter::discard() noexcept {
  if (folder_.empty()) return;
  for (auto& logs : logs_) logs.clear();
  std::error_code error;
  fs::remove_all(folder_, error);
  folder_.clear();
}

void FolderWriter::begin(const Unit& unit, const std::string& parameters_json) {
  discard();
  unit_ = unit;
  parameters_ = parameters_json;
  files_.clear();
  const fs::path above = unit.folder().parent_path();
  const std::string name = unfinished_name(unit.index, this);
  remove_own(dataset_, above / name, name);  // left by a process with the same name
  make_folder(dataset_ / above / name);
  folder_ = dataset_ / above / name;
  for (std::size_t i = 0; i < run_.sensors.size(); ++i) {  // as run_scene(), even without frames
    if (writes_log(run_.sensors[i])) begin_sensor(i);
  }
}

/// A sensor without a file has no folder.
void FolderWriter::begin_sensor(std::size_t sensor) {
  const RunSensor& of = run_.sensors[sensor];
  if (!logs_[sensor].empty() || of.files.empty()) return;
  make_folder(folder_ / name_of(sensor));
  for (const OutputFile& file : of.files) {
    auto log = file.is_log()
                   ? file.begin_log(folder_ / name_of(sensor) / file.name(0), run_.simulator.pattern(of.id, 0))
                   : nullptr;
    logs_[sensor].push_back(std::move(log));
  }
}

void FolderWriter::add(const UnitFrame& frame) {
  const std::size_t i = frame.sensor;
  const RunSensor& sensor = run_.sensors[i];
  const OutputFile::Context context = {run_.simulator.world_from_sensor(sensor.id, frame.time_s), entity_names_,
                                       setup_.scene.labels()};
  if (frame.frame.is_dropped()) return;
  begin_sensor(i);
  for (std::size_t k = 0; k < sensor.files.size(); ++k) {
    if (logs_[i][k]) {
      logs_[i][k]->add(frame.frame, context);
      continue;
    }
    const std::string name = fmt::format("{}/{}", name_of(i), sensor.files[k].name(frame.index));
    sensor.files[k].write(folder_ / name, frame.frame, context);
    files_.push_back(name);
  }
}

const std::string& FolderWriter::name_of(std::size_t sensor) const {
  return run_.simulator.sensor(run_.sensors[sensor].id).name;
}

void FolderWriter::close_logs() {
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    for (std::size_t k = 0; k < logs_[i].size(); ++k) {
      if (!logs_[i][k]) continue;
      logs_[i][k]->commit();
      files_.push_back(name_of(i) + "/" + run_.sensors[i].files[k].name(0));
    }
    logs_[i].clear();
  }
}

/// The summary lists all other files of the folder.
void FolderWriter::write_summary(RunCounts& counts) {
  counts.files = files_;
  write_whole_file(folder_ / kSummaryName, unit_summary_text(setup_, run_.simulator, counts));
  files_.emplace_back(kSummaryName);
}

/// Reads the files back, so that their digests match the disk. Counts them in the entry.
std::string FolderWriter::files_json() {
  std::string text;
  for (const std::string& name : files_) {
    const auto file = digest_file(folder_ / name);
    if (!file) fail_at(folder_ / name, "be read back", errno);
    text += fmt::format("{}\n  {{\"name\": \"{}\", \"bytes\": {}, \"digest\": \"{}\"}}", text.empty() ? "" : ",", name,
                        file->bytes, file->digest);
    ++entry_.files;
    entry_.bytes += file->bytes;
  }
  return text;
}

void FolderWriter::end(RunCounts& counts) {
  close_logs();
  write_summary(counts);
  entry_ = {.index = unit_.index, .digest = unit_digest(inputs_, unit_)};
  const std::string text = with_check(
      fmt::format("{{\"fathom\": \"{}\", \"unit\": {}, \"digest\": \"{}\",\n \"parameters\": {},\n \"files\": [{}]",
                  versions().fathom, unit_.index, entry_.digest, parameters_, files_json()));
  entry_.content = digest_of(text);
  write_whole_file(folder_ / kUnitJson, text);
  move_into_place();
}

/// An existing folder of this name is another version of the unit, its remains, or the same unit by a faster process.
void FolderWriter::move_into_place() {
  const fs::path place = unit_.folder();
  while (std::rename(folder_.c_str(), (dataset_ / place).c_str()) != 0) {
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) fail_at(folder_, "be renamed", errno);
    if (whole_entry(dataset_, PackPlaces(DatasetFormat::kFolders), unit_.index) == entry_) return discard();
    remove_own(dataset_, place, folder_.filename().string() + ".old.part");
  }
  folder_.clear();
}

}  // namespace

std::unique_ptr<PackWriter> make_folder_writer(const fs::path& dataset, const SceneSetup& setup, PreparedRun& run,
                                               std::string inputs) {
  return std::make_unique<FolderWriter>(dataset, setup, run, std::move(inputs));
}

}  // namespace fathom
