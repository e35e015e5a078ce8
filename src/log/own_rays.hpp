// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/scan.hpp>

#include "base/counts.hpp"
#include "base/with_prefix.hpp"

namespace fathom {

/// Throws InputError where scans that are made as long as the one with most rays would fill memory.
inline void check_own_rays(std::size_t most, std::uint64_t scans, std::uint64_t readings) {
  constexpr std::uint64_t kAnyReadings = std::uint64_t{1} << 26, kMostTimes = 8;
  if (scans * most <= std::max(kAnyReadings, kMostTimes * readings)) return;
  throw InputError(fmt::format("scans differ too much in their rays: one has {}, and {} have {} in all", most,
                               counted(scans, "scan"), grouped(readings)));
}

/// Throws InputError naming a log whose scans differ in their rays. `why`: what needs the same rays in all scans.
inline void refuse_own_rays(const ScanLog& log, std::string_view why) {
  if (!log.has_own_rays) return;
  with_prefix(log.name, [&] { throw InputError(fmt::format("scans differ in their rays, {}", why)); });
}

/// Makes the last scan of a log whose scans differ in their rays as long as all: its readings, and its offsets where
/// the sensor moved, are there already. `azimuth_rad`: of its rays.
inline void give_own_rays(std::span<const double> azimuth_rad, ScanLog& log) {
  const std::size_t begin = (log.scans() - 1) * log.rays();
  log.has_own_rays = true;
  log.range_m.resize(begin + log.rays(), -std::numeric_limits<float>::infinity());
  log.ray_offset.resize(begin + log.rays());
  for (std::size_t i = 0; i < azimuth_rad.size(); ++i) {
    log.ray_offset[begin + i].yaw_rad += static_cast<float>(azimuth_rad[i] - log.azimuth_rad[i]);
  }
}

}  // namespace fathom
