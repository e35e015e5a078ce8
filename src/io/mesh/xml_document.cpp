// SPDX-License-Identifier: MIT
#include "io/mesh/xml_document.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

/// Offset of an element's '<'; pugixml gives the offset of its name.
std::size_t offset_of(pugi::xml_node element) {
  const std::ptrdiff_t name = element.offset_debug();
  return name > 0 ? static_cast<std::size_t>(name) - 1 : 0;
}

}  // namespace

XmlDocument::XmlDocument(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {
  // pugixml counts offsets from behind the mark, and ends the text at a zero byte.
  bytes_ = behind_byte_order_mark(bytes_);
  if (const std::size_t zero = bytes_.find('\0'); zero != std::string_view::npos) {
    fail_at(zero, "a zero byte: not a text in UTF-8");
  }
  const pugi::xml_parse_result result =
      document_.load_buffer(bytes_.data(), bytes_.size(),
                            pugi::parse_default | pugi::parse_doctype | pugi::parse_fragment, pugi::encoding_utf8);
  if (!result) fail_at(static_cast<std::size_t>(result.offset), fmt::format("not XML: {}", result.description()));
  if (root().empty()) fail_at(0, "not XML: there is no element");
  check_top_level();
  check_elements();
}

void XmlDocument::check_top_level() const {
  for (const pugi::xml_node node : document_) {
    if (node.type() == pugi::node_doctype && std::string_view(node.value()).find('[') != std::string_view::npos) {
      fail_at(static_cast<std::size_t>(node.offset_debug()), "a document type with declarations is not understood");
    }
    if (node.type() == pugi::node_element && node != root()) {
      fail_at(offset_of(node), "the file goes on after its last element");
    }
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {  // parse_fragment keeps them
      const std::size_t begin = bytes_.find_first_not_of(" \t\r\n", static_cast<std::size_t>(node.offset_debug()));
      fail_at(std::min(begin, bytes_.size()), "a text outside of the elements");
    }
  }
}

/// A loop, because recursion over a deep tree would overflow the stack.
void XmlDocument::check_elements() const {
  std::size_t depth = 1;
  for (pugi::xml_node node = root(); !node.empty();) {
    if (depth > kMaxNesting && node.type() == pugi::node_element) {
      fail_at(offset_of(node), fmt::format("nested {} deep, the limit is {}", depth, kMaxNesting));
    }
    check_attributes(node);
    if (const pugi::xml_node child = node.first_child()) {
      node = child;
      ++depth;
      continue;
    }
    while (!node.empty() && node != root() && node.next_sibling().empty()) {
      node = node.parent();
      --depth;
    }
    if (node == root()) return;
    node = node.next_sibling();
  }
}

void XmlDocument::check_attributes(pugi::xml_node element) const {
  std::vector<std::string_view> names;
  for (const pugi::xml_attribute attribute : element.attributes()) names.emplace_back(attribute.name());
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) fail(element, fmt::format("gives the attribute {:.60} twice", *twice));
}

std::string XmlDocument::located_at(std::size_t offset, std::string_view what) const {
  const std::string_view before = bytes_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == std::string_view::npos ? before.size() + 1 : before.size() - line_end;
  return fmt::format("{}:{}:{}: {}", file_, line, column, one_line(std::string(what)));
}

std::string XmlDocument::located(pugi::xml_node element, std::string_view what) const {
  const pugi::xml_attribute id = element.attribute("id");
  const std::string who =
      id.empty() ? fmt::format("<{}>", element.name()) : fmt::format("<{} id='{:.60}'>", element.name(), id.value());
  return located_at(offset_of(element), fmt::format("{}: {}", who, what));
}

void XmlDocument::fail_at(std::size_t offset, std::string_view what) const {
  throw InputError(located_at(offset, what));
}

void XmlDocument::fail(pugi::xml_node element, std::string_view what) const {
  throw InputError(located(element, what));
}

std::string text_of(pugi::xml_node element) {
  std::string text;
  for (const pugi::xml_node child : element) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
  }
  return text;
}

}  // namespace fathom
