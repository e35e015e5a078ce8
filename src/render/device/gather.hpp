// SPDX-License-Identifier: MIT
#pragma once
// A frame's job for a device: arrays that it can read, the windows of a plan, fields of correlated draws, and the
// chain.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/sensor/pattern.hpp>

#include "render/device/frame_data.hpp"
#include "render/field_math.hpp"
#include "render/plan.hpp"
#include "render/render.hpp"

namespace fathom::device {

/// Copies arrays to places where a device can read them.
class Keeper {
 public:
  virtual ~Keeper() = default;
  /// The address of the copy for threads; null for an empty array. The contents are copied now.
  template <class T>
  const T* keep(std::span<const T> values) {
    return values.empty() ? nullptr : static_cast<const T*>(keep_bytes(values.data(), values.size_bytes()));
  }

 private:
  virtual const void* keep_bytes(const void* data, std::size_t bytes) = 0;
};

/// For a device that is this computer: arrays stay where they are.
class HostKeeper final : public Keeper {
  const void* keep_bytes(const void* data, std::size_t /*bytes*/) override { return data; }
};

/// Lanes of a plan, and their rays in the frame: all, or some tiles if not all fit in a device's memory.
struct Window {
  std::uint32_t lane_begin, lane_end, ray_begin, ray_end;

  [[nodiscard]] std::uint32_t rays() const { return ray_end - ray_begin; }
  friend bool operator==(const Window&, const Window&) = default;
};

[[nodiscard]] Window whole(const CastPlan& plan);

/// Cuts the plan into as few windows as possible with at most `most_lanes` lanes and disjoint ranges of rays: bands of
/// whole tiles. A band that cannot be cut is a window of any size.
[[nodiscard]] std::vector<Window> windows_of(const CastPlan& plan, std::uint32_t most_lanes);

/// Indices of lanes and rays count in the whole plan; elements outside the window must not be read.
[[nodiscard]] Rays rays_of(const CastPlan& plan, const Window& window, Keeper& keeper);
[[nodiscard]] Image image_of(const RayPattern& pattern, const Window& window, Keeper& keeper);

/// The address that element 0 would have, for a pointer to element `first`.
template <class T>
[[nodiscard]] T* from_first(T* pointer, std::size_t first) {
  if (pointer == nullptr) return nullptr;
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) - first * sizeof(T));
}

/// Floats for the fields of a job in a window: the numbers that models draw, and their intermediate sums.
[[nodiscard]] std::size_t field_floats(const RenderJob& job, const Window& window);

/// Appends the fields of a job, in `memory`, and points `data` at them. `keeper` keeps the kernels.
void add_fields(const RenderJob& job, const Window& window, float* memory, Keeper& keeper,
                std::vector<FieldJob>& fields, FrameData& data);

/// Whether a device has all models of the chain: false with a user's model.
[[nodiscard]] bool has_models(const StagedChain& chain);

/// The arrays of `frame` that a device fills, from place `first` on.
[[nodiscard]] Channels channels_of(std::size_t first, Frame& frame);

/// Translates a frame's job for a device.
class Gatherer {
 public:
  /// Starts a new set of jobs.
  void begin();
  /// Leaves out members that depend on a device's memory: `rays`, `image`, `out`, `edges` and `fields`; `world` is that
  /// of this computer. Other pointers come from `keeper`, which must be the same since begin(); pointers of a
  /// HostKeeper are valid until begin(). Parts that a job shares with the job before are kept once. In a steady state
  /// nothing is allocated. Throws InputError for a user's model.
  FrameData gather(const RenderJob& job, Keeper& keeper);

 private:
  /// The arrays of chains.
  struct Parts {
    std::vector<std::vector<Model>> models;
    std::vector<std::vector<NoiseStep>> steps;
    std::vector<std::vector<Tolerance>> tolerances;
    std::size_t models_used = 0, steps_used = 0, tolerances_used = 0;
  };
  Chain gather(const StagedChain& chain, Keeper& keeper);
  Steps add(const StagedChain& chain, const std::vector<ActiveNoise>& list, Keeper& keeper);

  Parts parts_;
  const StagedChain* last_chain_ = nullptr;
  FrameData last_ = {};
  const SurfaceTable* last_surfaces_ = nullptr;
  const float* last_reflectivity_ = nullptr;
  const SamplePlan* last_samples_ = nullptr;
};

}  // namespace fathom::device
