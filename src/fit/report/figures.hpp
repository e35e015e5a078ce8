// SPDX-License-Identifier: MIT
#pragma once
// What the reports of fits share: sections, figures, how readings share out; and parameters as files.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/fit/beam.hpp>
#include <fathom/fit/reports.hpp>

#include "core/numbers.hpp"
#include "report/plot.hpp"
#include "report/report.hpp"

namespace fathom {

Report::Json estimate_json(const Estimate& estimate);
Report::Json estimates_json(const std::vector<Estimate>& estimates);

/// The score of the frames that were held out.
Fact held_out_fact(const ChainFit& fit);
/// Fills the note on errors and the details, and refuses a chain that is worse than its start or has no errors.
void add_chain_fit(const ChainFit& fit, Report& report);

// parameters.yaml as text in memory.

/// As BeamModel::read(); `file` names the text in messages.
BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file);
std::string beam_model_text(const BeamModel& model);
/// What LikelihoodFieldModel::write() writes.
std::string field_model_text(const LikelihoodFieldModel& model);

// The figures of a fit, as SVG.

/// Where pictures over range end: just beyond nearly all readings that have one, at most Z.
double usual_range_m(const FitReport& report);

/// The deviation of hits, or the scale of student_t; where it grows, at the median of the expected ranges.
double usual_sigma_m(const FitReport& report);

/// Readings by range, readings minus where hits are expected, and the probability integral transform.
std::vector<Report::Figure> reading_figures(const FitReport& report);
/// Density of readings for an expected range near the given quantile of the expected ranges, and readings there. The
/// caption counts readings off the axis.
Report::Figure density_figure(const FitReport& report, double quantile);
/// Three of them.
std::vector<Report::Figure> density_figures(const FitReport& report);
/// Log-likelihood per ray over the iterations.
std::string convergence_figure(const FitReport& report);

// How readings, and the components of a fitted model, share out over bins, and where they disagree.

/// Fractions of all readings that carry evidence: as they are, and by component as the model expects them.
struct MixtureBin {
  double readings = 0.0, hit = 0.0, shorts = 0.0, rand = 0.0;
  [[nodiscard]] double expected() const { return hit + shorts + rand; }
};

/// Readings, below + bins + beyond + max, sum to 1; the expected shares, too.
struct MixtureShares {
  std::vector<double> edges;                      ///< [bins + 1]
  std::vector<MixtureBin> bins;                   ///< [bins]
  MixtureBin below, beyond;                       ///< shares before the first edge, and from the last one on
  double max_readings = 0.0, max_expected = 0.0;  ///< without a return
  std::size_t pairs = 0;                          ///< whose readings are counted
  std::size_t modelled = 0;  ///< from which the model's shares are worked out: all, or a random draw of them
};

/// Over the readings themselves.
MixtureShares shares_by_range(const FitReport& report, std::vector<double> edges);
/// Over readings minus the centre of the hits; pairs whose map expects nothing within Z are left out.
MixtureShares shares_by_residual(const FitReport& report, std::vector<double> edges);

/// Where tails of hits begin and end, in deviations from the surface.
inline constexpr double kCoreSigmas = 3.0, kTailSigmas = 10.0;
/// shares_by_residual() with three bins: the tail before the surface, the core and the tail behind it.
MixtureShares tail_shares(const FitReport& report);

/// Whether two shares of the readings differ by more than half a per cent of all, a tenth of the expected share and
/// chance. Of `shares` pairs and modelled count.
bool disagree(double readings, double expected, const MixtureShares& shares);

/// "4.2 % of the readings lie 3 to 10 sigma from the surface, 1.3 % by the model": of these shares.
std::string tail_words(double readings, double expected);

/// Sentences about shares that disagree().
struct Disagreements {
  /// `more`, `less`: the meaning of more or fewer readings than the model expects.
  void compare(const std::string& where, double readings, double expected, std::string_view more,
               std::string_view less);

  const MixtureShares& shares;
  bool is_wrong_map = false;  ///< then no share says anything of the sensor
  std::vector<std::string> found = {};
};
inline constexpr std::string_view kHeavyTails = "tails heavier than the model's",
                                  kLightTails = "tails lighter than the model's",
                                  kNothingBehind = "surfaces of the map are missing, or poses are wrong";

/// A sentence each: tails about the surface, readings without a return, and readings beyond all usual ones whose shares
/// the model misses by more than half a per cent of all readings, a tenth of the model's share and what chance
/// explains.
std::vector<std::string> disagreements(const FitReport& report);

// The figures of errors: of a wall, measured beside simulated with the learned chain, and of depth images.

/// Errors of one frame, measured and simulated: pictures of a camera or a lidar, lines of a planar laser.
std::vector<Report::Figure> wall_residuals(const WallReport& report);
/// Errors, their deviation by range, their correlation, and the share of rays that came back, by incidence and range.
std::vector<Report::Figure> wall_curves(const WallReport& report);

/// Whether rays have rows, and the name of a step among them.
bool has_rows(const WallReport& report);
std::string step_word(const WallReport& report);
/// Whether errors are px of disparity.
bool in_disparity(const WallReport& report);

/// Depths, holes and residuals of the first frame.
std::vector<Report::Figure> depth_pictures(const DepthReport::Folder& report);
/// Correlation against lag, and hole pixels by the size of their blobs, of the first two reports.
std::vector<Report::Figure> depth_curves(std::span<const DepthReport::Folder> reports);

}  // namespace fathom
