// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a Frame, for the code that fills them. Users read frames; only the renderer, and tests, write one.

#include <fathom/frame/frame.hpp>

namespace fathom {

class FrameWriter {
 public:
  explicit FrameWriter(Frame& frame) : frame_(frame) {}

  /// Sizes the arrays. Allocates only when the shape or the set of channels grew.
  void resize(std::uint32_t rows, std::uint32_t cols);
  void set_stamp(std::uint32_t index, double stamp_s) { frame_.index_ = index, frame_.stamp_s_ = stamp_s; }

  // Arrays to fill; null when the channel was not asked for. Planes of points follow each other.
  [[nodiscard]] float* floats(Channel channel);
  [[nodiscard]] std::uint32_t* entity_id();
  [[nodiscard]] std::uint32_t* triangle_id();
  [[nodiscard]] std::uint16_t* ring();
  [[nodiscard]] Reason* reason();

 private:
  Frame& frame_;
};

}  // namespace fathom
