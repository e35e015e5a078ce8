// SPDX-License-Identifier: MIT
#include "nodes/merge.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "buffer.hpp"
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
  std::vector<rgl_field_t> real = real_fields(fields);
  std::map<rgl_field_t, std::vector<std::byte>> merged;
  for (const rgl_field_t field : real) merged[field];
  fields_ = std::move(real), merged_ = std::move(merged);
  count_ = 0;
}

void TemporalMergeNode::run(const RunContext&) {
  // Room for all fields comes first: a field without it must not leave the others longer.
  for (const rgl_field_t field : fields_) make_room(merged_.at(field), input().count() * info_of(field).size);
  for (const rgl_field_t field : fields_) {
    const std::byte* more = input().data(field);
    std::vector<std::byte>& all = merged_.at(field);
    all.insert(all.end(), more, more + input().count() * info_of(field).size);
  }
  count_ += input().count();
}

void WritePcdNode::close() {
  if (count() == 0) return;
  const FieldInfo& xyz = info_of(RGL_FIELD_XYZ_VEC3_F32);
  save_pcd(file_, std::array{fathom::CloudProperty{xyz.parts, xyz.type, xyz.size, data(xyz.field)}}, count());
}

void save_pcd(const std::filesystem::path& file, std::span<const fathom::CloudProperty> properties,
              std::size_t points) {
  try {
    fathom::write_pcd(file, properties, points);
  } catch (const fathom::SystemError& error) {
    fail(RGL_INVALID_FILE_PATH, std::string("Invalid file path: ") + error.what());
  }
}

}  // namespace rgl
