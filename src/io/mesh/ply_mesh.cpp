// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/formats.hpp"
#include "core/text/text_lines.hpp"
#include "io/mesh/read_mesh.hpp"
#include "scene/mesh.hpp"

namespace fathom {

namespace {

using ply::Scalar;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// Takes values in order from the body of a PLY file.
class Body {
 public:
  Body(std::string_view bytes, const ply::Header& header, const std::string& file)
      : bytes_(bytes), at_(header.body), format_(header.format), file_(file) {}

  double next(Scalar type) { return format_ == ply::Format::kAscii ? next_word() : next_bytes(type); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  /// Bytes that belong to no element. Blanks do not count.
  [[nodiscard]] std::size_t surplus() const { return trim(bytes_.substr(at_)).size(); }
  [[nodiscard]] bool is_ascii() const { return format_ == ply::Format::kAscii; }
  /// Names the current element for messages.
  void enter(const std::string& element, std::uint64_t index, std::uint64_t count) {
    element_ = &element, index_ = index, count_ = count;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {} {} of {}: {}", file_, *element_, index_, count_, what));
  }

 private:
  [[noreturn]] void fail_truncated() const { fail(fmt::format("the file ends here, at byte {}", bytes_.size())); }

  double next_word() {
    const std::size_t begin = bytes_.find_first_not_of(kBlanks, at_);
    if (begin == std::string_view::npos) fail_truncated();
    at_ = std::min(bytes_.find_first_of(kBlanks, begin), bytes_.size());
    const std::string_view word = bytes_.substr(begin, at_ - begin);
    const auto value = parse_number<double>(word);
    if (!value) fail(fmt::format("'{}' is not a number", word.substr(0, 40)));
    return *value;
  }

  template <class T>
  double read(const char* bytes) const {
    char raw[sizeof(T)];
    std::memcpy(raw, bytes, sizeof(T));
    if (format_ == ply::Format::kBigEndian) std::reverse(std::begin(raw), std::end(raw));
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return static_cast<double>(value);
  }

  double next_bytes(Scalar type) {
    if (left() < ply::size_of(type)) fail_truncated();
    const char* bytes = bytes_.data() + at_;
    at_ += ply::size_of(type);
    switch (type) {
      case Scalar::kInt8:
        return read<std::int8_t>(bytes);
      case Scalar::kUint8:
        return read<std::uint8_t>(bytes);
      case Scalar::kInt16:
        return read<std::int16_t>(bytes);
      case Scalar::kUint16:
        return read<std::uint16_t>(bytes);
      case Scalar::kInt32:
        return read<std::int32_t>(bytes);
      case Scalar::kUint32:
        return read<std::uint32_t>(bytes);
      case Scalar::kFloat32:
        return read<float>(bytes);
      case Scalar::kFloat64:
        return read<double>(bytes);
    }
    return 0.0;
  }

  std::string_view bytes_;
  std::size_t at_;
  ply::Format format_;
  const std::string& file_;
  const std::string* element_ = nullptr;
  std::uint64_t index_ = 0, count_ = 0;
};

/// A whole number in [0, limit), or an error.
std::uint32_t checked_count(const Body& body, double value, double limit, std::string_view what) {
  if (!(value >= 0.0 && value < limit && value == std::floor(value))) {
    body.fail(fmt::format("{} {} is not in [0, {}]", what, number_text(value), number_text(limit - 1)));
  }
  return static_cast<std::uint32_t>(value);
}

std::uint32_t next_count(Body& body, Scalar type, double limit, std::string_view what) {
  return checked_count(body, body.next(type), limit, what);
}

/// Reads the values of a list. The bytes left limit its length.
void next_list(Body& body, const ply::Property& property, double limit, std::vector<std::uint32_t>& values) {
  const std::uint32_t length = next_count(body, property.count_type, 4294967296.0, "list length");
  values.clear();
  for (std::uint32_t i = 0; i < length; ++i) values.push_back(next_count(body, property.type, limit, "vertex index"));
}

void skip(Body& body, const ply::Property& property) {
  const std::uint32_t length =
      property.is_list ? next_count(body, property.count_type, 4294967296.0, "list length") : 1;
  for (std::uint32_t i = 0; i < length; ++i) body.next(property.type);
}

/// The number of elements to reserve: at most as many of `bytes` bytes as are left.
std::size_t plausible(const Body& body, std::uint64_t count, std::size_t bytes) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(count, body.left() / bytes + 1));
}

bool is_axis(const ply::Property& p) {
  return !p.is_list && p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z';
}

/// Whether x, y and z are in single precision.
std::array<bool, 3> single_axes(const ply::Element& vertex) {
  std::array<bool, 3> axes = {};
  for (const ply::Property& p : vertex.properties) {
    if (is_axis(p)) axes[static_cast<std::size_t>(p.name[0] - 'x')] = p.type == Scalar::kFloat32;
  }
  return axes;
}

void read_vertices(Body& body, const ply::Element& element, std::vector<MeshPlace>& places) {
  std::array<int, 3> axis_seen{};
  places.reserve(plausible(body, element.count, body.is_ascii() ? 6 : 12));
  for (std::uint64_t i = 0; i < element.count; ++i) {
    body.enter(element.name, i, element.count);
    MeshPlace place{};
    for (const ply::Property& p : element.properties) {
      if (!is_axis(p)) {
        skip(body, p);
        continue;
      }
      const auto axis = static_cast<std::size_t>(p.name[0] - 'x');
      place[axis] = body.next(p.type), axis_seen[axis] = 1;
    }
    if (axis_seen[0] + axis_seen[1] + axis_seen[2] != 3) body.fail("has no properties x, y and z");
    places.push_back(place);
  }
}

void read_faces(Body& body, const ply::Element& element, double vertices, Triangles& triangles) {
  std::vector<std::uint32_t> corners;
  triangles.reserve(plausible(body, element.count, body.is_ascii() ? 8 : 4));
  for (std::uint64_t i = 0; i < element.count; ++i) {
    body.enter(element.name, i, element.count);
    corners.clear();
    for (const ply::Property& p : element.properties) {
      if (p.is_list && (p.name == "vertex_indices" || p.name == "vertex_index")) {
        next_list(body, p, vertices, corners);
      } else {
        skip(body, p);
      }
    }
    for (std::size_t k = 2; k < corners.size(); ++k) triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }
}

/// Strips of triangles; -1 begins the next one.
void read_strips(Body& body, const ply::Element& element, double vertices, Triangles& triangles) {
  for (std::uint64_t i = 0; i < element.count; ++i) {
    body.enter(element.name, i, element.count);
    for (const ply::Property& p : element.properties) {
      if (!p.is_list || (p.name != "vertex_indices" && p.name != "vertex_index")) {
        skip(body, p);
        continue;
      }
      const std::uint32_t length = next_count(body, p.count_type, 4294967296.0, "list length");
      std::array<std::uint32_t, 2> last{};
      std::size_t in_strip = 0;
      for (std::uint32_t k = 0; k < length; ++k) {
        const double value = body.next(p.type);
        if (value == -1.0) {
          in_strip = 0;
          continue;
        }
        const std::uint32_t corner = checked_count(body, value, vertices, "vertex index");
        // Every second triangle is wound the other way round.
        if (in_strip >= 2 && in_strip % 2 == 0) triangles.push_back({last[0], last[1], corner});
        if (in_strip >= 2 && in_strip % 2 == 1) triangles.push_back({last[1], last[0], corner});
        last = {last[1], corner}, ++in_strip;
      }
    }
  }
}

bool is_finite(const std::array<float, 3>& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

/// Moves vertices that are not finite and have no face to a corner. All vertices keep their numbers.
void place_unused(Mesh& mesh, MeshReading& reading) {
  const auto is_lost = [](const std::array<float, 3>& v) { return !is_finite(v); };
  if (mesh.triangles.empty() || std::none_of(mesh.vertices_m.begin(), mesh.vertices_m.end(), is_lost)) return;
  std::vector<bool> is_used(mesh.vertices_m.size(), false);
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) is_used[corner] = true;
  }
  std::size_t placed = 0;
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i] || is_finite(mesh.vertices_m[i])) continue;
    mesh.vertices_m[i] = mesh.vertices_m[mesh.triangles[0][0]], ++placed;
  }
  if (placed == 0) return;
  reading.notes.push_back(counted(placed, "vertex of no face is", "vertices of no face are") + " not finite");
}

}  // namespace

