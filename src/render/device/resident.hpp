// SPDX-License-Identifier: MIT
#pragma once
// Data on a GPU: the trees of meshes, the worlds of casters and the rays of sensors, which stay from frame to frame;
// and the parcel that goes there with each frame in one copy.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "render/device/gather.hpp"
#include "render/device/gpu.hpp"
#include "render/render.hpp"
#include "trace/tree/instances.hpp"
#include "trace/tree/sorted_tree.hpp"

namespace fathom::device {

/// The trees of the meshes of a scene.
class ResidentTrees {
 public:
  /// Uploads new trees, and refits the trees of deformed meshes to their vertices.
  void hold(const tree::Meshes& meshes, const Stream& stream, CudaFunction refit_nodes);
  /// The instance with pointers into the GPU's memory.
  [[nodiscard]] tree::Instance placed(tree::Instance instance) const;

 private:
  struct Held {
    GpuMemory memory;
    std::uint32_t version = 0;
    const tree::Node* nodes = nullptr;
    const tree::Leaf* leaves = nullptr;
    GpuMemory source;                     // of a deformed mesh: a Refit and its arrays
    CudaAddress refit = 0, vertices = 0;  // in `source`
    std::vector<std::uint32_t> ends;      // RefitOrder::ends
  };
  void add(const tree::MeshTree& tree, const Stream& stream);
  static void upload(const tree::MeshTree& tree, const Stream& stream, Held& held);
  static void prepare(const tree::Meshes& meshes, MeshId mesh, const Stream& stream, Held& held);
  std::vector<Held> trees_;  // [meshes]
};

/// The rays of a sensor.
class ResidentRays {
 public:
  explicit ResidentRays(const Gpu& gpu) : memory_(gpu) {}
  /// Uploads the rays of the window, unless they are up to date.
  void hold(const CastPlan& plan, const RayPattern& pattern, const Window& window, const Stream& stream);
  void clear();
  [[nodiscard]] const Rays& rays() const { return rays_; }
  [[nodiscard]] const Image& image() const { return image_; }

 private:
  GpuMemory memory_;
  std::uint64_t revision_ = 0;
  Window window_ = {};
  Rays rays_ = {};
  Image image_ = {};
};

/// Arrays that go to the GPU together. Fill it again until send() returns true.
class Parcel final : public Keeper {
 public:
  explicit Parcel(const Gpu& gpu) : staging_(gpu), memory_(gpu) {}
  /// Empties it. The copy before must be done.
  void begin() { used_ = 0; }
  /// Queues the copy and returns true. If the parcel was too small, it grows and returns false: begin again.
  [[nodiscard]] bool send(const Stream& stream);

 private:
  const void* keep_bytes(const void* data, std::size_t bytes) override;

  PinnedMemory staging_;
  GpuMemory memory_;
  std::size_t used_ = 0;
};

/// The worlds of casters, which stay on the GPU: instances that changed go there with the parcel of a block, and the
/// nodes over the instances of their worlds are built there.
class Worlds {
 public:
  Worlds(const Gpu& gpu, const Module& module);

  /// Starts a new block. The block before must be done.
  void begin();
  /// The world of a caster that lives as long as this, with pointers into the GPU's memory. build() makes its nodes.
  tree::World add(const Caster& caster, const ResidentTrees& trees, Keeper& keeper);
  /// Keeps the lists of changes and returns true. If the memory was too small, it grows and returns false: begin again.
  [[nodiscard]] bool fit(Keeper& keeper);
  /// Takes over the changes, after the parcel was sent.
  void build(const Stream& stream);
  /// All worlds will be sent as new.
  void forget();
  void clear() { forget(), memory_.clear(); }

 private:
  struct Held {
    std::uint64_t revision = 0;  // of the world there; 0: none
    std::uint64_t next = 0;      // its revision when the block is built
    std::uint64_t block = 0;     // the last with it
    std::size_t bytes = 0;       // of its memory
    tree::World there = {};
    tree::SortedTree tree = {};
  };
  void lay_out(std::uint32_t count, Held& held);
  template <class T>
  T* take(std::size_t count);
  void launch(CudaFunction function, std::uint32_t number, std::uint32_t threads, const Stream& stream) const;

  CudaFunction place_, sort_, merge_, build_;
  GpuMemory memory_;
  std::size_t used_ = 0, lost_ = 0;  // bytes; lost_ of used_ belong to no world
  std::unordered_map<const Caster*, Held> held_;
  std::uint64_t block_ = 0;
  // Of a block, the worlds that changed:
  std::vector<Held*> changed_;
  std::vector<tree::SortedTree> trees_;
  std::vector<tree::MovedInstance> moved_;
  std::uint32_t most_ = 0;  // instances of a world
  CudaAddress moved_list_ = 0, list_ = 0;
};

}  // namespace fathom::device
