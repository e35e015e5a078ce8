// SPDX-License-Identifier: MIT
#pragma once
// "*node is NULL: make one; else change it": what all functions that make nodes have in common.

#include "library.hpp"

namespace rgl {

/// What must run again after a change: the node alone, or everything it is linked to; kResults also discards the
/// results of the last run.
enum class Dirties : std::uint8_t { kNode, kGraph, kResults };

/// The node behind a handle. Throws INVALID_API_OBJECT when it is not alive or of another type.
template <class Kind>
std::shared_ptr<Kind> node_as(Library& lib, rgl_node_t handle, const char* kind) {
  auto node = std::dynamic_pointer_cast<Kind>(lib.nodes.get(handle));
  if (node == nullptr) {
    fail(RGL_INVALID_API_OBJECT,
         fmt::format("Object does not exist: {} {:#x}", kind, reinterpret_cast<std::uintptr_t>(handle)));
  }
  return node;
}

/// Applies `set` to a new node, whose handle is written to *node only if that went well, or to the node given. A `set`
/// that throws leaves the node as it was.
template <class Kind, class Set>
void make_or_change(Library& lib, rgl_node_t* node, Dirties dirties, Set set) {
  if (*node == nullptr) {
    const auto made = std::make_shared<Kind>();
    set(*made);
    *node = lib.add_node(made);
    return;
  }
  const auto changed = node_as<Kind>(lib, *node, "Node");
  lib.settle(*changed);
  const std::vector<Node*> component = dirties == Dirties::kNode ? std::vector<Node*>() : component_of(*changed);
  set(*changed);
  changed->dirty = true;
  if (dirties == Dirties::kResults) return forget_run(component);
  for (Node* other : component) other->dirty = true;
}

}  // namespace rgl
