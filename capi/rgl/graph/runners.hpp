// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <sys/types.h>

namespace rgl {

class Run;

/// The threads in which graphs run. One is made when a run finds none idle, and waits for the next run afterwards:
/// there are as many as graphs have run at once. A thread made for every run costs a small graph a tenth of its time.
///
/// Threads do not follow a process into its fork. A child that starts a run gets threads of its own.
class Runners {
 public:
  Runners();
  /// Waits for the runs in progress.
  ~Runners();
  Runners(const Runners&) = delete;
  Runners& operator=(const Runners&) = delete;

  /// Has a thread do the work of a run. Throws std::system_error when all threads are busy and the system refuses
  /// another; the run is not started then.
  void start(std::shared_ptr<Run> run);
  /// Waits for the runs in progress, and ends the threads. Takes no memory.
  void dismiss();

 private:
  class Crew;
  /// In a child: forgets the parent's crew.
  void leave_to_parent() noexcept;

  std::unique_ptr<Crew> crew_;  ///< null: none is needed yet
  pid_t owner_;                 ///< the process that the crew's threads belong to
};

}  // namespace rgl
