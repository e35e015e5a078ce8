// SPDX-License-Identifier: MIT
#pragma once
// parameters.yaml: a beam model to use again.

#include <array>
#include <filesystem>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/beam/grid_ranges.hpp>
#include <fathom/beam/model.hpp>

namespace fathom {

template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<UnknownCells> = {"free", "occupied", "stop"};

/// A beam model with all that its use needs.
struct BeamModel {
  BeamParameters parameters;
  BeamSensor sensor;
  UnknownCells unknown = UnknownCells::kFree;  ///< how expected ranges pass unknown cells of a map

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "A beam model, and how expected ranges were found for it.";
  /// What the tables of BeamParameters and BeamSensor do not hold.
  static constexpr auto fields() {
    return std::array<Field<BeamModel>, 1>{{
        {"unknown", "free|occupied|stop", choice<&BeamModel::unknown>, 0, 0,
         "unknown cells of a map are free, occupied, or stop a ray without a return"},
    }};
  }
};

/// Reads a map of one key per parameter of the tables of BeamParameters, BeamSensor and BeamModel. A key that
/// is not required has the default of its struct. An extended law of hits (HitTail) has the keys `hit` and that of its
/// number. Throws InputError naming file, line and key for what is unknown, missing or out of range, for the number of
/// a law that `hit` does not name, and when the weights do not sum to 1.
FATHOM_API BeamModel read_beam_model(const std::filesystem::path& file);
/// Writes every key with its unit and meaning; reading gives the same values back, bit for bit. The file appears whole
/// or not at all.
FATHOM_API void write_beam_model(const std::filesystem::path& file, const BeamModel& model);

}  // namespace fathom
