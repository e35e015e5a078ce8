// SPDX-License-Identifier: MIT
// Scan logs (CARMEN, CSV, gzip), tables of pairs and of poses, and parameters.yaml: valid data or an InputError of one
// line.

#include <cstdint>

#include <fathom/beam/csv.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/calibrate/calibrate.hpp>

#include "in_memory.hpp"

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
      fathom::fuzz::expect_answer([&] { static_cast<void>(fathom::read_beam_model(file)); });
      break;
    case 3:
      fathom::fuzz::expect_answer([&] {
        static_cast<void>(fathom::read_poses_csv(file));
        static_cast<void>(fathom::read_expected_csv(file));
      });
      break;
    default:
      fathom::fuzz::expect_answer([&] { fathom::validate(fathom::read_scan_log(file)); });
  }
  return 0;
}
