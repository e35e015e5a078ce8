// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/node.hpp"

namespace rgl {

/// One run of a graph. It keeps its nodes alive.
class Run {
 public:
  /// `order`: every node after its parents.
  Run(std::vector<std::shared_ptr<Node>> order, const RunContext& context);

  /// Runs the nodes; to be called once, by a thread of Runners.
  void work();
  /// Whether node number `place` is done, or the run has failed.
  [[nodiscard]] bool is_done(std::size_t place) const;
  /// Whether it has run without an error.
  [[nodiscard]] bool has_done(std::size_t place) const;
  [[nodiscard]] bool is_finished() const;
  /// Until that is so.
  void wait(std::size_t place) const;
  void wait() const { wait(kNone); }
  /// Throws what went wrong, once.
  void rethrow();
  [[nodiscard]] bool has_failed() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<std::shared_ptr<Node>> order_;
  RunContext context_;
  mutable std::mutex mutex_;
  mutable std::condition_variable progress_;
  std::size_t done_ = 0;
  mutable std::size_t awaited_ = kNone;  ///< the first node that a thread waits for: none is woken before
  bool finished_ = false, failed_ = false;
  std::exception_ptr error_;
};

}  // namespace rgl
