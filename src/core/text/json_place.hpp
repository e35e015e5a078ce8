// SPDX-License-Identifier: MIT
#pragma once
// Reads JSON of unknown origin: each value has a wanted type and limits, and errors name its place.

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

/// A value and its place in the document, nodes[3].children. The document and the name of the file must outlive it.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, const std::string& file, std::string path = {})
      : value_(&value), file_(&file), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_text() const { return value_->is_string(); }
  [[nodiscard]] bool is_list() const { return value_->is_array(); }

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(one_line(fmt::format("{}: {} {}", *file_, path_.empty() ? "the document" : path_, what)));
  }

  [[nodiscard]] std::optional<JsonPlace> find(const char* key) const {
    if (!value_->is_object()) fail_type("an object");
    const auto found = value_->find(key);
    if (found == value_->end()) return std::nullopt;
    return JsonPlace(*found, *file_, path_.empty() ? key : path_ + "." + key);
  }
  [[nodiscard]] JsonPlace at(const char* key) const {
    auto found = find(key);
    if (!found) fail(fmt::format("has no '{}'", key));
    return *std::move(found);
  }

  [[nodiscard]] std::size_t size() const {
    if (!value_->is_array()) fail_type("a list");
    return value_->size();
  }
  [[nodiscard]] JsonPlace operator[](std::size_t i) const {
    return {(*value_)[i], *file_, fmt::format("{}[{}]", path_, i)};
  }

  [[nodiscard]] double number() const {
    if (!value_->is_number()) fail_type("a number");
    return value_->get<double>();
  }
  [[nodiscard]] bool is_whole(std::size_t low, std::size_t high) const {
    if (!value_->is_number()) return false;
    const auto value = value_->get<double>();
    return value >= static_cast<double>(low) && value <= static_cast<double>(high) && value == std::floor(value);
  }
  /// A whole number in [low, high], such as 3.0.
  [[nodiscard]] std::size_t whole(std::size_t low, std::size_t high) const {
    const double value = number();
    if (!is_whole(low, high)) {
      fail(fmt::format("= {} is not a whole number in [{}, {}]", value_->dump(), low, high));
    }
    return static_cast<std::size_t>(value);
  }
  /// A position in a list of the document.
  [[nodiscard]] std::size_t index(std::size_t count, std::string_view list) const {
    if (count == 0) fail(fmt::format("= {:.40}, but the file has no {}", shown(), list));
    return whole(0, count - 1);
  }
  [[nodiscard]] bool flag() const {
    if (!value_->is_boolean()) fail_type("true or false");
    return value_->get<bool>();
  }
  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) fail_type("a text");
    return value_->get_ref<const std::string&>();
  }
  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> values(size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(*value_)[i].is_number()) (*this)[i].fail_type("a number");
      values[i] = (*value_)[i].get<double>();
    }
    return values;
  }
  [[nodiscard]] std::vector<double> numbers(std::size_t expected) const {
    if (size() != expected) fail(fmt::format("has {} numbers, not {}", size(), expected));
    return numbers();
  }

 private:
  [[nodiscard]] std::string shown() const {
    if (value_->is_object()) return "(an object)";
    return value_->is_array() ? "(a list)" : value_->dump();
  }
  [[noreturn]] void fail_type(std::string_view type) const { fail(fmt::format("= {:.40} is not {}", shown(), type)); }

  const nlohmann::json* value_;
  const std::string* file_;
  std::string path_;
};

}  // namespace fathom
