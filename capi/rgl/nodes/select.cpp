// SPDX-License-Identifier: MIT
#include "nodes/select.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

void SelectNode::forget(const RunContext& context) {
  const std::lock_guard lock(mutex_);
  executor_ = &context.executor;
  done_.clear();
}

const std::byte* SelectNode::data(rgl_field_t field) const {
  if (own_.has(field)) return own_.data(field);
  constexpr std::size_t kPerTask = 16384;
  const std::lock_guard lock(mutex_);
  if (std::find(done_.begin(), done_.end(), field) == done_.end()) {
    const std::byte* from = input().data(field);
    const std::size_t size = info_of(field).size;
    std::byte* to = gathered_.resize(field, count());
    executor_->parallel_for(count(), kPerTask, [&](std::size_t begin, std::size_t end) {
      fathom::gather(from, size, indices_.subspan(begin, end - begin), to + begin * size);
    });
    done_.push_back(field);
  }
  return gathered_.data(field);
}

void CompactNode::begin(const RunContext& context) {
  forget(context);
  found_.clear();
  kept_.resize_as<std::uint32_t>(input().count());
}

void CompactNode::run_strip(std::size_t, Strip points) {
  auto* indices = reinterpret_cast<std::uint32_t*>(kept_.data()) + points.begin;
  const std::size_t found =
      fathom::find_nonzero(input_as<std::int32_t>(field_, points), static_cast<std::uint32_t>(points.begin), indices);
  const std::lock_guard lock(found_mutex_);
  found_[points.begin] = found;
}

/// The order does not depend on which strip was first.
void CompactNode::finish() {
  auto* indices = reinterpret_cast<std::uint32_t*>(kept_.data());
  std::size_t count = 0;
  for (const auto& [begin, found] : found_) {
    if (count != begin) std::copy_n(indices + begin, found, indices + count);
    count += found;
  }
  indices_ = {indices, count};
}

void ReturnSwitchNode::run(const RunContext& context) {
  forget(context);
  const auto types = input().returns();
  const auto found = std::find(types.begin(), types.end(), type_);
  if (found == types.end()) {
    fail(RGL_INVALID_PIPELINE, fmt::format("{}: the input has no return of type {}", name(), static_cast<int>(type_)));
  }
  kept_.clear();
  for (std::size_t i = static_cast<std::size_t>(found - types.begin()); i < input().count(); i += types.size()) {
    kept_.push_back(static_cast<std::uint32_t>(i));
  }
  indices_ = kept_;
}

void DownsampleNode::run(const RunContext& context) {
  forget(context);
  fathom::VoxelGrid grid = fathom::downsample(input_as<float>(RGL_FIELD_XYZ_VEC3_F32, 3), leaf_m_);
  kept_ = std::move(grid.nearest);
  indices_ = kept_;
  std::copy(grid.xyz.begin(), grid.xyz.end(), own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count()));
}

}  // namespace rgl
