// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

#include <rgl/api/core.h>

namespace rgl {

/// Lines "[time][microseconds since the line before][level]: text" to a file, to standard output, or to neither.
class Log {
 public:
  /// Empties the file; "" is none. Throws LOGGING_ERROR.
  void configure(rgl_log_level_t level, const std::string& file, bool to_stdout);
  /// Leaves out a line for which there is no memory; the next line counts the missing ones.
  void write(rgl_log_level_t level, std::string_view text) noexcept;
  [[nodiscard]] bool takes(rgl_log_level_t level) const { return level >= level_ && level_ != RGL_LOG_LEVEL_OFF; }

 private:
  void put(rgl_log_level_t level, std::string_view text);

  rgl_log_level_t level_ = RGL_LOG_LEVEL_OFF;
  std::ofstream file_;
  bool to_stdout_ = false;
  int lost_lines_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace rgl
