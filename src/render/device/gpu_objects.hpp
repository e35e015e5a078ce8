// SPDX-License-Identifier: MIT
#pragma once
// What a GPU lends: each is given back when it dies. The GPU must be the current one, and outlive them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "render/device/driver.hpp"

namespace fathom::device {

/// A queue of work; its own, or one of the caller's.
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

/// Code that the driver has translated.
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

/// The kernels of this build on a GPU, with the driver's context of it.
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

/// All who use a GPU at a time share its code, because a driver takes seconds to translate it.
std::shared_ptr<const Code> code_of(int number);

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
  /// Makes room for so many bytes; what was there is lost when there was less. `what` is for. Throws OutOfGpuMemory.
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

}  // namespace fathom::device
