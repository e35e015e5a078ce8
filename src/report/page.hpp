// SPDX-License-Identifier: MIT
#pragma once
// What pages of results have in common: they are one file each, and readable on a phone.

#include <string>
#include <string_view>

namespace fathom {

/// The style sheet, with the classes of plots.
std::string_view page_style();

/// A key of a caption: a patch, or a stroke. `color`: as CSS has it.
std::string patch(std::string_view color, std::string_view text);
std::string stroke(std::string_view color, std::string_view text);

/// A picture, which is HTML, with a caption, which is HTML too.
std::string figure(const std::string& picture, std::string_view caption);

/// A number in a frame, with its name below.
std::string tile(std::string_view value, std::string_view name);

}  // namespace fathom
