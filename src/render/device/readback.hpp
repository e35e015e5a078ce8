// SPDX-License-Identifier: MIT
#pragma once
// Copies results from a GPU: through two pinned buffers, of which one is filled while the other is emptied.

#include <array>
#include <cstddef>
#include <vector>

#include "render/device/gpu_objects.hpp"

namespace fathom::device {

class Readback {
 public:
  static constexpr std::size_t kBytes = std::size_t{4} << 20;  // of a buffer

  explicit Readback(const Stream& stream) : stream_(stream), halves_{Half(stream.gpu()), Half(stream.gpu())} {}

  /// Copies behind what the stream holds already; in place once finish() has returned.
  void add(void* to, CudaAddress from, std::size_t bytes);
  void finish();

 private:
  struct Piece {
    void* to;
    std::size_t at, bytes;
  };
  struct Half {
    explicit Half(const Gpu& gpu) : memory(gpu), done(gpu) {}
    PinnedMemory memory;
    Event done;
    std::vector<Piece> pieces = {};
    std::size_t used = 0;
    bool under_way = false;
  };
  void turn();
  static void empty(Half& half);

  const Stream& stream_;
  std::array<Half, 2> halves_;
  std::size_t now_ = 0;  // the half that is filled
};

}  // namespace fathom::device
