// SPDX-License-Identifier: MIT
#include "world/xml_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

class TextWriter final : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
  std::string text;
};

bool stands_in(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void prune(pugi::xml_node element, const KeptElements& elements, NotRead& not_read) {
  for (pugi::xml_node child = element.first_child(); !child.empty();) {
    const pugi::xml_node next = child.next_sibling();
    if (child.type() == pugi::node_element && !stands_in(child.name(), elements.kept)) {
      if (!stands_in(child.name(), elements.silent)) not_read.count(child.name());
      element.remove_child(child);
    }
    child = next;
  }
}

std::string described(pugi::xml_node element) {
  return fmt::format("{} '{}'", element.name(), element.attribute("name").value());
}

std::string xml_text(pugi::xml_node element) {
  TextWriter writer;
  element.print(writer, "", pugi::format_raw, pugi::encoding_utf8);
  return std::move(writer.text);
}

std::filesystem::path find_named(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                 const RobotFiles& files, const std::filesystem::path& file) {
  try {
    return files.find(uri, file);
  } catch (const InputError& error) {
    document.fail(place, error.what());
  }
}

std::optional<std::filesystem::path> find_shape(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                                RobotFiles& files, const std::filesystem::path& file) {
  try {
    return files.find(uri, file);
  } catch (const NotThere& error) {
    if (files.missing() == MissingMeshes::kRefuse) document.fail(place, error.what());
    files.skipped().push_back(document.located(place, fmt::format("{}; it is left out", error.what())));
    return std::nullopt;
  } catch (const InputError& error) {
    document.fail(place, error.what());
  }
}

}  // namespace fathom
