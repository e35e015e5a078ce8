// SPDX-License-Identifier: MIT
#include "beam/scratch.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

[[noreturn]] void fail_scratch(const std::filesystem::path& folder, const char* what, int reason) {
  throw SystemError(
      fmt::format("{}: a scratch file cannot {}: {}", folder.string(), what, std::generic_category().message(reason)));
}

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::string name = (folder_ / ".fathom-scratch.XXXXXX").string();
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail_scratch(folder_, "be made", errno);
  unlink(name.c_str());
}

MappedFile::~MappedFile() { close(descriptor_); }

void* MappedFile::do_allocate(std::size_t bytes, std::size_t /*alignment*/) {
  const std::size_t length = whole_pages(bytes);
  const std::lock_guard lock(mutex_);
  const int full = posix_fallocate(descriptor_, static_cast<off_t>(size_), static_cast<off_t>(length));
  if (full != 0) fail_scratch(folder_, "grow", full);
  void* at = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, static_cast<off_t>(size_));
  if (at == MAP_FAILED) fail_scratch(folder_, "be mapped", errno);
  size_ += length;
  return at;
}

void MappedFile::do_deallocate(void* at, std::size_t bytes, std::size_t /*alignment*/) {
  munmap(at, whole_pages(bytes));
}

}  // namespace fathom
