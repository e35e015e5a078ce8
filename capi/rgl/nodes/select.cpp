#include "nodes/select.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

void SelectNode::run(const RunContext& context) {
  const std::lock_guard lock(mutex_);
  executor_ = &context.executor;
  done_.clear();
  select(context);
}

const std::byte* SelectNode::data(rgl_field_t field) const {
  if (own_.has(field)) return own_.data(field);
  const std::lock_guard lock(mutex_);
  if (std::find(done_.begin(), done_.end(), field) == done_.end()) {
    fathom::gather(input().data(field), info_of(field).size, indices_, gathered_.resize(field, count()), *executor_);
    done_.push_back(field);
  }
  return gathered_.data(field);
}

void CompactNode::select(const RunContext& context) {
  fathom::find_nonzero(input_as<std::int32_t>(field_), indices_, context.executor);
}

void ReturnSwitchNode::select(const RunContext&) {
  const auto types = input().returns();
  const auto found = std::find(types.begin(), types.end(), type_);
  if (found == types.end()) {
    fail(RGL_INVALID_PIPELINE, fmt::format("{}: the input has no return of type {}", name(), static_cast<int>(type_)));
  }
  indices_.clear();
  for (std::size_t i = static_cast<std::size_t>(found - types.begin()); i < input().count(); i += types.size()) {
    indices_.push_back(static_cast<std::uint32_t>(i));
  }
}

void DownsampleNode::select(const RunContext&) {
  fathom::VoxelGrid grid = fathom::downsample(input_as<float>(RGL_FIELD_XYZ_VEC3_F32, 3), leaf_m_);
  indices_ = std::move(grid.nearest);
  std::copy(grid.xyz.begin(), grid.xyz.end(), own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count()));
}

}  // namespace rgl
