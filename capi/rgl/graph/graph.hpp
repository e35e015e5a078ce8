// SPDX-License-Identifier: MIT
#pragma once
// Components of linked nodes: who belongs together, in which order they run, who may be linked to whom.

#include <vector>

#include "graph/node.hpp"

namespace rgl {

/// Every node that is linked to this one, over any way, itself included.
std::vector<Node*> component_of(Node& node);

/// Every node after its parents, those of higher priority first. Throws INVALID_PIPELINE when a cycle is in the way.
std::vector<Node*> execution_order(const std::vector<Node*>& component);

/// Throw INVALID_PIPELINE when the link is there already, or is not there. Both leave every node of the components
/// dirty. Whatever they throw, nothing has changed.
void link(Node& parent, Node& child);
void unlink(Node& parent, Node& child);

/// Throws INVALID_PIPELINE for less than a child's; parents are raised with it.
void set_priority(Node& node, std::int32_t priority);

/// Nothing of the component's last run may be read any more.
void forget_run(const std::vector<Node*>& component);

}  // namespace rgl
