// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <console_bridge/console.h>

namespace fathom {

/// Captures the output of urdfdom during its lifetime. The caller holds robot_library_mutex().
class ConsoleCapture final : public console_bridge::OutputHandler {
 public:
  ConsoleCapture();
  ~ConsoleCapture() override;
  ConsoleCapture(const ConsoleCapture&) = delete;
  ConsoleCapture& operator=(const ConsoleCapture&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* filename, int line) override;
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 private:
  console_bridge::OutputHandler* before_;
  std::vector<std::string> errors_;
};

}  // namespace fathom
