// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <fathom/base/error.hpp>

namespace fathom {

/// f(); what it throws as InputError gets the name of the log in front, if it has one.
template <class F>
auto naming(const std::string& log, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const InputError& error) {
    if (log.empty()) throw;
    throw InputError(log + ": " + error.what());
  }
}

}  // namespace fathom
