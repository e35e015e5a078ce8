#pragma once
// Small text helpers for messages.

#include <span>
#include <string>
#include <string_view>

namespace fathom {

/// The shortest decimal text that reads back as the same value: 0.1, 1e-06, nan, inf.
std::string number_text(double value);

/// What a library or a file says, fit for a message: no line ends or other control characters, 300 bytes at most.
std::string one_line(std::string text);

/// The candidate with the fewest edits from `name`, case ignored; empty when there are no candidates.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// " (nearest known: 'x')", or nothing when no candidate is near enough to be a likely slip.
std::string nearest_hint(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace fathom
