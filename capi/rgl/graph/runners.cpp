// SPDX-License-Identifier: MIT
#include "graph/runners.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "graph/run.hpp"

namespace rgl {

class Runners::Crew {
 public:
  Crew() = default;
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& member : members_) member.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void start(std::shared_ptr<Run> run) {
    const std::lock_guard lock(mutex_);
    std::erase_if(unfinished_, [](const std::weak_ptr<Run>& known) {
      const std::shared_ptr<Run> other = known.lock();
      return other == nullptr || other->is_finished();
    });
    // A member whose run is finished takes the next one, if it is not ready for it yet.
    if (unfinished_.size() >= members_.size()) members_.emplace_back([this] { work(); });
    unfinished_.push_back(run);
    waiting_.push_back(std::move(run));
    wake_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::shared_ptr<Run> run = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      run->work();
      run.reset();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Run>> waiting_;
  std::vector<std::weak_ptr<Run>> unfinished_;  ///< each has a member that does it, or will
  bool stop_ = false;
  std::vector<std::thread> members_;
};

Runners::Runners() : owner_(getpid()) {}

Runners::~Runners() { leave_to_parent(); }

void Runners::start(std::shared_ptr<Run> run) {
  leave_to_parent();
  if (crew_ == nullptr) crew_ = std::make_unique<Crew>();
  crew_->start(std::move(run));
}

void Runners::dismiss() {
  leave_to_parent();
  crew_.reset();
}

void Runners::leave_to_parent() noexcept {
  if (owner_ == getpid()) return;
  static_cast<void>(crew_.release());  // its threads are not here to be joined, and one may have held its lock
  owner_ = getpid();
}

}  // namespace rgl
