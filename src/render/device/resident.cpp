// SPDX-License-Identifier: MIT
#include "render/device/resident.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "trace/tree/build.hpp"
#include "trace/tree/refit.hpp"

namespace fathom::device {

namespace {

/// Counts the bytes of arrays.
class SizeKeeper final : public Keeper {
 public:
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  const void* keep_bytes(const void* /*data*/, std::size_t bytes) override {
    bytes_ += aligned_bytes(bytes);
    return nullptr;
  }
  std::size_t bytes_ = 0;
};

/// Copies arrays to consecutive places from an address on.
class UploadKeeper final : public Keeper {
 public:
  UploadKeeper(CudaAddress first, const Stream& stream) : next_(first), stream_(stream) {}

 private:
  const void* keep_bytes(const void* data, std::size_t bytes) override {
    const CudaAddress at = next_;
    stream_.upload(at, data, bytes);
    next_ += aligned_bytes(bytes);
    return pointer_to<const void>(at);
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

/// Allocates memory for a tree.
void ResidentTrees::add(const tree::MeshTree& tree, const Stream& stream) {
  const std::span<const tree::Node> nodes = tree.nodes;
  const std::span<const tree::Leaf> leaves = tree.leaves;
  GpuMemory memory(stream.gpu());
  memory.fit(aligned_bytes(nodes.size_bytes()) + aligned_bytes(leaves.size_bytes()), "the tree of a mesh");
  trees_.push_back({.memory = std::move(memory), .source = GpuMemory(stream.gpu()), .ends = {}});
}

/// Uploads a tree.
void ResidentTrees::upload(const tree::MeshTree& tree, const Stream& stream, Held& held) {
  UploadKeeper keeper(held.memory.address(), stream);
  held.nodes = keeper.keep(std::span<const tree::Node>(tree.nodes));
  held.leaves = keeper.keep(std::span<const tree::Leaf>(tree.leaves));
  stream.wait();
}

/// Uploads the arrays for refitting a tree, except its vertices.
void ResidentTrees::prepare(const tree::Meshes& meshes, MeshId mesh, const Stream& stream, Held& held) {
  const Mesh& from = meshes.source(mesh);
  tree::RefitOrder order = tree::refit_order(meshes.tree(mesh));
  const std::span<const std::uint32_t> nodes = order.nodes;
  const std::span<const std::array<float, 3>> vertices = from.vertices_m;
  const std::span<const std::array<std::uint32_t, 3>> triangles = from.triangles;
  held.source.fit(aligned_bytes(vertices.size_bytes()) + aligned_bytes(triangles.size_bytes()) +
                      aligned_bytes(nodes.size_bytes()) + aligned_bytes(sizeof(tree::Refit)),
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
  used_ += aligned_bytes(bytes);
  if (used_ <= staging_.bytes()) std::memcpy(staging_.data() + at, data, bytes);
  return pointer_to<const void>(memory_.address() + at);
}

Worlds::Worlds(const Gpu& gpu, const Module& module)
    : place_(module.function("fathom_place_instances")),
      sort_(module.function("fathom_sort_instances")),
      merge_(module.function("fathom_merge_instances")),
      build_(module.function("fathom_build_nodes")),
      memory_(gpu) {}

void Worlds::begin() {
  changed_.clear(), trees_.clear(), moved_.clear();
  most_ = 0;
  ++block_;
}

tree::World Worlds::add(const Caster& caster, const ResidentTrees& trees, Keeper& keeper) {
  const tree::World& world = *caster.world();
  Held& held = held_[&caster];
  if (held.block == block_) return held.there;
  held.block = block_;
  if (held.tree.nodes == nullptr || held.tree.count != world.instance_count) lay_out(world.instance_count, held);
  held.there.bounds = held.tree.bounds = world.bounds, held.there.slack = world.slack;
  held.there.keys = keeper.keep(std::span(world.keys, world.key_count)), held.there.key_count = world.key_count;
  if (held.revision == world.revision) return held.there;
  for (std::uint32_t i = 0; i < world.instance_count; ++i) {
    if (world.revisions[i] <= held.revision) continue;
    moved_.push_back({trees.placed(world.instances[i]), world.boxes[i],
                      const_cast<tree::Instance*>(held.there.instances) + i,
                      const_cast<tree::Box*>(held.there.boxes) + i});
  }
  held.next = world.revision;
  changed_.push_back(&held), trees_.push_back(held.tree);
  most_ = std::max(most_, world.instance_count);
  return held.there;
}

/// Gives a world new memory. The memory that it had is free when all worlds are sent again.
void Worlds::lay_out(std::uint32_t count, Held& held) {
  held.revision = 0;
  lost_ += held.bytes;
  const std::size_t before = used_;
  auto* const nodes = take<tree::Node>(tree::sorted_nodes(count));
  held.there.nodes = nodes, held.there.instances = take<tree::Instance>(count);
  held.there.boxes = take<tree::Box>(count), held.there.instance_count = count;
  held.tree = {.boxes = held.there.boxes,
               .bounds = {},
               .count = count,
               .keys = {take<std::uint64_t>(count), take<std::uint64_t>(count)},
               .nodes = nodes};
  held.bytes = used_ - before;
}

bool Worlds::fit(Keeper& keeper) {
  moved_list_ = reinterpret_cast<CudaAddress>(keeper.keep(std::span<const tree::MovedInstance>(moved_)));
  list_ = reinterpret_cast<CudaAddress>(keeper.keep(std::span<const tree::SortedTree>(trees_)));
  if (used_ <= memory_.bytes()) return true;
  const std::size_t bytes = (used_ - lost_) + (used_ - lost_) / 4;
  forget();
  memory_.fit(bytes, "the worlds of casters");
  return false;
}

void Worlds::build(const Stream& stream) {
  auto count = static_cast<std::uint32_t>(moved_.size());
  std::array<void*, 2> arguments = {&moved_list_, &count};
  if (count > 0) stream.launch(place_, count, 1, arguments);
  launch(sort_, 0, most_, stream);
  for (std::uint32_t pass = 0; pass < tree::merge_passes(most_); ++pass) launch(merge_, pass, most_, stream);
  for (std::uint32_t level = 0; level <= tree::sorted_root_level(most_); ++level) {
    launch(build_, level, tree::sorted_nodes_of(most_, level), stream);
  }
  for (Held* held : changed_) held->revision = held->next;
}

void Worlds::forget() {
  held_.clear();
  used_ = lost_ = 0;
}

template <class T>
T* Worlds::take(std::size_t count) {
  const CudaAddress at = memory_.address() + used_;
  used_ += aligned_bytes(count * sizeof(T));
  return pointer_to<T>(at);
}

void Worlds::launch(CudaFunction function, std::uint32_t number, std::uint32_t threads, const Stream& stream) const {
  constexpr std::size_t kMostRows = 32768;  // a grid has 65535
  for (std::size_t first = 0; first < trees_.size() && threads > 0; first += kMostRows) {
    CudaAddress list = list_ + first * sizeof(tree::SortedTree);
    std::array<void*, 2> arguments = {&list, &number};
    const auto rows = static_cast<std::uint32_t>(std::min(kMostRows, trees_.size() - first));
    stream.launch(function, threads, rows, arguments);
  }
}

}  // namespace fathom::device
