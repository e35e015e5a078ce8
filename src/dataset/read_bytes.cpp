// SPDX-License-Identifier: MIT
#include "dataset/read_bytes.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fathom {

std::optional<std::string> read_bytes(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  struct stat state = {};
  std::string bytes;
  bool whole = fstat(descriptor, &state) == 0 && S_ISREG(state.st_mode);
  if (whole) bytes.resize(static_cast<std::size_t>(state.st_size));
  for (std::size_t done = 0; whole && done < bytes.size();) {
    const ssize_t count = read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) whole = false;
    if (count == 0) bytes.resize(done);  // it became shorter
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  close(descriptor);
  if (!whole) return {};
  return bytes;
}

}  // namespace fathom
