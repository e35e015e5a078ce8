// SPDX-License-Identifier: MIT
#include <fathom/beam/scan.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/compute.hpp"
#include "base/text.hpp"
#include "beam/moving_ranges.hpp"
#include "beam/no_return_pile.hpp"

namespace fathom {

namespace {

constexpr std::size_t kScansAtOnce = 16;

/// Of a pose or an offset.
bool is_finite(const auto& p) { return std::isfinite(p.x_m) && std::isfinite(p.y_m) && std::isfinite(p.yaw_rad); }

[[noreturn]] void fail_selection(std::string_view text, const std::string& what) {
  throw InputError(fmt::format("scans '{}': {}", text, what));
}

std::size_t parse_part(std::string_view text, std::string_view part, std::size_t fallback) {
  if (part.empty()) return fallback;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size()) {
    fail_selection(text, "is not all, odd, even or start:stop:step with whole numbers");
  }
  return value;
}

}  // namespace

void validate(const ScanLog& log) {
  if (log.scans() == 0 || log.rays() == 0) {
    throw InputError(fmt::format("log: {} of {}: at least one of each is needed", counted(log.scans(), "scan"),
                                 counted(log.rays(), "ray")));
  }
  if (log.range_m.size() != log.scans() * log.rays()) {
    throw InputError(fmt::format("log: {} for {} of {}", counted(log.range_m.size(), "reading"),
                                 counted(log.scans(), "scan"), counted(log.rays(), "ray")));
  }
  for (std::size_t i = 0; i < log.rays(); ++i) {
    if (!std::isfinite(log.azimuth_rad[i])) {
      throw InputError(fmt::format("log: azimuth of ray {} = {} is not finite", i, number_text(log.azimuth_rad[i])));
    }
  }
  for (std::size_t i = 0; i < log.scans(); ++i) {
    const PlanarPose& p = log.pose[i];
    if (!is_finite(p)) {
      throw InputError(fmt::format("log: pose {} = ({}, {}, {}) is not finite", i, p.x_m, p.y_m, p.yaw_rad));
    }
  }
  if (!log.ray_offset.empty() && log.ray_offset.size() != log.range_m.size()) {
    throw InputError(fmt::format("log: {} ray offsets for {} readings", log.ray_offset.size(), log.range_m.size()));
  }
  for (std::size_t i = 0; i < log.ray_offset.size(); ++i) {
    if (!is_finite(log.ray_offset[i])) {
      throw InputError(
          fmt::format("log: the offset of ray {} of scan {} is not finite", i % log.rays(), i / log.rays()));
    }
  }
}

double suspected_no_return_m(const ScanLog& log, double max_range_m) {
  NoReturnPile pile;
  pile.add(log.range_m);
  return pile.code(max_range_m).value_m;
}

std::vector<std::uint32_t> select_scans(std::string_view text, std::size_t scans) {
  std::size_t start = 0, stop = scans, step = 1;
  if (text == "odd" || text == "even") {
    start = text == "odd" ? 1 : 0;
    step = 2;
  } else if (text != "all") {
    const std::size_t first = text.find(':');
    if (first == std::string_view::npos) parse_part(text, "?", 0);
    const std::size_t second = std::min(text.find(':', first + 1), text.size());
    start = parse_part(text, text.substr(0, first), 0);
    stop = std::min(scans, parse_part(text, text.substr(first + 1, second - first - 1), scans));
    step = parse_part(text, second < text.size() ? text.substr(second + 1) : std::string_view{}, 1);
    if (step == 0) fail_selection(text, "the step is 0");
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = start; i < stop; i += step) chosen.push_back(static_cast<std::uint32_t>(i));
  if (chosen.empty()) {
    fail_selection(text,
                   "selects none of " + counted(scans, "scan") + (scans > 0 && step > 1 ? ", all takes them" : ""));
  }
  return chosen;
}

BeamData make_beam_data(const ScanLog& log, std::span<const std::uint32_t> scans, const ExpectedRanges& expected,
                        double max_range_m, const Compute& compute) {
  validate(compute);
  validate(log);
  if (scans.empty()) throw InputError("no scans are selected");
  for (const std::uint32_t scan : scans) {
    if (scan >= log.scans()) throw InputError(fmt::format("scan {} is not in [0, {})", scan, log.scans()));
  }
  const std::size_t rays = log.rays();
  const RayFan fan = planar_fan(log.azimuth_rad);
  BeamData data;
  std::vector<Pose> poses;
  for (const std::uint32_t scan : scans) {
    poses.push_back(pose_from_planar(log.pose[scan]));
    const auto readings = log.scan(scan);
    data.reading_m.insert(data.reading_m.end(), readings.begin(), readings.end());
    data.scan.insert(data.scan.end(), rays, scan);
  }
  data.cell_m = expected.cell_m();
  data.expected_m.resize(data.reading_m.size());
  make_executor(compute.threads)->parallel_for(poses.size(), kScansAtOnce, [&](std::size_t begin, std::size_t end) {
    const std::span<float> ranges = std::span(data.expected_m).subspan(begin * rays, (end - begin) * rays);
    if (log.ray_offset.empty()) {
      expected.cast(std::span(poses).subspan(begin, end - begin), fan, max_range_m, ranges);
      return;
    }
    MovingRanges moving(expected, 1);
    for (std::size_t i = begin; i < end; ++i) {
      moving.follow(log.offsets(scans[i]));
      moving.cast({&poses[i], 1}, fan, max_range_m, ranges.subspan((i - begin) * rays, rays));
    }
  });
  return data;
}

}  // namespace fathom
