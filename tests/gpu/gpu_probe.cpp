// SPDX-License-Identifier: MIT
// What a driver makes of the kernels on its GPU: how long it translates, what each kernel takes, and the memory that
// the first launch reserves. The first thing to run on a new GPU.
//
//   gpu_probe [number of the GPU, 0]

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/error.hpp>

#include "render/device/frame_data.hpp"
#include "render/device/gpu.hpp"

namespace fathom::device {
namespace {

/// What fathom itself does not ask.
struct MoreCalls {
  int (*cuMemGetInfo_v2)(std::size_t* free, std::size_t* total);
  int (*cuFuncGetAttribute)(int* value, int attribute, CudaFunction function);
  int (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* groups, CudaFunction function, int threads,
                                                     std::size_t shared_bytes);
};

template <class F>
void find_call(void* library, const char* name, F& call) {
  call = reinterpret_cast<F>(dlsym(library, name));
  if (call == nullptr) throw InputError(std::string("the driver has no ") + name);
}

MoreCalls more_calls() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  MoreCalls c = {};
  find_call(library, "cuMemGetInfo_v2", c.cuMemGetInfo_v2);
  find_call(library, "cuFuncGetAttribute", c.cuFuncGetAttribute);
  find_call(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", c.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  return c;
}

std::vector<std::string> kernel_names() {
  constexpr std::string_view kEntry = ".visible .entry ";
  const std::string_view text = ptx();
  std::vector<std::string> names;
  for (std::size_t at = text.find(kEntry); at != std::string_view::npos; at = text.find(kEntry, at + 1)) {
    const std::size_t begin = at + kEntry.size();
    names.emplace_back(text.substr(begin, text.find('(', begin) - begin));
  }
  return names;
}

class Probe {
 public:
  explicit Probe(int number) : gpu_(number), current_(gpu_), more_(more_calls()) {}

  void run() {
    print_gpu();
    for (const char* which : {"cold", "again"}) print_load(which);
    const Module module(gpu_, ptx());
    print_kernels(module);
    print_reserved(module);
  }

 private:
  [[nodiscard]] std::size_t free_bytes() const {
    std::size_t free = 0, total = 0;
    gpu_.check(more_.cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
    return free;
  }

  void print_gpu() const {
    int version = 0;
    gpu_.check(gpu_.calls().cuDriverGetVersion(&version), "cuDriverGetVersion");
    std::printf("%s, driver for CUDA %d.%d, %zu bytes free\n", gpu_.name().c_str(), version / 1000, version % 1000 / 10,
                free_bytes());
  }

  /// With both logs of the translator.
  void print_load(const char* which) const {
    std::vector<char> info(1U << 16U), error(1U << 14U);
    std::array<int, 5> names = {3, 4, 5, 6, 12};  // CU_JIT_INFO_LOG_BUFFER, its size, _ERROR_, its size, _LOG_VERBOSE
    std::array<void*, 5> values = {info.data(), reinterpret_cast<void*>(info.size() - 1), error.data(),
                                   reinterpret_cast<void*>(error.size() - 1), reinterpret_cast<void*>(1)};
    const auto start = std::chrono::steady_clock::now();
    CudaModule module = nullptr;
    const int result = gpu_.calls().cuModuleLoadDataEx(&module, ptx(), names.size(), names.data(), values.data());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("translated %s in %.3f s\n%s%s", which, took.count(), info.data(), error.data());
    gpu_.check(result, "cuModuleLoadDataEx");
    gpu_.check(gpu_.calls().cuModuleUnload(module), "cuModuleUnload");
  }

  void print_kernels(const Module& module) const {
    std::printf("%-24s registers, local bytes, groups of %u on a multiprocessor\n", "kernel", Stream::kGroup);
    for (const std::string& name : kernel_names()) {
      const CudaFunction function = module.function(name.c_str());
      int registers = 0, local = 0, groups = 0;
      gpu_.check(more_.cuFuncGetAttribute(&registers, 4, function), "cuFuncGetAttribute");
      gpu_.check(more_.cuFuncGetAttribute(&local, 3, function), "cuFuncGetAttribute");
      gpu_.check(more_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, function, Stream::kGroup, 0),
                 "cuOccupancyMaxActiveBlocksPerMultiprocessor");
      std::printf("%-24s %4d %6d %3d\n", name.c_str(), registers, local, groups);
    }
  }

  /// A launch over a frame without rays: the driver then reserves the local memory of all threads.
  void print_reserved(const Module& module) const {
    const std::size_t before = free_bytes();
    const Stream stream(gpu_, 0);
    GpuMemory memory(gpu_);
    memory.fit(sizeof(FrameData), "a frame without rays");
    gpu_.check(gpu_.calls().cuMemsetD32Async(memory.address(), 0, sizeof(FrameData) / 4, stream.handle()),
               "cuMemsetD32Async");
    CudaAddress jobs = memory.address();
    std::uint32_t first = 0;
    std::array<void*, 2> arguments = {&jobs, &first};
    stream.launch(module.function("fathom_render_rays"), 1, 1, arguments);
    stream.wait();
    std::printf("a launch of fathom_render_rays reserves %zu bytes\n", before - free_bytes());
  }

  Gpu gpu_;
  CurrentGpu current_;
  MoreCalls more_;
};

}  // namespace
}  // namespace fathom::device

int main(int argc, char** argv) {
  try {
    fathom::device::Probe(argc > 1 ? std::atoi(argv[1]) : 0).run();
  } catch (const fathom::Error& e) {
    std::fprintf(stderr, "gpu_probe: %s\n", e.what());
    return 1;
  }
}
