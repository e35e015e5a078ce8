// SPDX-License-Identifier: MIT
#include "dataset/own_place.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/fail_at.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& link) {
  throw InputError(fmt::format("{}: is a link; a dataset follows and removes no links", link.string()));
}

}  // namespace

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

void check_way(const fs::path& dataset, const fs::path& place) {
  fs::path way = dataset;
  for (const fs::path& name : place) {
    way /= name;
    if (is_link(way)) refuse(way);
  }
}

std::optional<fs::path> link_below(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return {};
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_symlink(error)) return entry->path();
  }
  if (error) fail_at(folder, "be read", error.value());
  return {};
}

void check_own(const fs::path& dataset, const fs::path& place) {
  check_way(dataset, place);
  if (const auto link = link_below(dataset / place)) refuse(*link);
}

void remove_own(const fs::path& dataset, const fs::path& place, const fs::path& hidden) {
  check_own(dataset, place);
  const fs::path from = dataset / place, to = from.parent_path() / hidden;
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    if (errno == ENOENT) return;
    fail_at(from, "be renamed", errno);
  }
  std::error_code error;
  fs::remove_all(to, error);
  if (error) fail_at(to, "be removed", error.value());
}

}  // namespace fathom
