// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <fathom/base/error.hpp>

namespace fathom {

/// f(); what it throws as InputError gets the prefix, "file x", and ": " in front. `prefix`: a text, or a function that
/// makes one, which is called for an error only. An empty one changes nothing.
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

}  // namespace fathom
