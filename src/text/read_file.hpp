// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fathom/base/error.hpp>

namespace fathom {

/// Throws InputError, in one line, unless `file` is a regular file that is not empty and may be read.
void require_readable_file(const std::filesystem::path& file);

/// Throws SystemError: "file: <lack>"; an empty name is left out.
[[noreturn]] void fail_memory(const std::filesystem::path& file, std::string_view lack);

/// f(), which reads `file` or works on what it holds. Throws SystemError naming the file when memory does not suffice.
template <class F>
auto within_memory(const std::filesystem::path& file, F&& f,
                   std::string_view lack = "there is not enough memory for what it holds") -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (const std::bad_alloc&) {
    fail_memory(file, lack);
  } catch (const std::length_error&) {
    fail_memory(file, lack);
  }
}

/// All bytes of a file, checked as above. Throws InputError when the system cannot read it, SystemError when there is
/// no memory for it.
std::string read_file(const std::filesystem::path& file);

}  // namespace fathom
