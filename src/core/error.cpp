// SPDX-License-Identifier: MIT
#include <fathom/core/error.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLongestMessage = 900;  // bytes: some lines of a terminal

std::string with_value(std::string_view name, const std::string& value) {
  const bool is_argument = name.ends_with('=');
  if (value.empty()) return std::string(name.substr(0, name.size() - (is_argument ? 1 : 0)));
  return std::string(name) + (is_argument ? '"' + value + '"' : ' ' + value);
}

}  // namespace

std::string missing_feature(std::string_view feature, std::string_view packages) {
  return fmt::format("this build of fathom has no {}: install {} and build it again", feature, packages);
}

Error::Error(std::string_view message) : std::runtime_error(printable(message, kLongestMessage)) {}

std::string Message::text(SettingNames names) const {
  std::string shown;
  std::size_t at = 0;
  for (const Mention& m : mentions_) {
    const auto name = std::ranges::find(names, m.setting.name, &SettingName::setting);
    if (name == names.end()) continue;
    shown.append(text_, at, m.begin - at).append(m.before);
    shown.append(with_value(name->shown, m.setting.value)).append(m.after);
    at = m.end;
  }
  return shown.append(text_, at);
}

bool Message::names(std::string_view setting) const {
  return std::ranges::any_of(mentions_, [&](const Mention& m) { return m.setting.name == setting; });
}

Message& Message::operator+=(Message more) {
  for (Mention& m : more.mentions_) {
    m.begin += text_.size(), m.end += text_.size();
    mentions_.push_back(std::move(m));
  }
  text_ += more.text_;
  return *this;
}

void Message::add_setting(const Setting& setting) {
  const std::size_t begin = text_.size();
  text_ += setting.value.empty() ? setting.name : setting.name + ": " + setting.value;
  mentions_.push_back({begin, text_.size(), setting});
}

InputError::InputError(std::shared_ptr<const Message> message) : Error(message->text()), message_(std::move(message)) {}

Message InputError::message() const { return message_ ? *message_ : Message(what()); }

// Destructors defined here put the type information into the library, so that programs can catch the exceptions.
Error::~Error() = default;
InputError::~InputError() = default;
SystemError::~SystemError() = default;
Interrupted::~Interrupted() = default;

}  // namespace fathom
