// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fathom {

/// Limits of text that is read whole, against files made to exhaust memory.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxInflatedBytes = std::size_t{4} << 30U;
inline constexpr std::size_t kMaxInflation = 200;  ///< ratio to the file, above kFreeInflatedBytes
inline constexpr std::size_t kFreeInflatedBytes = std::size_t{256} << 20U;

inline constexpr std::string_view kGzipMagic = "\x1f\x8b";

/// The text of a file, without a byte order mark, inflated where it is gzip: one stream or several, which zeros may
/// follow, as tapes pad with them. Throws InputError when the file is missing or unreadable, above the limits, UTF-16
/// or with lines that end in CR alone; naming the line up to which it could be inflated, when it is cut short, damaged
/// or followed by something else.
std::string read_gzip_text(const std::filesystem::path& file);

}  // namespace fathom
