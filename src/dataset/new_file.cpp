// SPDX-License-Identifier: MIT
#include "dataset/new_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void fail_at(const std::filesystem::path& path, std::string_view action, int reason) {
  throw SystemError(fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(reason)));
}

void write_new_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) fail_at(file, "be made", errno);
  int reason = 0;
  while (!bytes.empty() && reason == 0) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
    if (written == 0) reason = ENOSPC;
    if (written < 0 && errno != EINTR) reason = errno;
  }
  if (close(descriptor) != 0 && reason == 0) reason = errno;  // where writing is late, as on NFS
  if (reason != 0) fail_at(file, "be written", reason);
}

}  // namespace fathom
