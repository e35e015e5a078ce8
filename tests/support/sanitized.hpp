#pragma once

#include <cstddef>

namespace fathom::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// A count of repetitions: full in an ordinary build, an eighth under a sanitizer, which is that much slower. Never
/// for samples whose size a statistical claim names.
inline constexpr std::size_t repetitions(std::size_t full) { return kSanitized ? (full + 7) / 8 : full; }

}  // namespace fathom::test
