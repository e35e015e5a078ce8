// SPDX-License-Identifier: MIT
#include <fathom/core/compute.hpp>

#include <charconv>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

namespace fathom {

Device device_named(std::string_view word) {
  constexpr std::string_view kNumbered = "cuda:";
  if (word == "cpu") return {};
  if (word == "cuda") return {DeviceKind::kCuda, 0};
  if (word == "auto") return {DeviceKind::kAuto, 0};
  int number = -1;
  const char* const end = word.data() + word.size();
  if (word.starts_with(kNumbered)) {
    const auto read = std::from_chars(word.data() + kNumbered.size(), end, number);
    if (read.ec != std::errc() || read.ptr != end) number = -1;
  }
  if (number < 0 || number > Device::kMostNumber) {
    throw InputError(
        fmt::format("device = '{}' is not one of cpu, cuda, cuda:0 to cuda:{}, auto", word, Device::kMostNumber));
  }
  return {DeviceKind::kCuda, number};
}

std::string to_string(const Device& device) {
  if (device.kind == DeviceKind::kCpu) return "cpu";
  return device.kind == DeviceKind::kAuto ? "auto" : fmt::format("cuda:{}", device.number);
}

void validate(const Compute& compute) {
  if (compute.isa > detect_isa()) {
    throw InputError(fmt::format("isa = {} is not supported by this computer (up to {})", to_string(compute.isa),
                                 to_string(detect_isa())));
  }
  if (compute.threads < 0 || compute.threads > Compute::kMostThreads) {
    throw InputError(fmt::format("threads = {} is not in [0, {}]", compute.threads, Compute::kMostThreads));
  }
  if (compute.device.number < 0 || compute.device.number > Device::kMostNumber) {
    throw InputError(fmt::format("device number = {} is not in [0, {}]", compute.device.number, Device::kMostNumber));
  }
}

std::string_view to_string(Isa isa) {
  const auto position = static_cast<std::size_t>(isa);
  return position < kIsaWords.size() ? kIsaWords[position] : "unknown";
}

Isa detect_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return Isa::kAvx512;
  }
  if (__builtin_cpu_supports("avx2")) return Isa::kAvx2;
#endif
  return Isa::kBase;
}

}  // namespace fathom
