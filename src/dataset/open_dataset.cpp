// SPDX-License-Identifier: MIT
#include "dataset/open_dataset.hpp"

#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/read_bytes.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// Whether the folder holds something besides what datasets and files in the making are called.
bool holds_others(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) return true;
  }
  if (error) throw SystemError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  return false;
}

}  // namespace

void open_dataset(const DatasetFile& file, const DatasetOptions& options) {
  const fs::path& out = options.run.out;
  if (out.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  fs::create_directories(out, error);
  if (error) {
    if (fs::exists(fs::symlink_status(out))) {
      throw InputError(fmt::format("{}: exists and is not a folder", out.string()));
    }
    throw SystemError(fmt::format("{}: cannot be made: {}", out.string(), error.message()));
  }
  const std::string text = dataset_text(file);
  const auto there = read_bytes(out / kDatasetName);
  if (there == text) return;
  if (there && !options.resume && !options.run.force) {
    throw InputError(fmt::format(
        "{}: holds another dataset: other units, inputs, seed or version; --resume keeps the units that are "
        "the same, --force replaces all",
        out.string()));
  }
  // Between the two looks, another shard may have made the file.
  if (!there && holds_others(out) && !fs::exists(out / kDatasetName)) {
    throw InputError(fmt::format("{}: holds something else than a dataset; give another folder (--out)", out.string()));
  }
  if (there) static_cast<void>(read_dataset_file(out));  // refuses what is not ours
  write_whole_file(out / kDatasetName, text);
}

}  // namespace fathom
