#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/error.hpp>
#include <fathom/input.hpp>

#include "io/assimp_mesh.hpp"
#include "io/dae_mesh.hpp"
#include "io/ply_mesh.hpp"
#include "io/read_file.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 6> kExtensions = {"obj", "ply", "stl", "gltf", "glb", "dae"};

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Mesh parse(const std::filesystem::path& file, std::string_view extension) {
  if (extension == "ply") return parse_ply_mesh(read_file(file), file.string());
  if (extension == "dae") return parse_dae_mesh(read_file(file), file.string());
  return read_assimp_mesh(file, extension);
}

}  // namespace

Mesh read_mesh(const std::filesystem::path& file) {
  require_readable_file(file);
  const std::string extension = extension_of(file);
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end()) {
    throw InputError(
        fmt::format("{}: extension '{}' is not one of {}", file.string(), extension, fmt::join(kExtensions, ", ")));
  }
  Mesh mesh = parse(file, extension);
  try {
    validate(mesh);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  return mesh;
}

}  // namespace fathom
