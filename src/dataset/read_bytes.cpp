// SPDX-License-Identifier: MIT
#include "dataset/read_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fathom {

namespace {

/// Reads what fits into the buffer, less at the end of the file; -1 where it cannot be read.
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
    if (first) bytes = block;  // what a file gained meanwhile does not count
    first = false;
  });
  if (!whole) return {};
  return bytes;
}

}  // namespace fathom
