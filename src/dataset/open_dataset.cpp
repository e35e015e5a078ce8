// SPDX-License-Identifier: MIT
#include "dataset/open_dataset.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "dataset/own_place.hpp"
#include "dataset/read_bytes.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kNames = {kDatasetName, "units", "packs"};

/// Whether the folder holds something besides what datasets and files in the making are called.
bool holds_others(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && std::ranges::find(kNames, name) == kNames.end()) return true;
  }
  if (error) throw SystemError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  return false;
}

/// Whether the folder holds units whose dataset.json was lost.
bool holds_packs(const fs::path& folder) { return fs::exists(folder / "units") || fs::exists(folder / "packs"); }

/// The dataset of a folder: nothing where it has none, or one that was torn, of which no JSON is left. Throws
/// InputError for one that is not ours.
std::optional<DatasetFile> dataset_in(const fs::path& folder) {
  const auto text = read_bytes(folder / kDatasetName);
  if (!text || !nlohmann::json::accept(*text)) return {};
  return read_dataset_file(folder);
}

/// How the command is spelled does not make another dataset.
bool is_same_dataset(DatasetFile a, const DatasetFile& b) {
  a.command = b.command;
  return dataset_text(a) == dataset_text(b);
}

void make_folder_of(const fs::path& out) {
  if (out.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  fs::create_directories(out, error);
  if (!error) return;
  if (fs::exists(fs::symlink_status(out))) {
    throw InputError(fmt::format("{}: exists and is not a folder", out.string()));
  }
  throw SystemError(fmt::format("{}: cannot be made: {}", out.string(), error.message()));
}

}  // namespace

void open_dataset(const DatasetFile& file, const DatasetOptions& options) {
  const fs::path& out = options.run.out;
  const bool replaces = options.resume || options.run.force;
  make_folder_of(out);
  for (const std::string_view name : kNames) check_way(out, name);
  const auto there = dataset_in(out);
  if (there && is_same_dataset(*there, file)) {
    const std::string kept = dataset_text(*there);
    if (read_bytes(out / kDatasetName) != kept) write_whole_file(out / kDatasetName, kept);  // its end was torn
    return;
  }
  if (there && !replaces) {
    throw InputError(fmt::format(
        "{}: holds another dataset: other units, inputs, seed or version; --resume keeps the units that are "
        "the same, --force replaces all",
        out.string()));
  }
  if (there && !options.run.force && there->packs.files().format != file.packs.files().format) {
    throw InputError(fmt::format(
        "{}: holds a dataset of --format {}; --format {} keeps nothing of it: give another folder (--out), or --force",
        out.string(), to_string(there->packs.files().format), to_string(file.packs.files().format)));
  }
  if (there && !options.run.force && there->inputs == file.inputs && there->packs.files() != file.packs.files()) {
    throw InputError(fmt::format(
        "{}: holds files of --units-per-file {} and --compression {}; others keep nothing of them: give these, another "
        "folder (--out), or --force",
        out.string(), there->packs.files().units_per_file, there->packs.files().compression));
  }
  // Between the two looks, another shard may have made the file.
  if (!there && holds_others(out) && !fs::exists(out / kDatasetName)) {
    throw InputError(fmt::format("{}: holds something else than a dataset; give another folder (--out)", out.string()));
  }
  if (!there && !replaces && holds_packs(out) && !dataset_in(out)) {
    throw InputError(
        fmt::format("{}: holds units, and the {} that described them is lost; --resume keeps those that are the same",
                    out.string(), kDatasetName));
  }
  write_whole_file(out / kDatasetName, dataset_text(file));
}

}  // namespace fathom
