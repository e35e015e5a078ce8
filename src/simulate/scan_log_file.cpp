#include "simulate/scan_log_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "base/text.hpp"
#include "io/scan_csv.hpp"

namespace fathom {

namespace {

constexpr double kLevel = 1e-5;  // rad

PlanarPose planar(const Pose& pose) {
  const Vec3 ahead = rotate(pose.rotation, {1, 0, 0});
  return {pose.translation_m.x, pose.translation_m.y, std::atan2(ahead.y, ahead.x)};
}

std::vector<double> azimuths(const RayPattern& pattern) {
  std::vector<double> azimuth_rad;
  for (std::size_t i = 0; i < pattern.direction_x.size(); ++i) {
    azimuth_rad.push_back(std::atan2(double{pattern.direction_y[i]}, double{pattern.direction_x[i]}));
  }
  return azimuth_rad;
}

}  // namespace

bool wants_scan_log(const SensorSetup& setup) {
  return std::any_of(setup.outputs.begin(), setup.outputs.end(),
                     [](const SensorOutput& o) { return o.kind == OutputKind::kScanLog; });
}

void check_scan_log(SensorId sensor, std::uint32_t frames, Simulator& simulator) {
  const std::string& name = simulator.sensor(sensor).name;
  const RayPattern& pattern = simulator.pattern(sensor, 0);
  const bool planar_rays = std::all_of(pattern.direction_z.begin(), pattern.direction_z.end(),
                                       [](float z) { return std::abs(z) <= kLevel; });
  if (!pattern.origin_x.empty() || !planar_rays || pattern_varies(simulator.sensor(sensor).model)) {
    throw InputError(
        fmt::format("sensor '{}': a scan_log needs rays in one plane from one point, as of laser_2d", name));
  }
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const double stamp_s = simulator.stamp_s(frame);
    if (rotate(simulator.world_from_sensor(sensor, stamp_s).rotation, {0, 0, 1}).z >= 1.0 - 0.5 * kLevel * kLevel)
      continue;
    throw InputError(fmt::format("sensor '{}': a scan_log needs level poses, but the one at {} s is tilted", name,
                                 number_text(stamp_s)));
  }
}

ScanLogFile::ScanLogFile(const std::filesystem::path& file, const RayPattern& pattern) : file_(file) {
  const bool one_for_all = pattern.max_range_m.size() == 1;
  file_.write(scan_csv_header(azimuths(pattern), one_for_all ? double{pattern.max_range_m.front()} : 0.0, true));
}

void ScanLogFile::add(const Frame& frame, const Pose& world_from_sensor) {
  range_m_.assign(frame.range_m().begin(), frame.range_m().end());
  for (std::size_t i = 0; i < range_m_.size(); ++i) {
    const Reason reason = frame.reason()[i];
    if (reason == Reason::kHit) continue;
    const bool no_evidence = reason == Reason::kBelowMinRange || reason == Reason::kMasked;
    range_m_[i] = no_evidence ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  }
  const double stamp_s = frame.stamp_s();
  file_.write(scan_csv_line(&stamp_s, planar(world_from_sensor), range_m_));
}

}  // namespace fathom
