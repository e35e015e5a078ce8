// SPDX-License-Identifier: MIT
#pragma once
// Memory in a file without a name: the operating system keeps what is in use of it in memory, so that arrays may be
// larger than that.

#include <cstddef>
#include <filesystem>
#include <memory_resource>
#include <mutex>
#include <optional>

namespace fathom {

/// Maps stretches of one file, which is gone when this is destroyed or the process ends. For several threads.
class MappedFile : public std::pmr::memory_resource {
 public:
  /// Throws SystemError naming the folder.
  explicit MappedFile(std::filesystem::path folder);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override;

 private:
  /// Throws SystemError when the disk is full: later, there would be a signal in its place.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::mutex mutex_;
  std::size_t size_ = 0;
};

/// Where large arrays are: in a file in `folder`, or in memory where that is empty. They live as long as this.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& folder) {
    if (folder.empty()) return;
    file_.emplace(folder);
    arrays_.emplace(kFirstStretch, &*file_);
    lists_.emplace(std::pmr::pool_options{0, kLargestList}, &*file_);
  }

  /// Of arrays that stay; for one thread.
  [[nodiscard]] std::pmr::memory_resource* arrays() { return arrays_ ? &*arrays_ : std::pmr::get_default_resource(); }
  /// Of lists that grow and go; for several threads.
  [[nodiscard]] std::pmr::memory_resource* lists() { return lists_ ? &*lists_ : std::pmr::get_default_resource(); }

 private:
  // Stretches grow from the first size on, so that there are few of them: a process has 65 530 at most. Lists up to the
  // second size share stretches, too.
  static constexpr std::size_t kFirstStretch = std::size_t{1} << 20U, kLargestList = std::size_t{1} << 12U;

  std::optional<MappedFile> file_;
  std::optional<std::pmr::monotonic_buffer_resource> arrays_;
  std::optional<std::pmr::synchronized_pool_resource> lists_;
};

}  // namespace fathom
