// SPDX-License-Identifier: MIT
#include "live/yaml_text.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

namespace fathom {

namespace {

using Kind = YamlValue::Kind;

/// Quoted unless it is a plain number or word: a reader knows no difference.
std::string scalar_text(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  const bool is_null = text == "null" || text == "Null" || text == "NULL";
  const std::string_view letters = std::string_view(text).substr(text.starts_with('-') && text.size() > 1 ? 1 : 0);
  if (!is_null && !letters.empty() && letters.find_first_not_of(kPlain) == std::string_view::npos &&
      letters.find_first_not_of('.') != std::string_view::npos) {
    return text;
  }
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_short(const YamlValue& list) {
  return std::all_of(list.items.begin(), list.items.end(),
                     [](const YamlValue& item) { return item.kind == Kind::kScalar; });
}

void append_value(const YamlValue& value, std::size_t indent, std::string& out);

void append_map(const YamlValue& map, std::size_t indent, bool in_line, std::string& out) {
  for (const YamlEntry& entry : map.entries) {
    if (!in_line) out.append(indent, ' ');
    in_line = false;
    out += scalar_text(entry.key) + ":";
    append_value(entry.value, indent + 2, out);
  }
}

/// What stands after a key: in its line, or in lines of its own.
void append_value(const YamlValue& value, std::size_t indent, std::string& out) {
  if (value.kind == Kind::kNull) {
    out += " null\n";
  } else if (value.kind == Kind::kScalar) {
    out += " " + scalar_text(value.text) + "\n";
  } else if (value.kind == Kind::kList && is_short(value)) {
    out += " [";
    for (std::size_t i = 0; i < value.items.size(); ++i) out += (i == 0 ? "" : ", ") + scalar_text(value.items[i].text);
    out += "]\n";
  } else if (value.kind == Kind::kList) {
    out += "\n";
    for (const YamlValue& item : value.items) {
      out.append(indent, ' ');
      out += "-";
      if (item.kind == Kind::kMap && !item.entries.empty()) {
        out += " ";
        append_map(item, indent + 2, true, out);
      } else {
        append_value(item, indent + 2, out);
      }
    }
  } else if (value.entries.empty()) {
    out += " {}\n";
  } else {
    out += "\n";
    append_map(value, indent, false, out);
  }
}

}  // namespace

std::string yaml_text(const YamlValue& root) {
  std::string out;
  if (root.kind == Kind::kMap) append_map(root, 0, false, out);
  return out;
}

}  // namespace fathom
