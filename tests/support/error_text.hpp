#pragma once

#include <string>

#include <fathom/error.hpp>

namespace fathom::test {

/// The message of the InputError that `f` throws; empty when it throws none. Anything else thrown fails the test.
template <class F>
std::string input_error(F f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace fathom::test
