// SPDX-License-Identifier: MIT
#pragma once
// Long calls: they release the GIL, can be stopped by Ctrl-C, and refuse to share an object between two threads.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <fathom/base/error.hpp>

#include "binding.hpp"

namespace fathom::python {

/// Marks an object that a call is at work on.
class InUse {
 public:
  InUse() = default;
  InUse(const InUse&) {}  // a copy is another object, at rest
  InUse& operator=(const InUse&) { return *this; }

 private:
  friend class Use;
  std::atomic<bool> is_used_ = false;
};

class Use {
 public:
  /// Throws RuntimeError when the object is in use already.
  Use(InUse& object, const char* what) : object_(object) {
    if (object_.is_used_.exchange(true)) {
      throw std::runtime_error(std::string(what) + " is in use by another call; use it from one thread at a time");
    }
  }
  ~Use() { object_.is_used_.store(false); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  InUse& object_;
};

/// Asks Python now and then whether a signal came: for SimulatorOptions::should_stop, which any thread calls.
class SignalWatch {
 public:
  void begin() { caller_ = std::this_thread::get_id(), next_ = Clock::now() + kPeriod, stopped_ = false; }

  bool should_stop() {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    // Only Python's main thread sees signals, so only the thread that called may be it.
    if (std::this_thread::get_id() != caller_) return false;
    const Clock::time_point now = Clock::now();
    if (now < next_) return false;
    next_ = now + kPeriod;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool came = PyErr_CheckSignals() != 0;  // and leaves what the handler raised set
    PyGILState_Release(state);
    if (came) stopped_ = true;
    return came;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPeriod{20};
  std::thread::id caller_;
  Clock::time_point next_;
  std::atomic<bool> stopped_ = false;
};

/// Calls f without the GIL. What a handler of signals raised during the call is raised here.
template <class F>
void released(F&& f) {
  try {
    const py::gil_scoped_release release;
    f();
  } catch (const Interrupted&) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    throw;
  }
}

/// The same with a watch of its own: f takes a function that throws Interrupted when a signal came.
template <class F>
void released_watched(F&& f) {
  SignalWatch watch;
  watch.begin();
  released([&] {
    f([&watch] {
      if (watch.should_stop()) throw Interrupted("stopped by a signal");
    });
  });
}

}  // namespace fathom::python
