// SPDX-License-Identifier: MIT
#pragma once
// Memory in a file without a name: the operating system keeps what is in use of it in memory, so that arrays may be
// larger than that.

#include <cstddef>
#include <filesystem>
#include <memory_resource>
#include <optional>

namespace fathom {

/// Maps stretches of one file, which is gone when this is destroyed or the process ends.
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
  std::size_t size_ = 0;
};

/// Where large arrays are: in a file in `folder`, or in memory where that is empty. They live as long as this.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& folder) {
    if (folder.empty()) return;
    file_.emplace(folder);
    arena_.emplace(kFirstStretch, &*file_);
  }

  [[nodiscard]] std::pmr::memory_resource* resource() { return arena_ ? &*arena_ : std::pmr::get_default_resource(); }

 private:
  // Stretches grow from this on, so that there are few of them: a process has 65 530 at most.
  static constexpr std::size_t kFirstStretch = std::size_t{1} << 20U;

  std::optional<MappedFile> file_;
  std::optional<std::pmr::monotonic_buffer_resource> arena_;
};

}  // namespace fathom
