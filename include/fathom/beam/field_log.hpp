// SPDX-License-Identifier: MIT
#pragma once
// Work on a log with the likelihood field: learn it, score scans, draw where one was made, and its files. These calls
// are the programs behind `fathom fit field` and `fathom score field`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/beam/likelihood_field.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/beam/log_files.hpp>
#include <fathom/beam/report.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

struct FieldLogOptions {
  std::string scans = "odd";               ///< to learn from, as select_scans() takes them
  std::string test_scans = "";             ///< to judge by; empty: all that are not learned from
  std::optional<double> max_range_m = {};  ///< Z; nothing: what the log says, or auto_max_range
  bool auto_max_range = false;             ///< as FitLogOptions::auto_max_range
  double min_range_m = 0.0;
  double max_distance_m = 2.0;
  bool check_poses = true;    ///< whether 48 scans tell if the poses of the log are exact (FieldReport::sanity)
  std::string map_name = {};  ///< for people: "office.yaml"; may be empty
  FieldFitOptions fit = {};
};

struct FieldReport : LogReport {
  FieldFit fit;                        ///< held_out: whether the readings shown were held out
  LikelihoodFieldModel rounded_model;  ///< learned with CellLookup::kRounded, for the files of amcl and nav2
  double cell_m = 0.0;                 ///< of the map
  std::vector<double> distance_m;      ///< [readings]: of the ends of those shown, held out or learned from
  /// [levels]: the distances that ends can have in this map, and what share of those shown the model expects at each.
  /// It expects hits along the ray of a reading in proportion to their density, and random readings anywhere up to Z.
  /// Both are worked out along at most 8192 rays.
  std::vector<double> level_m, level_share;
  std::size_t modelled = 0;       ///< number of these rays
  double nats_per_reading = 0.0;  ///< of those shown: mean log f

  /// Of the fit, and `sanity`.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
};

/// What was learned with the look-up of cells of a localizer.
FATHOM_API const LikelihoodFieldModel& model_for(const FieldReport& report, Localizer localizer);
/// Its parameters as YAML: write_field_fit() writes them.
FATHOM_API std::string localizer_text(const FieldReport& report, Localizer localizer);

FATHOM_API std::string report_text(const FieldReport& report, ReportForm form, SettingNames names = {});

/// Learns the likelihood field of a log's sensor in a map and judges it by scans that were held out, if any are left.
/// Throws InputError as fit_log() does.
FATHOM_API FieldReport fit_field_log(const ScanLog& log, const GridMap& map, const FieldLogOptions& options = {});

/// parameters.yaml of a likelihood field: a line per parameter, those of its table.
FATHOM_API LikelihoodFieldModel read_field_model(const std::filesystem::path& file);
FATHOM_API void write_field_model(const std::filesystem::path& file, const LikelihoodFieldModel& model);

/// As write_fit(): parameters.yaml, report.html, the parameters of localizers, and, last, fit.json.
FATHOM_API void write_field_fit(const std::filesystem::path& folder, const FieldReport& report, bool force = false,
                                std::span<const Localizer> localizers = {});

/// The scores of the scans that `scans` selects at the poses of the log.
FATHOM_API std::vector<ScanScore> score_field_log(const LikelihoodFieldModel& model, const GridMap& map,
                                                  const ScanLog& log, std::string_view scans = "all",
                                                  std::size_t ray_step = 1);

/// As heatmap_of_log().
FATHOM_API LogHeatmap field_heatmap_of_log(const LikelihoodFieldModel& model, const GridMap& map, const ScanLog& log,
                                           std::uint32_t scan, const HeatmapLogOptions& options = {});

}  // namespace fathom
