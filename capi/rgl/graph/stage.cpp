// SPDX-License-Identifier: MIT
#include "graph/stage.hpp"

#include <algorithm>

namespace rgl {

namespace {

/// The node, if it works point by point.
PointsNode* in_strips(Node& node) {
  auto* points = dynamic_cast<PointsNode*>(&node);
  return points != nullptr && points->runs_in_strips() ? points : nullptr;
}

/// Whether a node may go through its points together with those of the stage.
bool joins(const PointsNode& node, const std::vector<PointsNode*>& stage) {
  if (node.input_kind() != Input::kPoints || node.input().selects()) return false;
  return std::find(stage.begin(), stage.end(), &node.input()) != stage.end();
}

/// Makes the nodes ready. Where one refuses, those before it make the stage.
std::vector<PointsNode*> begin_stage(std::span<const std::shared_ptr<Node>> order, const RunContext& context,
                                     std::exception_ptr& error) {
  std::vector<PointsNode*> stage;
  for (const std::shared_ptr<Node>& next : order) {
    PointsNode* node = in_strips(*next);
    if (node == nullptr || (!stage.empty() && !joins(*node, stage))) break;
    try {
      node->begin(context);
    } catch (...) {
      error = std::current_exception();
      break;
    }
    stage.push_back(node);
  }
  return stage;
}

}  // namespace

StageResult run_stage(std::span<const std::shared_ptr<Node>> order, const RunContext& context) {
  StageResult result;
  try {
    if (in_strips(*order.front()) == nullptr) {
      order.front()->run(context);
      return {1, nullptr};
    }
    const std::vector<PointsNode*> stage = begin_stage(order, context, result.error);
    if (stage.empty()) return result;
    const PointsNode& head = *stage.front();
    context.executor.parallel_for(head.strips(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        for (PointsNode* node : stage) node->run_strip(s, head.strip(s));
      }
    });
    for (PointsNode* node : stage) node->finish(), ++result.done;
  } catch (...) {
    result.error = std::current_exception();
  }
  return result;
}

}  // namespace rgl
