#pragma once

#include <gtest/gtest.h>

#include <string>

#include <fathom/error.hpp>

namespace fathom::test {

/// The message of the E that f throws; a failure of the test, and "", when it throws nothing or has several lines.
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
