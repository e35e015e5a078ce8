// SPDX-License-Identifier: MIT
#include "render/device/gpu.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/simulate/simulator.hpp>

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

constexpr unsigned kOrdered = 0;                  // CU_STREAM_DEFAULT: after what was queued without a stream
constexpr unsigned kWithoutTiming = 2;            // CU_EVENT_DISABLE_TIMING
constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // CU_JIT_ERROR_LOG_BUFFER, _SIZE_BYTES

/// "cuModuleLoadDataEx" and the log of the driver's translator, in one line.
std::string with_log(std::string_view log) {
  std::string line = "cuModuleLoadDataEx";
  const std::size_t end = log.find_last_not_of(" \n");
  if (end != std::string_view::npos) line += fmt::format(" ({})", log.substr(0, end + 1));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
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

Stream::Stream(const Gpu& gpu, std::uintptr_t of_caller) : gpu_(gpu), own_(of_caller == 0) {
  if (own_) {
    gpu.check(gpu.calls().cuStreamCreate(&stream_, kOrdered), "cuStreamCreate");
  } else {
    stream_ = reinterpret_cast<CudaStream>(of_caller);  // NOLINT(performance-no-int-to-ptr): a handle of the driver's
  }
}
Stream::~Stream() {
  if (own_) gpu_.calls().cuStreamDestroy_v2(stream_);
}
void Stream::upload(CudaAddress to, const void* from, std::size_t bytes) const {
  if (bytes > 0) gpu_.check(gpu_.calls().cuMemcpyHtoDAsync_v2(to, from, bytes, stream_), "cuMemcpyHtoDAsync");
}
void Stream::download(void* to, CudaAddress from, std::size_t bytes) const {
  if (bytes > 0) gpu_.check(gpu_.calls().cuMemcpyDtoHAsync_v2(to, from, bytes, stream_), "cuMemcpyDtoHAsync");
}
void Stream::launch(CudaFunction function, std::uint32_t threads, std::uint32_t jobs,
                    std::span<void*> arguments) const {
  const std::uint32_t groups = (threads + kGroup - 1) / kGroup;
  gpu_.check(
      gpu_.calls().cuLaunchKernel(function, groups, jobs, 1, kGroup, 1, 1, 0, stream_, arguments.data(), nullptr),
      "cuLaunchKernel");
}
void Stream::wait() const { gpu_.check(gpu_.calls().cuStreamSynchronize(stream_), "cuStreamSynchronize"); }

Event::Event(const Gpu& gpu) : gpu_(gpu) {
  gpu.check(gpu.calls().cuEventCreate(&event_, kWithoutTiming), "cuEventCreate");
}
Event::~Event() { gpu_.calls().cuEventDestroy_v2(event_); }
void Event::record(const Stream& stream) const {
  gpu_.check(gpu_.calls().cuEventRecord(event_, stream.handle()), "cuEventRecord");
}
void Event::wait() const { gpu_.check(gpu_.calls().cuEventSynchronize(event_), "cuEventSynchronize"); }

Module::Module(const Gpu& gpu, const char* ptx) : gpu_(gpu) {
  std::array<char, 2048> log = {};
  std::array<int, 2> names = {kErrorLog, kErrorLogBytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes a number in the place of a pointer
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const int result = gpu.calls().cuModuleLoadDataEx(&module_, ptx, names.size(), names.data(), values.data());
  gpu.check(result, with_log(log.data()));
}
Module::~Module() { gpu_.calls().cuModuleUnload(module_); }
CudaFunction Module::function(const char* name) const {
  CudaFunction function = nullptr;
  gpu_.check(gpu_.calls().cuModuleGetFunction(&function, module_, name), "cuModuleGetFunction");
  return function;
}

Code::Code(int number) : gpu_(number) {
  const CurrentGpu current(gpu_);
  module_.emplace(gpu_, ptx());
}
Code::~Code() {
  const CurrentGpu current(gpu_);
  module_.reset();
}

std::shared_ptr<const Code> code_of(int number) {
  static std::mutex lock;
  static std::map<int, std::weak_ptr<const Code>> all;
  const std::scoped_lock held(lock);
  std::weak_ptr<const Code>& known = all[number];
  std::shared_ptr<const Code> code = known.lock();
  if (code == nullptr) known = code = std::make_shared<const Code>(number);
  return code;
}

void GpuMemory::fit(std::size_t bytes, std::string_view what) {
  if (bytes <= bytes_) return;
  clear();
  gpu_->check(gpu_->calls().cuMemAlloc_v2(&address_, bytes), fmt::format("{} bytes for {}", bytes, what));
  bytes_ = bytes;
}
void GpuMemory::clear() {
  if (bytes_ > 0) gpu_->calls().cuMemFree_v2(address_);
  address_ = 0, bytes_ = 0;
}

void PinnedMemory::fit(std::size_t bytes) {
  if (bytes <= bytes_) return;
  clear();
  gpu_.check(gpu_.calls().cuMemHostAlloc(&memory_, bytes, 0), fmt::format("{} bytes of pinned memory", bytes));
  bytes_ = bytes;
}
void PinnedMemory::clear() {
  if (bytes_ > 0) gpu_.calls().cuMemFreeHost(memory_);
  memory_ = nullptr, bytes_ = 0;
}

}  // namespace fathom::device

namespace fathom {

namespace {

/// Shared memory of a GPU, with the GPU.
class KeptMemory {
 public:
  KeptMemory(int number, std::size_t bytes) : gpu_(number), memory_(gpu_) {
    const device::CurrentGpu current(gpu_);
    memory_.fit(bytes, "a frame");
  }
  ~KeptMemory() {
    const device::CurrentGpu current(gpu_);
    memory_.clear();
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  [[nodiscard]] device::CudaAddress address() const { return memory_.address(); }

 private:
  device::Gpu gpu_;
  device::GpuMemory memory_;
};

}  // namespace

Frame make_gpu_frame(const Device& device, std::uint32_t rows, std::uint32_t cols, ChannelSet channels,
                     std::uint32_t returns) {
  if (device.kind == DeviceKind::kCpu) throw InputError("device = cpu: a frame on a GPU is asked for");
  const std::size_t elements = std::size_t{returns} * rows * cols;
  if (elements == 0 || channels == ChannelSet()) {
    throw InputError(fmt::format("a frame on a GPU has rays and channels, not {} x {} rays{}", rows, cols,
                                 channels == ChannelSet() ? " and no channel" : ""));
  }
  std::vector<Frame::Buffer> buffers;
  std::size_t used = 0;
  for (const ChannelInfo& info : channel_list()) {
    if (!channels.contains(info.channel)) continue;
    buffers.push_back({info.channel, nullptr, elements * info.bytes()});
    used += device::aligned_bytes(buffers.back().bytes);
  }
  const auto memory = std::make_shared<KeptMemory>(device.number, used);
  device::CudaAddress at = memory->address();
  for (Frame::Buffer& buffer : buffers) {
    buffer.data = device::pointer_to<void>(at);
    at += device::aligned_bytes(buffer.bytes);
  }
  return {rows, cols, buffers, Frame::Memory::kGpu, memory, returns};
}

void wait_for_stream(const void* memory, std::uintptr_t stream) {
  const device::Gpu gpu(device::Gpu::Holding{reinterpret_cast<device::CudaAddress>(memory)});
  const device::CurrentGpu current(gpu);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle of the driver's
  gpu.check(gpu.calls().cuStreamSynchronize(reinterpret_cast<device::CudaStream>(stream)), "cuStreamSynchronize");
}

}  // namespace fathom
