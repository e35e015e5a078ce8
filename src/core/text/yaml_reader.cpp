// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/core/names.hpp>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "core/text/yaml.hpp"

namespace fathom {

namespace {

using Kind = YamlValue::Kind;

constexpr std::size_t kLongestShown = 60;  // bytes of a value in a message

std::string shown(std::string_view text) {
  return text.size() > kLongestShown ? fmt::format("{}...", text.substr(0, kLongestShown)) : std::string(text);
}

/// The value in a message: short, as in the file.
std::string shown(const YamlValue& value) {
  if (value.kind == Kind::kNull) return "(nothing)";
  if (value.kind == Kind::kScalar) return shown(value.text);
  const bool is_list = value.kind == Kind::kList;
  std::string text = is_list ? "[" : "{";
  for (std::size_t i = 0; i < std::max(value.items.size(), value.entries.size()); ++i) {
    if (i > 0) text += ", ";
    if (text.size() > kLongestShown) return text + (is_list ? "...]" : "...}");
    if (!is_list) text += shown(value.entries[i].key) + ": ";
    text += shown(is_list ? value.items[i] : value.entries[i].value);
  }
  return text + (is_list ? "]" : "}");
}

std::string join(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace

std::string YamlReader::line(std::string_view message) const {
  return fmt::format("{}: {} = {} {}", to_string(value_->mark), path_, shown(*value_), message);
}

void YamlReader::fail(std::string_view message) const { throw LocatedError(line(message)); }

void YamlReader::fail_key(std::string_view message) const {
  throw LocatedError(fmt::format("{}: {} {}", to_string(value_->mark), path_, message));
}

void YamlReader::require_kind(Kind kind, std::string_view name) const {
  if (value_->kind == kind) return;
  if (path_.empty()) {
    throw LocatedError(fmt::format("{}: the file is empty or not a map of keys", to_string(value_->mark)));
  }
  fail(fmt::format("is not {}", name));
}

YamlReader YamlReader::child(const YamlValue& value, std::string_view key) const {
  return {value, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key), key, check_number_};
}

std::optional<YamlReader> YamlReader::find(std::string_view key) {
  if (!is(Kind::kNull)) require_kind(Kind::kMap, "a map");
  asked_.emplace(key);
  const YamlValue* value = value_->find(key);
  if (value == nullptr) return std::nullopt;
  return child(*value, key);
}

YamlReader YamlReader::at(std::string_view key) {
  if (auto found = find(key)) return *std::move(found);
  // The likeliest cause is a mistyped key.
  std::vector<std::string_view> others;
  for (const YamlEntry& entry : value_->entries) {
    if (!asked_.contains(entry.key)) others.push_back(entry.key);
  }
  const std::string_view slip = likely_name(key, others);
  throw LocatedError(fmt::format("{}: {}the key '{}' is missing{}", to_string(value_->mark),
                                 path_.empty() ? "" : path_ + ": ", key,
                                 slip.empty() ? slip_hint() : fmt::format("; is '{}' meant to be it?", slip)));
}

void YamlReader::finish(std::span<const std::string_view> refused) const {
  for (const YamlEntry& entry : value_->entries) {
    if (asked_.contains(entry.key)) continue;
    std::vector<std::string_view> known(asked_.begin(), asked_.end());
    std::erase_if(
        known, [&](std::string_view word) { return std::find(refused.begin(), refused.end(), word) != refused.end(); });
    throw LocatedError(unknown(entry, known) +
                       (likely_name(entry.key, known).empty() ? " (known here: " + join(known) + ")" : ""));
  }
}

std::string YamlReader::unknown(const YamlEntry& entry, std::span<const std::string_view> known) const {
  return fmt::format("{}: {} is not a known key{}", to_string(entry.mark), child(entry.value, entry.key).path(),
                     nearest_hint(entry.key, known));
}

std::vector<std::string> YamlReader::unread() const {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  std::vector<std::string> lines;
  for (const YamlEntry& entry : value_->entries) {
    if (!asked_.contains(entry.key)) lines.push_back(unknown(entry, known));
  }
  return lines;
}

std::string YamlReader::slip_hint() const {
  std::vector<std::string_view> wanted(asked_.begin(), asked_.end());
  std::erase_if(wanted, [&](std::string_view key) { return value_->find(key) != nullptr; });
  for (const YamlEntry& entry : value_->entries) {
    if (asked_.contains(entry.key)) continue;
    const std::string_view meant = likely_name(entry.key, wanted);
    if (!meant.empty()) return fmt::format("; is '{}' meant to be '{}'?", entry.key, meant);
  }
  return {};
}

std::vector<YamlReader> YamlReader::entries() {
  require_kind(Kind::kMap, "a map");
  std::vector<YamlReader> readers;
  for (const YamlEntry& entry : value_->entries) {
    asked_.insert(entry.key);
    readers.push_back(child(entry.value, entry.key));
  }
  return readers;
}

std::vector<YamlReader> YamlReader::items() const {
  require_kind(Kind::kList, "a list");
  std::vector<YamlReader> readers;
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    readers.push_back(child(value_->items[i], entry_name(value_->items[i]).value_or(std::to_string(i))));
  }
  return readers;
}

YamlReader YamlReader::only() const {
  if (value_->entries.size() != 1) fail("is not one word with its parameters, as in '- word: {key: value}'");
  const YamlEntry& entry = value_->entries.front();
  return entry.key == key_ ? YamlReader(entry.value, path_, key_, check_number_) : child(entry.value, entry.key);
}

const std::string& YamlReader::text() const {
  require_kind(Kind::kScalar, "a word");
  return value_->text;
}

bool YamlReader::boolean() const {
  const std::string& word = text();
  const bool is_on = word == "true" || word == "on", is_off = word == "false" || word == "off";
  if (!is_on && !is_off) fail("is not true or false");
  return is_on;
}

double YamlReader::number() const {
  if (check_number_ != nullptr) check_number_(*this);
  require_kind(Kind::kScalar, "a number");
  const std::string& word = value_->text;
  if (word == ".nan" || word == ".inf" || word == "-.inf" || word == "+.inf") fail("is not a finite number");
  const auto value = parse_number<double>(word);
  if (!value) fail("is not a number");
  if (!std::isfinite(*value)) fail("is not a finite number");
  return *value;
}

double YamlReader::number(Limits limits) const {
  const double value = number();
  if (!(value >= limits.low && value <= limits.high)) {
    fail(fmt::format("is not in [{}, {}]{}{}", number_text(limits.low), number_text(limits.high),
                     limits.unit.empty() || limits.unit == "1" ? "" : " ", limits.unit == "1" ? "" : limits.unit));
  }
  return value;
}

std::uint64_t YamlReader::whole(std::uint64_t low, std::uint64_t high) const {
  if (check_number_ != nullptr) check_number_(*this);
  require_kind(Kind::kScalar, "a whole number");
  const auto value = parse_number<std::uint64_t>(value_->text);
  if (!value && !parse_number<double>(value_->text)) fail("is not a whole number");
  if (!value || *value < low || *value > high) fail(fmt::format("is not a whole number in [{}, {}]", low, high));
  return *value;
}

std::uint64_t YamlReader::key_number(std::uint64_t high) const {
  const auto value = parse_number<std::uint64_t>(key_);
  if (value && *value <= high) return *value;
  throw LocatedError(
      fmt::format("{}: {}: '{}' is not a whole number in [0, {}]", to_string(value_->mark), path_, key_, high));
}

std::size_t YamlReader::one_of(std::span<const std::string_view> words) const {
  const auto found = std::find(words.begin(), words.end(), text());
  if (found == words.end()) {
    fail(fmt::format("is not one of {}{}", join({words.begin(), words.end()}), nearest_hint(text(), words)));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<double> YamlReader::numbers(Limits limits) const {
  std::vector<double> values;
  for (const YamlReader& item : items()) values.push_back(item.number(limits));
  return values;
}

std::vector<double> YamlReader::numbers() const {
  std::vector<double> values;
  for (const YamlReader& item : items()) values.push_back(item.number());
  return values;
}

void YamlReader::require_count(std::size_t count) const {
  if (check_number_ != nullptr) check_number_(*this);
  if (value_->kind != Kind::kList || value_->items.size() != count) {
    fail(fmt::format("is not a list of {} numbers", count));
  }
}

std::vector<double> YamlReader::numbers(std::size_t count) const {
  require_count(count);
  return numbers();
}

std::vector<double> YamlReader::numbers(std::size_t count, Limits limits) const {
  require_count(count);
  return numbers(limits);
}

Vec3 YamlReader::vector() const {
  const std::vector<double> v = numbers(3);
  return {v[0], v[1], v[2]};
}

Vec3 YamlReader::vector(Limits limits) const {
  const std::vector<double> v = numbers(3, limits);
  return {v[0], v[1], v[2]};
}

void refuse_other_kind(const YamlValue& root, YamlFileKind wanted) {
  struct KnownKind {
    YamlFileKind kind;
    std::string_view key, name;  ///< a required key, and the name of the kind
  };
  constexpr KnownKind kKinds[] = {{YamlFileKind::kScene, "scene", "a scene"},
                                  {YamlFileKind::kMap, "resolution", "a map"},
                                  {YamlFileKind::kBeamModel, "w_hit", "the parameters of a beam model"}};
  std::string_view found, should;
  for (const KnownKind& known : kKinds) {
    if (known.kind == wanted) {
      if (root.find(known.key) != nullptr) return;
      should = known.name;
    } else if (root.find(known.key) != nullptr) {
      found = known.name;
    }
  }
  if (!found.empty()) throw LocatedError(fmt::format("{}: this is {}, not {}", to_string(root.mark), found, should));
}

std::optional<std::string> entry_name(const YamlValue& entry) {
  const YamlValue* name = entry.find("name");
  if (name != nullptr && name->kind == Kind::kScalar) return name->text;
  if (entry.entries.size() == 1) {
    const YamlEntry& only = entry.entries.front();
    if (only.value.kind == Kind::kMap || only.value.kind == Kind::kNull) return only.key;
  }
  return std::nullopt;
}

}  // namespace fathom
