// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace fathom_cli {

/// To be called first. Makes sure that no file opened later becomes stdin, stdout or stderr where one of them is closed
/// (writing to it still fails), and that writing to a pipe without a reader, or a file at the limit of its size, fails
/// with an error instead of a signal.
void secure_streams();

/// How long a command may take to end by itself after a request to stop.
enum class Patience : std::uint8_t {
  kNone,     ///< the process ends at once: nothing was written, or only whole files (those unfinished have no name)
  kASecond,  ///< it asks received(), and ends as kNone after a second, whatever it is doing
};

/// While it lives, the first SIGINT, SIGTERM or SIGHUP stops the command in order, with a line on stderr and exit code
/// 130; a second one kills as usual.
class StopSignals {
 public:
  explicit StopSignals(Patience patience);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] static bool received();
};

}  // namespace fathom_cli
