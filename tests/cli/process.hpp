// SPDX-License-Identifier: MIT
#pragma once
// Runs the fathom binary and looks at what it leaves.

#include <chrono>
#include <sys/types.h>

#include "support/expect.hpp"

namespace cli_test {

using Words = std::vector<std::string>;
inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// How a process ended.
struct Ended {
  int exit_code = -1;  ///< -1: killed by `signal`
  int signal = 0;
  std::string out, err;
};

/// Runs `fathom arguments...` to its end.
Ended run_fathom(const Words& arguments);

/// The same, and it must be a success.
inline Ended succeed(const Words& arguments) {
  Ended ended = run_fathom(arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended;
}

/// The exit code of a shell command, in which $FATHOM is the program; it runs in `folder`. 128 + signal: it was killed.
int run_shell(const std::string& command, const std::filesystem::path& folder);

/// A running fathom whose output goes to files in `folder`; stderr elsewhere when `stderr_device` names a device.
class Process {
 public:
  Process(const Words& arguments, const std::filesystem::path& folder, const std::string& stderr_device = {});
  /// Waits until `condition` holds or the process ended; whether the condition held first.
  bool wait_until(const std::function<bool()>& condition);
  void send(int signal) const;
  /// Whether the program has a handler for `signal`.
  [[nodiscard]] bool handles(int signal) const;
  Ended wait();

 private:
  bool reap(bool block);

  pid_t pid_ = -1;
  std::filesystem::path folder_;
  int status_ = 0;
  bool ended_ = false;
};

using fathom::test::bytes_of;
using fathom::test::contains;
using fathom::test::TemporaryFolder;

std::string write_text(const std::filesystem::path& file, const std::string& text);
/// Number of '\n', so that "one line" can be asserted.
std::size_t count_lines(const std::string& text);
/// The regular files below a folder.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// The bytes of each of them, by its path from `folder`.
std::map<std::string, std::string> contents_of(const std::filesystem::path& folder);

}  // namespace cli_test
