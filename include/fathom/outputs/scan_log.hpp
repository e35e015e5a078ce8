// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fathom/outputs/kind.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// One CSV file of all frames of a planar laser: its readings and true poses. It has no options.
struct ScanLogOutput {
  static constexpr std::string_view kSlug = "scan_log";
  static constexpr std::string_view kFile = "scans.csv";
  static constexpr std::string_view kDoc = "readings and true poses of a planar laser, one file of all frames";
  static constexpr auto fields() { return std::array<Field<ScanLogOutput>, 0>{}; }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kRange, Channel::kReason}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
  /// Throws InputError unless the sensor's rays start at its origin and lie in its x-y plane, and its poses are level
  /// at all `frames`: a scan log holds x, y and yaw only.
  FATHOM_API void check_run(Simulator& simulator, SensorId sensor, std::uint32_t frames) const;
};

}  // namespace fathom
