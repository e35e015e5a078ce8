#pragma once
// The scan log of a simulated planar laser: one CSV file of all its frames, with the true poses.

#include <filesystem>
#include <memory>
#include <vector>

#include <fathom/run.hpp>

#include "io/whole_file.hpp"

namespace fathom {

inline constexpr const char* kScanLogName = "scans.csv";

bool wants_scan_log(const SensorSetup& setup);

/// Throws InputError unless the sensor's rays start at its origin and lie in its x-y plane, and its poses are level at
/// all `frames`: a scan log holds x, y and yaw only.
void check_scan_log(SensorId sensor, std::uint32_t frames, Simulator& simulator);

class ScanLogFile {
 public:
  ScanLogFile(const std::filesystem::path& file, const RayPattern& pattern);
  /// A return that is missing is inf, a reading without a return; one that is too near, or masked, is nan: no evidence.
  void add(const Frame& frame, const Pose& world_from_sensor);
  void commit() { file_.commit(); }

 private:
  WholeFile file_;
  std::vector<float> range_m_;
};

}  // namespace fathom
