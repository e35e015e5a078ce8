#include "graph/run.hpp"

#include <span>
#include <utility>

#include "graph/stage.hpp"

namespace rgl {

Run::Run(std::vector<std::shared_ptr<Node>> order, const RunContext& context)
    : order_(std::move(order)), context_(context) {}

void Run::work() {
  std::size_t next = 0;
  for (bool finished = false; !finished;) {
    const StageResult stage = run_stage(std::span(order_).subspan(next), context_);
    next += stage.done;
    finished = stage.error != nullptr || next == order_.size();
    // The run ends with its last node: whoever has that one's result finds nothing going on any more.
    const std::lock_guard lock(mutex_);
    done_ = next, error_ = stage.error, failed_ = stage.error != nullptr, finished_ = finished;
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
  progress_.wait(lock, [&] { return finished_ || done_ > place; });
}

void Run::wait() const {
  std::unique_lock lock(mutex_);
  progress_.wait(lock, [&] { return finished_; });
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
