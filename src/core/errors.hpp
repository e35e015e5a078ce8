// SPDX-License-Identifier: MIT
#pragma once
// Prefixes of errors, interruption on request, and the message of a missing feature.

#include <concepts>
#include <functional>
#include <string>
#include <string_view>

#include <fathom/core/error.hpp>

namespace fathom {

/// Calls f(). An InputError that it throws gets the prefix, "file x", and ": " in front; an empty prefix changes
/// nothing. `prefix`: a text, or a function that makes one, which is called only for an error.
template <class Prefix, class F>
auto with_prefix(const Prefix& prefix, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const InputError& error) {
    Message text;
    if constexpr (std::invocable<const Prefix&>) {
      text = prefix();
    } else {
      text = prefix;
    }
    if (text.empty()) throw;
    throw InputError(text, ": ", error.message());
  }
}

/// Throws Interrupted if a program wants to stop. `should_stop`: may be empty.
inline void stop_if_asked(const std::function<bool()>& should_stop) {
  if (should_stop && should_stop()) throw Interrupted("stopped within a frame");
}

/// The message of a build that lacks an optional library. `packages`: of Debian (cmake/FathomFeature.cmake).
std::string missing_feature(std::string_view feature, std::string_view packages);

}  // namespace fathom
