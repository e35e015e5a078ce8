// SPDX-License-Identifier: MIT
#include "text/robot_description.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "text/text_lines.hpp"

namespace fathom {

namespace {

/// The name of the first element of an XML text; empty when it does not begin with one.
std::string_view first_element(std::string_view text) {
  for (text = trim(behind_byte_order_mark(text)); text.starts_with("<?") || text.starts_with("<!"); text = trim(text)) {
    const std::string_view close = text.starts_with("<!--") ? "-->" : ">";
    const std::size_t end = text.find(close);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + close.size());
  }
  if (!text.starts_with("<")) return {};
  return text.substr(1, text.find_first_of(" \t\r\n\f\v/>", 1) - 1);
}

}  // namespace

void refuse_robot_description(std::string_view head, const std::string& file) {
  const std::string_view root = first_element(head);
  std::string_view kind;
  if (root == "robot") kind = "a URDF robot description";
  if (root == "sdf" || root == "gazebo") kind = "an SDF description";
  if (root == "mujoco" || root == "mujocoinclude") kind = "an MJCF (MuJoCo) description";
  if (kind.empty()) return;
  const bool is_mjcf = root.starts_with("mujoco");
  throw InputError(fmt::format("{}: is {}; {}", file, kind,
                               is_mjcf ? "fathom reads meshes, URDF and SDF"
                                       : "a scene file in YAML places it, by 'scene: {from: <the file>}'"));
}

}  // namespace fathom
