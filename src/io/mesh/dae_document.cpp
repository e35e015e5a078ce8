// SPDX-License-Identifier: MIT
#include "io/mesh/dae_document.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/text_lines.hpp"
#include "io/mesh/triangles.hpp"

namespace fathom {

namespace {

std::string key_of(std::string_view kind, std::string_view id) { return fmt::format("{}#{}", kind, id); }

}  // namespace

DaeDocument::DaeDocument(std::string_view bytes, const std::string& file) : document_(bytes, file) {
  if (std::string_view(root().name()) != "COLLADA")
    fail(root(), "not a COLLADA file: its first element is not <COLLADA>");
  note_ids(root());
}

void DaeDocument::note_ids(pugi::xml_node element) {
  if (const pugi::xml_attribute id = element.attribute("id")) {
    const auto [entry, is_new] = by_id_.try_emplace(key_of(element.name(), id.value()), element);
    if (!is_new) entry->second = {};
  }
  for (const pugi::xml_node c : element.children()) note_ids(c);
}

pugi::xml_node DaeDocument::child(pugi::xml_node element, const char* name) const {
  const pugi::xml_node found = element.child(name);
  if (found.empty()) fail(element, fmt::format("has no <{}>", name));
  return found;
}

std::string_view DaeDocument::attribute(pugi::xml_node element, const char* name) const {
  const pugi::xml_attribute found = element.attribute(name);
  if (found.empty()) fail(element, fmt::format("has no attribute '{}'", name));
  return found.value();
}

std::uint32_t DaeDocument::count(pugi::xml_node element, const char* name, std::uint32_t fallback) const {
  const pugi::xml_attribute text = element.attribute(name);
  if (text.empty()) return fallback;
  const auto value = parse_number<std::uint32_t>(trim(text.value()));
  if (!value) fail(element, fmt::format("{} = '{:.40}' is not a whole number in [0, 4294967295]", name, text.value()));
  return *value;
}

std::uint32_t DaeDocument::count(pugi::xml_node element, const char* name) const {
  static_cast<void>(attribute(element, name));
  return count(element, name, 0);
}

pugi::xml_node DaeDocument::find_target(pugi::xml_node element, const char* name, std::string_view kind) const {
  const std::string_view url = attribute(element, name);
  if (url.size() < 2 || url[0] != '#') {
    fail(element, fmt::format("{} = '{:.60}' is not '#' and an id of this file", name, url));
  }
  const auto found = by_id_.find(key_of(kind, url.substr(1)));
  if (found == by_id_.end()) return {};
  if (found->second.empty()) fail(element, fmt::format("{} = '{:.60}' names more than one <{}>", name, url, kind));
  return found->second;
}

pugi::xml_node DaeDocument::target(pugi::xml_node element, const char* name, std::string_view kind) const {
  const pugi::xml_node found = find_target(element, name, kind);
  if (found.empty()) {
    fail(element, fmt::format("{} = '{:.60}' names no <{}> of this file", name, attribute(element, name), kind));
  }
  return found;
}

template <class Number>
std::vector<Number> DaeDocument::numbers(pugi::xml_node element) const {
  const std::string characters = text_of(element);
  const std::string_view text = characters;
  std::vector<Number> values;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    const std::string_view word = text.substr(at, end - at);
    const auto value = parse_number<Number>(word);
    if (!value) {
      fail(element, fmt::format("number {}: '{:.40}' is not a {}", values.size() + 1, word,
                                std::is_integral_v<Number> ? "whole number in [0, 4294967295]" : "number"));
    }
    values.push_back(*value);
    at = end == std::string_view::npos ? end : text.find_first_not_of(kBlanks, end);
  }
  return values;
}

template std::vector<double> DaeDocument::numbers(pugi::xml_node) const;
template std::vector<std::uint32_t> DaeDocument::numbers(pugi::xml_node) const;

std::vector<double> DaeDocument::numbers(pugi::xml_node element, std::size_t expected) const {
  std::vector<double> values = numbers<double>(element);
  if (values.size() != expected) fail(element, fmt::format("has {} numbers, not {}", values.size(), expected));
  return values;
}

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_name(pugi::xml_node element, std::string_view name) { return element.name() == name; }

