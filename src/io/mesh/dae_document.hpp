// SPDX-License-Identifier: MIT
#pragma once
// COLLADA files: elements that refer to each other by id, lists of numbers, and shapes.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fathom/core/geometry.hpp>

#include "io/mesh/xml_document.hpp"

namespace fathom {

/// Everything here throws InputError, naming file, place, element, value and limit.
class DaeDocument {
 public:
  DaeDocument(std::string_view bytes, const std::string& file);

  [[nodiscard]] pugi::xml_node root() const { return document_.root(); }
  [[noreturn]] void fail(pugi::xml_node element, std::string_view what) const { document_.fail(element, what); }

  [[nodiscard]] pugi::xml_node child(pugi::xml_node element, const char* name) const;
  [[nodiscard]] std::string_view attribute(pugi::xml_node element, const char* name) const;
  /// A whole number; `fallback` where the attribute is absent.
  [[nodiscard]] std::uint32_t count(pugi::xml_node element, const char* name, std::uint32_t fallback) const;
  /// The same of a required attribute.
  [[nodiscard]] std::uint32_t count(pugi::xml_node element, const char* name) const;

  /// The element <kind> that `attribute` ("#id") of `element` refers to.
  [[nodiscard]] pugi::xml_node target(pugi::xml_node element, const char* attribute, std::string_view kind) const;
  /// The same, empty if the file has no such element.
  [[nodiscard]] pugi::xml_node find_target(pugi::xml_node element, const char* attribute, std::string_view kind) const;

  /// The numbers in an element's text, separated by blanks. Number: double or std::uint32_t.
  template <class Number>
  [[nodiscard]] std::vector<Number> numbers(pugi::xml_node element) const;
  /// Exactly `expected` numbers.
  [[nodiscard]] std::vector<double> numbers(pugi::xml_node element, std::size_t expected) const;

 private:
  void note_ids(pugi::xml_node element);

  XmlDocument document_;
  /// By "kind#id"; an empty node if several have it.
  std::unordered_map<std::string, pugi::xml_node> by_id_;
};

/// The positions that an <accessor> picks from a <float_array>. All indices below `count` are inside the array.
struct DaePositions {
  const std::vector<double>* values = nullptr;
  std::size_t count = 0, stride = 3, offset = 0;
  std::array<std::size_t, 3> axes = {0, 1, 2};  ///< positions of X, Y and Z in a stride

  Vec3 operator[](std::size_t i) const {
    const double* at = values->data() + offset + i * stride;
    return {at[axes[0]], at[axes[1]], at[axes[2]]};
  }
};

/// Triangles over one set of positions, in the file's unit and axes.
struct DaePart {
  DaePositions positions;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::string material;  ///< the symbol that the scene binds to a material; empty if absent
};
using DaeShape = std::vector<DaePart>;

/// The shapes of a document. Each is read once, on first use. Throws InputError.
class DaeShapes {
 public:
  explicit DaeShapes(const DaeDocument& document) : document_(document) {}

  /// The triangles, polylists, polygons, tristrips and trifans in the <mesh> of a <geometry>.
  const DaeShape& of(pugi::xml_node geometry);

 private:
  DaePositions positions_of(pugi::xml_node source);
  const std::vector<double>& array(pugi::xml_node float_array);
  DaePart read_part(pugi::xml_node primitives);

  const DaeDocument& document_;
  std::map<pugi::xml_node, DaeShape> shapes_;
  std::map<pugi::xml_node, std::vector<double>> arrays_;  // many accessors may share one
};

}  // namespace fathom
