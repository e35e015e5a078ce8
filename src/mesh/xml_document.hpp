// SPDX-License-Identifier: MIT
#pragma once
// XML files of strangers, read by pugixml: no nesting deeper than kMaxNesting, no document types of their own.

#include <string>
#include <string_view>

#include <pugixml.hpp>

namespace fathom {

/// A text in UTF-8 as a tree of elements.
class XmlDocument {
 public:
  /// `file` is the name for messages. Throws InputError where the text cannot be parsed, is nested deeper than
  /// kMaxNesting, has more than one root, or declares a document type of its own (entities that expand to more).
  XmlDocument(std::string_view bytes, std::string file);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  /// Throws InputError: file:line:column: <name id='...'>: what.
  [[noreturn]] void fail(pugi::xml_node element, std::string_view what) const;

 private:
  [[noreturn]] void fail_at(std::size_t offset, std::string_view what) const;
  void check_nesting() const;
  void check_top_level() const;

  std::string bytes_;  ///< for the lines and columns of messages
  std::string file_;
  pugi::xml_document document_;
};

/// The characters directly inside of an element, without those of its children.
std::string text_of(pugi::xml_node element);

}  // namespace fathom
