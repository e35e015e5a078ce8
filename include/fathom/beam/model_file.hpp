#pragma once
// parameters.yaml: a beam model to use again.

#include <array>
#include <filesystem>
#include <string_view>

#include <fathom/beam/model.hpp>
#include <fathom/expected_ranges.hpp>
#include <fathom/export.hpp>
#include <fathom/noise/beam_mixture.hpp>  // the words of MissPolicy
#include <fathom/field.hpp>

namespace fathom {

template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<NanPolicy> = {"skip", "max"};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<UnknownCells> = {"free", "occupied", "stop"};

/// A beam model with all that its use needs.
struct BeamModel {
  BeamParameters parameters;
  BeamSensor sensor;
  UnknownCells unknown = UnknownCells::kFree;  ///< how expected ranges pass unknown cells of a map
};

/// Reads a map of one key per parameter: the names of kBeamFields; max_range_m, min_range_m, step_m,
/// expected_floor_m, miss (book, atom) and nan (skip, max) of the sensor; unknown (free, occupied, stop). Weights,
/// sigma_hit_m, lambda_short_per_m and max_range_m must be there, others have the defaults of the structs. Throws
/// InputError naming file, line and key for what is unknown, missing or out of range, and when the weights do not sum
/// to 1.
FATHOM_API BeamModel read_beam_model(const std::filesystem::path& file);
/// Writes every key with its unit and meaning; reading gives the same values back, bit for bit. The file appears whole
/// or not at all.
FATHOM_API void write_beam_model(const std::filesystem::path& file, const BeamModel& model);

}  // namespace fathom
