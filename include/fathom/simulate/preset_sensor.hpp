// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// A sensor as its data sheet has it: model and noise of find_preset(). Throws InputError naming the nearest preset.
FATHOM_API Sensor preset_sensor(std::string name, std::string_view preset);

}  // namespace fathom
