// SPDX-License-Identifier: MIT
#include "nodes/merge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

void SpatialMergeNode::validate(const World&) {
  if (inputs_.size() < 2) {
    fail(RGL_INVALID_PIPELINE,
         fmt::format("{} looked for two or more parents of the kind IPointsNode, and has {}", name(), inputs_.size()));
  }
  for (const PointsNode* input : inputs_) {
    for (const rgl_field_t field : fields_) require_field(*input, field, name());
  }
}

bool SpatialMergeNode::has(rgl_field_t field) const {
  return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

bool SpatialMergeNode::is_dense() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const PointsNode* input) { return input->is_dense(); });
}

void SpatialMergeNode::run(const RunContext&) {
  merged_.forget();
  count_ = 0;
  for (const PointsNode* input : inputs_) count_ += input->count();
  for (const rgl_field_t field : fields_) {
    std::byte* out = merged_.resize(field, count_);
    for (const PointsNode* input : inputs_)
      out = std::copy_n(input->data(field), input->count() * info_of(field).size, out);
  }
}

void TemporalMergeNode::set(const std::vector<rgl_field_t>& fields) {
  fields_ = real_fields(fields);
  merged_.clear();
  for (const rgl_field_t field : fields_) merged_[field];
  count_ = 0;
}

void TemporalMergeNode::run(const RunContext&) {
  for (const rgl_field_t field : fields_) {
    const std::byte* more = input().data(field);
    std::vector<std::byte>& all = merged_.at(field);
    all.insert(all.end(), more, more + input().count() * info_of(field).size);
  }
  count_ += input().count();
}

}  // namespace rgl
