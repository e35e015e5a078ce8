// SPDX-License-Identifier: MIT
#include "dataset/new_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <sys/sendfile.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

/// Calls `step` on a new file until it has nothing more to write.
void write_by(const std::filesystem::path& file, const std::function<ssize_t(int)>& step) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) fail_at(file, "be made", errno);
  ssize_t written = 1;
  while (written > 0 || (written < 0 && errno == EINTR)) written = step(descriptor);
  int reason = written < 0 ? errno : 0;
  if (close(descriptor) != 0 && reason == 0) reason = errno;  // where writing is late, as on NFS
  if (reason != 0) fail_at(file, "be written", reason);
}

}  // namespace

void fail_at(const std::filesystem::path& path, std::string_view action, int reason) {
  throw SystemError(fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(reason)));
}

void write_new_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  write_by(file, [&](int descriptor) {
    const ssize_t written = bytes.empty() ? 0 : write(descriptor, bytes.data(), bytes.size());
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
    return written;
  });
}

void write_new_file(const std::filesystem::path& file, int from) {
  constexpr std::size_t kPiece = std::size_t{1} << 24U;
  off_t done = 0;
  write_by(file, [&](int descriptor) { return sendfile(descriptor, from, &done, kPiece); });
}

}  // namespace fathom
