// SPDX-License-Identifier: MIT
#pragma once
// Runs the fathom binary and looks at what it leaves.

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "support/temporary_folder.hpp"

namespace cli_test {

/// How a process ended.
struct Ended {
  int exit_code = -1;  ///< -1: killed by `signal`
  int signal = 0;
  std::string out, err;
};

/// Runs `fathom arguments...` to its end.
Ended run_fathom(const std::vector<std::string>& arguments);

/// The exit code of a shell command, in which $FATHOM is the program; it runs in `folder`. 128 + signal: it was killed.
int run_shell(const std::string& command, const std::filesystem::path& folder);

/// A running fathom whose output goes to files in `folder`; stderr elsewhere when `stderr_device` names a device.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::string& stderr_device = {});
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
using fathom::test::TemporaryFolder;

std::string write_text(const std::filesystem::path& file, const std::string& text);
/// Number of '\n', so that "one line" can be asserted.
std::size_t count_lines(const std::string& text);
/// The regular files below a folder.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

}  // namespace cli_test
