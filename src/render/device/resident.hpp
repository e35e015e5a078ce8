// SPDX-License-Identifier: MIT
#pragma once
// What stays on a GPU from frame to frame: the trees of meshes and the rays of sensors; and what goes there with each
// frame, in one copy.

#include <cstdint>
#include <span>
#include <vector>

#include "cast/tree/instances.hpp"
#include "render/device/gpu_objects.hpp"
#include "render/device/keeper.hpp"
#include "render/device/rays.hpp"
#include "render/render.hpp"

namespace fathom::device {

/// The trees of the meshes of a scene.
class ResidentTrees {
 public:
  /// Brings new trees there, and has those of deformed meshes follow their vertices.
  void hold(const tree::Meshes& meshes, const Stream& stream, CudaFunction refit_nodes);
  /// The instance with pointers into the GPU's memory.
  [[nodiscard]] tree::Instance placed(tree::Instance instance) const;

 private:
  struct Held {
    GpuMemory memory;
    std::uint32_t version = 0;
    const tree::Node* nodes = nullptr;
    const tree::Leaf* leaves = nullptr;
    GpuMemory source;                     // of one that was deformed: a Refit, and the arrays that it names
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
  /// Brings the rays of the window there, unless they are.
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

/// Arrays that go to the GPU together. Fill it until send() says that it was large enough.
class Parcel final : public Keeper {
 public:
  explicit Parcel(const Gpu& gpu) : staging_(gpu), memory_(gpu) {}
  /// Empties it. The copy before must be done.
  void begin() { used_ = 0; }
  /// Whether all is on its way. If not, it has grown: begin anew.
  [[nodiscard]] bool send(const Stream& stream);

 private:
  const void* keep_bytes(const void* data, std::size_t bytes) override;

  PinnedMemory staging_;
  GpuMemory memory_;
  std::size_t used_ = 0;
};

}  // namespace fathom::device
