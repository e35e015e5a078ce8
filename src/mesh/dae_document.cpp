// SPDX-License-Identifier: MIT
#include "mesh/dae_document.hpp"

#include <type_traits>

#include <fmt/format.h>

#include "text/text_lines.hpp"

namespace fathom {

namespace {

std::string key_of(std::string_view kind, std::string_view id) { return fmt::format("{}#{}", kind, id); }

}  // namespace

DaeDocument::DaeDocument(std::string_view bytes, const std::string& file) : document_(bytes, file) {
  if (std::string_view(root().name()) != "COLLADA")
    fail(root(), "not a COLLADA file: its first element is not <COLLADA>");
  note_ids(root());
}

void DaeDocument::note_ids(pugi::xml_node element) {
  if (const pugi::xml_attribute id = element.attribute("id")) {
    const auto [entry, is_new] = by_id_.try_emplace(key_of(element.name(), id.value()), element);
    if (!is_new) entry->second = {};
  }
  for (const pugi::xml_node c : element.children()) note_ids(c);
}

pugi::xml_node DaeDocument::child(pugi::xml_node element, const char* name) const {
  const pugi::xml_node found = element.child(name);
  if (found.empty()) fail(element, fmt::format("has no <{}>", name));
  return found;
}

std::string_view DaeDocument::attribute(pugi::xml_node element, const char* name) const {
  const pugi::xml_attribute found = element.attribute(name);
  if (found.empty()) fail(element, fmt::format("has no attribute '{}'", name));
  return found.value();
}

std::uint32_t DaeDocument::count(pugi::xml_node element, const char* name, std::uint32_t fallback) const {
  const pugi::xml_attribute text = element.attribute(name);
  if (text.empty()) return fallback;
  const auto value = parse_number<std::uint32_t>(trim(text.value()));
  if (!value) fail(element, fmt::format("{} = '{:.40}' is not a whole number in [0, 4294967295]", name, text.value()));
  return *value;
}

std::uint32_t DaeDocument::count(pugi::xml_node element, const char* name) const {
  static_cast<void>(attribute(element, name));
  return count(element, name, 0);
}

pugi::xml_node DaeDocument::find_target(pugi::xml_node element, const char* name, std::string_view kind) const {
  const std::string_view url = attribute(element, name);
  if (url.size() < 2 || url[0] != '#') {
    fail(element, fmt::format("{} = '{:.60}' is not '#' and an id of this file", name, url));
  }
  const auto found = by_id_.find(key_of(kind, url.substr(1)));
  if (found == by_id_.end()) return {};
  if (found->second.empty()) fail(element, fmt::format("{} = '{:.60}' names more than one <{}>", name, url, kind));
  return found->second;
}

pugi::xml_node DaeDocument::target(pugi::xml_node element, const char* name, std::string_view kind) const {
  const pugi::xml_node found = find_target(element, name, kind);
  if (found.empty()) {
    fail(element, fmt::format("{} = '{:.60}' names no <{}> of this file", name, attribute(element, name), kind));
  }
  return found;
}

template <class Number>
std::vector<Number> DaeDocument::numbers(pugi::xml_node element) const {
  const std::string characters = text_of(element);
  const std::string_view text = characters;
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

template std::vector<double> DaeDocument::numbers(pugi::xml_node) const;
template std::vector<std::uint32_t> DaeDocument::numbers(pugi::xml_node) const;

std::vector<double> DaeDocument::numbers(pugi::xml_node element, std::size_t expected) const {
  std::vector<double> values = numbers<double>(element);
  if (values.size() != expected) fail(element, fmt::format("has {} numbers, not {}", values.size(), expected));
  return values;
}

}  // namespace fathom
