// SPDX-License-Identifier: MIT
#pragma once
// Texts for people: likely meanings of mistyped names, and texts that are safe in a terminal.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fathom/core/export.hpp>

namespace fathom {

/// The candidate that `name` most likely misspells: the one with the fewest edits, case ignored. Empty if none is near.
FATHOM_API std::string_view likely_name(std::string_view name, std::span<const std::string_view> candidates);

/// The candidate equal to `name`. Otherwise the only candidate that equals it when case, hyphens and underscores are
/// ignored: "vlp16" finds "VLP-16". Empty without such a candidate.
FATHOM_API std::string_view find_name(std::string_view name, std::span<const std::string_view> candidates);

/// `text` on one line that is safe in a terminal, as Error has it. Of a text above `most` bytes, "... (1000087 bytes)
/// ..." replaces the middle, and about two thirds of `most` remain.
FATHOM_API std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace fathom
