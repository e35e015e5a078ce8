// SPDX-License-Identifier: MIT
#pragma once
// The means of computing: how many threads, which instruction set, which caster, which device. Whatever shares its work
// out to threads takes this struct, so that a choice made once can be passed on; what runs in the thread of its caller
// alone takes an Isa, with the same limit. Threads, instructions and devices change no bit of a result: only how long
// it takes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/isa.hpp>

namespace fathom {

/// What finds the surfaces that rays meet.
enum class CasterKind : std::uint8_t {
  kTree,   ///< fathom's own: the same bits on every computer, and no ray slips through an edge (docs/tracer.md)
  kEmbree  ///< Intel's, for comparisons: ranges differ in their last bits; not in every build
};
inline constexpr std::array<std::string_view, 2> kCasterWords = {"tree", "embree"};

std::string_view to_string(CasterKind caster);

/// What renders frames (docs/gpu.md).
enum class DeviceKind : std::uint8_t {
  kCpu,   ///< the processor
  kCuda,  ///< a GPU of NVIDIA's
  kAuto   ///< the first GPU where this build has code for one and a driver shows one, else the processor
};

/// A device by its kind and, of GPUs, its number as the driver counts.
struct Device {
  static constexpr int kMostNumber = 1023;

  DeviceKind kind = DeviceKind::kCpu;
  int number = 0;  ///< in [0, kMostNumber]; kCuda alone has one

  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda" (the same as "cuda:0"), "cuda:1", "auto". Throws InputError for any other word.
FATHOM_API Device device_named(std::string_view word);
FATHOM_API std::string to_string(const Device& device);

struct Compute {
  static constexpr int kMostThreads = 1024;

  int threads = 0;         ///< at work at once, the caller among them; 0: one per core; at most kMostThreads
  Isa isa = detect_isa();  ///< lower it for tests and comparisons
  CasterKind caster = CasterKind::kTree;
  Device device = {};              ///< of Simulator and Environments; all else computes on the processor
  std::uintptr_t cuda_stream = 0;  ///< a CUstream of the caller's in which a GPU works; 0: each renderer has its own
};

/// Throws InputError for a number of threads that is not in [0, kMostThreads], an instruction set that this computer
/// lacks, a caster that this build lacks, a number of a device that is not in [0, Device::kMostNumber], and a GPU that
/// would have to cast with Embree. Whether a GPU is there shows when a renderer of frames is made.
FATHOM_API void validate(const Compute& compute);

}  // namespace fathom
