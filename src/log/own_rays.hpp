// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/scan.hpp>

#include "base/counts.hpp"

namespace fathom {

/// Throws InputError where scans that are made as long as the one with most rays would fill memory.
inline void check_own_rays(std::size_t most, std::uint64_t scans, std::uint64_t readings) {
  constexpr std::uint64_t kAnyReadings = std::uint64_t{1} << 26, kMostTimes = 8;
  if (scans * most <= std::max(kAnyReadings, kMostTimes * readings)) return;
  throw InputError(fmt::format("scans differ too much in their rays: one has {}, and {} have {} in all", most,
                               counted(scans, "scan"), grouped(readings)));
}

/// Whether scans of a log have other rays than its azimuth_rad, which ray_offset turns.
inline bool have_own_rays(const ScanLog& log) {
  const auto is_lacking = [](float range_m) { return range_m == -std::numeric_limits<float>::infinity(); };
  const auto is_turned = [](const RayOffset& o) { return o.x_m == 0.0F && o.y_m == 0.0F && o.yaw_rad != 0.0F; };
  return !log.ray_offset.empty() && (std::any_of(log.range_m.begin(), log.range_m.end(), is_lacking) ||
                                     std::any_of(log.ray_offset.begin(), log.ray_offset.end(), is_turned));
}

/// Makes the last scan of a log whose scans differ in their rays as long as all: its readings, and its offsets where
/// the sensor moved, are there already. `azimuth_rad`: of its rays.
inline void give_own_rays(std::span<const double> azimuth_rad, ScanLog& log) {
  const std::size_t begin = (log.scans() - 1) * log.rays();
  log.range_m.resize(begin + log.rays(), -std::numeric_limits<float>::infinity());
  log.ray_offset.resize(begin + log.rays());
  for (std::size_t i = 0; i < azimuth_rad.size(); ++i) {
    log.ray_offset[begin + i].yaw_rad += static_cast<float>(azimuth_rad[i] - log.azimuth_rad[i]);
  }
}

}  // namespace fathom
