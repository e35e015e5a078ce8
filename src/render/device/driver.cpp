// SPDX-License-Identifier: MIT
#include "render/device/driver.hpp"

#include <array>
#include <dlfcn.h>

#include <fmt/format.h>

namespace fathom::device {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr int kInvalidValue = 1, kOutOfMemory = 2;        // CUDA_ERROR_INVALID_VALUE, _OUT_OF_MEMORY
constexpr int kNoDevice = 100;                            // CUDA_ERROR_NO_DEVICE
constexpr int kMajor = 75;                                // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kLeastMajor = 6;                            // of sm_60, for which the code is made
constexpr int kLeastVersion = 11000, kThousandth = 1000;  // CUDA 11 is the first with cuDevicePrimaryCtxRelease_v2
constexpr int kPointerDevice = 9;                         // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL

template <class F>
void find_call(void* library, const char* name, F& call) {
  call = reinterpret_cast<F>(dlsym(library, name));
  if (call == nullptr)
    throw InputError(fmt::format("device cuda: {} has no {}: the driver is older than CUDA {}", kLibrary, name,
                                 kLeastVersion / kThousandth));
}

CudaCalls find_calls(void* library) {
  CudaCalls c = {};
#define FATHOM_FIND(name) find_call(library, #name, c.name)
  FATHOM_FIND(cuInit), FATHOM_FIND(cuDriverGetVersion), FATHOM_FIND(cuDeviceGetCount), FATHOM_FIND(cuDeviceGet);
  FATHOM_FIND(cuDeviceGetName), FATHOM_FIND(cuDeviceGetAttribute);
  FATHOM_FIND(cuDevicePrimaryCtxRetain), FATHOM_FIND(cuDevicePrimaryCtxRelease_v2);
  FATHOM_FIND(cuCtxPushCurrent_v2), FATHOM_FIND(cuCtxPopCurrent_v2);
  FATHOM_FIND(cuModuleLoadDataEx), FATHOM_FIND(cuModuleUnload), FATHOM_FIND(cuModuleGetFunction);
  FATHOM_FIND(cuMemAlloc_v2), FATHOM_FIND(cuMemFree_v2), FATHOM_FIND(cuMemHostAlloc), FATHOM_FIND(cuMemFreeHost);
  FATHOM_FIND(cuPointerGetAttribute);
  FATHOM_FIND(cuMemcpyHtoDAsync_v2), FATHOM_FIND(cuMemcpyDtoHAsync_v2), FATHOM_FIND(cuMemsetD32Async);
  FATHOM_FIND(cuStreamCreate), FATHOM_FIND(cuStreamDestroy_v2), FATHOM_FIND(cuStreamSynchronize);
  FATHOM_FIND(cuEventCreate), FATHOM_FIND(cuEventDestroy_v2), FATHOM_FIND(cuEventRecord);
  FATHOM_FIND(cuEventSynchronize), FATHOM_FIND(cuLaunchKernel), FATHOM_FIND(cuGetErrorString);
  FATHOM_FIND(cuGetErrorName);
#undef FATHOM_FIND
  return c;
}

}  // namespace

void Gpu::CloseLibrary::operator()(void* library) const { dlclose(library); }

Gpu::Gpu(int number) : name_(fmt::format("GPU {}", number)) {
  open_driver();
  open(number);
}

Gpu::Gpu(Holding memory) : name_("NVIDIA's driver") {
  open_driver();
  const int number = holder_of(memory.address);
  if (number < 0) throw InputError(fmt::format("the address {:#x} is in the memory of no GPU", memory.address));
  open(number);
}

void Gpu::open(int number) {
  find(number);
  check(calls_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

Gpu::~Gpu() {
  if (context_ != nullptr) calls_.cuDevicePrimaryCtxRelease_v2(device_);
}

void Gpu::open_driver() {
  library_.reset(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
  if (library_ == nullptr) {
    const char* reason = dlerror();
    throw InputError(
        fmt::format("device cuda: NVIDIA's driver is not there ({})", reason == nullptr ? kLibrary : reason));
  }
  calls_ = find_calls(library_.get());
  const int result = calls_.cuInit(0);
  if (result == kNoDevice) throw InputError("device cuda: NVIDIA's driver finds no GPU");
  check(result, "cuInit");
  int version = 0;
  check(calls_.cuDriverGetVersion(&version), "cuDriverGetVersion");
  if (version < kLeastVersion) {
    throw InputError(fmt::format("device cuda: the driver is for CUDA {}, and fathom needs {} or later",
                                 version / kThousandth, kLeastVersion / kThousandth));
  }
}

void Gpu::find(int number) {
  int count = 0;
  check(calls_.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (number < 0 || number >= count) {
    throw InputError(fmt::format(
        "device cuda:{} is not there: the number is not in [0, {}), the GPUs of NVIDIA's driver", number, count));
  }
  check(calls_.cuDeviceGet(&device_, number), "cuDeviceGet");
  std::array<char, 256> text = {};
  check(calls_.cuDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, device_), "cuDeviceGetName");
  name_ = fmt::format("GPU {} ({})", number, text.data());
  int major = 0;
  check(calls_.cuDeviceGetAttribute(&major, kMajor, device_), "cuDeviceGetAttribute");
  if (major < kLeastMajor) {
    throw InputError(fmt::format("device cuda:{}: {} has compute capability {}, and fathom needs {} or later", number,
                                 name_, major, kLeastMajor));
  }
}

void Gpu::check(int result, std::string_view what) const {
  if (result == 0) return;
  const char *text = nullptr, *word = nullptr;
  calls_.cuGetErrorString(result, &text);
  calls_.cuGetErrorName(result, &word);
  const std::string line = fmt::format("{}: {}: {} ({})", name_, what, text == nullptr ? "unknown error" : text,
                                       word == nullptr ? fmt::format("error {}", result) : word);
  if (result == kOutOfMemory) throw OutOfGpuMemory(line);
  throw SystemError(line);
}

void Gpu::check_address(CudaAddress address, std::string_view what) const {
  const int holder = holder_of(address);
  if (holder == device_) return;
  throw InputError(fmt::format("{}: the address {:#x} is in the memory of {}, and {} renders", what, address,
                               holder < 0 ? "no GPU" : fmt::format("GPU {}", holder), name_));
}

int Gpu::holder_of(CudaAddress address) const {
  int number = -1;
  const int result = calls_.cuPointerGetAttribute(&number, kPointerDevice, address);
  if (result == kInvalidValue) return -1;
  check(result, "cuPointerGetAttribute");
  return number;
}

}  // namespace fathom::device
