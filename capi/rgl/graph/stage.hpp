// SPDX-License-Identifier: MIT
#pragma once
// A stage is the part of a run that happens at once: nodes that work point by point share one pass over the points.

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "graph/node.hpp"

namespace rgl {

/// How a stage went: nodes that are done, counted from its first, and what went wrong in the one after them.
struct StageResult {
  std::size_t done = 0;
  std::exception_ptr error;
};

/// Runs the first node of `order`, and with it those after it that take their points from one of the stage.
StageResult run_stage(std::span<const std::shared_ptr<Node>> order, const RunContext& context);

}  // namespace rgl
