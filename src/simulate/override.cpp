// SPDX-License-Identifier: MIT
#include "simulate/override.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

namespace {

using Kind = YamlValue::Kind;

/// A walk along the path of one override.
class Walk {
 public:
  Walk(std::string_view path, YamlMark mark) : path_(path), mark_(std::move(mark)) {}

  /// The value at the whole path, made where maps lack it.
  YamlValue& descend(YamlValue& root) {
    YamlValue* value = &root;
    std::size_t begin = 0;
    while (begin <= path_.size()) {
      const std::size_t end = std::min(path_.find('.', begin), path_.size());
      const std::string_view part = path_.substr(begin, end - begin);
      if (part.empty()) fail("has an empty part");
      const std::string_view before = path_.substr(0, begin == 0 ? 0 : begin - 1);
      if (end < path_.size()) check_list(*value, part, before);
      value = &step(*value, part, before);
      begin = end + 1;
    }
    return *value;
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(fmt::format("{}: {} {}", to_string(mark_), path_, message));
  }

  /// A path through a list needs the list: made here, it would be a map that no file has.
  void check_list(const YamlValue& value, std::string_view part, std::string_view before) const {
    constexpr std::array<std::string_view, 5> kLists = {"sensors", "entities", "noise", "outputs", "keyframes"};
    if (value.kind == Kind::kList || value.kind == Kind::kScalar || value.find(part) != nullptr) return;
    if (std::find(kLists.begin(), kLists.end(), part) == kLists.end()) return;
    const std::string dot = before.empty() ? "" : ".";
    fail(fmt::format("does not exist: {} has no {}; set the list as a whole: '{}{}{}=[...]'",
                     before.empty() ? "the file" : before, part, before, dot, part));
  }

  YamlValue& step(YamlValue& value, std::string_view part, std::string_view before) {
    if (value.kind == Kind::kList) return step_list(value, part, before);
    if (value.kind == Kind::kScalar) {
      fail(fmt::format("goes through {} = {}, which has no parts", before, value.text));
    }
    value.kind = Kind::kMap;
    drop_other_angle(value, part);
    if (YamlValue* found = value.find(part)) return *found;
    value.entries.push_back({std::string(part), mark_, {}});
    value.entries.back().value.mark = mark_;
    return value.entries.back().value;
  }

  /// `x_deg` replaces `x_rad` and the other way round.
  static void drop_other_angle(YamlValue& map, std::string_view key) {
    for (const auto& [ours, theirs] : {std::pair{"_deg", "_rad"}, std::pair{"_rad", "_deg"}}) {
      if (!key.ends_with(ours)) continue;
      const std::string other = std::string(key.substr(0, key.size() - 4)) + theirs;
      std::erase_if(map.entries, [&](const YamlEntry& entry) { return entry.key == other; });
    }
  }

  YamlValue& step_list(YamlValue& list, std::string_view part, std::string_view before) {
    std::size_t position = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), position);
    if (error == std::errc{} && end == part.data() + part.size()) {
      if (position < list.items.size()) return list.items[position];
      fail(fmt::format("asks for position {} of {}, which has {} entries (counted from 0)", position, before,
                       list.items.size()));
    }
    return find_named(list, part, before);
  }

  YamlValue& find_named(YamlValue& list, std::string_view part, std::string_view before) {
    std::vector<std::string> names;
    YamlValue* found = nullptr;
    for (YamlValue& item : list.items) {
      names.push_back(item.kind == Kind::kScalar ? item.text : entry_name(item).value_or(""));
      if (names.back() != part) continue;
      if (found != nullptr) fail(fmt::format("is not clear: {} has two '{}'; give the position", before, part));
      found = &item;
    }
    if (found == nullptr) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      fail(fmt::format("does not exist: {} has no '{}'{}", before, part, nearest_hint(part, known)));
    }
    return inside(*found, part);
  }

  /// In noise and outputs the name is a key whose value holds the parameters: `- distance: {...}`, or a bare `- pcd`.
  YamlValue& inside(YamlValue& item, std::string_view part) {
    if (item.kind == Kind::kScalar) {
      const YamlMark mark = item.mark;
      item = {};
      item.kind = Kind::kMap;
      item.mark = mark;
      item.entries.push_back({std::string(part), mark, {}});
      item.entries.back().value.mark = mark;
    }
    const YamlValue* name = item.find("name");
    const bool named = name != nullptr && name->kind == Kind::kScalar;
    return named ? item : item.entries.front().value;
  }

  std::string_view path_;
  YamlMark mark_;
};

/// Marks a value and all it holds as coming from the override.
void mark_all(YamlValue& value, const YamlMark& mark) {
  value.mark = mark;
  for (YamlValue& item : value.items) mark_all(item, mark);
  for (YamlEntry& entry : value.entries) {
    entry.mark = mark;
    mark_all(entry.value, mark);
  }
}

/// YAML itself, or what is in a file: "@noise.yaml".
YamlValue value_of(std::string_view text, const YamlMark& mark) {
  if (text.starts_with('@')) {
    const std::string file(text.substr(1));
    return parse_yaml(read_yaml_text(file), file);
  }
  YamlValue value = parse_yaml(text, *mark.source);
  mark_all(value, mark);
  return value;
}

}  // namespace

std::optional<std::string> override_file(std::string_view path_and_value) {
  const std::size_t equals = path_and_value.find('=');
  if (equals == std::string_view::npos || !path_and_value.substr(equals + 1).starts_with('@')) return std::nullopt;
  return std::string(path_and_value.substr(equals + 2));
}

void apply_override(YamlValue& root, const std::string& path_and_value) {
  const YamlMark mark{std::make_shared<const std::string>("--set " + path_and_value), 0, 0};
  const std::size_t equals = path_and_value.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(to_string(mark) + ": not of the form path=value");
  }
  YamlValue value = value_of(std::string_view(path_and_value).substr(equals + 1), mark);
  Walk walk(std::string_view(path_and_value).substr(0, equals), mark);
  walk.descend(root) = std::move(value);
}

}  // namespace fathom
