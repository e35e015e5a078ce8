// SPDX-License-Identifier: MIT
#pragma once
// A frame as Python holds it. The arrays that NumPy sees are views of the fathom::Frame's memory, and each keeps that
// frame alive. So a fathom::Frame whose arrays may be out is never resized: when the shape or the channels change, a
// new one takes its place, and the old arrays keep the old values.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fathom/frame/frame.hpp>

#include "calls.hpp"

namespace fathom::python {

/// The shape of a frame as Python shows it.
struct FrameLayout {
  std::uint32_t environments = 0;  ///< 0: of one world, [rows, cols]; else [environments, rows, cols]
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t returns = 1;  ///< several stand in front of all
  friend bool operator==(const FrameLayout&, const FrameLayout&) = default;
};

class FrameHandle {
 public:
  explicit FrameHandle(ChannelSet channels) : frame_(std::make_shared<Frame>(channels)) {}
  explicit FrameHandle(std::shared_ptr<Frame> frame) : frame_(std::move(frame)) {}
  /// Over memory of the caller's, which is why its shape never changes.
  FrameHandle(std::shared_ptr<Frame> frame, const FrameLayout& layout, int gpu = 0)
      : frame_(std::move(frame)), layout_(layout), is_over_(true), gpu_(gpu) {}
  FrameHandle(const FrameHandle&) = delete;
  FrameHandle& operator=(const FrameHandle&) = delete;

  /// With arrays of its own.
  [[nodiscard]] std::shared_ptr<FrameHandle> copy() const;

  /// A copy of one return of each ray.
  [[nodiscard]] std::shared_ptr<FrameHandle> of_return(std::uint32_t k) const;

  /// Makes it ready for a frame of this layout and these channels.
  void prepare(const FrameLayout& layout, ChannelSet channels, double farthest_m);

  [[nodiscard]] Frame& frame() { return *frame_; }
  [[nodiscard]] const std::shared_ptr<Frame>& shared() const { return frame_; }
  [[nodiscard]] const FrameLayout& layout() const { return layout_; }
  [[nodiscard]] double farthest_m() const { return farthest_m_; }
  [[nodiscard]] std::vector<py::ssize_t> shape() const;
  /// A channel as an array, without a copy; made once.
  py::object array(Channel channel);
  /// From now on that of a channel is this one of the caller's.
  void show(Channel channel, py::object array) { arrays_[static_cast<std::size_t>(channel)] = std::move(array); }

  InUse in_use;

 private:
  std::shared_ptr<Frame> frame_;
  FrameLayout layout_;
  double farthest_m_ = 0.0;
  bool is_over_ = false;
  int gpu_ = 0;  // its number, of a frame in its memory
  std::array<py::object, kChannelCount> arrays_;
};

/// Frames to use again: those of which nobody holds the frame or one of its arrays any more.
class FramePool {
 public:
  std::shared_ptr<FrameHandle> take(const FrameLayout& layout, ChannelSet channels, double farthest_m);

 private:
  struct Entry {
    FrameLayout layout;
    std::shared_ptr<Frame> frame;
  };
  static constexpr std::size_t kMost = 2;  // one that the caller still looks at, and the one being rendered
  std::vector<Entry> entries_;
};

/// What a call of render() writes into: `out`, or a frame of the pool.
std::shared_ptr<FrameHandle> frame_for(py::handle out, py::handle channels, const FrameLayout& layout,
                                       double farthest_m, FramePool& pool);

}  // namespace fathom::python
