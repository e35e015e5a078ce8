// SPDX-License-Identifier: MIT
#include "render/device/resident.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cast/tree/build.hpp"
#include "cast/tree/refit.hpp"

namespace fathom::device {

namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// An address of the GPU's as the pointer that its threads follow.
const void* as_pointer(CudaAddress address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): never followed here
}

/// How many bytes arrays take together.
class SizeKeeper final : public Keeper {
 public:
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  const void* keep_bytes(const void* /*data*/, std::size_t bytes) override {
    bytes_ += aligned(bytes);
    return nullptr;
  }
  std::size_t bytes_ = 0;
};

/// Copies each array to the next place from an address on.
class UploadKeeper final : public Keeper {
 public:
  UploadKeeper(CudaAddress first, const Stream& stream) : next_(first), stream_(stream) {}

 private:
  const void* keep_bytes(const void* data, std::size_t bytes) override {
    const CudaAddress at = next_;
    stream_.upload(at, data, bytes);
    next_ += aligned(bytes);
    return as_pointer(at);
  }
  CudaAddress next_;
  const Stream& stream_;
};

}  // namespace

void ResidentTrees::hold(const tree::Meshes& meshes, const Stream& stream, CudaFunction refit_nodes) {
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const auto mesh = static_cast<MeshId>(i);
    const bool added = i == trees_.size();
    if (added) add(meshes.tree(mesh), stream);
    Held& held = trees_[i];
    if (!added && held.version == meshes.version(mesh)) continue;
    if (!meshes.is_late(mesh)) {
      upload(meshes.tree(mesh), stream, held);  // new, or the processor has refitted it already
      held.version = meshes.version(mesh);
      continue;
    }
    if (added) upload(meshes.tree(mesh), stream, held);
    if (held.ends.empty()) prepare(meshes, mesh, stream, held);
    const std::span vertices = meshes.source(mesh).vertices_m;
    stream.upload(held.vertices, vertices.data(), vertices.size_bytes());
    std::uint32_t begin = 0;
    for (const std::uint32_t end : held.ends) {
      std::uint32_t first = begin * tree::kWidth;
      std::array<void*, 2> arguments = {&held.refit, &first};
      stream.launch(refit_nodes, (end - begin) * tree::kWidth, 1, arguments);
      begin = end;
    }
    stream.wait();
    held.version = meshes.version(mesh);
  }
}

/// Makes room for a tree.
void ResidentTrees::add(const tree::MeshTree& tree, const Stream& stream) {
  const std::span<const tree::Node> nodes = tree.nodes;
  const std::span<const tree::Leaf> leaves = tree.leaves;
  GpuMemory memory(stream.gpu());
  memory.fit(aligned(nodes.size_bytes()) + aligned(leaves.size_bytes()), "the tree of a mesh");
  trees_.push_back({.memory = std::move(memory), .source = GpuMemory(stream.gpu()), .ends = {}});
}

/// Brings a tree there as it stands here.
void ResidentTrees::upload(const tree::MeshTree& tree, const Stream& stream, Held& held) {
  UploadKeeper keeper(held.memory.address(), stream);
  held.nodes = keeper.keep(std::span<const tree::Node>(tree.nodes));
  held.leaves = keeper.keep(std::span<const tree::Leaf>(tree.leaves));
  stream.wait();
}

/// What a tree needs to follow its vertices, but for these.
void ResidentTrees::prepare(const tree::Meshes& meshes, MeshId mesh, const Stream& stream, Held& held) {
  const Mesh& from = meshes.source(mesh);
  tree::RefitOrder order = tree::refit_order(meshes.tree(mesh));
  const std::span<const std::uint32_t> nodes = order.nodes;
  const std::span<const std::array<float, 3>> vertices = from.vertices_m;
  const std::span<const std::array<std::uint32_t, 3>> triangles = from.triangles;
  held.source.fit(aligned(vertices.size_bytes()) + aligned(triangles.size_bytes()) + aligned(nodes.size_bytes()) +
                      aligned(sizeof(tree::Refit)),
                  "a mesh that deforms");
  UploadKeeper keeper(held.source.address(), stream);
  const auto* corners = keeper.keep(vertices);
  const auto* ids = keeper.keep(triangles);
  const tree::Refit refit = {.vertices = reinterpret_cast<const float(*)[3]>(corners),
                             .triangles = reinterpret_cast<const std::uint32_t(*)[3]>(ids),
                             .order = keeper.keep(nodes),
                             .nodes = const_cast<tree::Node*>(held.nodes),
                             .leaves = const_cast<tree::Leaf*>(held.leaves)};
  held.vertices = reinterpret_cast<CudaAddress>(corners);
  held.refit = reinterpret_cast<CudaAddress>(keeper.keep(std::span(&refit, 1)));
  stream.wait();
  held.ends = std::move(order.ends);
}

tree::Instance ResidentTrees::placed(tree::Instance instance) const {
  if (instance.nodes == nullptr) return instance;  // nothing of it can be met
  const Held& held = trees_[instance.mesh];
  instance.nodes = held.nodes, instance.leaves = held.leaves;
  return instance;
}

void ResidentRays::hold(const CastPlan& plan, const RayPattern& pattern, const Window& window, const Stream& stream) {
  if (revision_ == plan.revision && window_ == window) return;
  revision_ = 0;
  SizeKeeper size;
  static_cast<void>(rays_of(plan, window, size));
  static_cast<void>(image_of(pattern, window, size));
  memory_.fit(size.bytes(), "the rays of a sensor");
  UploadKeeper keeper(memory_.address(), stream);
  rays_ = rays_of(plan, window, keeper);
  image_ = image_of(pattern, window, keeper);
  stream.wait();
  revision_ = plan.revision, window_ = window;
}

void ResidentRays::clear() {
  memory_.clear();
  revision_ = 0;
}

bool Parcel::send(const Stream& stream) {
  if (used_ > std::min(staging_.bytes(), memory_.bytes())) {
    const std::size_t bytes = used_ + used_ / 4;
    staging_.fit(bytes);
    memory_.fit(bytes, "poses and noise");
    return false;
  }
  stream.upload(memory_.address(), staging_.data(), used_);
  return true;
}

const void* Parcel::keep_bytes(const void* data, std::size_t bytes) {
  const std::size_t at = used_;
  used_ += aligned(bytes);
  if (used_ <= staging_.bytes()) std::memcpy(staging_.data() + at, data, bytes);
  return as_pointer(memory_.address() + at);
}

}  // namespace fathom::device
