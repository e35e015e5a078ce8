// SPDX-License-Identifier: MIT
#pragma once
// A driver of NVIDIA's that is none: a libcuda.so.1 whose GPU is this computer. Work is done when somebody waits for
// it, and between that the GPU's memory cannot be touched. It runs the kernels' source, compiled for this computer, and
// can be told to fail.

#include <cstddef>
#include <cstdint>
#include <string>

#define FATHOM_FAKE __attribute__((visibility("default")))

namespace fathom::test::fake_cuda {

/// One GPU of compute capability 6.0 with endless memory, nothing fails, nothing is counted.
FATHOM_FAKE void reset();

/// The call of that name, counted from now on from 0, fails with an error of the driver's. `for_good`: and so does each
/// later one, until the GPU's context is made anew.
FATHOM_FAKE void fail(const std::string& call, int number, int error, bool for_good = false);

FATHOM_FAKE void set_gpus(int count);
FATHOM_FAKE void set_compute_capability(int major);
FATHOM_FAKE void set_driver_version(int version);
/// Of the GPU, in bytes.
FATHOM_FAKE void set_memory(std::size_t bytes);
/// What every launch takes, for those who measure it.
FATHOM_FAKE void set_launch_ms(int milliseconds);

/// Calls of the function of that name, or launches of the kernel, since reset().
[[nodiscard]] FATHOM_FAKE int calls(const std::string& name);
/// Memory, streams, events, modules and contexts that were not given back.
[[nodiscard]] FATHOM_FAKE std::size_t alive();
/// What a driver would have taken amiss since reset(), a line each: a call without a context, a thread that reads or
/// writes what is not the GPU's.
[[nodiscard]] FATHOM_FAKE std::string complaints();
/// Each byte of memory that is handed out has this value; 0xA5 by default.
FATHOM_FAKE void set_fill(unsigned char fill);
/// Fills all that a frame has to write before it reads: memory of the GPU except trees and rays, and pinned memory.
/// No work may be under way.
FATHOM_FAKE void spoil();
/// What the translator says when a module does not load.
FATHOM_FAKE void set_translator_log(const std::string& log);
/// A stream and memory as another library of this process would make them, and give them back. `gpu`: whose it is.
FATHOM_FAKE std::uintptr_t make_stream();
FATHOM_FAKE void free_stream(std::uintptr_t stream);
FATHOM_FAKE void* make_memory(std::size_t bytes, int gpu = 0);
FATHOM_FAKE void free_memory(void* memory);
/// What stands there, copied after all work.
FATHOM_FAKE void read(const void* from, std::size_t bytes, void* to);

}  // namespace fathom::test::fake_cuda
