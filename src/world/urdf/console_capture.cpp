// SPDX-License-Identifier: MIT
#include "world/urdf/console_capture.hpp"

namespace fathom {

ConsoleCapture::ConsoleCapture() : before_(console_bridge::getOutputHandler()) {
  console_bridge::useOutputHandler(this);
}

ConsoleCapture::~ConsoleCapture() { console_bridge::useOutputHandler(before_); }

void ConsoleCapture::log(const std::string& text, console_bridge::LogLevel level, const char* /*filename*/,
                         int /*line*/) {
  if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) errors_.push_back(text);
}

}  // namespace fathom
