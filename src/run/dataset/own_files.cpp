// SPDX-License-Identifier: MIT
#include "run/dataset/own_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

namespace fathom {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& link) {
  throw InputError(fmt::format("{}: is a link; a dataset follows and removes no links", link.string()));
}

}  // namespace

void fail_at(const fs::path& path, std::string_view action, int reason) {
  throw SystemError(fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(reason)));
}

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

namespace {

/// Fills the buffer, or as much as the file has left. The bytes read; -1 if the file cannot be read.
ssize_t read_up_to(int descriptor, std::string& buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t count = read(descriptor, buffer.data() + done, buffer.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

bool read_blocks(const std::filesystem::path& file, std::size_t block, const std::function<void(std::string_view)>& f) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return false;
  struct stat state = {};
  bool whole = fstat(descriptor, &state) == 0;
  if (whole && !S_ISREG(state.st_mode)) {
    errno = EINVAL;
    whole = false;
  }
  if (whole) {
    std::string buffer(std::min(block, static_cast<std::size_t>(state.st_size)), '\0');
    for (std::size_t count = buffer.size(); count > 0 && whole;) {
      const ssize_t got = read_up_to(descriptor, buffer);
      whole = got >= 0;
      count = whole && static_cast<std::size_t>(got) == buffer.size() ? buffer.size() : 0;
      if (got > 0) f(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
    }
  }
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return whole;
}

std::optional<std::string> read_bytes(const std::filesystem::path& file) {
  std::string bytes;
  constexpr std::size_t kMost = std::size_t{4} << 30U;  // one block, of the size that the file has
  struct stat state = {};
  if (lstat(file.c_str(), &state) == 0 && state.st_size > static_cast<off_t>(kMost)) return {};
  bool first = true;
  const bool whole = read_blocks(file, kMost, [&](std::string_view block) {
    if (first) bytes = block;  // ignores bytes that were appended since
    first = false;
  });
  if (!whole) return {};
  return bytes;
}

}  // namespace fathom
