// SPDX-License-Identifier: MIT
// glTF by structure: the input's bytes are choices from which a document is built, a valid one as a rule, with nodes,
// skins, morph targets, sparse accessors and views of every kind; then some of its values are changed. So every input
// is good JSON and reaches what fuzz_mesh, which changes bytes, hardly ever does. The result is a valid mesh or an
// InputError of one line.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>
#include <nlohmann/json.hpp>

#include <fathom/files/meshes.hpp>

#include "core/text.hpp"
#include "in_memory.hpp"

namespace {

using Json = nlohmann::json;

/// Where the parts of the one buffer begin: vectors, bytes that ascend, 16-bit numbers, 32-bit numbers, matrices,
/// weights, and what the input chooses.
constexpr std::size_t kVectors = 0, kBytes = 384, kShorts = 416, kWords = 480, kMatrices = 608, kWeights = 864,
                      kFree = 992, kBufferBytes = 1056;

template <class T>
void put(std::string& buffer, std::size_t at, T value) {
  std::memcpy(buffer.data() + at, &value, sizeof(T));
}

std::string make_buffer(FuzzedDataProvider& choose) {
  std::string buffer(kBufferBytes, '\0');
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t k = 0; k < 3; ++k) put(buffer, kVectors + i * 12 + k * 4, static_cast<float>(i * (k + 3) % 7));
    put(buffer, kBytes + i, static_cast<std::uint8_t>(i));
    put(buffer, kShorts + 2 * i, static_cast<std::uint16_t>(i));
    put(buffer, kWords + 4 * i, static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) put(buffer, kMatrices + i * 64 + k * 20, 1.0F);
  }
  for (std::size_t i = 0; i < 8; ++i) put(buffer, kWeights + i * 16 + i % 4 * 4, 1.0F);
  const std::string free = choose.ConsumeBytesAsString(kBufferBytes - kFree);
  return buffer.replace(kFree, free.size(), free);
}

/// A document in the making.
class Builder {
 public:
  Builder(FuzzedDataProvider& choose, std::size_t meshes) : choose_(choose), meshes_(meshes) {}

  Json run(const Json& buffer) {
    document_ = {{"asset", {{"version", "2.0"}}}, {"buffers", {buffer}}};
    for (const char* list : {"bufferViews", "accessors", "meshes", "skins", "nodes"}) document_[list] = Json::array();
    for (std::size_t i = 0; i < meshes_; ++i) document_["meshes"].push_back(mesh());
    add_nodes();
    return std::move(document_);
  }

 private:
  std::size_t below(std::size_t limit) { return choose_.ConsumeIntegralInRange<std::size_t>(0, limit - 1); }
  bool often() { return below(8) != 0; }
  bool seldom() { return !often(); }

