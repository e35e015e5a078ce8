// SPDX-License-Identifier: MIT
#pragma once
// The parts of COLLADA files: elements that point at each other by id, and long lists of numbers.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mesh/xml_document.hpp"

namespace fathom {

/// Everything here throws InputError, naming file, place, element, value and limit.
class DaeDocument {
 public:
  DaeDocument(std::string_view bytes, const std::string& file);

  [[nodiscard]] pugi::xml_node root() const { return document_.root(); }
  [[noreturn]] void fail(pugi::xml_node element, std::string_view what) const { document_.fail(element, what); }

  [[nodiscard]] pugi::xml_node child(pugi::xml_node element, const char* name) const;
  [[nodiscard]] std::string_view attribute(pugi::xml_node element, const char* name) const;
  /// A whole number; `fallback` where the attribute is absent.
  [[nodiscard]] std::uint32_t count(pugi::xml_node element, const char* name, std::uint32_t fallback) const;
  /// The same, of an attribute that must be there.
  [[nodiscard]] std::uint32_t count(pugi::xml_node element, const char* name) const;

  /// The element <kind> that `attribute` ("#id") of `element` points at.
  [[nodiscard]] pugi::xml_node target(pugi::xml_node element, const char* attribute, std::string_view kind) const;
  /// The same, empty when the file has no such element.
  [[nodiscard]] pugi::xml_node find_target(pugi::xml_node element, const char* attribute, std::string_view kind) const;

  /// The numbers in an element's text, separated by blanks. Number: double or std::uint32_t.
  template <class Number>
  [[nodiscard]] std::vector<Number> numbers(pugi::xml_node element) const;
  /// Exactly `expected` numbers.
  [[nodiscard]] std::vector<double> numbers(pugi::xml_node element, std::size_t expected) const;

 private:
  void note_ids(pugi::xml_node element);

  XmlDocument document_;
  /// "kind#id"; empty: there are several.
  std::unordered_map<std::string, pugi::xml_node> by_id_;
};

}  // namespace fathom
