// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/base/error.hpp>
#include <fathom/files/meshes.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "mesh/dae_mesh.hpp"
#include "mesh/gltf_mesh.hpp"
#include "mesh/obj_mesh.hpp"
#include "mesh/ply_mesh.hpp"
#include "mesh/read_mesh.hpp"
#include "mesh/stl_mesh.hpp"
#include "text/read_file.hpp"
#include "text/robot_description.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 6> kExtensions = {"obj", "ply", "stl", "gltf", "glb", "dae"};
constexpr std::size_t kHeadBytes = std::size_t{1} << 16U;

std::string extension_of(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  return lower_case(extension.empty() ? extension : extension.substr(1));
}

bool is_known(std::string_view extension) {
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

void refuse_other_files(const std::filesystem::path& file, std::string_view extension) {
  std::string head(kHeadBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  refuse_robot_description(head, file.string());
  if (!is_known(extension)) {
    throw InputError(
        fmt::format("{}: extension '{:.40}' is not one of {}", file.string(), extension, fmt::join(kExtensions, ", ")));
  }
}

/// The mesh with the axes of its file, and the axis of the file that points up.
std::pair<Mesh, UpAxis> parse(const std::filesystem::path& file, std::string_view extension, MeshReading& reading) {
  const std::string whole = read_file(file), name = file.string();
  if (extension == "stl") return {parse_stl_mesh(whole, name, reading), UpAxis::kZ};
  const std::string_view bytes = behind_byte_order_mark(whole);
  if (extension == "ply") return {parse_ply_mesh(bytes, name, reading), UpAxis::kZ};
  if (extension == "obj") return {parse_obj_mesh(bytes, name, reading), UpAxis::kZ};
  if (extension != "dae") return {parse_gltf_mesh(bytes, file, reading), UpAxis::kY};
  DaeMesh read = parse_dae_mesh(bytes, name, reading);
  return {std::move(read.mesh), read.up_axis};
}

/// Turns what points up to z: right stays right, and no triangle is mirrored.
template <class Number>
void raise(Number& x, Number& y, Number& z, UpAxis up_axis) {
  const std::array<Number, 3> v = {x, y, z};
  // 0 - v and not -v, which makes -0 of 0.
  if (up_axis == UpAxis::kY) y = Number{0} - v[2], z = v[1];
  if (up_axis == UpAxis::kX) x = Number{0} - v[1], y = Number{0} - v[2], z = v[0];
}

void raise(Mesh& mesh, UpAxis up_axis) {
  for (auto& [x, y, z] : mesh.vertices_m) raise(x, y, z, up_axis);
  raise(mesh.origin_m.x, mesh.origin_m.y, mesh.origin_m.z, up_axis);
}

/// The whole mesh, turned and checked.
Mesh read_joined(const std::filesystem::path& file, std::optional<UpAxis> up_axis, MeshReading& reading) {
  require_readable_file(file);
  const std::string extension = extension_of(file);
  refuse_other_files(file, extension);
  if (reading.parts != nullptr && (extension == "ply" || extension == "stl")) {
    throw InputError(fmt::format("{}: {} files have neither nodes nor materials", file.string(), extension));
  }
  auto [mesh, axis_of_file] = parse(file, extension, reading);
  raise(mesh, up_axis.value_or(axis_of_file));
  with_prefix([&] { return file.string(); }, [&read = mesh] { validate(read); });
  return std::move(mesh);
}

/// Without the folders, so that summaries of runs do not depend on where their files lie.
void hand_over(MeshReading& reading, const std::filesystem::path& file, std::vector<std::filesystem::path>& opened,
               std::vector<std::string>& notes) {
  opened.insert(opened.end(), reading.opened.begin(), reading.opened.end());
  for (const std::string& note : reading.notes) notes.push_back(file.filename().string() + ": " + note);
}

/// The largest coordinate, m, along some axes, of the corners of triangles.
double farthest_m(const Mesh& mesh, const std::array<bool, 3>& axes) {
  const std::array<double, 3> origin = {mesh.origin_m.x, mesh.origin_m.y, mesh.origin_m.z};
  double farthest = 0.0;
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      if (corner >= mesh.vertices_m.size()) continue;  // refused later
      for (std::size_t k = 0; k < 3; ++k) {
        if (axes[k]) farthest = std::max(farthest, std::abs(origin[k] + double{mesh.vertices_m[corner][k]}));
      }
    }
  }
  return farthest;
}

}  // namespace

void note_rounded_places(const Mesh& mesh, const std::array<bool, 3>& is_single, MeshReading& reading) {
  if (is_single == std::array<bool, 3>{}) return;
  constexpr double kMostLossM = 0.9e-3;  // as that of points in the world
  const auto farthest = static_cast<float>(farthest_m(mesh, is_single));
  // Half of the step from one float to the next.
  const double loss_m = 0.5 * (std::nextafter(farthest, std::numeric_limits<float>::infinity()) - farthest);
  if (!(loss_m >= kMostLossM)) return;  // NaN if one is not finite, which is refused later
  reading.notes.push_back(
      fmt::format("its coordinates have single precision: {:.0f} m from the origin they are off by "
                  "up to {} m",
                  farthest, number_text(loss_m)));
}

bool is_mesh_name(const std::filesystem::path& file) { return is_known(extension_of(file)); }

Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis) {
  std::vector<std::filesystem::path> opened;
  std::vector<std::string> notes;
  return read_mesh(file, up_axis, opened, notes);
}

Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis,
               std::vector<std::filesystem::path>& opened, std::vector<std::string>& notes) {
  MeshReading reading;
  Mesh mesh = within_memory(file, [&] { return read_joined(file, up_axis, reading); });
  hand_over(reading, file, opened, notes);
  return mesh;
}

std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file, MeshSplit split,
                                      std::optional<UpAxis> up_axis) {
  std::vector<std::filesystem::path> opened;
  std::vector<std::string> notes;
  return read_mesh_parts(file, split, up_axis, opened, notes);
}

std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file, MeshSplit split, std::optional<UpAxis> up_axis,
                                      std::vector<std::filesystem::path>& opened, std::vector<std::string>& notes) {
  return within_memory(file, [&] {
    PartList parts(split);
    MeshReading reading{.parts = &parts};
    std::vector<MeshPart> cut = parts.cut(read_joined(file, up_axis, reading));
    hand_over(reading, file, opened, notes);
    return cut;
  });
}

}  // namespace fathom
