// SPDX-License-Identifier: MIT
#pragma once
// Text helpers for messages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fathom/core/names.hpp>

namespace fathom {

/// The shortest decimal text that reads back as the same value: 0.1, 1e-06, nan, inf.
std::string number_text(double value);

/// A limit of one digit and zeros, in messages: 1e9.
std::string limit_text(double limit);

/// A to Z become a to z; other bytes stay, whatever the locale.
char lower_case(char c);
std::string lower_case(std::string_view text);

/// Whether a text is one or more letters, digits, _ and -, and so may be part of a file's name.
bool is_word(std::string_view text);

/// The text of a library or a file for a message: printable, at most 300 bytes.
std::string one_line(std::string_view text);

/// " (nearest known: 'x')" with likely_name(), or an empty text if no name is near.
std::string nearest_hint(std::string_view name, std::span<const std::string_view> candidates);

/// 1234567 as "1 234 567".
inline std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ' ');
  return text;
}

/// "0.1794 to 0.1802": as many digits as distinguish the limits, 4 to 10.
std::string interval_text(double low, double high);

/// "1 scan", "1 234 scans", "2 losses". `plural`: of a noun that does not end in s or es then.
inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural = "") {
  const std::string text = grouped(count) + ' ';
  if (count != 1 && !plural.empty()) return text + std::string(plural);
  const char* end = count == 1 ? "" : noun.ends_with('s') || noun.ends_with('h') ? "es" : "s";
  return text + std::string(noun) + end;
}

/// The verb after a count.
inline std::string_view are(std::uint64_t count) { return count == 1 ? "is" : "are"; }
inline std::string_view were(std::uint64_t count) { return count == 1 ? "was" : "were"; }

inline constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 of RFC 4648, section 4.
inline std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8U | (k < given ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= given ? kBase64Digits[value >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

/// Length and code of the UTF-8 character at the start of `text`, which is not empty; 0 if the bytes are not UTF-8.
inline std::size_t utf8_length(std::string_view text, char32_t& code) {
  const auto first = static_cast<unsigned char>(text.front());
  code = first;
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  code = first & (0x7fU >> length);
  for (const char c : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[length - 2] || code > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace fathom
