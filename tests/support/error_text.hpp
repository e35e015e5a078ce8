// SPDX-License-Identifier: MIT
#pragma once
// Messages of thrown errors, as text.

#include <string>

#include <gtest/gtest.h>

#include <fathom/core/error.hpp>

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

/// The message of the E that `f` throws; a failure of the test, and "", when it throws nothing or has several lines.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' does not contain '" << part << "'";
}

}  // namespace fathom::test
