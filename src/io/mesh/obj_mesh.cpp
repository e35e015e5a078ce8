// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/mesh/triangles.hpp"

namespace fathom {

namespace {

// Statements that place no surface.
constexpr std::array<std::string_view, 33> kPassedOver = {
    "vt",   "vn",   "vp",   "p",     "l",        "s",        "mg",     "mtllib", "usemap", "maplib",     "lod",
    "deg",  "bmat", "step", "bevel", "c_interp", "d_interp", "cstype", "curv",   "curv2",  "parm",       "trim",
    "hole", "scrv", "sp",   "end",   "con",      "ctech",    "stech",  "cdc",    "res",    "shadow_obj", "trace_obj"};

struct ObjFace {
  std::size_t line = 0, first = 0, corners = 0;
};

/// Statements that name the owner of the faces after them.
constexpr std::array<std::string_view, 3> kOwners = {"o", "g", "usemtl"};

/// A change of an owner's name, from a face on.
struct ObjOwner {
  std::size_t first_face = 0, kind = 0;  ///< kind: a position in kOwners
  std::string name;
};

class ObjReader {
 public:
  ObjReader(const std::string& file, MeshReading& reading) : file_(file), reading_(reading), parts_(reading.parts) {}

  Mesh run(std::string_view bytes) {
    std::string joined;  // lines that end with a backslash, joined
    for_each_line_of_any_end(bytes, [&](std::size_t number, std::string_view line) {
      if (joined.empty()) line_ = number;
      // A comment ends with its line: "# made from C:\models\".
      const bool goes_on = line.ends_with('\\') && line.find('#') == std::string_view::npos;
      if (goes_on) line.remove_suffix(1);
      if (!goes_on && joined.empty()) return read_line(line);
      joined.append(line).append(" ");
      if (goes_on) return;
      read_line(joined);
      joined.clear();
    });
    if (!joined.empty()) read_line(joined);
    if (parts_ != nullptr) parts_->begin(0, kDefaultPart, kDefaultPart);
    auto owner = owners_.begin();
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      for (; owner != owners_.end() && owner->first_face == i; ++owner) begin_part(*owner);
      add(faces_[i]);
    }
    if (thin_faces_ > 0) {
      reading_.notes.push_back(counted(thin_faces_, "face has", "faces have") + " fewer than 3 corners");
    }
    return joiner_.take();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(one_line(fmt::format("{}:{}: {}", file_, line_, what)));
  }

  void read_line(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const auto words = split_words(line);
    if (words.empty()) return;
    if (words[0] == "v") return read_vertex(words);
    if (words[0] == "f" || words[0] == "fo") return read_face(words);
    if (const auto owner = std::find(kOwners.begin(), kOwners.end(), words[0]); owner != kOwners.end()) {
      // The name is the rest of the line and may have blanks.
      if (parts_ == nullptr) return;
      const auto kind = static_cast<std::size_t>(owner - kOwners.begin());
      has_objects_ = has_objects_ || kind == 0;
      const std::size_t from = words.size() > 1 ? static_cast<std::size_t>(words[1].data() - line.data()) : 0;
      owners_.push_back({faces_.size(), kind, std::string(from > 0 ? trim(line.substr(from)) : kDefaultPart)});
      return;
    }
    if (std::find(kPassedOver.begin(), kPassedOver.end(), words[0]) != kPassedOver.end()) return;
    if (words[0] == "surf") fail("surf: free-form surfaces are not read, only faces");
    fail(fmt::format("'{:.40}' is not understood in an OBJ file", words[0]));
  }

  /// x y z, then a weight that must be 1, a colour of three numbers, or both.
  void read_vertex(const std::vector<std::string_view>& words) {
    const std::size_t count = words.size() - 1;
    if (count != 3 && count != 4 && count != 6 && count != 7) {
      fail(fmt::format("a vertex of {} numbers: 3 are needed, or 6 with a colour", count));
    }
    std::array<double, 7> numbers{};
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = parse_number<double>(words[i + 1]);
      if (!number) fail(fmt::format("v: number {}: '{:.40}' is not a number", i + 1, words[i + 1]));
      numbers[i] = *number;
    }
    if (count == 4 && numbers[3] != 1.0) fail(fmt::format("v: the weight {} is not 1", number_text(numbers[3])));
    vertices_.push_back({numbers[0], numbers[1], numbers[2]});
  }

  void read_face(const std::vector<std::string_view>& words) {
    const std::size_t first = corners_.size();
    for (std::size_t i = 1; i < words.size(); ++i) corners_.push_back(corner(words[i]));
    if (words.size() >= 4) {
      faces_.push_back({line_, first, words.size() - 1});
    } else {
      corners_.resize(first), ++thin_faces_;
    }
  }

  /// Reads the 7 of 7, 7/1, 7//3 or 7/1/3; -1 is the last vertex until here.
  std::size_t corner(std::string_view word) const {
    std::array<std::int64_t, 3> parts{};
    std::string_view rest = word;
    for (std::size_t i = 0;; ++i) {
      const std::size_t slash = rest.find('/');
      const std::string_view part = rest.substr(0, slash);
      const auto number = parse_number<std::int64_t>(part);
      if (i == 3 || (!number && (i == 0 || !part.empty()))) {
        fail(fmt::format("f: '{:.40}' is not a corner such as 7, 7/1, 7//3 or 7/1/3", word));
      }
      parts[i] = number.value_or(0);
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
    const auto count = static_cast<std::int64_t>(vertices_.size());
    if (parts[0] == 0) fail("f: vertex index 0; the first is 1");
    if (parts[0] < -count)
      fail(fmt::format("f: vertex index {}, but there are {} vertices until here", parts[0], count));
    return static_cast<std::size_t>(parts[0] < 0 ? count + parts[0] : parts[0] - 1);
  }

  void begin_part(const ObjOwner& owner) {
    const std::size_t wanted = parts_->by_nodes() ? (has_objects_ ? 0 : 1) : 2;
    if (owner.kind == wanted) parts_->begin(joiner_.triangles(), owner.name, owner.name);
  }

  void add(const ObjFace& face) {
    line_ = face.line;
    const std::size_t* corners = corners_.data() + face.first;
    points_.clear();
    for (std::size_t i = 0; i < face.corners; ++i) {
      if (corners[i] >= vertices_.size()) {
        fail(fmt::format("f: vertex index {} is not in [1, {}]", corners[i] + 1, vertices_.size()));
      }
      points_.push_back(vertices_[corners[i]]);
    }
    try {
      for (const auto& t : triangulate(points_)) joiner_.add({id_of(t[0]), id_of(t[1]), id_of(t[2])});
    } catch (const InputError& error) {
      fail(error.what());
    }
  }

  std::uint32_t id_of(std::size_t corner) { return joiner_.id_of(points_[corner]); }

  const std::string& file_;
  MeshReading& reading_;
  PartList* parts_;
  std::vector<ObjOwner> owners_;
  bool has_objects_ = false;
  std::size_t line_ = 0, thin_faces_ = 0;
  std::vector<Vec3> vertices_;
  std::vector<std::size_t> corners_;  // vertices of all faces; a vertex may come later in the file
  std::vector<ObjFace> faces_;
  std::vector<Vec3> points_;
  VertexJoiner joiner_;
};

}  // namespace

Mesh parse_obj_mesh(std::string_view bytes, const std::string& file, MeshReading& reading) {
  return ObjReader(file, reading).run(bytes);
}

}  // namespace fathom
