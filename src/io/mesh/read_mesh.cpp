// SPDX-License-Identifier: MIT
#include "io/mesh/read_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/core/error.hpp>
#include <fathom/files/meshes.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "scene/mesh.hpp"

namespace fathom {

namespace {

using Corners = std::array<std::uint32_t, 3>;

/// Copies chosen triangles of a mesh into meshes with only the vertices that they use.
class Picker {
 public:
  explicit Picker(const Mesh& joined) : joined_(joined), id_(joined.vertices_m.size(), kNone) {}

  Mesh pick(const std::vector<std::uint32_t>& triangles) {
    Mesh part;
    for (const std::uint32_t t : triangles) {
      Corners corners{};
      for (std::size_t k = 0; k < 3; ++k) corners[k] = id_of(joined_.triangles[t][k], part);
      part.triangles.push_back(corners);
    }
    for (const std::uint32_t vertex : used_) id_[vertex] = kNone;
    used_.clear();
    return part;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t id_of(std::uint32_t vertex, Mesh& part) {
    if (id_[vertex] == kNone) {
      id_[vertex] = static_cast<std::uint32_t>(part.vertices_m.size());
      part.vertices_m.push_back(joined_.vertices_m[vertex]);
      used_.push_back(vertex);
    }
    return id_[vertex];
  }

  const Mesh& joined_;
  std::vector<std::uint32_t> id_;    // [vertices of the joined mesh] in the current part
  std::vector<std::uint32_t> used_;  // vertices that have an id
};

bool has_area(const Mesh& mesh) {
  return std::any_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Corners& corners) {
    const Vec3 n = area_normal(mesh, corners);
    return n.x != 0.0 || n.y != 0.0 || n.z != 0.0;
  });
}

/// Makes the names of a file unique.
class UniqueNames {
 public:
  std::string add(const std::string& name) {
    std::string unique = name;
    for (std::uint32_t& number = last_[name]; !taken_.insert(unique).second;) {
      number = std::max(number, 1U) + 1;
      unique = name + "_" + std::to_string(number);
    }
    return unique;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::uint32_t> last_;  // the number last tried for a name
};

}  // namespace

void PartList::begin(std::size_t first, std::string_view key, std::string_view name) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  const auto [entry, is_new] = part_of_key_.try_emplace(std::string(key), next);
  if (is_new) names_.emplace_back(name);
  if (!runs_.empty() && runs_.back().part == entry->second) return;
  runs_.push_back({first, entry->second});
}

std::vector<MeshPart> PartList::cut(const Mesh& joined) const {
  std::vector<std::vector<std::uint32_t>> triangles(names_.size());
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const std::size_t end = r + 1 < runs_.size() ? runs_[r + 1].first : joined.triangles.size();
    for (std::size_t t = runs_[r].first; t < end; ++t) {
      triangles[runs_[r].part].push_back(static_cast<std::uint32_t>(t));
    }
  }
  std::vector<MeshPart> parts;
  Picker picker(joined);
  UniqueNames names;
  for (std::size_t p = 0; p < names_.size(); ++p) {
    Mesh mesh = picker.pick(triangles[p]);
    mesh.origin_m = joined.origin_m;
    if (has_area(mesh)) parts.push_back({names.add(names_[p]), std::move(mesh)});
  }
  return parts;
}

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
  if (whole.starts_with("\xff\xfe") || whole.starts_with("\xfe\xff")) {
    throw InputError(name + ": is in UTF-16; save it as UTF-8");
  }
  const std::string_view bytes = behind_byte_order_mark(whole);
  if (extension == "ply") return {parse_ply_mesh(bytes, name, reading), UpAxis::kZ};
  if (extension == "obj") return {parse_obj_mesh(bytes, name, reading), UpAxis::kZ};
  if (extension != "dae") return {parse_gltf_mesh(bytes, file, reading), UpAxis::kY};
  DaeMesh read = parse_dae_mesh(bytes, name, reading);
  return {std::move(read.mesh), read.up_axis};
}

/// Turns the up axis to z. Right stays right, and no triangle is mirrored.
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

/// Notes name the file without its folder, so that summaries of runs do not depend on the folder.
void hand_over(MeshReading& reading, const std::filesystem::path& file, std::vector<std::filesystem::path>& opened,
               std::vector<std::string>& notes) {
  opened.insert(opened.end(), reading.opened.begin(), reading.opened.end());
  for (const std::string& note : reading.notes) notes.push_back(file.filename().string() + ": " + note);
}

/// The largest absolute coordinate, m, of the triangles' corners along the chosen axes.
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
  constexpr double kMostLossM = 0.9e-3;  // the limit of points in the world, too
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
