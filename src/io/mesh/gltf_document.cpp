// SPDX-License-Identifier: MIT
#include "io/mesh/gltf_document.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/text/files.hpp"
#include "core/text/json_place.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 40U;  // limit of offsets and lengths: sums cannot overflow
constexpr std::size_t kMaxCount = 0xffffffffU;
constexpr std::size_t kFirstTriangles = 4, kLastTriangles = 6;  // modes: triangles, strip, fan

nlohmann::json parse_json(std::string_view text, const std::string& file) {
  const std::size_t depth = json_nesting(text);
  if (depth > kMaxNesting) {
    throw InputError(fmt::format("{}: nested {} deep, the limit is {}", file, depth, kMaxNesting));
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const std::string_view what = error.what();  // [json.exception...] parse error at line 1, column 2: ...
    const std::size_t end = what.find("] ");
    const std::string_view rest = what.substr(end == std::string_view::npos ? 0 : end + 2);
    throw InputError(one_line(fmt::format("{}: is not JSON: {}", file, rest)));
  }
}

/// Extensions that change neither shapes nor how they are stored.
bool is_about_looks(std::string_view extension) {
  for (const std::string_view part : {"_materials_", "_texture_", "_lights_", "_animation_", "_xmp_"}) {
    if (extension.find(part) != std::string_view::npos) return true;
  }
  return extension == "KHR_mesh_quantization";  // it only allows more types of components, and all are read
}

class Reader {
 public:
  Reader(const nlohmann::json& json, const std::string& file) : root_(json, file) { document_.file = file; }

  GltfDocument run() {
    check_version();
    if (const auto required = root_.find("extensionsRequired")) {
      for (std::size_t i = 0; i < required->size(); ++i) {
        const std::string& name = (*required)[i].text();
        if (!is_about_looks(name)) (*required)[i].fail(fmt::format("= '{:.60}' is not understood", name));
      }
    }
    each("buffers", [&](const JsonPlace& p) { document_.buffers.push_back(buffer(p)); });
    each("bufferViews", [&](const JsonPlace& p) { document_.views.push_back(view(p)); });
    each("accessors", [&](const JsonPlace& p) { document_.accessors.push_back(accessor(p)); });
    each("materials", [&](const JsonPlace& p) { document_.materials.push_back(name_of(p)); });
    each("meshes", [&](const JsonPlace& p) { document_.meshes.push_back(mesh(p)); });
    each("skins", [&](const JsonPlace& p) { document_.skins.push_back(skin(p)); });
    each("nodes", [&](const JsonPlace& p) { document_.nodes.push_back(node(p)); });
    link_nodes();
    read_scene();
    return std::move(document_);
  }

 private:
  template <class F>
  void each(const char* list, F f) const {
    const auto found = root_.find(list);
    for (std::size_t i = 0; found && i < found->size(); ++i) f((*found)[i]);
  }
  [[nodiscard]] std::size_t size_of(const char* list) const {
    const auto found = root_.find(list);
    return found ? found->size() : 0;
  }
  [[nodiscard]] std::size_t index(const JsonPlace& place, const char* list) const {
    return place.index(size_of(list), list);
  }
  /// Names do not affect shapes: a name that is not a text counts as absent.
  [[nodiscard]] static std::string name_of(const JsonPlace& place) {
    const auto name = place.is_object() ? place.find("name") : std::nullopt;
    return name && name->is_text() ? name->text() : std::string();
  }
  [[nodiscard]] GltfIndex find_index(const JsonPlace& place, const char* key, const char* list) const {
    const auto found = place.find(key);
    return found ? GltfIndex(index(*found, list)) : GltfIndex();
  }
  static std::size_t whole(const JsonPlace& place, const char* key, std::size_t fallback, std::size_t limit) {
    const auto found = place.find(key);
    return found ? found->whole(0, limit) : fallback;
  }
  static bool has_extension(const JsonPlace& place, const char* name) {
    const auto extensions = place.find("extensions");
    return extensions && extensions->find(name);
  }

  void check_version() const {
    const auto asset = root_.find("asset");
    const auto version = asset ? asset->find("version") : std::nullopt;
    const auto meshes = root_.find("meshes");
    // glTF 1 may leave its version out; its lists are objects.
    if (version ? version->text().starts_with("1") : meshes && meshes->is_object()) {
      throw InputError(fmt::format("{}: is glTF 1; only 2.0 is read", document_.file));
    }
    if (!root_.at("asset").at("version").text().starts_with("2.")) {
      version->fail(fmt::format("= '{:.20}'; only 2.0 is read", version->text()));
    }
    const auto least = asset->find("minVersion");
    if (least && least->text() != "2.0") least->fail(fmt::format("= '{:.20}'; only 2.0 is read", least->text()));
  }

