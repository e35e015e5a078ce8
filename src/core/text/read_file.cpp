// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

void require_readable_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const std::string name = file.string();
  if (status.type() == std::filesystem::file_type::not_found) throw InputError(fmt::format("{}: no such file", name));
  if (error) throw InputError(fmt::format("{}: cannot read: {}", name, error.message()));
  if (status.type() == std::filesystem::file_type::directory) {
    throw InputError(fmt::format("{}: is a folder, not a file", name));
  }
  if (status.type() != std::filesystem::file_type::regular) throw InputError(fmt::format("{}: is not a file", name));
  if (access(file.c_str(), R_OK) != 0) {
    throw InputError(fmt::format("{}: cannot read: {}", name, std::generic_category().message(errno)));
  }
  if (std::filesystem::file_size(file, error) == 0) throw InputError(fmt::format("{}: is empty", name));
}

void fail_memory(const std::filesystem::path& file, std::string_view lack) {
  throw SystemError(fmt::format("{}{}{}", file.string(), file.empty() ? "" : ": ", lack));
}

std::string read_file(const std::filesystem::path& file) {
  require_readable_file(file);
  std::ifstream in(file, std::ios::binary);
  std::string bytes;
  within_memory(file, [&] { bytes.resize(std::filesystem::file_size(file)); });
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw InputError(fmt::format("{}: cannot read all of it", file.string()));
  }
  return bytes;
}

std::optional<std::filesystem::path> confined(const std::filesystem::path& path,
                                              std::span<const std::filesystem::path> folders) {
  std::error_code error;
  const auto found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  if (error) return std::nullopt;
  for (const std::filesystem::path& folder : folders) {
    const auto root = std::filesystem::canonical(folder.empty() ? "." : folder, error);
    if (error) continue;
    if (std::mismatch(root.begin(), root.end(), found.begin(), found.end()).first == root.end()) return found;
  }
  return std::nullopt;
}

std::size_t json_nesting(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

namespace {

/// The name of the first element of an XML text; empty if the text does not begin with one.
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
