// SPDX-License-Identifier: MIT
#pragma once
// The parts of the module _fathom. Each file binds one subject; fathom/*.py builds the users' interface on top.
// Long calls release the GIL, stop at Ctrl-C, and refuse to share an object between two threads.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>

// A variant is one type here, and not to be read as one of its alternatives.
PYBIND11_MAKE_OPAQUE(fathom::SensorModel)

/// Python sees a message as its text.
template <>
struct pybind11::detail::type_caster<fathom::Message> {
  PYBIND11_TYPE_CASTER(fathom::Message, const_name("str"));
  static handle cast(const fathom::Message& message, return_value_policy policy, handle parent) {
    return make_caster<std::string>::cast(message.text(), policy, parent);
  }
};

namespace fathom::python {

namespace py = pybind11;

void bind_geometry(py::module_& m);
void bind_scene(py::module_& m);
void bind_shapes(py::module_& m);
void bind_robots(py::module_& m);
void bind_maps(py::module_& m);
void bind_tables(py::module_& m);
void bind_sensors(py::module_& m);
void bind_frame(py::module_& m);
void bind_frame_files(py::module_& m);
void bind_simulator(py::module_& m);
void bind_sensor_noise(py::module_& m);
void bind_environments(py::module_& m);
void bind_scene_files(py::module_& m);
void bind_beam(py::module_& m);
void bind_beam_logs(py::module_& m);
void bind_beam_fit(py::module_& m);
void bind_calibrate(py::module_& m);
void bind_chain_fits(py::module_& m);
void bind_walls(py::module_& m);
void bind_datasets(py::module_& m);
void bind_random(py::module_& m);

/// Marks an object that a call uses.
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

/// Calls f without the GIL. Throws the exception that a handler of signals raised during the call.
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

/// The same with a watch: f takes a function that throws Interrupted when a signal came.
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
