// SPDX-License-Identifier: MIT
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/dataset/manifest.hpp>

#include "dataset/claims.hpp"
#include "dataset/dataset_file.hpp"
#include "dataset/hdf5_files.hpp"
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
                   .format = file.packs.files(),
                   .units = file.units(),
                   .first_missing = {},
                   .first_stray = {}};
  std::error_code error;
  info.merged = fs::exists(dataset / kManifestName, error);
  return info;
}

void count_entry(DatasetInfo& info, const PackEntry& entry, const Pack& pack) {
  info.complete += pack.units;
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

PackEntry checked_entry(const fs::path& dataset, PackShelf& shelf, const DatasetFile& file, const Pack& pack) {
  const auto entry = shelf.complete(pack.index);
  const char* const fault = !entry && shelf.at(pack.index).there
                                ? "is not whole: its sizes are not those that were written"
                            : !entry                                                ? "is missing"
                            : entry->digest != file.packs.digest(file.inputs, pack) ? "is made of something else"
                                                                                    : nullptr;
  if (fault == nullptr) return *entry;
  throw InputError(fmt::format("{}: {}; `fathom dataset info {}` says what is to be done",
                               (dataset / file.packs.places()(pack.index)).string(), fault, dataset.string()));
}

}  // namespace

DatasetInfo read_dataset_info(const fs::path& dataset) {
  const DatasetFile file = read_dataset_file(dataset);
  DatasetInfo info = info_of(dataset, file);
  PackShelf shelf(dataset, file.packs.places());
  for (std::uint64_t i = 0; i < file.packs.size(); ++i) {
    const Pack pack = file.packs.at(i);
    if (i % kPacksPerPart == 0) info.unfinished += shelf.unfinished(i).size();
    const auto entry = shelf.complete(i);
    const bool same = entry && entry->digest == file.packs.digest(file.inputs, pack);
    if (same) {
      count_entry(info, *entry, pack);
      continue;
    }
    if (entry) info.others += pack.units;
    if (!info.first_missing) info.first_missing = pack.first;
  }
  for_each_stray(dataset, file.packs, [&info](const fs::path& path) {
    ++info.strays;
    if (!info.first_stray) info.first_stray = path;
  });
  return info;
}

DatasetInfo merge_dataset(const fs::path& dataset) {
  const DatasetFile file = read_dataset_file(dataset);
  DatasetInfo info = info_of(dataset, file);
  if (const auto stray = first_stray(dataset, file.packs)) {
    throw InputError(fmt::format(
        "{}: is none of the {} units of the dataset; `fathom dataset verify --remove-faulty {}` removes what is none",
        stray->string(), file.units().size(), dataset.string()));
  }
  const PackPlaces places = file.packs.places();
  PackShelf shelf(dataset, places);
  Manifest manifest;
  std::string lines;
  for (std::uint64_t i = 0; i < file.packs.size(); ++i) {
    const Pack pack = file.packs.at(i);
    const PackEntry entry = checked_entry(dataset, shelf, file, pack);
    count_entry(info, entry, pack);
    manifest.add(entry, pack.units);
    lines += entry_line(entry);
    const bool last = i + 1 == file.packs.size();
    if (!last && (i + 1) % kPacksPerPart != 0) continue;
    write_part(dataset, i, lines);
    lines.clear();
    std::error_code error;
    for (const std::string& name : shelf.unfinished(i)) fs::remove_all(dataset / places(i).parent_path() / name, error);
  }
  std::error_code error;
  fs::remove_all(dataset / kClaimsName, error);
  std::optional<FileDigest> merged;
  if (file.packs.files().format == DatasetFormat::kHdf5) {
    merge_hdf5(dataset, file);
    merged = digest_file(dataset / kMergedHdf5Name);
  }
  write_whole_file(dataset / kManifestName, manifest.text(file, merged));
  info.merged = true;
  return info;
}

}  // namespace fathom
