// SPDX-License-Identifier: MIT
#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "world/sdf/sdf_preparation.hpp"

namespace fathom {

namespace {

[[noreturn]] void fail_memory_file() {
  throw SystemError(fmt::format("cannot keep an included file in memory: {}", std::generic_category().message(errno)));
}

}  // namespace

MemoryFile::MemoryFile(std::string_view text) : descriptor_(memfd_create("fathom-sdf", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail_memory_file();
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      close(descriptor_);
      fail_memory_file();
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace fathom
