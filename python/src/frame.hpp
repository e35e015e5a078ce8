// SPDX-License-Identifier: MIT
#pragma once
// A frame as Python holds it. Arrays of NumPy are views of the fathom::Frame's memory and keep that frame alive. So a
// fathom::Frame whose arrays may be in use is never resized: when the shape or the channels change, a new one replaces
// it, and the old arrays keep the old values.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fathom/frame/frame.hpp>

#include "binding.hpp"

namespace fathom::python {

/// The shape of a frame as Python shows it.
struct FrameLayout {
  std::uint32_t environments = 0;  ///< 0: of one world, [rows, cols]; else [environments, rows, cols]
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t returns = 1;  ///< more than one: the first axis
  friend bool operator==(const FrameLayout&, const FrameLayout&) = default;
};

class FrameHandle {
 public:
  explicit FrameHandle(ChannelSet channels) : frame_(std::make_shared<Frame>(channels)) {}
  explicit FrameHandle(std::shared_ptr<Frame> frame) : frame_(std::move(frame)) {}
  /// Over memory of the caller: its shape never changes.
  FrameHandle(std::shared_ptr<Frame> frame, const FrameLayout& layout, int gpu = 0)
      : frame_(std::move(frame)), layout_(layout), is_over_(true), gpu_(gpu) {}
  FrameHandle(const FrameHandle&) = delete;
  FrameHandle& operator=(const FrameHandle&) = delete;

  /// With new arrays.
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
  /// Makes an array of the caller the array of a channel.
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

/// Frames to use again once Python holds neither the frame nor one of its arrays.
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

/// Marks the Frame that a call fills; null for None. Throws InputError for another object.
std::unique_ptr<Use> use_of_frame(py::handle out);

/// The frame that render() fills: `out`, or a frame of the pool.
std::shared_ptr<FrameHandle> frame_for(py::handle out, py::handle channels, const FrameLayout& layout,
                                       double farthest_m, FramePool& pool);

/// A channel in the memory of a GPU as frameworks take it: by DLPack, and by __cuda_array_interface__.
class GpuArray {
 public:
  /// Keeps the frame alive. `strides` in bytes; `number` of the GPU.
  GpuArray(std::shared_ptr<Frame> frame, Channel channel, py::dtype type, std::vector<py::ssize_t> sizes,
           std::vector<py::ssize_t> strides, int number);

  [[nodiscard]] const py::dtype& type() const { return type_; }
  [[nodiscard]] const std::vector<py::ssize_t>& sizes() const { return sizes_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] py::dict cuda_array_interface() const;
  [[nodiscard]] py::capsule dlpack() const;

 private:
  std::shared_ptr<Frame> frame_;
  void* data_;
  py::dtype type_;
  std::vector<py::ssize_t> sizes_, strides_;
  int number_;
};

void bind_gpu_array(py::module_& m);

}  // namespace fathom::python