/// The positions of the params named X, Y and Z; the first three if no param has such a name.
std::array<std::size_t, 3> axes_of(const DaeDocument& document, pugi::xml_node accessor) {
  std::array<std::size_t, 3> axes = {0, 1, 2};
  std::array<bool, 3> is_named{};
  std::size_t place = 0;
  for (const pugi::xml_node c : accessor.children()) {
    if (!has_name(c, "param")) continue;
    const std::string_view name = c.attribute("name").value();
    if (name.size() == 1 && name[0] >= 'X' && name[0] <= 'Z') {
      const auto axis = static_cast<std::size_t>(name[0] - 'X');
      axes[axis] = place, is_named[axis] = true;
    }
    ++place;
  }
  const auto named = std::count(is_named.begin(), is_named.end(), true);
  if (named != 0 && named != 3) document.fail(accessor, "its params do not name each of X, Y and Z");
  return axes;
}

/// The <input> of that semantic, empty if absent.
pugi::xml_node input(pugi::xml_node element, std::string_view semantic) {
  for (const pugi::xml_node c : element.children()) {
    if (has_name(c, "input") && c.attribute("semantic").value() == semantic) return c;
  }
  return {};
}

pugi::xml_node required_input(const DaeDocument& document, pugi::xml_node element, std::string_view semantic) {
  const pugi::xml_node found = input(element, semantic);
  if (found.empty()) document.fail(element, fmt::format("has no <input semantic=\"{}\">", semantic));
  return found;
}

/// Reads the <p> and <vcount> of a list of primitives into a part.
class PartReader {
 public:
  PartReader(const DaeDocument& document, pugi::xml_node primitives, DaePart& part)
      : document_(document), primitives_(primitives), part_(part) {
    for (const pugi::xml_node c : primitives.children()) {
      if (has_name(c, "input")) stride_ = std::max(stride_, std::size_t{document.count(c, "offset", 0)} + 1);
    }
    offset_ = document.count(required_input(document, primitives, "VERTEX"), "offset", 0);
  }

  void read() {
    std::size_t made = 0;
    for (const pugi::xml_node c : primitives_.children()) {
      if (has_name(c, "ph")) document_.fail(c, "polygons with holes are not understood");
      if (has_name(c, "p")) made += add(c);
    }
    const std::uint32_t claimed = document_.count(primitives_, "count", static_cast<std::uint32_t>(made));
    if (claimed != made) document_.fail(primitives_, fmt::format("count = {}, but there are {}", claimed, made));
  }

 private:
  /// Returns the number of primitives in the <p>.
  std::size_t add(pugi::xml_node p) {
    const std::vector<std::uint32_t> corners = corners_of(p);
    if (has_name(primitives_, "polylist")) return add_polylist(p, corners);
    if (has_name(primitives_, "triangles")) {
      if (corners.size() % 3 != 0) document_.fail(p, fmt::format("{} corners are no whole triangles", corners.size()));
      for (std::size_t k = 2; k < corners.size(); k += 3) add(corners[k - 2], corners[k - 1], corners[k]);
      return corners.size() / 3;
    }
    if (has_name(primitives_, "polygons")) {
      add_polygon(p, corners);
    } else if (has_name(primitives_, "trifans")) {
      for (std::size_t k = 2; k < corners.size(); ++k) add(corners[0], corners[k - 1], corners[k]);
    } else {  // tristrips: every second triangle is wound the other way round
      for (std::size_t k = 2; k < corners.size(); ++k) {
        const std::size_t odd = k % 2;
        add(corners[k - 2 + odd], corners[k - 1 - odd], corners[k]);
      }
    }
    return 1;
  }

  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) { part_.triangles.push_back({a, b, c}); }

  std::vector<std::uint32_t> corners_of(pugi::xml_node p) const {
    const auto indices = document_.numbers<std::uint32_t>(p);
    if (indices.size() % stride_ != 0) {
      document_.fail(
          p, fmt::format("{} indices are not a multiple of {}, the inputs of a corner", indices.size(), stride_));
    }
    std::vector<std::uint32_t> corners;
    corners.reserve(indices.size() / stride_);
    for (std::size_t i = offset_; i < indices.size(); i += stride_) {
      if (indices[i] >= part_.positions.count) {
        document_.fail(p, fmt::format("vertex index {} is not in [0, {})", indices[i], part_.positions.count));
      }
      corners.push_back(indices[i]);
    }
    return corners;
  }

  std::size_t add_polylist(pugi::xml_node p, std::span<const std::uint32_t> corners) {
    const auto sizes = document_.numbers<std::uint32_t>(document_.child(primitives_, "vcount"));
    std::uint64_t needed = 0;
    for (const std::uint32_t size : sizes) needed += size;
    if (needed != corners.size()) {
      document_.fail(p, fmt::format("has {} corners, its <vcount> says {}", corners.size(), needed));
    }
    for (const std::uint32_t size : sizes) {
      add_polygon(p, corners.first(size));
      corners = corners.subspan(size);
    }
    return sizes.size();
  }

  void add_polygon(pugi::xml_node p, std::span<const std::uint32_t> corners) {
    if (corners.size() == 3) return add(corners[0], corners[1], corners[2]);
    std::vector<Vec3> points;
    for (const std::uint32_t i : corners) points.push_back(part_.positions[i]);
    try {
      for (const auto& [a, b, c] : triangulate(points)) add(corners[a], corners[b], corners[c]);
    } catch (const InputError& error) {
      document_.fail(p, error.what());
    }
  }

  const DaeDocument& document_;
  pugi::xml_node primitives_;
  DaePart& part_;
  std::size_t stride_ = 1, offset_ = 0;
};

}  // namespace

