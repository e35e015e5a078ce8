// SPDX-License-Identifier: MIT
#pragma once
// Access to the arrays of a Frame. Users read frames; only the renderer and tests write them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/frame/frame.hpp>

namespace fathom {

class FrameWriter {
 public:
  explicit FrameWriter(Frame& frame) : frame_(frame) {}

  [[nodiscard]] bool has_shape(std::uint32_t rows, std::uint32_t cols, std::uint32_t returns = 1) const {
    return frame_.rows_ == rows && frame_.cols_ == cols && frame_.returns_ == returns;
  }
  /// Sizes the arrays. Allocates only if the shape or the set of channels grew. Throws InputError if the caller's
  /// buffers have another shape.
  void resize(std::uint32_t rows, std::uint32_t cols, std::uint32_t returns = 1);
  /// Fills the arrays of rays that are not cast: reasons are kMasked, floats NaN, and no surface is hit.
  void mask_all();
  /// A frame without latency.
  void set_stamp(std::uint32_t index, double stamp_s) { set_time(index, index, stamp_s, stamp_s); }
  void set_time(std::uint32_t index, std::uint32_t content, double stamp_s, double delivered_s) {
    frame_.index_ = index, frame_.content_ = content, frame_.stamp_s_ = stamp_s, frame_.delivered_s_ = delivered_s;
  }

  // Arrays to fill, null if the channel was not asked for. Points have three planes, one after the other.
  [[nodiscard]] float* floats(Channel channel);
  [[nodiscard]] std::uint32_t* entity_id();
  [[nodiscard]] std::uint32_t* triangle_id();
  [[nodiscard]] std::uint32_t* label();
  [[nodiscard]] std::uint16_t* ring();
  [[nodiscard]] Reason* reason();
  [[nodiscard]] std::uint8_t* path();

 private:
  template <class T>
  T* array(Channel channel, std::vector<T>& own);

  Frame& frame_;
};

/// The elements of a channel as they lie in the frame, points as three planes. Throws InputError if the frame lacks it.
std::span<const std::byte> elements_of(const Frame& frame, Channel channel);

}  // namespace fathom
