// SPDX-License-Identifier: MIT
// operator new of the whole test program, the libraries included.

#include "rgl/tests/failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace fathom::test {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();
std::atomic<int> left = kNever;  ///< calls until the one that fails
std::atomic<bool> fails_for_good = false, failed = false;

void* memory(std::size_t size, std::size_t alignment) {
  if (left != kNever && --left <= 0 && (left == 0 || fails_for_good)) {
    failed = true;
    throw std::bad_alloc();
  }
  void* const found = alignment <= alignof(std::max_align_t)
                          ? std::malloc(size > 0 ? size : 1)
                          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}

void* memory_or_null(std::size_t size) noexcept {
  try {
    return memory(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

FailingNew::FailingNew(int n, bool for_good) {
  failed = false, fails_for_good = for_good;
  left = n;
}
FailingNew::~FailingNew() { left = kNever; }
bool FailingNew::has_failed() const { return failed; }

}  // namespace fathom::test

using fathom::test::memory;
using fathom::test::memory_or_null;

void* operator new(std::size_t size) { return memory(size, 0); }
void* operator new[](std::size_t size) { return memory(size, 0); }
// A sanitizer has these, too; its memory would not be free()'s.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return memory_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return memory_or_null(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return memory(size, std::size_t(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return memory(size, std::size_t(alignment)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
