#include "graph/run.hpp"

#include <span>
#include <utility>

#include "graph/stage.hpp"

namespace rgl {

Run::Run(std::vector<std::shared_ptr<Node>> order, const RunContext& context)
    : order_(std::move(order)), context_(context) {}

Run::~Run() {
  if (thread_.joinable()) thread_.join();
}

void Run::start() {
  thread_ = std::thread([this] { work(); });
}

void Run::work() {
  for (std::size_t next = 0; next < order_.size();) {
    const StageResult stage = run_stage(std::span(order_).subspan(next), context_);
    next += stage.done;
    const std::lock_guard lock(mutex_);
    done_ = next;
    progress_.notify_all();
    if (stage.error == nullptr) continue;
    error_ = stage.error;
    failed_ = true;
    break;
  }
  const std::lock_guard lock(mutex_);
  finished_ = true;
  progress_.notify_all();
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
