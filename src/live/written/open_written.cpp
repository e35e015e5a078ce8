// SPDX-License-Identifier: MIT
#include "live/written/open_written.hpp"

#include <algorithm>

#include <fathom/base/error.hpp>

#include "live/written/run_source.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

bool is_bag_file(const fs::path& file) { return file.extension() == ".mcap" || file.extension() == ".db3"; }

bool holds_bags(const fs::path& folder) {
  return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return is_bag_file(entry.path()); });
}

}  // namespace

std::unique_ptr<LiveSource> open_written(const fs::path& path) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder) require_readable_file(path);
  try {
    const bool is_run = is_folder && fs::exists(path / "summary.json");
    if (!is_run && (is_folder ? holds_bags(path) : is_bag_file(path))) {
      throw InputError(path.string() +
                       ": is a bag; Foxglove and Lichtblick open MCAP, fathom bag info lists its topics");
    }
    return std::make_unique<RunSource>(path);
  } catch (const fs::filesystem_error& failure) {
    throw InputError(path.string() + ": cannot be read: " + failure.code().message());
  }
}

}  // namespace fathom
