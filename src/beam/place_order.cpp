// SPDX-License-Identifier: MIT
#include "beam/place_order.hpp"

#include <algorithm>
#include <numeric>

namespace fathom {

namespace {

constexpr std::uint32_t kCellBits = 6;
constexpr std::uint32_t kCellsAcross = 1U << kCellBits;
constexpr std::size_t kFewPoses = 512;  // which take less time than their cells

/// Cells across the values of one axis.
class Axis {
 public:
  void add(double value) { low_ = std::min(low_, value), high_ = std::max(high_, value); }
  [[nodiscard]] std::uint32_t cell(double value) const {
    const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.0;
    return std::min(static_cast<std::uint32_t>(share * kCellsAcross), kCellsAcross - 1);
  }

 private:
  double low_ = 1e300, high_ = -1e300;
};

/// The bits of a cell's number, a gap after each.
constexpr std::uint32_t spread(std::uint32_t cell) {
  std::uint32_t bits = 0;
  for (std::uint32_t b = 0; b < kCellBits; ++b) bits |= (cell >> b & 1U) << 2 * b;
  return bits;
}

}  // namespace

std::span<const std::uint32_t> PlaceOrder::sort(std::span<const Pose> poses) {
  static_assert(kCells == std::size_t{kCellsAcross} * kCellsAcross);
  const std::span<std::uint32_t> order = std::span(order_).first(poses.size());
  if (poses.size() < kFewPoses) {
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }
  Axis x, y;
  for (const Pose& pose : poses) x.add(pose.translation_m.x), y.add(pose.translation_m.y);
  std::fill(first_.begin(), first_.end(), 0U);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3& at = poses[i].translation_m;
    cells_[i] = static_cast<std::uint16_t>(spread(x.cell(at.x)) | spread(y.cell(at.y)) << 1U);
    ++first_[cells_[i] + 1U];
  }
  for (std::size_t c = 0; c < kCells; ++c) first_[c + 1] += first_[c];
  for (std::size_t i = 0; i < poses.size(); ++i) order[first_[cells_[i]]++] = static_cast<std::uint32_t>(i);
  return order;
}

}  // namespace fathom
