#include "graph/run.hpp"

#include <utility>

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
  try {
    for (const std::shared_ptr<Node>& node : order_) {
      node->run(context_);
      const std::lock_guard lock(mutex_);
      ++done_;
      progress_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    failed_ = true;
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
