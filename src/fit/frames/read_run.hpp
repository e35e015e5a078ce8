// SPDX-License-Identifier: MIT
#pragma once
// Learning from the folder of a run: checks that the law to be learned describes the sensor's noise chain in that run.

#include <filesystem>
#include <optional>
#include <string>

#include <fathom/noise/stereo_energy.hpp>

namespace fathom {

/// Throws InputError, naming the model, when something besides one `distance` for all moved the ranges of a sensor.
void check_distance_chain(const std::filesystem::path& run, const std::string& sensor);

/// Throws InputError, naming the model, unless one `stereo_energy` for all determines the reasons and energies of a
/// sensor; if `law` is given, in that form.
void check_energy_chain(const std::filesystem::path& run, const std::string& sensor,
                        std::optional<EnergyNormalization> law);

}  // namespace fathom
