// SPDX-License-Identifier: MIT
#include "graph/node.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

template <class Kind>
std::vector<Kind*> parents_of_kind(const Node& node) {
  std::vector<Kind*> list;
  for (Node* parent : node.parents) {
    if (auto* p = dynamic_cast<Kind*>(parent)) list.push_back(p);
  }
  return list;
}

template <class Kind>
Kind& only_parent(const Node& node, const char* kind) {
  const std::vector<Kind*> list = parents_of_kind<Kind>(node);
  if (list.size() != 1) {
    fail(RGL_INVALID_PIPELINE,
         fmt::format("{} looked for one parent of the kind {}, and has {}", node.name(), kind, list.size()));
  }
  return *list.front();
}

}  // namespace

RaysNode& only_rays_parent(const Node& node) { return only_parent<RaysNode>(node, "IRaysNode"); }
std::vector<PointsNode*> points_parents(const Node& node) { return parents_of_kind<PointsNode>(node); }

void RaysNode::bind() {
  if (input_kind() == Input::kRays) input_ = &only_rays_parent(*this);
}
void PointsNode::bind() {
  if (input_kind() == Input::kPoints) input_ = &only_parent<PointsNode>(*this, "IPointsNode");
}

void require_field(const PointsNode& input, rgl_field_t field, std::string_view who) {
  if (is_padding(field) || input.has(field)) return;
  fail(RGL_INVALID_PIPELINE, fmt::format("{} requires {} to be present", who, info_of(field).name));
}

void PointsNode::copy(rgl_field_t field, std::byte* out) const {
  std::copy_n(data(field), count() * info_of(field).size, out);
}

void PointsNode::validate(const World&) {
  if (input_kind() != Input::kPoints) return;
  for (const rgl_field_t field : required()) require_field(input(), field, name());
}

}  // namespace rgl
