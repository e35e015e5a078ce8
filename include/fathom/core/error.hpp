// SPDX-License-Identifier: MIT
#pragma once
// The exceptions that fathom throws. The library neither prints nor exits: a face (the command line, a binding) shows
// them.

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>

namespace fathom {

/// A setting by its name in the library: "max_range_m". With a value it is an advice: "hit: student_t".
struct Setting {
  std::string name, value = {};
};

/// An advice that only faces show: Hint{"model", "field"} is "; see --model field" if `model` is "--model".
struct Hint {
  std::string name, value = {};
  bool in_brackets = false;  ///< " (--model field)" instead
};

/// The name of a setting or hint in a face: "max_range_m" is "--max-range" on the command line. A name that
/// ends with "=" gets its value in quotes, like an argument in Python: hit="student_t".
struct SettingName {
  std::string_view setting, shown;
};
using SettingNames = std::span<const SettingName>;

/// A text with marked names of settings, which a face replaces by its own names.
class FATHOM_API Message {
 public:
  Message() = default;
  template <std::convertible_to<std::string_view> Text>
  Message(const Text& text) : text_(std::string_view(text)) {}
  /// Joins the parts: texts, settings, hints, messages.
  template <class... Parts>
  requires(sizeof...(Parts) > 1) explicit Message(const Parts&... parts) { (add(parts), ...); }

  /// With the library's names, without hints.
  [[nodiscard]] const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }
  /// A setting that `names` lacks keeps the library's name; such a hint is left out.
  [[nodiscard]] std::string text(SettingNames names) const;
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] bool names(std::string_view setting) const;  ///< whether it names this one
  Message& operator+=(Message more);
  friend bool operator==(const Message& a, const Message& b) { return a.text_ == b.text_; }

 private:
  struct Mention {
    std::size_t begin, end;  // in the text; equal: a hint
    Setting setting;
    std::string_view before = "", after = "";  // of a hint
  };

  template <class Part>
  void add(const Part& part) {
    if constexpr (std::same_as<Part, Setting>) {
      add_setting(part);
    } else if constexpr (std::same_as<Part, Hint>) {
      const std::string_view before = part.in_brackets ? " (" : "; see ", after = part.in_brackets ? ")" : "";
      mentions_.push_back({text_.size(), text_.size(), {part.name, part.value}, before, after});
    } else {
      *this += part;
    }
  }
  void add_setting(const Setting& setting);

  std::string text_;
  std::vector<Mention> mentions_;
};

/// Base of everything thrown on purpose. `what()` is one line that names what is wrong, where, and the limit.
class FATHOM_API Error : public std::runtime_error {
 public:
  /// A message may quote a file and reach a terminal. So line ends and tabs become blanks, control characters and bytes
  /// that are not UTF-8 become "\x1b", and invisible and bidirectional characters become "\u202e". A message above 900
  /// bytes loses its middle.
  explicit Error(std::string_view message);
  ~Error() override;
};

/// A value, key or file that the caller can mend: out of range, wrong type, missing, truncated, not understood.
class FATHOM_API InputError : public Error {
 public:
  using Error::Error;
  /// From one Message, or from its parts.
  template <class... Parts>
  requires(sizeof...(Parts) > 1 ||
           (sizeof...(Parts) == 1 && (std::same_as<Parts, Message> && ...))) explicit InputError(const Parts&... parts)
      : InputError(std::make_shared<const Message>(parts...)) {}
  ~InputError() override;

  /// The message with its marks; what() if it was plain text.
  [[nodiscard]] Message message() const;

 private:
  explicit InputError(std::shared_ptr<const Message> message);

  std::shared_ptr<const Message> message_;  // null if it was plain text
};

/// The operating system refused to read or write: disk full, permission, memory.
class FATHOM_API SystemError : public Error {
 public:
  using Error::Error;
  ~SystemError() override;
};

/// The caller asked to stop (see RunOptions::should_stop); what was already written is whole.
class FATHOM_API Interrupted : public Error {
 public:
  using Error::Error;
  ~Interrupted() override;
};

}  // namespace fathom
