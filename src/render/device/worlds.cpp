// SPDX-License-Identifier: MIT
#include "render/device/worlds.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace fathom::device {

namespace {

/// An address of the GPU's as the pointer that its threads follow.
template <class T>
T* pointer_to(CudaAddress address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): never followed here
}

}  // namespace

Worlds::Worlds(const Gpu& gpu, const Module& module)
    : sort_(module.function("fathom_sort_instances")),
      merge_(module.function("fathom_merge_instances")),
      build_(module.function("fathom_build_nodes")),
      memory_(gpu) {}

void Worlds::begin() {
  used_ = 0, most_ = 0;
  trees_.clear();
}

tree::World Worlds::add(tree::World world, const ResidentTrees& trees, Keeper& keeper) {
  const std::uint32_t count = world.instance_count;
  instances_.clear();
  for (std::uint32_t i = 0; i < count; ++i) instances_.push_back(trees.placed(world.instances[i]));
  world.instances = keeper.keep(std::span<const tree::Instance>(instances_));
  world.boxes = keeper.keep(std::span(world.boxes, count));
  const std::size_t nodes = tree::sorted_nodes(count) * sizeof(tree::Node), keys = count * sizeof(std::uint64_t);
  auto* const at = pointer_to<tree::Node>(take(nodes));
  world.nodes = at;
  trees_.push_back({.boxes = world.boxes,
                    .bounds = world.bounds,
                    .count = count,
                    .keys = {pointer_to<std::uint64_t>(take(keys)), pointer_to<std::uint64_t>(take(keys))},
                    .nodes = at});
  most_ = std::max(most_, count);
  return world;
}

bool Worlds::fit(Keeper& keeper) {
  list_ = reinterpret_cast<CudaAddress>(keeper.keep(std::span<const tree::SortedTree>(trees_)));
  if (used_ <= memory_.bytes()) return true;
  memory_.fit(used_ + used_ / 4, "the trees over what stands in worlds");
  return false;
}

void Worlds::build(const Stream& stream) const {
  launch(sort_, 0, most_, stream);
  for (std::uint32_t pass = 0; pass < tree::merge_passes(most_); ++pass) launch(merge_, pass, most_, stream);
  for (std::uint32_t level = 0; level <= tree::sorted_root_level(most_); ++level) {
    launch(build_, level, tree::sorted_nodes_of(most_, level), stream);
  }
}

CudaAddress Worlds::take(std::size_t bytes) {
  const CudaAddress at = memory_.address() + used_;
  used_ += (bytes + 255) / 256 * 256;
  return at;
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
