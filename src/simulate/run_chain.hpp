// SPDX-License-Identifier: MIT
#pragma once
// Whether a law that is to be learned from a run describes what the sensor's noise chain did to it.

#include <filesystem>
#include <optional>
#include <string>

#include <fathom/noise/stereo_energy.hpp>

namespace fathom {

/// Throws InputError, naming the model, when something besides one `distance` for all moved the ranges of a sensor.
void check_distance_chain(const std::filesystem::path& run, const std::string& sensor);

/// Throws InputError, naming the model, when the reasons and energies of a sensor are not those of one `stereo_energy`
/// for all, of the form `law` if one is given.
void check_energy_chain(const std::filesystem::path& run, const std::string& sensor,
                        std::optional<EnergyNormalization> law);

}  // namespace fathom
