// SPDX-License-Identifier: MIT
#include "graph/graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "fields.hpp"
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

namespace {

bool contains(const std::vector<Node*>& list, const Node* node) {
  return std::find(list.begin(), list.end(), node) != list.end();
}

void sort_by_priority(std::vector<Node*>& nodes) {
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->priority > b->priority; });
}

/// `node` and its ancestors of lower priority: a parent's priority is at least that of each child.
std::vector<Node*> to_raise(Node& node, std::int32_t priority) {
  std::vector<Node*> found = {&node};
  std::unordered_set<const Node*> seen = {&node};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (Node* parent : found[i]->parents) {
      if (parent->priority < priority && seen.insert(parent).second) found.push_back(parent);
    }
  }
  return found;
}

void raise(const std::vector<Node*>& nodes, std::int32_t priority) noexcept {
  for (Node* node : nodes) node->priority = std::max(node->priority, priority);
  for (const Node* node : nodes) {
    for (Node* parent : node->parents) sort_by_priority(parent->children);
  }
}

/// Walks depth first without recursion, because a graph may be a chain of any length.
class Walk {
 public:
  /// Nodes in the order in which the walk leaves them: each after all nodes below it.
  const std::vector<Node*>& left() const { return left_; }

  void from(Node* start) {
    if (enter(start)) {
      while (!stack_.empty()) step();
    }
  }

 private:
  struct Visit {
    Node* node;
    std::size_t todo;  // children left to visit, from the end of the list
  };

  bool enter(Node* node) {
    if (!state_.emplace(node, true).second) {
      if (state_.at(node)) fail(RGL_INVALID_PIPELINE, fmt::format("the graph has a cycle through {}", node->name()));
      return false;
    }
    stack_.push_back({node, node->children.size()});
    return true;
  }

  void step() {
    Visit& visit = stack_.back();
    if (visit.todo > 0) {
      enter(visit.node->children[--visit.todo]);  // the lowest priority first, because the order is reversed later
      return;
    }
    state_[visit.node] = false;
    left_.push_back(visit.node);
    stack_.pop_back();
  }

  std::unordered_map<Node*, bool> state_;  // true: being visited
  std::vector<Visit> stack_;
  std::vector<Node*> left_;
};

}  // namespace

std::vector<Node*> component_of(Node& node) {
  std::vector<Node*> found = {&node};
  std::unordered_set<const Node*> seen = {&node};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Node& here = *found[i];
    for (const auto* list : {&here.parents, &here.children}) {
      for (Node* next : *list) {
        if (seen.insert(next).second) found.push_back(next);
      }
    }
  }
  return found;
}

std::vector<Node*> execution_order(const std::vector<Node*>& component) {
  std::vector<Node*> entries;
  for (Node* node : component) {
    if (node->parents.empty()) entries.push_back(node);
  }
  sort_by_priority(entries);
  Walk walk;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) walk.from(*entry);
  if (walk.left().size() != component.size()) fail(RGL_INVALID_PIPELINE, "the graph has a cycle");
  return {walk.left().rbegin(), walk.left().rend()};
}

void forget_run(const std::vector<Node*>& component) {
  for (Node* node : component) {
    node->dirty = true;
    node->run_of.reset();
  }
}

void link(Node& parent, Node& child) {
  if (contains(parent.children, &child)) {
    fail(RGL_INVALID_PIPELINE, fmt::format("{} is already a child of {}", child.name(), parent.name()));
  }
  const std::vector<Node*> component = component_of(parent), others = component_of(child),
                           raised = to_raise(parent, child.priority);
  make_room(parent.children), make_room(child.parents);
  // Nothing throws from here on.
  parent.children.push_back(&child);
  child.parents.push_back(&parent);
  sort_by_priority(parent.children);
  raise(raised, child.priority);
  forget_run(component);
  forget_run(others);
}

void unlink(Node& parent, Node& child) {
  if (!contains(parent.children, &child)) {
    fail(RGL_INVALID_PIPELINE, fmt::format("{} is not a child of {}", child.name(), parent.name()));
  }
  const std::vector<Node*> component = component_of(parent);
  std::erase(parent.children, &child);
  std::erase(child.parents, &parent);
  forget_run(component);
}

void set_priority(Node& node, std::int32_t priority) {
  for (const Node* child : node.children) {
    if (child->priority > priority) {
      fail(RGL_INVALID_PIPELINE, fmt::format("cannot set priority {}: a child has {}", priority, child->priority));
    }
  }
  const std::vector<Node*> raised = to_raise(node, priority);
  node.priority = priority;
  raise(raised, priority);
}

}  // namespace rgl
