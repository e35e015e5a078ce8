// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <fathom/simulate/timing.hpp>

namespace fathom {

/// Which frame a frozen one repeats, of one sensor under one seed (fathom/simulate/timing.hpp). It remembers the
/// stretch that it looked over last: so frames that are asked for in about their order cost a look at each, however
/// long frames stay frozen. In any other order they cost a look at each frame that they go back; the answers are the
/// same.
class FreshFrames {
 public:
  FreshFrames() = default;
  FreshFrames(const FreshFrames& other) noexcept : known_(other.known_.load(std::memory_order_relaxed)) {}
  FreshFrames& operator=(const FreshFrames& other) noexcept {
    known_.store(other.known_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  ~FreshFrames() = default;

  /// For other draws: another seed, or another sensor.
  void forget() { known_.store(0, std::memory_order_relaxed); }

  /// The last frame before `index` that was neither frozen nor dropped; without one the first that was not dropped,
  /// which had nothing to repeat, whatever its draw says; without one `index` itself. `draws`: drops(k) and freezes(k)
  /// of frame k. Thread-safe.
  template <class Draws>
  [[nodiscard]] std::uint32_t last_before(const Draws& draws, std::uint32_t index) {
    const Known known = unpacked(known_.load(std::memory_order_relaxed));
    if (known.last < index && index <= known.end) return known.last;
    std::uint32_t last = index;
    for (std::uint32_t k = index; k-- > 0;) {
      if (k + 1 == known.end) {  // all from there on was looked at, and is not fresh
        if (known.last < known.end) last = known.last;
        break;
      }
      if (draws.drops(k)) continue;
      last = k;
      if (!draws.freezes(k)) break;
    }
    known_.store(packed({index, last}), std::memory_order_relaxed);
    return last;
  }

 private:
  /// The answer for `end`, and so for all indices in (last, end].
  struct Known {
    std::uint32_t end = 0, last = 0;
  };
  static std::uint64_t packed(const Known& known) { return std::uint64_t{known.end} << 32U | known.last; }
  static Known unpacked(std::uint64_t known) {
    return {static_cast<std::uint32_t>(known >> 32U), static_cast<std::uint32_t>(known)};
  }

  std::atomic<std::uint64_t> known_ = 0;
};

/// As frame_time(). `fresh`: of the sensor and the seed.
FrameTime frame_time(const Timing& timing, const SceneClock& clock, std::uint64_t seed, std::string_view sensor,
                     std::uint32_t index, FreshFrames& fresh);

}  // namespace fathom
