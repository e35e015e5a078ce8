// SPDX-License-Identifier: MIT
#include "fields.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "text.hpp"

namespace fathom_cli {
namespace {

using fathom::FieldInfo;
using fathom::FieldKind;
using Json = nlohmann::ordered_json;

std::string_view type_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::kNumber:
      break;
    case FieldKind::kCount:
      return "whole number";
    case FieldKind::kFlag:
      return "true or false";
    case FieldKind::kChoice:
      return "one of several words";
    case FieldKind::kList:
    case FieldKind::kPair:
      return "list of numbers";
    case FieldKind::kWords:
      return "list of words";
    case FieldKind::kPose:
      return "pose";
  }
  return "number";
}

bool has_limits(const FieldInfo& f) { return f.choices.empty() && f.kind != FieldKind::kFlag; }

std::string limits_text(const FieldInfo& f) {
  return has_limits(f) ? fmt::format("[{:.8g}, {:.8g}]", f.low, f.high) : "";
}

/// Limits with their unit, or words.
std::string page_values(const FieldInfo& f) {
  if (has_limits(f)) return limits_text(f) + (f.unit == "1" ? "" : fmt::format(" {}", f.unit));
  return f.kind == FieldKind::kFlag ? "true, false" : fmt::format("{}", fmt::join(f.choices, ", "));
}

std::string page_row(const FieldInfo& f) {
  return fmt::format("| `{}` | {} | {} | {} |\n", f.name, page_values(f), f.required ? "required" : f.default_value,
                     f.doc);
}

}  // namespace

std::string fields_help(std::span<const FieldInfo> fields) {
  // Limits tell a number and words a choice: only tables that hold anything else need a column for it.
  const bool with_type = std::any_of(fields.begin(), fields.end(), [](const FieldInfo& f) {
    return f.kind != FieldKind::kNumber && f.kind != FieldKind::kChoice;
  });
  std::vector<std::vector<std::string>> rows = {{"  parameter", "unit", "type", "limits", "default", "meaning"}};
  for (const FieldInfo& f : fields) {
    rows.push_back({fmt::format("  {}", f.name), std::string(f.unit), std::string(type_name(f.kind)), limits_text(f),
                    f.required ? "required" : f.default_value, std::string(f.doc)});
  }
  if (!with_type) {
    for (std::vector<std::string>& row : rows) row.erase(row.begin() + 2);
  }
  return align_columns(rows);
}

Json fields_json(std::span<const FieldInfo> fields) {
  Json list = Json::array();
  for (const FieldInfo& f : fields) {
    Json field = {{"name", f.name}, {"unit", f.unit}, {"type", type_name(f.kind)}, {"required", f.required}};
    if (!f.choices.empty()) field["choices"] = f.choices;
    if (has_limits(f)) field["min"] = f.low, field["max"] = f.high;
    if (!f.required) field["default"] = value_json(f, f.default_numbers);
    field["doc"] = f.doc;
    list.push_back(field);
  }
  return list;
}

std::string fields_page(std::span<const FieldInfo> fields) {
  std::string text = "| parameter | values | default | meaning |\n|---|---|---|---|\n";
  for (const FieldInfo& f : fields) text += page_row(f);
  return text;
}

std::string short_text(const FieldInfo& field, std::span<const double> values) {
  switch (field.kind) {
    case FieldKind::kFlag:
    case FieldKind::kChoice:
    case FieldKind::kWords:
      return fathom::field_text(field, values);
    case FieldKind::kPose:
      if (values.empty()) return "none";
      return fmt::format("at [{:.6g}, {:.6g}, {:.6g}]", values[0], values[1], values[2]);
    case FieldKind::kNumber:
    case FieldKind::kCount:
    case FieldKind::kList:
    case FieldKind::kPair:
      break;
  }
  if (values.empty()) return "none";
  if (values.size() == 1) return fmt::format("{:.6g}", values.front());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} values, {:.6g} to {:.6g}", values.size(), *low, *high);
}

Json value_json(const FieldInfo& field, std::span<const double> values) {
  return Json::parse(fathom::field_json(field, values));
}

}  // namespace fathom_cli