  std::size_t view(std::size_t offset, std::size_t stride = 0) {
    Json view = {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", kBufferBytes - offset}};
    if (stride != 0) view["byteStride"] = stride;
    document_["bufferViews"].push_back(view);
    return document_["bufferViews"].size() - 1;
  }

  std::size_t accessor(std::size_t offset, std::size_t type, const char* shape, std::size_t count,
                       std::size_t stride = 0) {
    Json made = {{"componentType", type}, {"count", count}, {"type", shape}};
    if (often()) made["bufferView"] = view(seldom() ? kFree : offset, stride);
    if (seldom()) made["normalized"] = choose_.ConsumeBool();
    if (seldom()) made["byteOffset"] = below(16);
    if (below(4) == 0) {
      const std::array<std::pair<std::size_t, std::size_t>, 3> kinds = {
          {{kBytes, 5121}, {kShorts, 5123}, {kWords, 5125}}};
      const auto [from, index_type] = kinds[below(3)];
      made["sparse"] = {{"count", 1 + below(count)},
                        {"indices", {{"bufferView", view(seldom() ? kFree : from)}, {"componentType", index_type}}},
                        {"values", {{"bufferView", view(seldom() ? kFree : offset)}}}};
    }
    document_["accessors"].push_back(made);
    return document_["accessors"].size() - 1;
  }

  std::size_t vectors(std::size_t count) {
    switch (below(6)) {
      case 0:
        return accessor(kBytes, 5120 + below(2), "VEC3", count, 4);
      case 1:
        return accessor(kShorts, 5122 + below(2), "VEC3", count, 8);
      default:
        return accessor(kVectors, 5126, "VEC3", count, seldom() ? 16 : 0);
    }
  }

  std::size_t indices(std::size_t count) {
    switch (below(3)) {
      case 0:
        return accessor(kBytes, 5121, "SCALAR", count);
      case 1:
        return accessor(kShorts, 5123, "SCALAR", count);
      default:
        return accessor(kWords, 5125, "SCALAR", count);
    }
  }

  Json mesh() {
    Json mesh = {{"primitives", Json::array()}};
    const std::size_t targets = below(3);
    for (std::size_t i = 1 + below(3); i > 0; --i) {
      const std::size_t count = 3 * (1 + below(8));
      Json made = {{"attributes", {{"POSITION", vectors(count)}}}};
      if (often()) made["mode"] = 4 + below(3);
      if (often()) made["indices"] = indices(3 * (1 + below(count / 3)));
      for (std::size_t k = 0; k < targets; ++k) made["targets"].push_back({{"POSITION", vectors(count)}});
      if (below(2) == 0) {
        made["attributes"]["JOINTS_0"] = accessor(kFree, 5121, "VEC4", count);
        made["attributes"]["WEIGHTS_0"] = below(2) == 0
                                              ? accessor(kWeights, 5126, "VEC4", std::min<std::size_t>(count, 8))
                                              : accessor(kBytes, 5121, "VEC4", count);
      }
      mesh["primitives"].push_back(made);
    }
    for (std::size_t k = 0; k < targets; ++k) mesh["weights"].push_back(choose_.ConsumeFloatingPointInRange(-1.0, 1.0));
    return mesh;
  }

  void add_nodes() {
    const std::size_t count = 1 + below(12);
    for (std::size_t s = below(3); s > 0; --s) {
      Json skin = {{"joints", Json::array()}};
      const std::size_t joints = 1 + below(4);
      for (std::size_t k = 0; k < joints; ++k) skin["joints"].push_back(below(count));
      if (below(2) == 0) skin["inverseBindMatrices"] = accessor(kMatrices, 5126, "MAT4", joints);
      document_["skins"].push_back(skin);
    }
    Json roots = {0};
    for (std::size_t i = 0; i < count; ++i) {
      document_["nodes"].push_back(node());
      if (i == 0) continue;
      const std::size_t parent = seldom() ? below(count) : below(i + 1);
      if (parent < i) document_["nodes"][parent]["children"].push_back(i);
      if (parent >= i) roots.push_back(i);
    }
    if (often()) document_["scenes"] = {{{"nodes", roots}}};
    if (often()) document_["scene"] = 0;
  }

  Json node() {
    Json node = Json::object();
    if (often()) node["mesh"] = below(meshes_);
    if (!document_["skins"].empty() && below(2) == 0) node["skin"] = below(document_["skins"].size());
    if (below(3) == 0) node["translation"] = {below(9), below(9), below(9)};
    if (below(4) == 0) node["rotation"] = {0, below(2) == 0 ? 1 : 0.6, 0, 0.8};
    if (below(4) == 0) node["scale"] = {below(3), below(3), choose_.ConsumeFloatingPoint<float>()};
    if (seldom()) node["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 2, 1, 1};
    return node;
  }

  FuzzedDataProvider& choose_;
  std::size_t meshes_;
  Json document_;
};

Json odd_value(FuzzedDataProvider& choose) {
  const std::array<Json, 26> values = {Json(),
                                       Json::array({"KHR_materials_unlit"}),
                                       Json::array({1, 0}),
                                       true,
                                       "",
                                       "SCALAR",
                                       "VEC3",
                                       "MAT4",
                                       "../../../etc/passwd",
                                       "%2e%2e/fathom.bin",
                                       "fathom.bin",
                                       "data:application/octet-stream;base64,AAAA",
                                       Json::array(),
                                       Json::object(),
                                       -1,
                                       0,
                                       1,
                                       2,
                                       3,
                                       255,
                                       5125,
                                       65535,
                                       4294967295U,
                                       18446744073709551615U,
                                       1e300,
                                       0.5};
  return choose.PickValueInArray(values);
}

/// Changes one value somewhere, or takes it away, or puts another beside it.
void change(Json& document, FuzzedDataProvider& choose) {
  Json* at = &document;
  while (at->is_structured() && !at->empty()) {
    const auto place = choose.ConsumeIntegralInRange<std::size_t>(0, at->size() - 1);
    const auto child = std::next(at->begin(), static_cast<std::ptrdiff_t>(place));
    const bool is_end = !child->is_structured() || child->empty() || choose.ConsumeIntegralInRange(0, 7) == 0;
    if (!is_end) {
      at = &*child;
      continue;
    }
    switch (choose.ConsumeIntegralInRange(0, 7)) {
      case 0:
        at->erase(child);
        return;
      case 1:
        if (at->is_array()) at->push_back(Json(*child));
        return;
      case 2:
        if (at->is_object()) {
          constexpr std::array<const char*, 12> kKeys = {
              "children", "skin",    "mesh",     "sparse",     "extensions",         "KHR_draco_mesh_compression",
              "targets",  "weights", "JOINTS_1", "byteStride", "extensionsRequired", "uri"};
          (*at)[choose.PickValueInArray(kKeys)] = odd_value(choose);
        }
        return;
      case 3:
        if (child->is_number()) *child = choose.ConsumeIntegralInRange(0, 40);
        return;
      case 4:
        if (child->is_number()) *child = child->get<double>() + choose.ConsumeIntegralInRange(-4, 4);
        return;
      default:
        *child = odd_value(choose);
        return;
    }
  }
}

std::string as_glb(std::string json, const std::string& buffer) {
  json.append((4 - json.size() % 4) % 4, ' ');
  const auto word = [](std::size_t value) {
    std::string bytes(4, '\0');
    put(bytes, 0, static_cast<std::uint32_t>(value));
    return bytes;
  };
  return "glTF" + word(2) + word(28 + json.size() + buffer.size()) + word(json.size()) + "JSON" + json +
         word(buffer.size()) + std::string("BIN\0", 4) + buffer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fathom::fuzz::write_input;
  FuzzedDataProvider choose(data, size);
  const std::string bytes = make_buffer(choose);
  static const auto beside = write_input("fathom.bin", bytes);
  const int home = choose.ConsumeIntegralInRange(0, 2);
  Json buffer = {{"byteLength", kBufferBytes}};
  if (home == 1) buffer["uri"] = "data:application/octet-stream;base64," + fathom::base64(bytes);
  if (home == 2) buffer["uri"] = "fathom.bin";
  Json document = Builder(choose, choose.ConsumeIntegralInRange<std::size_t>(1, 3)).run(buffer);
  for (int changes = choose.ConsumeIntegralInRange(0, 6); changes > 0; --changes) change(document, choose);
  const std::string json = document.dump();
  const auto file = write_input("a.gltf", home == 0 ? as_glb(json, bytes) : json);
  fathom::fuzz::expect_answer([&] { fathom::validate(fathom::read_mesh(file)); });
  return 0;
}
