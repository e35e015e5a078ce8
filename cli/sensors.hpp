// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fathom_cli {

/// `fathom sensors [NAME] [--json | --markdown]`
struct SensorsOptions {
  std::string name;  ///< a preset or a kind; empty: all
  bool json = false;
  bool markdown = false;  ///< all kinds, as docs/sensors.md has them
};

/// Prints the presets and the kinds of sensor that a scene file can hold.
void list_sensors(const SensorsOptions& options);

}  // namespace fathom_cli
