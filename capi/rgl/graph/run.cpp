// SPDX-License-Identifier: MIT
#include "graph/run.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "graph/stage.hpp"

namespace rgl {

Run::Run(std::vector<std::shared_ptr<Node>> order, const RunContext& context)
    : order_(std::move(order)), context_(context) {}

void Run::work() {
  std::size_t next = 0;
  for (bool finished = false; !finished;) {
    StageResult stage = run_stage(std::span(order_).subspan(next), context_);
    next += stage.done;
    finished = stage.error != nullptr || next == order_.size();
    std::unique_lock lock(mutex_);
    // The run ends with its last node: whoever has that one's result finds nothing going on any more. The error is
    // handed over, not shared: whoever rethrows it is the one who ends its life.
    done_ = next, failed_ = stage.error != nullptr, finished_ = finished, error_ = std::move(stage.error);
    if (!finished && done_ <= awaited_) continue;
    awaited_ = kNone;
    lock.unlock();  // or those who wake up would wait for it again
    progress_.notify_all();
  }
}

bool Run::is_done(std::size_t place) const {
  const std::lock_guard lock(mutex_);
  return finished_ || done_ > place;
}

bool Run::has_done(std::size_t place) const {
  const std::lock_guard lock(mutex_);
  return done_ > place;
}

bool Run::is_finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

void Run::wait(std::size_t place) const {
  std::unique_lock lock(mutex_);
  while (!finished_ && done_ <= place) {
    awaited_ = std::min(awaited_, place);
    progress_.wait(lock);
  }
}

void Run::rethrow() {
  std::exception_ptr error;
  {
    const std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

bool Run::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

}  // namespace rgl
