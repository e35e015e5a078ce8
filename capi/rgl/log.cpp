// SPDX-License-Identifier: MIT
#include "log.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warning", "error", "critical", "off"};

}  // namespace

void Log::configure(rgl_log_level_t level, const std::string& file, bool to_stdout) {
  const std::string first =
      fmt::format("Logging configured: level {}, file '{}', stdout {}", kLevels[level], file, to_stdout);
  std::ofstream opened;
  if (!file.empty()) {
    opened.open(file, std::ios::trunc);
    if (!opened) fail(RGL_LOGGING_ERROR, fmt::format("Logging error: cannot write '{}'", file));
  }
  file_ = std::move(opened);
  level_ = level, to_stdout_ = to_stdout;
  write(RGL_LOG_LEVEL_INFO, first);
}

void Log::write(rgl_log_level_t level, std::string_view text) noexcept {
  if (!takes(level)) return;
  try {
    put(level, text);
  } catch (...) {
    ++lost_lines_;
  }
}

void Log::put(rgl_log_level_t level, std::string_view text) {
  const auto now = std::chrono::steady_clock::now();
  const auto delta = std::chrono::duration_cast<std::chrono::microseconds>(now - last_).count();
  last_ = now;
  const std::time_t clock = std::time(nullptr);
  std::tm local = {};
  std::array<char, sizeof "00:00:00"> time = {};
  std::strftime(time.data(), time.size(), "%H:%M:%S", localtime_r(&clock, &local));
  std::string line = fmt::format("[{}][{} us][{}]: {}\n", time.data(), delta, kLevels[level], text);
  if (lost_lines_ > 0) line += fmt::format("({} lines before this one found no memory)\n", lost_lines_);
  if (file_.is_open()) file_ << line << std::flush;
  if (to_stdout_) std::fputs(line.c_str(), stdout);
  lost_lines_ = 0;
}

}  // namespace rgl
