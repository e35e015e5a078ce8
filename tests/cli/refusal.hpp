// SPDX-License-Identifier: MIT
#pragma once
// What every refusal of bad input looks like.

#include "process.hpp"

namespace cli_test {

/// The text with the first `find` replaced; empty if the text has no `find`.
inline std::string replaced(std::string text, const std::string& find, const std::string& replace) {
  const std::size_t at = text.find(find);
  return at == std::string::npos ? "" : text.replace(at, find.size(), replace);
}

/// `fathom arguments...` ends with exit code 2, nothing on stdout, one line on stderr that holds every one of
/// `expected`, and without `unwritten`.
inline void expect_refused(const std::string& name, const Words& arguments, const Words& expected,
                           const std::filesystem::path& unwritten) {
  const Ended ended = run_fathom(arguments);
  EXPECT_EQ(ended.exit_code, 2) << name << ": " << ended.err << ended.signal;
  EXPECT_EQ(ended.out, "") << name;
  EXPECT_EQ(count_lines(ended.err), 1U) << name << ": " << ended.err;
  EXPECT_EQ(ended.err.rfind("fathom: error: ", 0), 0U) << name << ": " << ended.err;
  for (const std::string& part : expected) {
    EXPECT_TRUE(contains(ended.err, part)) << name << ": '" << part << "' is not in " << ended.err;
  }
  EXPECT_FALSE(std::filesystem::exists(unwritten)) << name;
}

}  // namespace cli_test
