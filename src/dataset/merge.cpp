// SPDX-License-Identifier: MIT
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/dataset/manifest.hpp>

#include "dataset/claims.hpp"
#include "dataset/dataset_file.hpp"
#include "dataset/digest.hpp"
#include "dataset/hdf5_files.hpp"
#include "dataset/manifest_file.hpp"
#include "dataset/read_bytes.hpp"
#include "dataset/shelf.hpp"
#include "dataset/stray.hpp"
#include "dataset/whole_pack.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// Whether what merging writes is there, and speaks of this dataset.
bool is_merged(const fs::path& dataset, const DatasetFile& file) {
  const auto text = read_bytes(dataset / kManifestName);
  if (!text) return false;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  try {
    if (json.at("description") != digest_of(dataset_text(file))) return false;
    if (file.packs.files().format != DatasetFormat::kHdf5) return true;
    std::error_code error;
    return fs::file_size(dataset / kMergedHdf5Name, error) == json.at("merged").at("bytes").get<std::uint64_t>() &&
           !error;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

DatasetInfo info_of(const fs::path& dataset, const DatasetFile& file) {
  DatasetInfo info{.version = file.version,
                   .scene = file.scene,
                   .command = file.command,
                   .seed = file.seed,
                   .format = file.packs.files(),
                   .units = file.units(),
                   .first_missing = {},
                   .first_stray = {}};
  info.merged = is_merged(dataset, file);
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

/// Removes files that somebody was writing in a folder when he was killed.
void remove_unfinished_files(const fs::path& folder) {
  std::vector<fs::path> unfinished;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') && name.ends_with(".part")) unfinished.push_back(entry->path());
  }
  for (const fs::path& file : unfinished) fs::remove(file, error);
}

/// Looks at the packs of a dataset one after the other, for merging.
class PackCheck {
 public:
  PackCheck(const fs::path& dataset, const DatasetFile& file)
      : dataset_(dataset), file_(file), places_(file.packs.places()), shelf_(dataset, places_) {}

  /// The entry of a pack that is complete. One whose files have other sizes loses its line in the manifest, so that
  /// resume renders it again; nothing then. Throws InputError for other faults.
  std::optional<PackEntry> entry_of(const Pack& pack) {
    auto entry = shelf_.complete(pack.index);
    if (!entry && !shelf_.at(pack.index).there) fail(pack.index, "is missing");
    if (entry && entry->digest != file_.packs.digest(file_.inputs, pack)) fail(pack.index, "is made of something else");
    if (entry && (!places_.is_folder() || is_whole(dataset_, places_, *entry))) return entry;
    if (damaged_++ == 0) {
      first_damaged_ = pack.index;
      fault_ = entry || shelf_.at(pack.index).entry ? "is not whole: it has not the sizes that the manifest says"
                                                    : "has no line in the manifest";
    }
    append_removal(dataset_, pack.index);
    return {};
  }

  /// Throws InputError when there was a pack without entry.
  void finish() const {
    if (damaged_ == 0) return;
    const std::string more = damaged_ == 1 ? "" : fmt::format(" (and {} more)", damaged_ - 1);
    fail(first_damaged_, fault_ + more);
  }

  [[nodiscard]] bool is_damaged() const { return damaged_ > 0; }

  /// Removes what somebody began in the thousand of the pack.
  void remove_unfinished(std::uint64_t pack) {
    std::error_code error;
    for (const std::string& name : shelf_.unfinished(pack)) {
      fs::remove_all(dataset_ / places_(pack).parent_path() / name, error);
    }
  }

 private:
  [[noreturn]] void fail(std::uint64_t pack, const std::string& fault) const {
    throw InputError(fmt::format("{}: {}; `fathom dataset info {}` says what is to be done",
                                 (dataset_ / places_(pack)).string(), fault, dataset_.string()));
  }

  const fs::path& dataset_;
  const DatasetFile& file_;
  PackPlaces places_;
  PackShelf shelf_;
  std::uint64_t damaged_ = 0, first_damaged_ = 0;
  std::string fault_;  // of the first
};

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
        "{}: is none of what the dataset has; `fathom dataset verify --remove-faulty {}` removes what is none",
        stray->string(), dataset.string()));
  }
  PackCheck check(dataset, file);
  Manifest manifest;
  std::string lines;
  for (std::uint64_t i = 0; i < file.packs.size(); ++i) {
    const Pack pack = file.packs.at(i);
    const auto entry = check.entry_of(pack);
    if (!entry) continue;
    count_entry(info, *entry, pack);
    manifest.add(*entry, pack.units);
    lines += entry_line(*entry);
    const bool last = i + 1 == file.packs.size();
    if (!last && (i + 1) % kPacksPerPart != 0) continue;
    remove_unfinished_files((dataset / part_file(i)).parent_path());
    if (!check.is_damaged()) write_part(dataset, i, lines);
    lines.clear();
    check.remove_unfinished(i);
  }
  check.finish();
  remove_unfinished_files(dataset);
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
