// SPDX-License-Identifier: MIT
#pragma once
// A fake driver of NVIDIA: a libcuda.so.1 whose GPU is this computer. It does the work when a caller waits for it.
// Until then the GPU's memory cannot be touched. It runs the kernels' source, compiled for this computer, and can fail
// on request.

#include <cstddef>
#include <cstdint>
#include <string>

#define FATHOM_FAKE __attribute__((visibility("default")))

namespace fathom::test::fake_cuda {

/// Restores the defaults: one GPU of compute capability 6.0 with unlimited memory, no failures, all counts 0.
FATHOM_FAKE void reset();

/// Lets the call of that name fail with an error of the driver; `number` counts from 0 from this moment. `for_good`:
/// all later calls fail, too, until the GPU's context is created again.
FATHOM_FAKE void fail(const std::string& call, int number, int error, bool for_good = false);

FATHOM_FAKE void set_gpus(int count);
FATHOM_FAKE void set_compute_capability(int major);
FATHOM_FAKE void set_driver_version(int version);
/// Of the GPU, in bytes.
FATHOM_FAKE void set_memory(std::size_t bytes);
/// The duration of each launch, for tests that measure it.
FATHOM_FAKE void set_launch_ms(int milliseconds);

/// Calls of the function of that name, or launches of the kernel, since reset().
[[nodiscard]] FATHOM_FAKE int calls(const std::string& name);
/// The bytes of copies to the GPU since reset().
[[nodiscard]] FATHOM_FAKE std::size_t bytes_sent();
/// The number of memory blocks, streams, events, modules and contexts that were not freed.
[[nodiscard]] FATHOM_FAKE std::size_t alive();
/// Errors that a real driver would have reported since reset(), a line each: a call without a context, a thread that
/// reads or writes memory outside the GPU's.
[[nodiscard]] FATHOM_FAKE std::string complaints();
/// Each byte of memory that is handed out has this value; 0xA5 by default.
FATHOM_FAKE void set_fill(unsigned char fill);
/// Fills all memory that a frame has to write before it reads: memory of the GPU except trees and rays, and pinned
/// memory. Call it only when no work is in progress.
FATHOM_FAKE void spoil();
/// The translator's message when a module does not load.
FATHOM_FAKE void set_translator_log(const std::string& log);
/// A stream and memory as another library of this process would create and free them. `gpu`: its owner.
FATHOM_FAKE std::uintptr_t make_stream();
FATHOM_FAKE void free_stream(std::uintptr_t stream);
FATHOM_FAKE void* make_memory(std::size_t bytes, int gpu = 0);
FATHOM_FAKE void free_memory(void* memory);
/// Copies memory after all work.
FATHOM_FAKE void read(const void* from, std::size_t bytes, void* to);

}  // namespace fathom::test::fake_cuda
