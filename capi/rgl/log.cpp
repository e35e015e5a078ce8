// SPDX-License-Identifier: MIT
#include "log.hpp"

#include <cstdio>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warning", "error", "critical", "off"};

}  // namespace

void Log::configure(rgl_log_level_t level, const std::string& file, bool to_stdout) {
  file_ = {};
  if (!file.empty()) {
    file_.open(file, std::ios::trunc);
    if (!file_) fail(RGL_LOGGING_ERROR, fmt::format("Logging error: cannot write '{}'", file));
  }
  level_ = level, to_stdout_ = to_stdout;
  write(RGL_LOG_LEVEL_INFO,
        fmt::format("Logging configured: level {}, file '{}', stdout {}", kLevels[level], file, to_stdout));
}

void Log::write(rgl_log_level_t level, std::string_view text) {
  if (!takes(level)) return;
  const auto now = std::chrono::steady_clock::now();
  const auto delta = std::chrono::duration_cast<std::chrono::microseconds>(now - last_).count();
  last_ = now;
  const std::time_t clock = std::time(nullptr);
  const std::string line =
      fmt::format("[{:%H:%M:%S}][{} us][{}]: {}\n", fmt::localtime(clock), delta, kLevels[level], text);
  if (file_.is_open()) file_ << line << std::flush;
  if (to_stdout_) std::fputs(line.c_str(), stdout);
}

}  // namespace rgl
