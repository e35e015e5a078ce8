// SPDX-License-Identifier: MIT
#pragma once
// Counts every malloc of the process. It replaces malloc itself: include it in one file of a program, and not under a
// sanitizer, which has replaced it already.

#include <atomic>
#include <cstddef>
#include <cstdlib>

#if __has_include(<mm_malloc.h>)  // of x86-64; clang++ refuses its posix_memalign() after a definition
#include <mm_malloc.h>
#endif

#include "support/sanitized.hpp"

#if !FATHOM_SANITIZED

namespace fathom::test {

inline std::atomic<bool> counting = false;
inline std::atomic<std::size_t> allocations = 0;
inline void count_allocation() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

template <class F>
std::size_t allocations_in(F f) {
  allocations = 0;
  counting = true;
  f();
  counting = false;
  return allocations;
}

}  // namespace fathom::test

// glibc's own entry points, which operator new, Embree and TBB reach as well if they are visible.
#pragma GCC visibility push(default)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) { return fathom::test::count_allocation(), __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) { return fathom::test::count_allocation(), __libc_calloc(n, size); }
void* realloc(void* old, std::size_t size) { return fathom::test::count_allocation(), __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fathom::test::count_allocation(), __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return fathom::test::count_allocation(), __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  fathom::test::count_allocation();
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? 12 : 0;
}
}
#pragma GCC visibility pop

#endif
