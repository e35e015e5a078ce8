// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>
#include <fathom/core/geometry.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "io/mesh/dae_document.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/mesh/triangles.hpp"

namespace fathom {

namespace {

// Nodes may repeat nodes that repeat nodes: a page of text can ask for more triangles than there are atoms.
constexpr std::size_t kMaxRepeated = 1'000'000;  // visits of elements beyond the file's own count
// The limit of triangles is about the number of bytes of the file.
constexpr std::size_t kMinMaxTriangles = std::size_t{1} << 24U;
constexpr std::size_t kMaxTriangles = std::size_t{1} << 26U;  // 0.8 GB

std::size_t elements_in(pugi::xml_node element) {
  std::size_t count = 1;
  for (const pugi::xml_node c : element.children()) count += elements_in(c);
  return count;
}

Affine columns(Vec3 x, Vec3 y, Vec3 z, Vec3 origin) {
  return {{{x.x, y.x, z.x, origin.x}, {x.y, y.y, z.y, origin.y}, {x.z, y.z, z.z, origin.z}}};
}

Affine matrix(const DaeDocument& document, pugi::xml_node element) {
  const auto v = document.numbers(element, 16);  // row-major
  for (std::size_t i = 12; i < 16; ++i) {
    const double expected = i == 15 ? 1.0 : 0.0;
    if (!(std::abs(v[i] - expected) <= 1e-6)) document.fail(element, "its last row is not 0 0 0 1");
  }
  return {{{v[0], v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7]}, {v[8], v[9], v[10], v[11]}}};
}

/// From an axis and an angle in degrees.
Affine rotation(const DaeDocument& document, pugi::xml_node element) {
  const auto v = document.numbers(element, 4);
  const Vec3 axis = {v[0], v[1], v[2]};
  const double length = norm(axis), half_rad = v[3] * std::numbers::pi / 360.0;
  if (v[3] == 0.0) return {};  // exporters write 0 0 0 0
  if (!(length > 0.0)) document.fail(element, "its axis has no length");
  const Vec3 u = (math::sin(half_rad) / length) * axis;
  const Quaternion q = {math::cos(half_rad), u.x, u.y, u.z};
  return columns(rotate(q, {1, 0, 0}), rotate(q, {0, 1, 0}), rotate(q, {0, 0, 1}), {});
}

/// From eye, target and up: -z looks at the target.
Affine look_at(const DaeDocument& document, pugi::xml_node element) {
  const auto v = document.numbers(element, 9);
  const Vec3 eye = {v[0], v[1], v[2]};
  const Vec3 back = eye - Vec3{v[3], v[4], v[5]};
  const Vec3 right = cross(Vec3{v[6], v[7], v[8]}, back);
  if (!(norm(right) > 0.0)) document.fail(element, "looks nowhere, or along its up");
  const Vec3 z = (1.0 / norm(back)) * back, x = (1.0 / norm(right)) * right;
  return columns(x, cross(z, x), z, eye);
}

/// The transform of a node's transformation element; the identity for other elements.
Affine transformation(const DaeDocument& document, pugi::xml_node element) {
  const std::string_view name = element.name();
  if (name == "matrix") return matrix(document, element);
  if (name == "rotate") return rotation(document, element);
  if (name == "lookat") return look_at(document, element);
  if (name == "skew") document.fail(element, "is not understood");
  if (name == "translate") {
    const auto v = document.numbers(element, 3);
    return columns({1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {v[0], v[1], v[2]});
  }
  if (name == "scale") {
    const auto v = document.numbers(element, 3);
    return columns({v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}, {});
  }
  return {};
}

/// Walks the nodes of the scene and adds the shapes that they place.
class Walk {
 public:
  Walk(const DaeDocument& document, std::size_t file_bytes, PartList* parts)
      : document_(document),
        parts_(parts),
        shapes_(document),
        steps_left_(elements_in(document.root()) + kMaxRepeated),
        max_triangles_(std::clamp(file_bytes, kMinMaxTriangles, kMaxTriangles)) {}

  DaeMesh run() {
    const pugi::xml_node root = document_.root();
    const pugi::xml_node scene = document_.child(document_.child(root, "scene"), "instance_visual_scene");
    const double unit_m = unit_of(root);
    enter(document_.target(scene, "url", "visual_scene"), columns({unit_m, 0, 0}, {0, unit_m, 0}, {0, 0, unit_m}, {}));
    return {joiner_.take(), up_axis_of(root)};
  }

 private:
  UpAxis up_axis_of(pugi::xml_node root) const {
    const pugi::xml_node asset = root.child("asset");
    const pugi::xml_node axis = asset.child("up_axis");
    if (axis.empty()) return UpAxis::kY;
    const std::string characters = text_of(axis);
    const std::string_view text = trim(characters);
    if (text != "X_UP" && text != "Y_UP" && text != "Z_UP") {
      document_.fail(axis, fmt::format("'{:.40}' is not one of X_UP, Y_UP, Z_UP", text));
    }
    return text == "X_UP" ? UpAxis::kX : text == "Y_UP" ? UpAxis::kY : UpAxis::kZ;
  }

  double unit_of(pugi::xml_node root) const {
    const pugi::xml_node asset = root.child("asset");
    const pugi::xml_node unit = asset.child("unit");
    const pugi::xml_attribute meter = unit.attribute("meter");
    if (meter.empty()) return 1.0;
    const auto value = parse_number<double>(trim(meter.value()));
    if (!value || !(*value > 0.0 && std::isfinite(*value))) {
      document_.fail(unit, fmt::format("meter = '{:.40}' is not a number above 0", meter.value()));
    }
    return *value;
  }

  /// Enters a <node> or the <visual_scene>. All transformations of a node apply to all its contents.
  void enter(pugi::xml_node node, const Affine& file_from_parent) {
    if (std::find(path_.begin(), path_.end(), node) != path_.end()) document_.fail(node, "contains itself");
    if (path_.size() >= kMaxNesting) {
      document_.fail(node, fmt::format("nested {} deep, the limit is {}", path_.size() + 1, kMaxNesting));
    }
    path_.push_back(node);
    const std::size_t number = ++entered_;  // a node that is placed twice is two parts
    Affine file_from_node = file_from_parent;
    for (const pugi::xml_node c : node.children()) {
      if (steps_left_-- == 0) {
        document_.fail(c, fmt::format("the file repeats more than {} elements, the limit", kMaxRepeated));
      }
      file_from_node = file_from_node * transformation(document_, c);
    }
    for (const pugi::xml_node c : node.children()) {
      const std::string_view name = c.name();
      if (name == "node") enter(c, file_from_node);
      if (name == "instance_node") enter(document_.target(c, "url", "node"), file_from_node);
      if (name != "instance_geometry" && name != "instance_controller") continue;
      const pugi::xml_node shape = name == "instance_geometry" ? document_.target(c, "url", "geometry") : controlled(c);
      if (parts_ != nullptr && parts_->by_nodes()) begin_node(node, number);
      place(c, shape, file_from_node);
    }
    path_.pop_back();
  }

  void begin_node(pugi::xml_node node, std::size_t number) {
    std::string name = node.attribute("name").value();
    if (name.empty()) name = node.attribute("id").value();
    const std::string key = std::to_string(number);
    parts_->begin(joiner_.triangles(), key, name.empty() ? "node_" + key : name);
  }

  /// Begins the part of the material that an <instance_geometry> binds to the symbol, else of the symbol itself.
  void begin_material(pugi::xml_node instance, const std::string& symbol) {
    const pugi::xml_node bound = instance.child("bind_material");
    for (const pugi::xml_node c : bound.child("technique_common").children("instance_material")) {
      if (symbol != c.attribute("symbol").value()) continue;
      const pugi::xml_node material = document_.target(c, "target", "material");
      const std::string id = material.attribute("id").value(), name = material.attribute("name").value();
      return parts_->begin(joiner_.triangles(), "#" + id, name.empty() ? id : name);
    }
    parts_->begin(joiner_.triangles(), symbol, symbol.empty() ? kDefaultPart : symbol);
  }

  /// The <geometry> below a <controller>: skins and morphs name a geometry or another controller as their source.
  pugi::xml_node controlled(pugi::xml_node instance) const {
    pugi::xml_node controller = document_.target(instance, "url", "controller");
    for (std::size_t depth = 0; depth < kMaxNesting; ++depth) {
      const pugi::xml_node skin = controller.child("skin");
      const pugi::xml_node by = skin.empty() ? document_.child(controller, "morph") : skin;
      controller = document_.find_target(by, "source", "controller");
      if (controller.empty()) return document_.target(by, "source", "geometry");
    }
    document_.fail(instance, fmt::format("controllers nested deeper than {}, the limit", kMaxNesting));
  }

  void place(pugi::xml_node instance, pugi::xml_node geometry, const Affine& file_from_shape) {
    for (const DaePart& part : shapes_.of(geometry)) {
      if (part.triangles.size() > max_triangles_ - joiner_.triangles()) {
        document_.fail(instance, fmt::format("here the file has more than {} triangles, the limit", max_triangles_));
      }
      if (parts_ != nullptr && !parts_->by_nodes()) begin_material(instance, part.material);
      for (const auto& triangle : part.triangles) {
        std::array<std::uint32_t, 3> ids{};
        for (std::size_t k = 0; k < 3; ++k) {
          ids[k] = joiner_.id_of(transform_point(file_from_shape, part.positions[triangle[k]]));
        }
        joiner_.add(ids);
      }
    }
  }

  const DaeDocument& document_;
  PartList* parts_;
  std::size_t entered_ = 0;  // nodes so far
  DaeShapes shapes_;
  std::size_t steps_left_, max_triangles_;
  std::vector<pugi::xml_node> path_;
  VertexJoiner joiner_;
};

}  // namespace

DaeMesh parse_dae_mesh(std::string_view bytes, const std::string& file, MeshReading& reading) {
  const DaeDocument document(bytes, file);
  return Walk(document, bytes.size(), reading.parts).run();
}

}  // namespace fathom