  static GltfBuffer buffer(const JsonPlace& place) {
    GltfBuffer made;
    made.byte_length = place.at("byteLength").whole(0, kMaxBytes);
    if (const auto uri = place.find("uri")) made.uri = uri->text();
    return made;
  }

  GltfView view(const JsonPlace& place) const {
    GltfView made;
    made.buffer = index(place.at("buffer"), "buffers");
    made.offset = whole(place, "byteOffset", 0, kMaxBytes);
    made.length = place.at("byteLength").whole(0, kMaxBytes);
    made.stride = whole(place, "byteStride", 0, 252);
    const std::size_t have = document_.buffers[made.buffer].byte_length;
    if (made.offset + made.length > have) {
      place.fail(fmt::format("takes bytes {} to {}, buffers[{}] has {}", made.offset, made.offset + made.length,
                             made.buffer, have));
    }
    return made;
  }

  GltfSparse sparse(const JsonPlace& place, std::size_t limit) const {
    GltfSparse made;
    made.count = place.at("count").whole(1, limit);
    const JsonPlace indices = place.at("indices"), values = place.at("values");
    made.index_view = index(indices.at("bufferView"), "bufferViews");
    made.index_offset = whole(indices, "byteOffset", 0, kMaxBytes);
    made.index_type = indices.at("componentType").whole(0, kMaxCount);
    made.value_view = index(values.at("bufferView"), "bufferViews");
    made.value_offset = whole(values, "byteOffset", 0, kMaxBytes);
    return made;
  }

  GltfAccessor accessor(const JsonPlace& place) const {
    GltfAccessor made;
    made.view = find_index(place, "bufferView", "bufferViews");
    made.offset = whole(place, "byteOffset", 0, kMaxBytes);
    made.count = place.at("count").whole(0, kMaxCount);  // exporters write empty, unused accessors
    made.component_type = place.at("componentType").whole(0, kMaxCount);
    made.type = place.at("type").text();
    if (const auto flag = place.find("normalized")) made.is_normalized = flag->flag();
    if (const auto found = place.find("sparse")) made.sparse = sparse(*found, made.count);
    return made;
  }

  GltfMesh mesh(const JsonPlace& place) const {
    GltfMesh made;
    made.name = name_of(place);
    if (const auto weights = place.find("weights")) made.weights = weights->numbers();
    const JsonPlace primitives = place.at("primitives");
    for (std::size_t i = 0; i < primitives.size(); ++i) {
      const std::size_t mode = whole(primitives[i], "mode", kFirstTriangles, kLastTriangles);
      // An extension may give the positions.
      const bool has_positions = primitives[i].at("attributes").find("POSITION").has_value();
      if (mode < kFirstTriangles) continue;
      if (!has_positions) primitives[i].at("attributes").fail("has no 'POSITION'");
      made.primitives.push_back(primitive(primitives[i], mode));
    }
    return made;
  }

  GltfPrimitive primitive(const JsonPlace& place, std::size_t mode) const {
    const JsonPlace attributes = place.at("attributes");
    GltfPrimitive made;
    made.place = place.path(), made.mode = mode;
    made.positions = index(attributes.at("POSITION"), "accessors");
    made.indices = find_index(place, "indices", "accessors");
    const auto material = place.find("material");
    const std::size_t materials = document_.materials.size();
    if (material && materials > 0 && material->is_whole(0, materials - 1))
      made.material = material->whole(0, materials - 1);
    // A file may give the same data compressed and uncompressed.
    if (has_extension(place, "KHR_draco_mesh_compression") && !document_.accessors[made.positions].view) {
      place.fail("extensions.KHR_draco_mesh_compression is not understood");
    }
    for (std::size_t set = 0;; ++set) {
      const GltfIndex joints = find_index(attributes, fmt::format("JOINTS_{}", set).c_str(), "accessors");
      const GltfIndex weights = find_index(attributes, fmt::format("WEIGHTS_{}", set).c_str(), "accessors");
      if (joints.has_value() != weights.has_value()) {
        attributes.fail(fmt::format("has one of JOINTS_{0} and WEIGHTS_{0} without the other", set));
      }
      if (!joints) break;
      made.joints.push_back(*joints), made.weights.push_back(*weights);
    }
    if (const auto targets = place.find("targets")) {
      for (std::size_t i = 0; i < targets->size(); ++i) {
        made.targets.push_back(find_index((*targets)[i], "POSITION", "accessors"));
      }
    }
    return made;
  }

  GltfSkin skin(const JsonPlace& place) const {
    GltfSkin made;
    const JsonPlace joints = place.at("joints");
    for (std::size_t i = 0; i < joints.size(); ++i) made.joints.push_back(index(joints[i], "nodes"));
    made.inverse_bind_matrices = find_index(place, "inverseBindMatrices", "accessors");
    return made;
  }

