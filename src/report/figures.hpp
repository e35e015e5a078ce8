// SPDX-License-Identifier: MIT
#pragma once
// Plots as SVG text, whose colours and strokes are left to CSS classes of the page, and pictures as PNG within HTML.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/beam/beam.hpp>
#include <fathom/calibrate/reports.hpp>

#include "picture/painter.hpp"
#include "report/report.hpp"

namespace fathom {

struct PlotAxis {
  double low = 0.0, high = 1.0;
  std::string label = {};
  bool logarithmic = false;  ///< low > 0 then
  double last_tick = high;   ///< no ticks beyond
  double first_tick = low;   ///< and none before
};

/// The axis of a logarithmic picture whose largest value is `top`, five decades deep.
PlotAxis decades_below(double top, std::string label);

/// Whole multiples of 1, 2 or 5 times a power of ten within the axis, about five; powers of ten on a logarithmic one.
std::vector<double> tick_values(const PlotAxis& axis);

/// The unit of shown lengths: millimetres, or metres from one metre on.
struct LengthUnit {
  double per_m;
  const char* symbol;
};
LengthUnit length_unit(double largest_m);

/// "<", "&" and '"' made harmless.
std::string escape_html(std::string_view text);

class Plot {
 public:
  static constexpr double kWidth = 520;   ///< unless another one is given, CSS pixels
  static constexpr double kMargins = 70;  ///< left and right of the axis

  /// `title` is read out where the picture cannot be seen. Sizes in CSS pixels.
  Plot(std::string_view title, PlotAxis x, PlotAxis y, double width = kWidth, double height = 300);

  /// Filled steps: bin i spans [edges[i], edges[i + 1]] from low[i] to high[i]. edges [n + 1], low and high [n].
  void fill_steps(std::span<const double> edges, std::span<const double> low, std::span<const double> high,
                  std::string_view css_class);
  /// The upper border of such steps.
  void draw_steps(std::span<const double> edges, std::span<const double> high, std::string_view css_class);
  /// Values below the axis are drawn on it.
  void draw_line(std::span<const double> x, std::span<const double> y, std::string_view css_class);
  void draw_vertical(double x, std::string_view css_class);
  void draw_horizontal(double y, std::string_view css_class);
  /// `anchor`: start, middle or end.
  void write(double x, double y, std::string_view text, std::string_view anchor = "start");

  [[nodiscard]] std::string svg() const;

 private:
  [[nodiscard]] double px(double x) const;
  [[nodiscard]] double py(double y) const;
  [[nodiscard]] std::string axes() const;

  std::string title_;
  PlotAxis x_, y_;
  double width_, height_;
  std::string body_;
};

inline constexpr Rgb kLowColor = {33, 102, 172}, kHighColor = {178, 24, 43};  ///< of signed_color()

/// A colour as CSS has it.
std::string css(Rgb c);

/// Of class "pixels". `title` is read out where the picture cannot be seen.
std::string embedded_picture(const Image& image, std::string_view title);

/// `part` of the way from `a` to `b`.
Rgb mix(Rgb a, Rgb b, double part);
/// u in [-1, 1]: blue, white, red.
Rgb signed_color(double u);

/// Three deviations of most values, whatever single patches do; 0 without values. NaN are passed over.
double residual_scale(std::span<const float> residual);

// The figures of a fit, as SVG.

/// Where pictures over range end: just beyond nearly all readings that have one, at most Z.
double usual_range_m(const FitReport& report);

/// The deviation of hits, or the scale of student_t; where it grows, at the median of the expected ranges.
double usual_sigma_m(const FitReport& report);

/// Readings by range, readings minus where hits are expected, and the probability integral transform.
std::vector<Report::Figure> reading_figures(const FitReport& report);
/// Density of readings for an expected range near the given quantile of the expected ranges, and readings there. The
/// caption says what lies off the axis.
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

/// Readings, below + bins + beyond + max, sum to 1; so does what the model expects.
struct MixtureShares {
  std::vector<double> edges;                      ///< [bins + 1]
  std::vector<MixtureBin> bins;                   ///< [bins]
  MixtureBin below, beyond;                       ///< what lies before the first edge, and from the last one on
  double max_readings = 0.0, max_expected = 0.0;  ///< without a return
  std::size_t pairs = 0;                          ///< whose readings are counted
  std::size_t modelled = 0;  ///< from which the model's shares are worked out: all, or a random draw of them
};

std::vector<double> even_edges(double low, double high, std::size_t bins);

/// Over the readings themselves.
MixtureShares shares_by_range(const FitReport& report, std::vector<double> edges);
/// Over readings minus the centre of the hits; pairs whose map expects nothing within Z are left out.
MixtureShares shares_by_residual(const FitReport& report, std::vector<double> edges);

/// Where tails of hits begin and end, in deviations from the surface.
inline constexpr double kCoreSigmas = 3.0, kTailSigmas = 10.0;
/// shares_by_residual() with three bins: the tail before the surface, the core and the tail behind it.
MixtureShares tail_shares(const FitReport& report);

/// The value below which a fraction q of the values lies; 0 without values. Reorders them.
double quantile_of(std::vector<float>& values, double q);

/// Whether two shares of the readings differ by more than half a per cent of all, a tenth of what the model expects,
/// and what chance explains. Of `shares` pairs and modelled count.
bool disagree(double readings, double expected, const MixtureShares& shares);

/// "4.2 % of the readings lie 3 to 10 sigma from the surface, 1.3 % by the model": of these shares.
std::string tail_words(double readings, double expected);

/// Sentences about shares that disagree().
struct Disagreements {
  /// `more`, `less`: what it means where there are more or fewer readings than the model expects.
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

/// Whether rays have rows, and what one step among them is called.
bool has_rows(const WallReport& report);
std::string step_word(const WallReport& report);
/// Whether errors are px of disparity.
bool in_disparity(const WallReport& report);

/// Depths, holes and residuals of the first frame.
std::vector<Report::Figure> depth_pictures(const DepthReport& report);
/// Correlation against lag, and hole pixels by the size of their blobs, of the first two reports.
std::vector<Report::Figure> depth_curves(std::span<const DepthReport> reports);

}  // namespace fathom
