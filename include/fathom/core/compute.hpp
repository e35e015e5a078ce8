// SPDX-License-Identifier: MIT
#pragma once
// Means of computing: threads, instruction set, device. Functions that use threads take a Compute, the others
// an Isa. Threads, instruction sets and devices change the duration, and no bit of a result.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <fathom/core/export.hpp>

namespace fathom {

/// Instruction sets that kernels are compiled for; kBase: SSE2 on x86-64, NEON on aarch64. All give the same bits.
enum class Isa : std::uint8_t { kBase, kAvx2, kAvx512 };
#if defined(__aarch64__)
inline constexpr std::array<std::string_view, 1> kIsaWords = {"neon"};
#else
inline constexpr std::array<std::string_view, 3> kIsaWords = {"sse2", "avx2", "avx512"};
#endif

FATHOM_API std::string_view to_string(Isa isa);
/// The widest instruction set of this computer.
FATHOM_API Isa detect_isa();

/// Rays are processed in blocks of at most this many: all arrays of a block then stay in a 48 kB first-level cache.
/// Blocks of 512 and 1024 rays were measured 2 and 4 % slower on a frame (bench/bench_cast.cpp).
inline constexpr std::uint32_t kBlockRays = 256;

/// The hardware that renders frames (docs/gpu.md).
enum class DeviceKind : std::uint8_t {
  kCpu,   ///< the processor
  kCuda,  ///< an NVIDIA GPU
  kAuto   ///< the first GPU if this build has code for it and a driver finds one, else the processor
};

/// The processor, or a GPU by the number that its driver gives it.
struct Device {
  static constexpr int kMostNumber = 1023;

  DeviceKind kind = DeviceKind::kCpu;
  int number = 0;  ///< in [0, kMostNumber]; for kCuda only

  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda" (the same as "cuda:0"), "cuda:1", "auto". Throws InputError for any other word.
FATHOM_API Device device_named(std::string_view word);
FATHOM_API std::string to_string(const Device& device);

struct Compute {
  static constexpr int kMostThreads = 1024;

  int threads = 0;                 ///< that work at once, including the caller; 0: one per core; at most kMostThreads
  Isa isa = detect_isa();          ///< lower it for tests and comparisons
  Device device = {};              ///< of Simulator and Environments; everything else computes on the processor
  std::uintptr_t cuda_stream = 0;  ///< the caller's CUstream for work of a GPU; 0: each renderer makes one
};

/// Throws InputError for a number outside its limits, and for an instruction set that this computer lacks. A missing
/// GPU is reported when a renderer is made.
FATHOM_API void validate(const Compute& compute);

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

/// Runs loops in parallel. Code that needs an executor gets it as an argument: there is no global thread pool.
class FATHOM_API Executor {
 public:
  virtual ~Executor();
  /// Calls f over disjoint ranges that cover [0, count), each of at most `grain` indices; returns when all are done.
  /// The first exception of a call is rethrown here.
  virtual void parallel_for(std::size_t count, std::size_t grain, RangeFunction f) = 0;
  [[nodiscard]] virtual int threads() const = 0;
};

/// At most `threads` threads work at once, including the caller; 0: one per core. Uses TBB, or std::thread in a build
/// with FATHOM_TBB=OFF.
FATHOM_API std::unique_ptr<Executor> make_executor(int threads);

}  // namespace fathom
