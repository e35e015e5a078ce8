// SPDX-License-Identifier: MIT
// Logs drawn from a model.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/beam/sample.hpp>

#include "base/counts.hpp"

namespace fathom {

std::vector<float> sample_table(const BeamModel& model, const ExpectedTable& table, std::uint64_t seed) {
  if (table.scan.size() != table.expected_m.size()) {
    throw InputError(fmt::format("{} cannot be of {}", counted(table.expected_m.size(), "expected range"),
                                 counted(table.scan.size(), "scan")));
  }
  std::vector<float> reading_m(table.expected_m.size());
  for (std::size_t begin = 0; begin < table.scan.size();) {
    std::size_t end = begin;
    while (end < table.scan.size() && table.scan[end] == table.scan[begin]) ++end;
    sample_scan(model.parameters, model.sensor, beam_key(seed, table.scan[begin]),
                std::span(table.expected_m).subspan(begin, end - begin),
                std::span(reading_m).subspan(begin, end - begin));
    begin = end;
  }
  return reading_m;
}

ScanLog sample_log(const BeamModel& model, const World& world, std::span<const PlanarPose> poses,
                   std::span<const double> azimuth_rad, std::uint64_t seed, const Compute& compute) {
  ScanLog log;
  log.pose.assign(poses.begin(), poses.end());
  log.azimuth_rad.assign(azimuth_rad.begin(), azimuth_rad.end());
  log.max_range_m = model.sensor.max_range_m;
  log.range_m.assign(log.scans() * log.rays(), 0.0F);
  BeamData pairs = make_beam_data(log, select_scans("all", log.scans()), world, log.max_range_m, compute);
  log.range_m = sample_table(model, {std::move(pairs.expected_m), std::move(pairs.scan)}, seed);
  return log;
}

std::vector<double> even_azimuths_rad(std::uint32_t rays, double view_deg) {
  const double gaps = view_deg >= 360.0 ? rays : std::max(1.0, rays - 1.0);
  std::vector<double> azimuth_rad;
  for (std::uint32_t i = 0; i < rays; ++i) {
    azimuth_rad.push_back((rays == 1 ? 0.0 : view_deg * (i / gaps - 0.5)) * kRadPerDeg);
  }
  return azimuth_rad;
}

}  // namespace fathom
