// SPDX-License-Identifier: MIT
// Scan logs (CARMEN, CSV, gzip), tables of pairs and of poses, and parameters.yaml: valid data or an InputError of one
// line.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include <fathom/files/log_files.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/fit/frames.hpp>

#include "in_memory.hpp"

namespace {

void read_log(const std::filesystem::path& file, const fathom::ScanLogOptions& options) {
  fathom::fuzz::expect_answer([&] { fathom::validate(fathom::read_scan_log(file, options)); });
}

fathom::ScanLogOptions options_of(std::uint8_t byte) {
  constexpr const char* kLasers[] = {"", "FLASER", "RAWLASER1", "ROBOTLASER1", "LASER3", "ODOM"};
  fathom::ScanLogOptions options;
  options.laser = kLasers[byte % 6];
  if (byte % 4 == 1) options.ray_angle_deg = 0.25;
  if (byte % 5 == 1) options.ray_time_s = 0.001;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto file = fathom::fuzz::write_input("log", {reinterpret_cast<const char*>(data) + 1, size - 1});
  switch (data[0] % 7) {
    case 0:
      fathom::fuzz::expect_answer([&] { static_cast<void>(fathom::read_beam_pairs(file)); });
      break;
    case 1:
      fathom::fuzz::expect_answer([&] { static_cast<void>(fathom::read_energy_pairs(file)); });
      break;
    case 2:
      fathom::fuzz::expect_answer([&] { static_cast<void>(fathom::BeamModel::read(file)); });
      break;
    case 3:
      fathom::fuzz::expect_answer([&] {
        static_cast<void>(fathom::read_poses_csv(file));
        static_cast<void>(fathom::read_expected_csv(file));
      });
      break;
    default:
      read_log(file, options_of(data[0] / 7));
  }
  return 0;
}
