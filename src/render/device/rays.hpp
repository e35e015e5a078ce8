// SPDX-License-Identifier: MIT
#pragma once
// A sensor's rays as a device takes them: all, or those of some tiles, where all do not fit in its memory.

#include <cstdint>
#include <vector>

#include <fathom/sensor/pattern.hpp>

#include "render/device/frame_data.hpp"
#include "render/device/keeper.hpp"
#include "render/plan.hpp"

namespace fathom::device {

/// Lanes of a plan, and the rays of the frame that they are.
struct Window {
  std::uint32_t lane_begin, lane_end, ray_begin, ray_end;

  [[nodiscard]] std::uint32_t rays() const { return ray_end - ray_begin; }
  friend bool operator==(const Window&, const Window&) = default;
};

[[nodiscard]] Window whole(const CastPlan& plan);

/// Cuts the plan into as few windows as there are with at most `most_lanes` lanes, none of which shares a ray's place
/// with another: bands of whole tiles. A band that cannot be cut is a window whatever its size.
[[nodiscard]] std::vector<Window> windows_of(const CastPlan& plan, std::uint32_t most_lanes);

/// Indices of lanes and rays are those of the whole plan; those outside the window must not be read.
[[nodiscard]] Rays rays_of(const CastPlan& plan, const Window& window, Keeper& keeper);
[[nodiscard]] Image image_of(const RayPattern& pattern, const Window& window, Keeper& keeper);

/// The address that element 0 would have, for a pointer to element `first`.
template <class T>
[[nodiscard]] T* from_first(T* pointer, std::size_t first) {
  if (pointer == nullptr) return nullptr;
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) - first * sizeof(T));
}

}  // namespace fathom::device