Mesh parse_ply_mesh(std::string_view bytes, const std::string& file, MeshReading& reading) {
  const ply::Header header = ply::parse_header(bytes, file);
  // Faces may come before vertices, so the limit of indices comes from the header. Reading the body checks the count.
  double vertices = 0.0;
  for (const ply::Element& e : header.elements) {
    if (e.name == "vertex") vertices = static_cast<double>(std::min<std::uint64_t>(e.count, 0xffffffffU));
  }
  std::vector<MeshPlace> places;
  Triangles triangles;
  bool has_faces = false;
  std::array<bool, 3> is_single = {};
  Body body(bytes, header, file);
  for (const ply::Element& element : header.elements) {
    if (element.properties.empty()) continue;  // such elements take no bytes
    if (element.name == "vertex" && places.empty()) {
      read_vertices(body, element, places);
      if (!body.is_ascii()) is_single = single_axes(element);
    } else if (element.name == "face" && !has_faces) {
      has_faces = true;
      read_faces(body, element, vertices, triangles);
    } else if (element.name == "tristrips") {
      read_strips(body, element, vertices, triangles);
    } else {
      for (std::uint64_t i = 0; i < element.count; ++i) {
        body.enter(element.name, i, element.count);
        for (const ply::Property& p : element.properties) skip(body, p);
      }
    }
  }
  Mesh mesh = mesh_of_places(places, std::move(triangles));
  if (body.surplus() > 0) {
    reading.notes.push_back(fmt::format("{} after the last element", counted(body.surplus(), "byte")));
  }
  place_unused(mesh, reading);
  note_rounded_places(mesh, is_single, reading);
  return mesh;
}

}  // namespace fathom
