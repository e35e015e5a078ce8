#include "io/dae_document.hpp"

#include <type_traits>

#include <fmt/format.h>

#include "io/text_lines.hpp"

namespace fathom {

namespace {

std::string key_of(std::string_view kind, std::string_view id) { return fmt::format("{}#{}", kind, id); }

}  // namespace

DaeDocument::DaeDocument(std::string_view bytes, const std::string& file) : tree_(bytes, file) {
  if (root().name != "COLLADA") fail(root(), "not a COLLADA file: its first element is not <COLLADA>");
  note_ids(root());
}

void DaeDocument::note_ids(const XmlElement& element) {
  if (const std::string* id = element.attribute("id")) {
    const auto [entry, is_new] = by_id_.try_emplace(key_of(element.name, *id), &element);
    if (!is_new) entry->second = nullptr;
  }
  for (const XmlElement& c : element.children) note_ids(c);
}

const XmlElement& DaeDocument::child(const XmlElement& element, std::string_view name) const {
  const XmlElement* found = element.child(name);
  if (found == nullptr) fail(element, fmt::format("has no <{}>", name));
  return *found;
}

const std::string& DaeDocument::attribute(const XmlElement& element, std::string_view name) const {
  const std::string* found = element.attribute(name);
  if (found == nullptr) fail(element, fmt::format("has no attribute '{}'", name));
  return *found;
}

std::uint32_t DaeDocument::count(const XmlElement& element, std::string_view name, std::uint32_t fallback) const {
  const std::string* text = element.attribute(name);
  if (text == nullptr) return fallback;
  const auto value = parse_number<std::uint32_t>(trim(*text));
  if (!value) fail(element, fmt::format("{} = '{:.40}' is not a whole number in [0, 4294967295]", name, *text));
  return *value;
}

std::uint32_t DaeDocument::count(const XmlElement& element, std::string_view name) const {
  static_cast<void>(attribute(element, name));
  return count(element, name, 0);
}

const XmlElement* DaeDocument::find_target(const XmlElement& element, std::string_view name,
                                           std::string_view kind) const {
  const std::string& url = attribute(element, name);
  if (url.size() < 2 || url[0] != '#') {
    fail(element, fmt::format("{} = '{:.60}' is not '#' and an id of this file", name, url));
  }
  const auto found = by_id_.find(key_of(kind, std::string_view(url).substr(1)));
  if (found == by_id_.end()) return nullptr;
  if (found->second == nullptr) fail(element, fmt::format("{} = '{:.60}' names more than one <{}>", name, url, kind));
  return found->second;
}

const XmlElement& DaeDocument::target(const XmlElement& element, std::string_view name, std::string_view kind) const {
  const XmlElement* found = find_target(element, name, kind);
  if (found == nullptr) {
    fail(element, fmt::format("{} = '{:.60}' names no <{}> of this file", name, attribute(element, name), kind));
  }
  return *found;
}

template <class Number>
std::vector<Number> DaeDocument::numbers(const XmlElement& element) const {
  const std::string_view text = element.text;
  std::vector<Number> values;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    const std::string_view word = text.substr(at, end - at);
    const auto value = parse_number<Number>(word);
    if (!value) {
      fail(element, fmt::format("number {}: '{:.40}' is not a {}", values.size() + 1, word,
                                std::is_integral_v<Number> ? "whole number in [0, 4294967295]" : "number"));
    }
    values.push_back(*value);
    at = end == std::string_view::npos ? end : text.find_first_not_of(kBlanks, end);
  }
  return values;
}

template std::vector<double> DaeDocument::numbers(const XmlElement&) const;
template std::vector<std::uint32_t> DaeDocument::numbers(const XmlElement&) const;

std::vector<double> DaeDocument::numbers(const XmlElement& element, std::size_t expected) const {
  std::vector<double> values = numbers<double>(element);
  if (values.size() != expected) fail(element, fmt::format("has {} numbers, not {}", values.size(), expected));
  return values;
}

}  // namespace fathom
