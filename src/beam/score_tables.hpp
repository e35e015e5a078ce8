// SPDX-License-Identifier: MIT
#pragma once

#include "beam/score_kernels.hpp"

namespace fathom {

/// Whether single precision and tables of bounded size can stand for these parameters: some random readings, or hits
/// with tails heavy enough to stand for them (without, densities underflow), lambda Z at most 800, no step of the
/// sensor, and of extended laws a sigma of at most 10 Z.
bool tables_suffice(const BeamParameters& parameters, const BeamSensor& sensor);

ScoreTables make_score_tables(const BeamParameters& parameters, const BeamSensor& sensor);

/// Works out what depends on the readings alone; reading_m [all rays], every ray_step-th is kept. Allocates nothing
/// once `terms` has its size.
void set_readings(const BeamParameters& parameters, const BeamSensor& sensor, std::span<const float> reading_m,
                  std::size_t ray_step, ScanTerms& terms);

}  // namespace fathom
