// SPDX-License-Identifier: MIT
#pragma once
// Which returns teach, which judge, and which err together.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// Places of returns that teach and of those that judge.
struct Split {
  std::vector<std::size_t> learn, judge;
  std::vector<std::uint32_t> cluster;  ///< of `learn`
  std::size_t frames = 0;
  std::uint32_t stretches = 0;  ///< that clusters are; 0: frames, or blocks of them
};

Split split_frames(const ChainReturns& returns, const ChainFitOptions& options);

/// The returns at these places, which ascend; what turned rays meet is not taken along.
ChainReturns returns_at(const ChainReturns& returns, std::span<const std::size_t> places);

}  // namespace fathom
