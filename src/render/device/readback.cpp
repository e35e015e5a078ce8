// SPDX-License-Identifier: MIT
#include "render/device/readback.hpp"

#include <algorithm>
#include <cstring>

namespace fathom::device {

void Readback::add(void* to, CudaAddress from, std::size_t bytes) {
  while (bytes > 0) {
    Half& half = halves_[now_];
    half.memory.fit(kBytes);
    const std::size_t part = std::min(bytes, kBytes - half.used);
    if (part == 0) {
      turn();
      continue;
    }
    stream_.download(half.memory.data() + half.used, from, part);
    half.pieces.push_back({to, half.used, part});
    half.used += part;
    to = static_cast<std::byte*>(to) + part, from += part, bytes -= part;
  }
}

void Readback::finish() {
  turn();
  turn();
}

/// Marks the end of the half that is filled, and empties the other one, which is filled next.
void Readback::turn() {
  Half& full = halves_[now_];
  if (full.used > 0) {
    full.done.record(stream_);
    full.under_way = true;
  }
  now_ = 1 - now_;
  if (halves_[now_].under_way) empty(halves_[now_]);
}

void Readback::empty(Half& half) {
  half.done.wait();
  for (const Piece& p : half.pieces) std::memcpy(p.to, half.memory.data() + p.at, p.bytes);
  half.pieces.clear();
  half.used = 0, half.under_way = false;
}

}  // namespace fathom::device
