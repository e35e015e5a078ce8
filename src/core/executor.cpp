// SPDX-License-Identifier: MIT
#include <algorithm>
#include <thread>

#include <fathom/core/compute.hpp>

#ifdef FATHOM_TBB
#include <optional>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#else
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>
#endif

namespace fathom {

namespace {

void for_each_range(std::size_t count, std::size_t grain, const RangeFunction& f) {
  for (std::size_t begin = 0; begin < count; begin += grain) f(begin, std::min(count, begin + grain));
}

#ifdef FATHOM_TBB

class ParallelExecutor final : public Executor {
 public:
  explicit ParallelExecutor(int threads) : threads_(threads) {
    // TBB makes one worker per core by default. The control only asks for more: it would limit the whole process.
    if (threads > tbb::info::default_concurrency()) {
      more_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    }
    arena_.initialize(threads);
  }

  void parallel_for(std::size_t count, std::size_t grain, RangeFunction f) override {
    if (threads_ == 1 || count <= grain) return for_each_range(count, grain, f);
    // An arena bounds only this loop.
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, grain),
          [&](const tbb::blocked_range<std::size_t>& r) { f(r.begin(), r.end()); }, tbb::simple_partitioner());
    });
  }
  [[nodiscard]] int threads() const override { return threads_; }

 private:
  std::optional<tbb::global_control> more_;
  tbb::task_arena arena_;
  int threads_;
};

#else

/// A fixed crew of threads that waits for loops. ThreadSanitizer understands it, unlike TBB.
class ParallelExecutor final : public Executor {
 public:
  explicit ParallelExecutor(int threads) {
    try {
      for (int i = 1; i < threads; ++i) crew_.emplace_back([this] { work(); });
    } catch (...) {  // no memory or no thread left
      dismiss();
      throw;
    }
  }

  ~ParallelExecutor() override { dismiss(); }

  void parallel_for(std::size_t count, std::size_t grain, RangeFunction f) override {
    // A loop inside a loop, or a second caller, finds the crew busy and works alone.
    if (crew_.empty() || count <= grain || in_loop_.exchange(true)) return for_each_range(count, grain, f);
    {
      const std::lock_guard lock(mutex_);
      f_ = &f, count_ = count, grain_ = grain, next_ = 0, busy_ = crew_.size(), error_ = nullptr;
      ++loop_;
    }
    wake_.notify_all();
    take_ranges(f, count, grain);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    const std::exception_ptr error = std::exchange(error_, nullptr);
    in_loop_ = false;
    if (error) std::rethrow_exception(error);
  }

  [[nodiscard]] int threads() const override { return static_cast<int>(crew_.size()) + 1; }

 private:
  void dismiss() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& member : crew_) member.join();
  }

  void take_ranges(const RangeFunction& f, std::size_t count, std::size_t grain) {
    try {
      for (;;) {
        const std::size_t begin = next_.fetch_add(grain);
        if (begin >= count) return;
        f(begin, std::min(count, begin + grain));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void work() {
    for (std::size_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || loop_ != seen; });
      if (stop_) return;
      seen = loop_;
      const RangeFunction* f = f_;
      const std::size_t count = count_, grain = grain_;
      lock.unlock();
      take_ranges(*f, count, grain);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> crew_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<bool> in_loop_ = false;
  std::atomic<std::size_t> next_ = 0;
  const RangeFunction* f_ = nullptr;
  std::size_t count_ = 0, grain_ = 1, busy_ = 0, loop_ = 0;
  std::exception_ptr error_;
  bool stop_ = false;
};

#endif

}  // namespace

Executor::~Executor() = default;

std::unique_ptr<Executor> make_executor(int threads) {
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::make_unique<ParallelExecutor>(threads);
}

}  // namespace fathom
