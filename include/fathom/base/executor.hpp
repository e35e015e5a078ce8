// SPDX-License-Identifier: MIT
#pragma once
// Runs loops in parallel. An executor is passed to the code that needs one; fathom has no global thread pool.

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include <fathom/base/export.hpp>

namespace fathom {

/// A reference to a callable void(begin, end); does not own or allocate.
class RangeFunction {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, RangeFunction>)
      RangeFunction(F&& f)  // NOLINT(google-explicit-constructor): a view of a callable
      : object_(const_cast<void*>(static_cast<const void*>(&f))), call_([](void* object, std::size_t a, std::size_t b) {
          (*static_cast<std::remove_reference_t<F>*>(object))(a, b);
        }) {}

  void operator()(std::size_t begin, std::size_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t, std::size_t);
};

/// A reference to a callable void(); does not own or allocate.
class TaskFunction {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, TaskFunction>)
      TaskFunction(F&& f)  // NOLINT(google-explicit-constructor): a view of a callable
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* object) { (*static_cast<std::remove_reference_t<F>*>(object))(); }) {}

  void operator()() const { call_(object_); }

 private:
  void* object_;
  void (*call_)(void*);
};

class FATHOM_API Executor {
 public:
  virtual ~Executor();
  /// Calls f over disjoint ranges that cover [0, count), each of at most `grain` indices; returns when all are done.
  /// The first exception of a call is rethrown here.
  virtual void parallel_for(std::size_t count, std::size_t grain, RangeFunction f) = 0;
  /// Calls f once, so that libraries built on the same pool (Embree) obey the bound on threads inside it.
  virtual void bounded_call(TaskFunction f) = 0;
  [[nodiscard]] virtual int threads() const = 0;
};

/// At most `threads` threads work at once, the caller among them; 0: one per core. Built on TBB, whose pool Embree
/// shares, or on std::thread in a build with FATHOM_TBB=OFF.
FATHOM_API std::unique_ptr<Executor> make_executor(int threads);

}  // namespace fathom
