// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"

namespace fathom {

namespace {

constexpr int kNameAttempts = 100;

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// A hidden name beside the file, which differs between processes.
std::string hidden_name(const std::filesystem::path& file, int attempt) {
  const std::string suffix = attempt == 0 ? "" : fmt::format("-{}", attempt);
  return folder_of(file) / fmt::format(".{}.{}{}.part", file.filename().string(), getpid(), suffix);
}

/// Whether a folder above the file is unfinished, and so hidden.
bool in_unfinished_folder(const std::filesystem::path& file) {
  const std::string& path = file.native();
  for (std::size_t end = path.find(".part/"); end != std::string::npos; end = path.find(".part/", end + 1)) {
    const std::size_t slash = path.rfind('/', end);
    if (path[slash == std::string::npos ? 0 : slash + 1] == '.') return true;
  }
  return false;
}

}  // namespace

WholeFile::WholeFile(std::filesystem::path file, Unfinished unfinished) : file_(std::move(file)) {
  if (in_unfinished_folder(file_)) open_in_place();
  // A nameless file gets its name through /proc.
  if (descriptor_ < 0 && unfinished == Unfinished::kNameless && access("/proc/self/fd", X_OK) == 0) {
    descriptor_ = open(folder_of(file_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    // O_TMPFILE is missing in the kernel (EISDIR) or in the file system (EOPNOTSUPP, EINVAL).
    if (descriptor_ < 0 && errno != EISDIR && errno != EOPNOTSUPP && errno != EINVAL) fail("cannot create");
  }
  if (descriptor_ < 0) open_hidden();
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!hidden_.empty()) unlink(hidden_.c_str());
}

void WholeFile::fail(std::string_view action) const {
  const int error = errno;
  throw SystemError(fmt::format("{}: {}: {}", file_.string(), action, std::generic_category().message(error)));
}

/// Opens nothing if a file has the name already.
void WholeFile::open_in_place() {
  std::string name = file_;
  descriptor_ = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) hidden_ = std::move(name);
}

void WholeFile::open_hidden() {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    std::string name = hidden_name(file_, attempt);
    descriptor_ = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      hidden_ = std::move(name);  // needs no memory, so the name of an existing file is not lost
    } else if (errno != EEXIST || attempt == kNameAttempts) {
      fail("cannot create");
    }
  }
}

void WholeFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Links the nameless file to its final name, or to a hidden one for a rename if the final name is taken.
void WholeFile::name_nameless() {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, file_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  for (int attempt = 0; errno == EEXIST && attempt <= kNameAttempts; ++attempt) {
    std::string name = hidden_name(file_, attempt);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      hidden_ = std::move(name);
      return;
    }
  }
  fail("cannot create");
}

void WholeFile::commit() {
  if (hidden_.empty()) name_nameless();
  if (!hidden_.empty()) {
    if (hidden_ != file_.native() && rename(hidden_.c_str(), file_.c_str()) != 0) fail("cannot replace");
    hidden_.clear();
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) != 0) fail("cannot write");
}

void write_whole_file(const std::filesystem::path& file, std::string_view content) {
  WholeFile out(file);
  out.write(content);
  out.commit();
}

}  // namespace fathom