const std::vector<double>& DaeShapes::array(pugi::xml_node float_array) {
  const auto [entry, is_new] = arrays_.try_emplace(float_array);
  if (is_new) {
    entry->second = document_.numbers<double>(float_array);
    const std::uint32_t claimed = document_.count(float_array, "count");
    if (claimed != entry->second.size()) {
      document_.fail(float_array, fmt::format("count = {}, but there are {} numbers", claimed, entry->second.size()));
    }
  }
  return entry->second;
}

DaePositions DaeShapes::positions_of(pugi::xml_node source) {
  const pugi::xml_node accessor = document_.child(document_.child(source, "technique_common"), "accessor");
  const pugi::xml_node float_array = document_.target(accessor, "source", "float_array");
  DaePositions made;
  made.values = &array(float_array);
  made.count = document_.count(accessor, "count");
  made.stride = document_.count(accessor, "stride", 1);
  made.offset = document_.count(accessor, "offset", 0);
  made.axes = axes_of(document_, accessor);
  const std::size_t last_axis = *std::max_element(made.axes.begin(), made.axes.end());
  if (made.stride <= last_axis) {
    document_.fail(accessor, fmt::format("stride = {} is less than {}, its X, Y and Z", made.stride, last_axis + 1));
  }
  const std::size_t needed = made.count == 0 ? 0 : made.offset + (made.count - 1) * made.stride + last_axis + 1;
  if (needed > made.values->size()) {
    document_.fail(accessor, fmt::format("offset = {}, count = {}, stride = {} take {} numbers, <float_array "
                                         "id='{:.60}'> has {}",
                                         made.offset, made.count, made.stride, needed,
                                         document_.attribute(float_array, "id"), made.values->size()));
  }
  return made;
}

DaePart DaeShapes::read_part(pugi::xml_node primitives) {
  const pugi::xml_node vertices =
      document_.target(required_input(document_, primitives, "VERTEX"), "source", "vertices");
  DaePart part;
  part.material = primitives.attribute("material").value();
  part.positions = positions_of(document_.target(required_input(document_, vertices, "POSITION"), "source", "source"));
  PartReader(document_, primitives, part).read();
  return part;
}

const DaeShape& DaeShapes::of(pugi::xml_node geometry) {
  const auto [entry, is_new] = shapes_.try_emplace(geometry);
  const pugi::xml_node mesh = geometry.child("mesh");
  if (!is_new || mesh.empty()) return entry->second;
  for (const pugi::xml_node c : mesh.children()) {
    if (!is_one_of(c.name(), {"triangles", "polylist", "polygons", "tristrips", "trifans"})) continue;
    // Some exporters write an empty list without its inputs.
    if (!c.first_child().empty() || document_.count(c, "count", 0) > 0) entry->second.push_back(read_part(c));
  }
  return entry->second;
}

}  // namespace fathom
