#pragma once
// What COLLADA files are made of: elements that point at each other by id, and long lists of numbers.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/xml_tree.hpp"

namespace fathom {

/// `bytes` outlive it. Everything here throws InputError, naming file, place, element, value and limit.
class DaeDocument {
 public:
  DaeDocument(std::string_view bytes, const std::string& file);

  [[nodiscard]] const XmlElement& root() const { return tree_.root(); }
  [[noreturn]] void fail(const XmlElement& element, std::string_view what) const { tree_.fail(element, what); }

  [[nodiscard]] const XmlElement& child(const XmlElement& element, std::string_view name) const;
  [[nodiscard]] const std::string& attribute(const XmlElement& element, std::string_view name) const;
  /// A whole number; `fallback` where the attribute is absent.
  [[nodiscard]] std::uint32_t count(const XmlElement& element, std::string_view name, std::uint32_t fallback) const;
  /// The same, of an attribute that must be there.
  [[nodiscard]] std::uint32_t count(const XmlElement& element, std::string_view name) const;

  /// The element <kind> that `attribute` ("#id") of `element` points at.
  [[nodiscard]] const XmlElement& target(const XmlElement& element, std::string_view attribute,
                                         std::string_view kind) const;
  /// The same, nullptr when the file has no such element.
  [[nodiscard]] const XmlElement* find_target(const XmlElement& element, std::string_view attribute,
                                              std::string_view kind) const;

  /// The numbers in an element's text, separated by blanks. Number: double or std::uint32_t.
  template <class Number>
  [[nodiscard]] std::vector<Number> numbers(const XmlElement& element) const;
  /// Exactly `expected` numbers.
  [[nodiscard]] std::vector<double> numbers(const XmlElement& element, std::size_t expected) const;

 private:
  void note_ids(const XmlElement& element);

  XmlTree tree_;
  /// "kind#id"; nullptr: there are several.
  std::unordered_map<std::string, const XmlElement*> by_id_;
};

}  // namespace fathom