  GltfNode node(const JsonPlace& place) const {
    if (has_extension(place, "EXT_mesh_gpu_instancing")) {
      place.fail("extensions.EXT_mesh_gpu_instancing is not understood");
    }
    GltfNode made;
    made.name = name_of(place);
    made.parent_from_node = placement(place);
    made.mesh = find_index(place, "mesh", "meshes");
    made.skin = find_index(place, "skin", "skins");
    if (const auto weights = place.find("weights")) made.weights = weights->numbers();
    if (const auto children = place.find("children")) {
      for (std::size_t i = 0; i < children->size(); ++i) made.children.push_back(index((*children)[i], "nodes"));
    }
    return made;
  }

  static Affine placement(const JsonPlace& place) {
    if (const auto matrix = place.find("matrix")) {
      const auto v = matrix->numbers(16);  // column by column
      for (std::size_t i = 3; i < 16; i += 4) {
        if (!(std::abs(v[i] - (i == 15 ? 1.0 : 0.0)) <= 1e-6)) matrix->fail("has a last row that is not 0 0 0 1");
      }
      return {{{v[0], v[4], v[8], v[12]}, {v[1], v[5], v[9], v[13]}, {v[2], v[6], v[10], v[14]}}};
    }
    Vec3 move, scale = {1, 1, 1};
    Quaternion turn;
    if (const auto found = place.find("translation")) move = vector(*found);
    if (const auto found = place.find("scale")) scale = vector(*found);
    if (const auto found = place.find("rotation")) turn = rotation(*found);
    const Vec3 x = scale.x * rotate(turn, {1, 0, 0}), y = scale.y * rotate(turn, {0, 1, 0}),
               z = scale.z * rotate(turn, {0, 0, 1});
    return {{{x.x, y.x, z.x, move.x}, {x.y, y.y, z.y, move.y}, {x.z, y.z, z.z, move.z}}};
  }

  static Vec3 vector(const JsonPlace& place) {
    const auto v = place.numbers(3);
    return {v[0], v[1], v[2]};
  }

  static Quaternion rotation(const JsonPlace& place) {
    const auto v = place.numbers(4);
    const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (!(std::abs(length - 1.0) <= 0.01)) {
      place.fail(fmt::format("has the length {}, not 1 within 0.01", number_text(length)));
    }
    return {v[3] / length, v[0] / length, v[1] / length, v[2] / length};
  }

  /// Sets the parent of each node, then walks the trees from their roots: nodes not reached form a circle.
  void link_nodes() {
    std::vector<GltfNode>& nodes = document_.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t k = 0; k < nodes[i].children.size(); ++k) {
        GltfIndex& parent = nodes[nodes[i].children[k]].parent;
        if (parent) {
          document_.fail(fmt::format("nodes[{}].children[{}]", i, k),
                         fmt::format("= {}, which is a child of nodes[{}] already", nodes[i].children[k], *parent));
        }
        parent = i;
      }
    }
    std::vector<std::size_t> depth(nodes.size(), 0);
    std::vector<std::size_t>& ready = document_.parents_first;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].parent) depth[i] = 1, ready.push_back(i);
    }
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const std::size_t i = ready[k];
      if (depth[i] > kMaxNesting) {
        document_.fail(fmt::format("nodes[{}]", i),
                       fmt::format("is nested {} deep, the limit is {}", depth[i], kMaxNesting));
      }
      for (const std::size_t child : nodes[i].children) depth[child] = depth[i] + 1, ready.push_back(child);
    }
    const auto stray = std::find(depth.begin(), depth.end(), std::size_t{0});
    if (stray != depth.end()) document_.fail(fmt::format("nodes[{}]", stray - depth.begin()), "is its own ancestor");
  }

  /// The scene that the file shows, else its first, else all trees of nodes.
  void read_scene() {
    const std::size_t shown = find_index(root_, "scene", "scenes").value_or(0);
    const std::size_t scenes = size_of("scenes");
    const auto nodes = scenes == 0 ? std::nullopt : root_.at("scenes")[shown].find("nodes");
    for (std::size_t i = 0; nodes && i < nodes->size(); ++i) {
      const std::size_t node = index((*nodes)[i], "nodes");
      const GltfIndex parent = document_.nodes[node].parent;
      if (parent) (*nodes)[i].fail(fmt::format("= {}, which is a child of nodes[{}]", node, *parent));
      document_.scene.push_back(node);
    }
    for (std::size_t i = 0; scenes == 0 && i < document_.nodes.size(); ++i) {
      if (!document_.nodes[i].parent) document_.scene.push_back(i);
    }
  }

  JsonPlace root_;
  GltfDocument document_;
};

}  // namespace

void GltfDocument::fail(std::string_view place, std::string_view what) const {
  throw InputError(fmt::format("{}: {} {}", file, place, what));
}

GltfDocument parse_gltf_document(std::string_view json, const std::string& file) {
  const nlohmann::json tree = parse_json(json, file);
  return Reader(tree, file).run();
}

}  // namespace fathom
