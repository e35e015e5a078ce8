// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/sensor/depth_filters.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

/// A named sensor from public documents.
struct SensorPreset {
  std::string_view name;    ///< "VLP-16"
  std::string_view source;  ///< the datasheet or manual
  std::string_view doc;     ///< one line
  SensorModel model;
  NoiseChain noise;          ///< typical accuracy from the datasheet, as noise models
  Detection detection = {};  ///< the datasheet's; empty if it states none
  DepthFilters filters = {};
  std::optional<AlignedCamera> aligned_to = {};
};
FATHOM_API const std::vector<SensorPreset>& sensor_presets();
/// Throws InputError naming the nearest preset.
FATHOM_API const SensorPreset& find_preset(std::string_view name);

}  // namespace fathom
