// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

// Whether a sanitizer replaces malloc and watches threads: g++ tells by macros, clang by features.
#define FATHOM_SANITIZED 0
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef FATHOM_SANITIZED
#define FATHOM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef FATHOM_SANITIZED
#define FATHOM_SANITIZED 1
#endif
#endif

namespace fathom::test {

inline constexpr bool kSanitized = FATHOM_SANITIZED == 1;
#ifdef FATHOM_EMULATED  // by QEMU
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = kSanitized;
#endif

/// A count of repetitions: full in an ordinary build, an eighth under a sanitizer or an emulator, which are that much
/// slower. Never for samples whose size a statistical claim names. tests/CMakeLists.txt does the same to the cases of
/// rapidcheck.
inline constexpr std::size_t repetitions(std::size_t full) { return kSlow ? (full + 7) / 8 : full; }

}  // namespace fathom::test
