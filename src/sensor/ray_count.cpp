// SPDX-License-Identifier: MIT
#include "sensor/ray_count.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/sensor/model.hpp>

namespace fathom {

std::uint64_t physical_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return ~std::uint64_t{0};  // unknown: only kMaxRays limits
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::string memory_text(std::uint64_t rays, std::uint64_t memory_bytes) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("about {:.1f} GiB and this computer has {:.1f} GiB",
                     static_cast<double>(rays) * kBytesPerRay / kGib, static_cast<double>(memory_bytes) / kGib);
}

void check_ray_count(std::string_view kind, std::string_view rows_name, std::uint64_t rows, std::string_view cols_name,
                     std::uint64_t cols, std::uint64_t memory_bytes) {
  const std::uint64_t rays = rows * cols;  // each below 2^32: no overflow
  if (rays == 0)
    throw InputError(fmt::format("{} has no rays: {} x {} = {} x {}", kind, rows_name, cols_name, rows, cols));
  if (rays > kMaxRays) {
    throw InputError(fmt::format("{}: {} x {} = {} x {} = {} rays are more than the {} that a frame may have", kind,
                                 rows_name, cols_name, rows, cols, rays, kMaxRays));
  }
  if (rays * kBytesPerRay > memory_bytes) {
    throw InputError(fmt::format("{}: {} x {} = {} x {} = {} rays need {}", kind, rows_name, cols_name, rows, cols,
                                 rays, memory_text(rays, memory_bytes)));
  }
}

}  // namespace fathom
