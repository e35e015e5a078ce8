// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <fathom/base/error.hpp>

namespace fathom {

/// Throws InputError, in one line, unless `file` is a regular file that is not empty and may be read.
void require_readable_file(const std::filesystem::path& file);

/// f(), which reads `file`. Throws SystemError naming the file when there is no memory for what it holds.
template <class F>
auto within_memory(const std::filesystem::path& file, F&& f) -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (const std::bad_alloc&) {
    throw SystemError(file.string() + ": there is not enough memory for what it holds");
  } catch (const std::length_error&) {
    throw SystemError(file.string() + ": there is not enough memory for what it holds");
  }
}

/// All bytes of a file, checked as above. Throws InputError when the system cannot read it, SystemError when there is
/// no memory for it.
std::string read_file(const std::filesystem::path& file);

}  // namespace fathom
