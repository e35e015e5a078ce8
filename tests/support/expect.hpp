// SPDX-License-Identifier: MIT
#pragma once
// What every test includes: GoogleTest, rapidcheck, the standard library except its rare parts, and messages of errors.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fathom/core/error.hpp>

#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

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

/// The data that may be absent.
inline std::filesystem::path shared_data() { return FATHOM_SOURCE_DIR "/../shared/data"; }

/// Tests that have an empty folder each.
class InFolder : public ::testing::Test {
 protected:
  TemporaryFolder folder;
};

/// Whether a text has a part; a failed expectation shows both.
inline ::testing::AssertionResult contains(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != std::string_view::npos;
  return ::testing::AssertionResult(found)
         << "'" << text << (found ? "' contains '" : "' does not contain '") << part << "'";
}

}  // namespace fathom::test
