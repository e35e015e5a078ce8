// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom_cli {

/// Writes to stdout and throws fathom::SystemError when that fails (a full disk behind a redirection).
void print(std::string_view text);

/// Writes a line of at most 1000 bytes, "fathom: warning: ...", to stderr for each of the first 100, and counts the
/// others.
void print_warnings(std::span<const std::string> warnings);

/// Rows of cells as aligned columns, two blanks apart, one row a line. Columns listed in `right` are right-aligned.
std::string align_columns(const std::vector<std::vector<std::string>>& rows,
                          const std::vector<std::size_t>& right = {});

/// 1234567 as "1 234 567".
std::string group_digits(std::uint64_t value);

/// The position of the name that the typed word means, if any (fathom::find_name).
std::optional<std::size_t> find_typed(std::string_view typed, std::span<const std::string_view> names);

/// "; nearest: VLP-16", or empty if no name is similar.
std::string nearest_text(std::string_view typed, std::span<const std::string_view> names);

/// "1 frame", "2 frames", "2 entities", "2 meshes", "2 rays".
std::string counted(std::uint64_t count, std::string_view noun);

/// "14.4 MB"
std::string bytes_text(std::uint64_t bytes);

/// The optional parts of this build, and the missing ones with their Debian packages or options; in words.
struct Features {
  std::string_view built_in, left_out;
};
Features features();

}  // namespace fathom_cli
