// SPDX-License-Identifier: MIT
#pragma once
// NVIDIA's driver, opened when a GPU is asked for. Its functions are declared here, so that neither building nor
// running needs its toolkit. Names and arguments are those of cuda.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fathom/base/error.hpp>

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

/// A GPU has not as much memory as was asked for.
class OutOfGpuMemory : public SystemError {
 public:
  using SystemError::SystemError;
};

/// A GPU with the driver's context of this process, which all who use that GPU share.
class Gpu {
 public:
  /// Throws InputError when the driver or the GPU is not there, or it cannot run the code of this build; SystemError
  /// when the driver fails.
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
  /// The number of the GPU whose memory it is; -1: of none.
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
  /// Throws nothing: where the driver fails, the next call of it does, too.
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

}  // namespace fathom::device
