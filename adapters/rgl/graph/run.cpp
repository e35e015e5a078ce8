// SPDX-License-Identifier: MIT
#include "graph/run.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace rgl {

namespace {

// A stage is a part of a run: nodes that work point by point share one pass over the points.

/// The number of finished nodes, from the stage's first, and the error of the node after them.
struct StageResult {
  std::size_t done = 0;
  std::exception_ptr error;
};

/// The node if it works point by point, else null.
PointsNode* in_strips(Node& node) {
  auto* points = dynamic_cast<PointsNode*>(&node);
  return points != nullptr && points->runs_in_strips() ? points : nullptr;
}

/// Whether a node can join the stage.
bool joins(const PointsNode& node, const std::vector<PointsNode*>& stage) {
  if (node.input_kind() != Input::kPoints || node.input().selects()) return false;
  return std::find(stage.begin(), stage.end(), &node.input()) != stage.end();
}

/// Prepares the nodes of a stage. If a node throws, the stage ends before it.
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

/// Runs the first node of `order`, together with the nodes after it that join its stage.
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

}  // namespace

Run::Run(std::vector<std::shared_ptr<Node>> order, const RunContext& context)
    : order_(std::move(order)), context_(context) {}

void Run::work() {
  std::size_t next = 0;
  for (bool finished = false; !finished;) {
    StageResult stage = run_stage(std::span(order_).subspan(next), context_);
    next += stage.done;
    finished = stage.error != nullptr || next == order_.size();
    std::unique_lock lock(mutex_);
    // The run ends with its last node: a thread that has its result finds the run finished. The error is moved, not
    // shared, so that the thread that rethrows it also destroys it.
    done_ = next, failed_ = stage.error != nullptr, finished_ = finished, error_ = std::move(stage.error);
    if (!finished && done_ <= awaited_) continue;
    awaited_ = kNone;
    lock.unlock();  // else woken threads would wait for it again
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
    // A member whose run is finished will take the next one, even if it is not waiting yet.
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
  std::vector<std::weak_ptr<Run>> unfinished_;  ///< each has a member that works on it, or will
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
  static_cast<void>(crew_.release());  // its threads do not exist here, and one may have held its lock
  owner_ = getpid();
}

}  // namespace rgl
