// SPDX-License-Identifier: MIT
#pragma once
// Turns exceptions into status codes, and keeps the last error of each thread.

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <rgl/api/core.h>

namespace rgl {

/// An error with the caller's status. rgl_get_last_error_string returns its text.
class Failure : public std::runtime_error {
 public:
  Failure(rgl_status_t status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] rgl_status_t status() const { return status_; }

 private:
  rgl_status_t status_;
};

[[noreturn]] void fail(rgl_status_t status, const std::string& text);
/// "Invalid argument: " and the text of the condition, which clients search for.
[[noreturn]] void fail_argument(const char* condition);

/// A macro, because the text of the condition is part of the interface.
#define RGL_CHECK(condition)                            \
  do {                                                  \
    if (!(condition)) ::rgl::fail_argument(#condition); \
  } while (false)

/// Stores success for this thread.
rgl_status_t succeed() noexcept;
/// Stores the exception's text for this thread. A fatal error breaks the library for all threads. Lack of memory or of
/// threads is an INTERNAL_EXCEPTION of this call only, and is not fatal.
rgl_status_t remember(const std::exception_ptr& error) noexcept;
/// The message of this thread's last call; valid until its next call.
const char* last_error_text();
/// Throws INVALID_STATE after a fatal error.
void require_usable();

}  // namespace rgl
