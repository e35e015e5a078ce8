#pragma once
// A reader of XML for files of strangers: what it takes it has understood, and it goes no deeper than kMaxNesting. It
// knows elements, attributes, text, comments, CDATA and the five named entities; no document types of their own.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

struct XmlElement {
  std::string_view name;
  std::size_t at = 0;  ///< offset of its '<'
  std::vector<std::pair<std::string_view, std::string>> attributes;
  std::string text;  ///< the characters directly inside, without those of its children
  std::vector<XmlElement> children;

  /// nullptr when there is none.
  [[nodiscard]] const std::string* attribute(std::string_view name) const;
  /// The first of that name, nullptr when there is none.
  [[nodiscard]] const XmlElement* child(std::string_view name) const;
};

/// The elements of a text in UTF-8 that outlives the tree. `file` is the name for messages. Throws InputError where the
/// text is not well-formed.
class XmlTree {
 public:
  XmlTree(std::string_view bytes, std::string file);

  [[nodiscard]] const XmlElement& root() const { return root_; }
  /// Throws InputError: file:line:column: <name id='...'>: what.
  [[noreturn]] void fail(const XmlElement& element, std::string_view what) const;

 private:
  std::string_view bytes_;
  std::string file_;
  XmlElement root_;
};

}  // namespace fathom
