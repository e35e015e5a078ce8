// SPDX-License-Identifier: MIT
// Mesh files of any kind: the result is a valid mesh or an InputError of one line, never anything else. The first byte
// of the input picks the format.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include <fathom/core/error.hpp>
#include <fathom/files/meshes.hpp>

namespace {

constexpr std::array<std::string_view, 6> kExtensions = {"ply", "stl", "obj", "gltf", "glb", "dae"};

/// A file in memory for this process, because read_mesh takes a name.
std::filesystem::path write_input(std::string_view extension, const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path file = "/dev/shm/fathom_fuzz_" + std::to_string(getpid()) + "." + std::string(extension);
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto file = write_input(kExtensions[data[0] % kExtensions.size()], data + 1, size - 1);
  try {
    fathom::validate(fathom::read_mesh(file));
    for (const auto split : {fathom::MeshSplit::kNodes, fathom::MeshSplit::kMaterials}) {
      for (const fathom::MeshPart& part : fathom::read_mesh_parts(file, split)) fathom::validate(part.mesh);
    }
  } catch (const fathom::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  std::filesystem::remove(file);
  return 0;
}
