// SPDX-License-Identifier: MIT
#pragma once
// What stands in the worlds of a block goes to the GPU with its parcel, and the nodes over it are built there.

#include <cstdint>
#include <vector>

#include "cast/tree/sorted_tree.hpp"
#include "render/device/gpu_objects.hpp"
#include "render/device/keeper.hpp"
#include "render/device/resident.hpp"

namespace fathom::device {

class Worlds {
 public:
  Worlds(const Gpu& gpu, const Module& module);

  /// Forgets them. The block before must be done.
  void begin();
  /// The world with pointers into the GPU's memory. Its nodes are there after build().
  tree::World add(tree::World world, const ResidentTrees& trees, Keeper& keeper);
  /// Keeps the list of all. If there was not enough room for their nodes, there is now, and it says no: begin anew.
  [[nodiscard]] bool fit(Keeper& keeper);
  /// Builds the nodes, once what was kept is on its way.
  void build(const Stream& stream) const;

 private:
  CudaAddress take(std::size_t bytes);
  void launch(CudaFunction function, std::uint32_t number, std::uint32_t threads, const Stream& stream) const;

  CudaFunction sort_, merge_, build_;
  GpuMemory memory_;
  std::size_t used_ = 0;
  std::uint32_t most_ = 0;                 // instances of a world
  std::vector<tree::SortedTree> trees_;    // [worlds]
  std::vector<tree::Instance> instances_;  // of a world
  CudaAddress list_ = 0;
};

}  // namespace fathom::device
