// SPDX-License-Identifier: MIT
#include "status.hpp"

#include <atomic>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fathom/core/error.hpp>

namespace rgl {

namespace {

constexpr const char* kNoMemory = "Internal exception: out of memory or threads; what existed before the call is kept";

thread_local std::string last_text;
thread_local const char* fixed_text = "Success";  ///< replaces last_text without memory; null to use last_text
std::atomic<bool> broken = false;

struct Outcome {
  rgl_status_t status;
  std::string text;
};

Outcome outcome_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Failure& failure) {
    return {failure.status(), failure.what()};
  } catch (const fathom::InputError& wrong) {
    return {RGL_INVALID_ARGUMENT, std::string("Invalid argument: ") + wrong.what()};
  } catch (const std::exception& other) {
    return {RGL_INTERNAL_EXCEPTION, std::string("Internal exception: ") + other.what()};
  } catch (...) {
    return {RGL_INTERNAL_EXCEPTION, "Internal exception"};
  }
}

/// Whether the computer lacks memory or threads for this call. The next call may succeed.
bool is_lack(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::length_error&) {
    return true;
  } catch (const std::system_error& system) {
    return system.code() == std::errc::resource_unavailable_try_again;
  } catch (...) {
    return false;
  }
}

bool is_fatal(rgl_status_t status) {
  return status == RGL_INVALID_STATE || status == RGL_LOGGING_ERROR || status == RGL_INITIALIZATION_ERROR ||
         status == RGL_INTERNAL_EXCEPTION;
}

}  // namespace

void fail(rgl_status_t status, const std::string& text) { throw Failure(status, text); }
void fail_argument(const char* condition) { fail(RGL_INVALID_ARGUMENT, std::string("Invalid argument: ") + condition); }

rgl_status_t succeed() noexcept {
  fixed_text = "Success";
  return RGL_SUCCESS;
}

rgl_status_t remember(const std::exception_ptr& error) noexcept {
  fixed_text = kNoMemory;
  try {
    if (is_lack(error)) return RGL_INTERNAL_EXCEPTION;
    Outcome outcome = outcome_of(error);
    if (is_fatal(outcome.status)) broken = true;
    last_text = std::move(outcome.text);
    fixed_text = nullptr;
    return outcome.status;
  } catch (...) {  // no memory for the text
    return RGL_INTERNAL_EXCEPTION;
  }
}

const char* last_error_text() { return fixed_text != nullptr ? fixed_text : last_text.c_str(); }

void require_usable() {
  if (broken) fail(RGL_INVALID_STATE, "The library is in an invalid state after a fatal error");
}

}  // namespace rgl
