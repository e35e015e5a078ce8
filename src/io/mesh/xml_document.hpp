// SPDX-License-Identifier: MIT
#pragma once
// XML files of strangers, read by pugixml.

#include <string>
#include <string_view>

#include <pugixml.hpp>

namespace fathom {

/// A text in UTF-8 as a tree of elements. An entity that XML does not define stays as written.
class XmlDocument {
 public:
  /// `bytes` must outlive the document, because messages count its lines. `file` is the name for messages. Throws
  /// InputError if the text cannot be parsed, is nested deeper than kMaxNesting, has more than one root or text beside
  /// it, gives an attribute twice, or declares a document type (whose entities could expand without limit).
  XmlDocument(std::string_view bytes, std::string file);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  /// file:line:column: <name id='...'>: what.
  [[nodiscard]] std::string located(pugi::xml_node element, std::string_view what) const;
  /// Throws InputError with the text of located().
  [[noreturn]] void fail(pugi::xml_node element, std::string_view what) const;

 private:
  [[nodiscard]] std::string located_at(std::size_t offset, std::string_view what) const;
  [[noreturn]] void fail_at(std::size_t offset, std::string_view what) const;
  void check_top_level() const;
  void check_elements() const;
  void check_attributes(pugi::xml_node element) const;

  std::string_view bytes_;  ///< behind the byte order mark
  std::string file_;
  pugi::xml_document document_;
};

/// The characters directly inside an element, without its children's.
std::string text_of(pugi::xml_node element);

}  // namespace fathom
