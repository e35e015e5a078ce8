// SPDX-License-Identifier: MIT
#pragma once
// The steps after the chain of a camera (fathom/sensor/depth_filters.hpp): filters of its depths, then the alignment to
// another camera. The chain renders into a frame of the sensor's own shape; the steps change that frame, and copy it
// into the caller's.

#include <cstdint>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/depth_filters.hpp>
#include <fathom/sensor/kinds.hpp>

namespace fathom {

struct RenderJob;

/// What a temporal filter remembers of each pixel.
struct PixelPast {
  std::vector<float> disparity;      ///< px/32; 0: none yet
  std::vector<std::uint8_t> filled;  ///< whether the last 8 frames had a value; the newest one is bit 0
};

/// The past of a camera, before and after the last frame, so that the last frame can be filtered again.
class FilterPast {
 public:
  /// The first frame that must be filtered so that `frame` may follow: `frame` itself, or one before it.
  [[nodiscard]] std::uint32_t first_missing(std::uint32_t frame) const {
    if (frame + 1 == next_) return frame;
    return frame >= next_ ? next_ : 0;
  }
  /// The past of `frame`, which the caller changes to the past of the next frame. Frame 0 begins empty.
  PixelPast& begin(std::uint32_t frame, std::size_t pixels);
  [[nodiscard]] std::uint32_t next() const { return next_; }
  void forget() { next_ = 0; }

 private:
  PixelPast before_, after_;
  std::uint32_t next_ = 0;  // number of the frame after the last one
};

/// The pixels of the other camera that a depth pixel fills: columns [left, right], rows [top, bottom].
struct FilledPixels {
  std::int32_t left = 0, top = 0, right = -1, bottom = -1;
};

/// Memory of these steps. In steady state nothing is allocated.
struct FilterMemory {
  Frame raw;                           ///< after the chain
  std::vector<FilterPast> pasts;       ///< [environments]
  std::vector<float> values;           ///< disparities, then depths; 0: lost
  std::vector<FilledPixels> filled;    ///< of each pixel
  std::vector<std::uint32_t> nearest;  ///< for each pixel of the other camera, whose values it gets; ~0U: none

  [[nodiscard]] FilterPast& past(std::uint32_t environment) {
    if (environment >= pasts.size()) pasts.resize(environment + std::size_t{1});
    return pasts[environment];
  }
  void forget() {
    for (FilterPast& past : pasts) past.forget();
  }
};

/// The steps of a job.
struct ImageFilters {
  FilterMemory* memory = nullptr;  ///< null: no step follows the chain
  DepthFilters filters = {};
  const AlignedCamera* aligned_to = nullptr;
  Intrinsics lens = {};
  std::uint32_t environment = 0, frame = 0;  ///< for the temporal filter
};

/// The frame for the chain of `job`, instead of `frame`, which has its size already.
Frame& raw_frame(const RenderJob& job, const Frame& frame);

/// Filters the raw frames of these jobs, in their order, and copies them to `frame`.
void filter_images(std::span<const RenderJob> jobs, Executor& executor, Frame& frame);

}  // namespace fathom
