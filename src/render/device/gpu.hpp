// SPDX-License-Identifier: MIT
#pragma once
// NVIDIA's driver and the objects of a GPU. The driver is opened when a GPU is needed. Its functions are declared here
// with the names and arguments of cuda.h, so that neither building nor running needs its toolkit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fathom/core/error.hpp>

namespace fathom::device {

using CudaDevice = int;
using CudaAddress = std::uint64_t;
using CudaContext = struct CudaContextTag*;
using CudaStream = struct CudaStreamTag*;
using CudaEvent = struct CudaEventTag*;
using CudaModule = struct CudaModuleTag*;
using CudaFunction = struct CudaFunctionTag*;

/// The functions of the driver that fathom calls; each returns 0 or the number of an error.
struct CudaCalls {
  int (*cuInit)(unsigned flags);
  int (*cuDriverGetVersion)(int* version);
  int (*cuDeviceGetCount)(int* count);
  int (*cuDeviceGet)(CudaDevice* device, int number);
  int (*cuDeviceGetName)(char* name, int size, CudaDevice device);
  int (*cuDeviceGetAttribute)(int* value, int attribute, CudaDevice device);
  int (*cuDevicePrimaryCtxRetain)(CudaContext* context, CudaDevice device);
  int (*cuDevicePrimaryCtxRelease_v2)(CudaDevice device);
  int (*cuCtxPushCurrent_v2)(CudaContext context);
  int (*cuCtxPopCurrent_v2)(CudaContext* context);
  int (*cuModuleLoadDataEx)(CudaModule* module, const void* image, unsigned options, int* names, void** values);
  int (*cuModuleUnload)(CudaModule module);
  int (*cuModuleGetFunction)(CudaFunction* function, CudaModule module, const char* name);
  int (*cuMemAlloc_v2)(CudaAddress* address, std::size_t bytes);
  int (*cuMemFree_v2)(CudaAddress address);
  int (*cuMemHostAlloc)(void** memory, std::size_t bytes, unsigned flags);
  int (*cuMemFreeHost)(void* memory);
  int (*cuPointerGetAttribute)(void* value, int attribute, CudaAddress address);
  int (*cuMemcpyHtoDAsync_v2)(CudaAddress to, const void* from, std::size_t bytes, CudaStream stream);
  int (*cuMemcpyDtoHAsync_v2)(void* to, CudaAddress from, std::size_t bytes, CudaStream stream);
  int (*cuMemsetD32Async)(CudaAddress to, unsigned value, std::size_t count, CudaStream stream);
  int (*cuStreamCreate)(CudaStream* stream, unsigned flags);
  int (*cuStreamDestroy_v2)(CudaStream stream);
  int (*cuStreamSynchronize)(CudaStream stream);
  int (*cuEventCreate)(CudaEvent* event, unsigned flags);
  int (*cuEventDestroy_v2)(CudaEvent event);
  int (*cuEventRecord)(CudaEvent event, CudaStream stream);
  int (*cuEventSynchronize)(CudaEvent event);
  int (*cuLaunchKernel)(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaStream stream, void** arguments,
                        void** extra);
  int (*cuGetErrorString)(int error, const char** text);
  int (*cuGetErrorName)(int error, const char** name);
};

/// The memory of a GPU does not suffice.
class OutOfGpuMemory : public SystemError {
 public:
  using SystemError::SystemError;
};

/// A GPU with the driver's context of this process, which all users of that GPU share.
class Gpu {
 public:
  /// Throws InputError if the driver or the GPU is missing, or cannot run the code of this build; SystemError if the
  /// driver fails.
  explicit Gpu(int number);
  struct Holding {
    CudaAddress address;
  };
  /// The GPU that holds this memory. Throws as the other constructor, and InputError when no GPU holds it.
  explicit Gpu(Holding memory);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const CudaCalls& calls() const { return calls_; }
  [[nodiscard]] CudaContext context() const { return context_; }
  /// "GPU 0 (NVIDIA H200)".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Throws OutOfGpuMemory or SystemError, "GPU 0 (...): <what>: <reason>", when `result` is an error.
  void check(int result, std::string_view what) const;
  /// Throws InputError unless the address is in the memory of this GPU. A kernel that follows another address ends the
  /// context, which the caller's framework shares.
  void check_address(CudaAddress address, std::string_view what) const;

