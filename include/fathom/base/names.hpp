// SPDX-License-Identifier: MIT
#pragma once
// Names that people type, and which one they meant; names that go to a terminal.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fathom/base/export.hpp>

namespace fathom {

/// The candidate that `name` is most likely a misspelling of: the one with the fewest edits, case ignored. Empty when
/// none is near enough.
FATHOM_API std::string_view likely_name(std::string_view name, std::span<const std::string_view> candidates);

/// The candidate equal to `name`. Otherwise the only candidate that equals it when case, hyphens and underscores are
/// ignored: "vlp16" finds "VLP-16". Empty when there is none.
FATHOM_API std::string_view find_name(std::string_view name, std::span<const std::string_view> candidates);

/// `text` as a terminal may show it, on one line: see Error. Above `most` bytes, its middle is replaced by
/// "... (1000087 bytes) ...", and some two thirds of `most` are left.
FATHOM_API std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace fathom
