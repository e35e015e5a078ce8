// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom beam sample --parameters P (--expected CSV | --map M (--poses CSV | --log L)) ...`
struct BeamSampleOptions {
  BeamWorldOptions world;
  std::filesystem::path parameters, expected, poses, log;
  std::filesystem::path out;  ///< empty: stdout
  std::uint32_t rays = 361;   ///< of --poses; a log has its own
  double view_deg = 180.0;
  std::uint64_t seed = 0;
  int threads = 0;
  bool force = false, quiet = false;
};

/// Writes synthetic readings: CSV of scan, expected_m and reading_m, or a scan log. Notes on a log that was read go to
/// stderr, or to stdout when the CSV goes to a file. Throws fathom::Error.
void sample_beam(const BeamSampleOptions& options);

}  // namespace fathom_cli