 private:
  void open_driver();
  void open(int number);
  void find(int number);
  /// The number of the GPU that holds this memory, or -1.
  [[nodiscard]] int holder_of(CudaAddress address) const;

  struct CloseLibrary {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, CloseLibrary> library_;
  CudaCalls calls_ = {};
  CudaDevice device_ = 0;
  CudaContext context_ = nullptr;
  std::string name_;
};

/// While it lives, calls of this thread are for that GPU.
class CurrentGpu {
 public:
  /// Throws nothing: if the driver fails, its next call fails too.
  explicit CurrentGpu(const Gpu& gpu) : gpu_(gpu), pushed_(gpu.calls().cuCtxPushCurrent_v2(gpu.context()) == 0) {}
  ~CurrentGpu() {
    CudaContext old = nullptr;
    if (pushed_) gpu_.calls().cuCtxPopCurrent_v2(&old);
  }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  const Gpu& gpu_;
  bool pushed_;
};

// The objects below are freed when they are destroyed. Their GPU must be current, and outlive them.

/// A queue of work, new or the caller's.
class Stream {
 public:
  Stream(const Gpu& gpu, std::uintptr_t of_caller);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] CudaStream handle() const { return stream_; }
  /// Copies; `from` may change when wait() has returned.
  void upload(CudaAddress to, const void* from, std::size_t bytes) const;
  void download(void* to, CudaAddress from, std::size_t bytes) const;
  /// Threads in groups of kGroup, `threads` and more of them for each of `jobs` jobs.
  void launch(CudaFunction function, std::uint32_t threads, std::uint32_t jobs, std::span<void*> arguments) const;
  /// Returns when all work is done.
  void wait() const;

  static constexpr std::uint32_t kGroup = 128;

 private:
  const Gpu& gpu_;
  bool own_;
  CudaStream stream_ = nullptr;
};

/// Marks a place in a stream.
class Event {
 public:
  explicit Event(const Gpu& gpu);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(const Stream& stream) const;
  void wait() const;

 private:
  const Gpu& gpu_;
  CudaEvent event_ = nullptr;
};

/// Code translated by the driver.
class Module {
 public:
  Module(const Gpu& gpu, const char* ptx);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  [[nodiscard]] CudaFunction function(const char* name) const;

 private:
  const Gpu& gpu_;
  CudaModule module_ = nullptr;
};

/// The kernels of this build on a GPU, with its context.
class Code {
 public:
  /// Throws as Gpu does.
  explicit Code(int number);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] const Module& module() const { return *module_; }

 private:
  Gpu gpu_;
  std::optional<Module> module_;
};

/// All users of a GPU share its code, because a driver takes seconds to translate it.
std::shared_ptr<const Code> code_of(int number);

/// The place of an array in memory of the GPU begins at a multiple of 256 bytes.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// An address of the GPU's as a pointer for its threads.
template <class T>
T* pointer_to(CudaAddress address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): never followed here
}

/// Memory of the GPU.
class GpuMemory {
 public:
  explicit GpuMemory(const Gpu& gpu) : gpu_(&gpu) {}
  ~GpuMemory() { clear(); }
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  GpuMemory(GpuMemory&& other) noexcept
      : gpu_(other.gpu_), address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
  GpuMemory& operator=(GpuMemory&&) = delete;

  [[nodiscard]] CudaAddress address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Allocates at least this much; contents are lost if it grows. `what`: the purpose, for messages. Throws
  /// OutOfGpuMemory.
  void fit(std::size_t bytes, std::string_view what);
  void clear();

 private:
  const Gpu* gpu_;
  CudaAddress address_ = 0;
  std::size_t bytes_ = 0;
};

/// Memory of this computer from and to which a GPU copies by itself.
class PinnedMemory {
 public:
  explicit PinnedMemory(const Gpu& gpu) : gpu_(gpu) {}
  ~PinnedMemory() { clear(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// As GpuMemory::fit().
  void fit(std::size_t bytes);
  void clear();

 private:
  const Gpu& gpu_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The code of kernels.cu as PTX, which the driver of a GPU translates; empty in a build without a compiler for it.
const char* ptx();

}  // namespace fathom::device
