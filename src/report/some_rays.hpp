// SPDX-License-Identifier: MIT
#pragma once
// A part of a log: some of its scans, with some of their rays.

#include <cstddef>
#include <cstdint>
#include <numeric>

#include "report/fit_selection.hpp"

namespace fathom {

/// Some scans, with every ray_step-th ray, and of these those of whose numbers `keep` is true.
template <class Keep>
ScanLog some_rays(const ScanLog& log, const ScanNumbers& scans, std::size_t ray_step, Keep keep) {
  ScanLog some;
  some.name = log.name;
  const auto for_each_ray = [&](auto&& use) {
    for (std::size_t k = 0; k * ray_step < log.rays(); ++k) {
      if (keep(k)) use(k * ray_step);
    }
  };
  for_each_ray([&](std::size_t ray) { some.azimuth_rad.push_back(log.azimuth_rad[ray]); });
  for (const std::uint32_t scan : scans) {
    some.pose.push_back(log.pose[scan]);
    for_each_ray([&](std::size_t ray) {
      some.range_m.push_back(log.scan(scan)[ray]);
      if (!log.ray_offset.empty()) some.ray_offset.push_back(log.offsets(scan)[ray]);
    });
  }
  return some;
}

/// Scans [begin, end) with every ray_step-th ray.
inline ScanLog scans_between(const ScanLog& log, std::size_t begin, std::size_t end, std::size_t ray_step = 1) {
  ScanNumbers scans(end - begin);
  std::iota(scans.begin(), scans.end(), static_cast<std::uint32_t>(begin));
  return some_rays(log, scans, ray_step, [](std::size_t) { return true; });
}

}  // namespace fathom
