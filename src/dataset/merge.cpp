// SPDX-License-Identifier: MIT
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/dataset/manifest.hpp>

#include "dataset/claims.hpp"
#include "dataset/dataset_file.hpp"
#include "dataset/manifest_file.hpp"
#include "dataset/read_bytes.hpp"
#include "dataset/shelf.hpp"
#include "dataset/stray.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

DatasetInfo info_of(const fs::path& dataset, const DatasetFile& file) {
  DatasetInfo info{.version = file.version,
                   .scene = file.scene,
                   .command = file.command,
                   .seed = file.seed,
                   .units = file.units,
                   .first_missing = {}};
  std::error_code error;
  info.merged = fs::exists(dataset / kManifestName, error);
  return info;
}

void count_entry(DatasetInfo& info, const UnitEntry& entry) {
  ++info.complete;
  info.files += entry.files;
  info.bytes += entry.bytes;
}

/// The lines of a thousand, sorted, in place of those in the order of completion.
void write_part(const fs::path& dataset, std::uint64_t first, const std::string& lines) {
  const fs::path file = dataset / part_file(first);
  if (read_bytes(file) == lines) return;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  write_whole_file(file, lines);
}

UnitEntry checked_entry(const fs::path& dataset, UnitShelf& shelf, const DatasetFile& file, std::uint64_t index) {
  const auto entry = shelf.complete(index);
  const char* const fault = !entry ? "is missing"
                            : entry->digest != unit_digest(file.inputs, file.units.at(index))
                                ? "is made of something else"
                                : nullptr;
  if (fault == nullptr) return *entry;
  throw InputError(fmt::format("{}: {}; `fathom dataset info {}` says what is to be done",
                               (dataset / unit_folder(index)).string(), fault, dataset.string()));
}

}  // namespace

DatasetInfo read_dataset_info(const fs::path& dataset) {
  const DatasetFile file = read_dataset_file(dataset);
  DatasetInfo info = info_of(dataset, file);
  UnitShelf shelf(dataset);
  for (std::uint64_t i = 0; i < file.units.size(); ++i) {
    if (i % kUnitsPerPart == 0) info.unfinished += shelf.unfinished(i).size();
    const auto entry = shelf.complete(i);
    const bool same = entry && entry->digest == unit_digest(file.inputs, file.units.at(i));
    if (same) {
      count_entry(info, *entry);
      continue;
    }
    if (entry) ++info.others;
    if (!info.first_missing) info.first_missing = i;
  }
  return info;
}

DatasetInfo merge_dataset(const fs::path& dataset) {
  const DatasetFile file = read_dataset_file(dataset);
  DatasetInfo info = info_of(dataset, file);
  if (const auto stray = first_stray(dataset, file.units)) {
    throw InputError(fmt::format("{}: is none of the {} units of the dataset", stray->string(), file.units.size()));
  }
  UnitShelf shelf(dataset);
  Manifest manifest;
  std::string lines;
  for (std::uint64_t i = 0; i < file.units.size(); ++i) {
    const UnitEntry entry = checked_entry(dataset, shelf, file, i);
    count_entry(info, entry);
    manifest.add(entry);
    lines += entry_line(entry);
    const bool last = i + 1 == file.units.size();
    if (!last && (i + 1) % kUnitsPerPart != 0) continue;
    write_part(dataset, i, lines);
    lines.clear();
    std::error_code error;
    for (const std::string& name : shelf.unfinished(i))
      fs::remove_all(dataset / unit_folder(i).parent_path() / name, error);
  }
  std::error_code error;
  fs::remove_all(dataset / kClaimsName, error);
  write_whole_file(dataset / kManifestName, manifest.text(file));
  info.merged = true;
  return info;
}

}  // namespace fathom
