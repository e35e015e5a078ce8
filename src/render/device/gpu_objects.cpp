// SPDX-License-Identifier: MIT
#include "render/device/gpu_objects.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "render/device/ptx.hpp"

namespace fathom::device {

namespace {

constexpr unsigned kOrdered = 0;                  // CU_STREAM_DEFAULT: after what was queued without a stream
constexpr unsigned kWithoutTiming = 2;            // CU_EVENT_DISABLE_TIMING
constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // CU_JIT_ERROR_LOG_BUFFER, _SIZE_BYTES

/// "cuModuleLoadDataEx", and what the driver's translator has said, in one line.
std::string with_log(std::string_view log) {
  std::string line = "cuModuleLoadDataEx";
  const std::size_t end = log.find_last_not_of(" \n");
  if (end != std::string_view::npos) line += fmt::format(" ({})", log.substr(0, end + 1));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

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
