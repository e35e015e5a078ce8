// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <sys/types.h>
#include <vector>

#include "graph/graph.hpp"

namespace rgl {

/// A run of a graph. It keeps its nodes alive.
class Run {
 public:
  /// `order`: nodes after their parents.
  Run(std::vector<std::shared_ptr<Node>> order, const RunContext& context);

  /// Runs the nodes. A thread of Runners calls it once.
  void work();
  /// Whether node `place` is done, or the run has failed.
  [[nodiscard]] bool is_done(std::size_t place) const;
  /// Whether node `place` is done without an error.
  [[nodiscard]] bool has_done(std::size_t place) const;
  [[nodiscard]] bool is_finished() const;
  /// Waits for is_done(place), or for the end of the run.
  void wait(std::size_t place) const;
  void wait() const { wait(kNone); }
  /// Throws the run's error, once.
  void rethrow();
  [[nodiscard]] bool has_failed() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<std::shared_ptr<Node>> order_;
  RunContext context_;
  mutable std::mutex mutex_;
  mutable std::condition_variable progress_;
  std::size_t done_ = 0;
  mutable std::size_t awaited_ = kNone;  ///< the first node that a thread waits for: no thread wakes up earlier
  bool finished_ = false, failed_ = false;
  std::exception_ptr error_;
};

class Run;

/// The threads that run graphs. A run that finds no idle thread starts one, which then waits for further runs. So there
/// are as many threads as graphs have run at once. A new thread for each run would cost a small graph a tenth of its
/// time.
///
/// Threads do not survive a fork. A child process that starts a run gets its own threads.
class Runners {
 public:
  Runners();
  /// Waits for the runs in progress.
  ~Runners();
  Runners(const Runners&) = delete;
  Runners& operator=(const Runners&) = delete;

  /// Lets a thread work on a run. Throws std::system_error if all threads are busy and the system refuses another; then
  /// the run does not start.
  void start(std::shared_ptr<Run> run);
  /// Waits for the runs in progress, and ends the threads. Allocates no memory.
  void dismiss();

 private:
  class Crew;
  /// In a child process: forgets the parent's crew.
  void leave_to_parent() noexcept;

  std::unique_ptr<Crew> crew_;  ///< null until needed
  pid_t owner_;                 ///< the process of the crew's threads
};

}  // namespace rgl
