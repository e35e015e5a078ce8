// SPDX-License-Identifier: MIT
#pragma once
// Small text helpers for messages.

#include <span>
#include <string>
#include <string_view>

#include <fathom/base/names.hpp>

namespace fathom {

/// The shortest decimal text that reads back as the same value: 0.1, 1e-06, nan, inf.
std::string number_text(double value);

/// A limit that is a digit and zeros, as messages have it: 1e9.
std::string limit_text(double limit);

/// The letters A to Z as a to z; every other byte stays, whatever the locale.
char lower_case(char c);
std::string lower_case(std::string_view text);

/// Whether a text is one or more letters, digits, _ and -: what may name a folder or be a part of a file's name.
bool is_word(std::string_view text);

/// The text of a library or a file, made fit for a message: printable, 300 bytes at most.
std::string one_line(std::string_view text);

/// " (nearest known: 'x')", or nothing where there is no likely_name() (fathom/base/names.hpp).
std::string nearest_hint(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace fathom
