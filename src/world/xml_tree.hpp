// SPDX-License-Identifier: MIT
#pragma once
// Trees of XML cut down to what fathom reads, before a library sees them: what a library is given was checked by
// XmlDocument, and it complains about nothing that does not matter.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mesh/xml_document.hpp"
#include "world/robot_files.hpp"

namespace fathom {

/// Which children of an element stay, and which go without a word. All others are counted.
struct KeptElements {
  std::span<const std::string_view> kept, silent;
};

/// Takes the other children away.
void prune(pugi::xml_node element, const KeptElements& elements, NotRead& not_read);

/// "link 'arm'", for messages.
std::string described(pugi::xml_node element);

/// The element as text.
std::string xml_text(pugi::xml_node element);

/// The file that an attribute or a text of `place` names; its errors name the place. Throws where it is not there.
std::filesystem::path find_named(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                 const RobotFiles& files, const std::filesystem::path& file);
/// The same for the file of a shape. Where options.missing is kSkip, returns nothing for a NotThere, and adds a line to
/// files.skipped().
std::optional<std::filesystem::path> find_shape(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                                RobotFiles& files, const std::filesystem::path& file);

}  // namespace fathom
