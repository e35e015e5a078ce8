// SPDX-License-Identifier: MIT
#pragma once
// One place where exceptions become status codes, and where a thread's last error is kept.

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <rgl/api/core.h>

namespace rgl {

/// A refusal with the status that the caller gets. Its text is what rgl_get_last_error_string says.
class Failure : public std::runtime_error {
 public:
  Failure(rgl_status_t status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] rgl_status_t status() const { return status_; }

 private:
  rgl_status_t status_;
};

[[noreturn]] void fail(rgl_status_t status, const std::string& text);
/// "Invalid argument: " and the condition as it is written, which clients look for.
[[noreturn]] void fail_argument(const char* condition);

/// A macro only because the text of the condition is part of the interface.
#define RGL_CHECK(condition)                            \
  do {                                                  \
    if (!(condition)) ::rgl::fail_argument(#condition); \
  } while (false)

/// Remembers success for this thread.
rgl_status_t succeed() noexcept;
/// Remembers what the exception says for this thread, and for all whether it was fatal. Lack of memory or of threads is
/// an error of this call alone: INTERNAL_EXCEPTION, not fatal.
rgl_status_t remember(const std::exception_ptr& error) noexcept;
/// The message of this thread's last call; valid until its next call.
const char* last_error_text();
/// Throws INVALID_STATE once anything was fatal.
void require_usable();

}  // namespace rgl
