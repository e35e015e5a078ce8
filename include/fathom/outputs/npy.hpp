// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fathom/frame/lost_value.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// Channels as arrays: a file per channel and frame.
struct NpyOutput {
  ChannelSet channels = {Channel::kRange};
  /// The value of a lost pixel in ranges and depths; kMax: the sensor's farthest range. Empty: the value in the
  /// frame.
  std::optional<LostValue> lost = {};

  static constexpr std::string_view kSlug = "npy";
  static constexpr std::string_view kFile = "range_000000.npy";
  static constexpr std::string_view kDoc = "channels as arrays (NumPy), a file each";
  static constexpr auto fields() {
    return std::array<Field<NpyOutput>, 2>{{
        {"channels", "", word_set<&NpyOutput::channels, Channel>, 0, 0, "a file for each of these channels"},
        {.name = "lost",
         .unit = "",
         .member = choice<&NpyOutput::lost>,
         .doc = "in place of lost ranges and depths: zero, nan, inf, max or minus_one",
         .default_text = ""},
    }};
  }

  [[nodiscard]] FATHOM_API std::optional<OptionMismatch> mismatch() const;
  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return channels; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom
