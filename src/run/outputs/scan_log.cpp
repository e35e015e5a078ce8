// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/simulate/output_kinds.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "io/log/scan_lines.hpp"
#include "run/outputs/frame_file.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr double kLevel = 1e-5;  // rad
constexpr std::uint64_t kBytesPerReading = 12, kBytesPerScan = 80;

PlanarPose planar(const Pose& pose) {
  const Vec3 ahead = rotate(pose.rotation, {1, 0, 0});
  return {pose.translation_m.x, pose.translation_m.y, math::atan2(ahead.y, ahead.x)};
}

std::vector<double> azimuths(const RayPattern& pattern) {
  std::vector<double> azimuth_rad;
  for (std::size_t i = 0; i < pattern.direction_x.size(); ++i) {
    azimuth_rad.push_back(math::atan2(double{pattern.direction_y[i]}, double{pattern.direction_x[i]}));
  }
  return azimuth_rad;
}

class ScanLogFile final : public OutputFile::Log {
 public:
  ScanLogFile(const std::filesystem::path& file, const RayPattern& pattern) : file_(file) {
    const bool one_for_all = pattern.max_range_m.size() == 1;
    file_.write(scan_csv_header(azimuths(pattern), one_for_all ? double{pattern.max_range_m.front()} : 0.0, true));
  }

  /// A missing return is inf, a reading without a return. A return that is too near or masked is nan: no evidence.
  void add(const Frame& frame, const OutputFile::Context& context) override {
    const std::span<const float> range_m = frame.range_m().first(frame.rays());  // of return 0
    range_m_.assign(range_m.begin(), range_m.end());
    for (std::size_t i = 0; i < range_m_.size(); ++i) {
      const Reason reason = frame.reason()[i];
      if (reason == Reason::kHit) continue;
      const bool no_evidence = reason == Reason::kBelowMinRange || reason == Reason::kMasked;
      range_m_[i] = no_evidence ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    }
    const double stamp_s = frame.stamp_s();
    file_.write(scan_csv_line(&stamp_s, planar(context.world_from_sensor), range_m_));
  }

  void commit() override { file_.commit(); }

 private:
  WholeFile file_;
  std::vector<float> range_m_;
};

}  // namespace

std::vector<OutputFile> ScanLogOutput::files(const Sensor& /*sensor*/) const {
  OutputFile log;
  const std::filesystem::path name(kFile);
  log.stem = name.stem().string();
  log.extension = name.extension().string().substr(1);
  log.bytes_at_most = [](const OutputFile::Shape& shape, std::uint32_t frames) {
    const std::uint64_t header = kHeaderBytes + shape.rays() * 2 * kBytesPerReading;
    return header + frames * (kBytesPerScan + kBytesPerReading * shape.rays());
  };
  log.begin_log = [](const std::filesystem::path& file, const RayPattern& pattern) {
    return std::make_unique<ScanLogFile>(file, pattern);
  };
  return {log};
}

void ScanLogOutput::check_run(Simulator& simulator, SensorId sensor, std::uint32_t frames) const {
  const std::string& name = simulator.sensor(sensor).name;
  const RayPattern& pattern = simulator.pattern(sensor, 0);
  const bool planar_rays = std::all_of(pattern.direction_z.begin(), pattern.direction_z.end(),
                                       [](float z) { return std::abs(z) <= kLevel; });
  if (!pattern.origin_x.empty() || !planar_rays || make_view(simulator.sensor(sensor).model).rays_vary) {
    throw InputError(fmt::format("sensor '{}': a {} needs rays in one plane from one point, as of {}", name, kSlug,
                                 with_rays_in_one_plane()));
  }
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const double stamp_s = simulator.frame_time(sensor, frame).stamp_s;
    if (rotate(simulator.world_from_sensor(sensor, stamp_s).rotation, {0, 0, 1}).z >= 1.0 - 0.5 * kLevel * kLevel)
      continue;
    throw InputError(fmt::format("sensor '{}': a {} needs level poses, but the one at {} s is tilted", name, kSlug,
                                 number_text(stamp_s)));
  }
}

}  // namespace fathom
