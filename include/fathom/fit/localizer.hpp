// SPDX-License-Identifier: MIT
#pragma once
// A learned beam model as the parameters of localizers: amcl of ROS 1, nav2_amcl, and beluga_amcl. All of them give a
// reading z where z* is expected
//
//   p(z) = z_hit h exp(-(z - z*)^2 / (2 sigma_hit^2)) + z_short s lambda_short exp(-lambda_short z) [z < z*]
//          + z_rand / Z [z < Z] + z_max [z at Z]
//
// beluga's h and s are the normalisers of BeamDensity, so it takes BeamParameters unchanged. It would divide by a rate
// of 0, which becomes 1e-6 1/m. amcl and nav2 have h = s = 1: their hit term lacks 1 / (sigma_hit sqrt(2 pi)), and
// nothing is cut at 0, z* and Z. Hence
//
//   z_hit : z_short : z_max : z_rand = w_hit / (sigma_hit sqrt(2 pi)) : w_short : w_max : w_rand,
//
// scaled to sum 1, and log p(z) is log f(z) and one constant, except at the cuts.
// Source: nav2_amcl/src/sensors/laser/beam_model.cpp (amcl's is the same), beluga/sensor/beam_model.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/report/fit.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

enum class Localizer : std::uint8_t { kAmcl, kNav2, kBeluga };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Localizer> = {"amcl", "nav2", "beluga"};

/// The beam model of a localizer, by the names of its parameters. Weights sum to 1; lengths in m, rates in 1/m.
struct LocalizerBeam {
  double z_hit = 0.0, z_short = 0.0, z_max = 0.0, z_rand = 0.0, sigma_hit = 0.0, lambda_short = 0.0;
};

/// Throws InputError unless hits are gaussian.
FATHOM_API void check_hit_law(HitLaw law, Localizer localizer);

/// Throws InputError for invalid parameters, and as check_hit_law() does.
FATHOM_API LocalizerBeam localizer_beam(const BeamParameters& parameters, Localizer localizer);

/// Properties that the localizer lacks, one sentence each.
FATHOM_API std::vector<std::string> localizer_notes(const BeamParameters& parameters, Localizer localizer);

/// The parameters as YAML: private parameters for amcl, which rosparam loads, else parameters of the ROS 2 node amcl.
/// The notes are comments. Throws InputError for an invalid model, and as check_hit_law() does.
FATHOM_API std::string localizer_text(const BeamParameters& parameters, const BeamSensor& sensor, Localizer localizer);

/// "nav2.yaml".
FATHOM_API std::string localizer_file_name(Localizer localizer);

// The likelihood field of range finders, which most localizers use: the density depends on the distance between the end
// of a reading and the nearest occupied cell of the map.
//
//   f = w_hit exp(-d^2 / (2 sigma^2)) / (sigma sqrt(2 pi)) + w_rand / Z,
//
// d the distance between the centres of cells, as localizers take it, and at most max_distance. Readings without a
// return carry no evidence. f is a density where the ray meets its surface head-on. At other angles d grows more slowly
// than the range, and f is a score. Readings of a scan are independent, and occlusion is not modelled.
// Source: Thrun, Burgard, Fox, Probabilistic Robotics (2005), section 6.4, table 6.3, without its weight of readings
// without a return, as amcl and beluga have it.

class Executor;

/// Weights are >= 0 and sum to 1 within 1e-6; they are never renormalised.
struct LikelihoodFieldModel {
  double w_hit = 0.9;
  double w_rand = 0.1;
  double sigma_hit_m = 0.2;     ///< > 0
  double max_range_m = 30.0;    ///< Z; readings from here on, and +inf, carry no evidence
  double min_range_m = 0.0;     ///< readings below carry no evidence
  double max_distance_m = 2.0;  ///< no end counts as farther from all occupied cells

  static constexpr std::string_view kSlug = "likelihood_field";
  static constexpr std::string_view kDoc = "How readings of a range finder end about the occupied cells of a map.";
  static constexpr auto fields() {
    using M = LikelihoodFieldModel;
    return std::array<Field<M>, 6>{{
        {"w_hit", "1", &M::w_hit, 0, 1, "weight of readings that end at an occupied cell", true},
        {"w_rand", "1", &M::w_rand, 0, 1, "weight of readings that nothing explains", true},
        {"sigma_hit_m", "m", &M::sigma_hit_m, kLeastSigmaHitM, kMostSigmaHitM,
         "standard deviation of ends about occupied cells", true},
        {"max_range_m", "m", &M::max_range_m, 1e-6, BeamSensor::kMostRangeM,
         "Z: readings from here on carry no evidence", true},
        {"min_range_m", "m", &M::min_range_m, 0, BeamSensor::kMostRangeM, "readings below carry no evidence"},
        {"max_distance_m", "m", &M::max_distance_m, 1e-6, BeamSensor::kMostRangeM,
         "ends count as no farther than this from the nearest occupied cell"},
    }};
  }
  /// Throws InputError unless the weights sum to 1.
  FATHOM_API void check() const;

  /// f, per metre, of an end at this distance.
  [[nodiscard]] FATHOM_API double density(double distance_m) const;
  /// Whether a reading carries evidence.
  [[nodiscard]] FATHOM_API bool counts(double reading_m) const;
};

/// Which cell a point belongs to. kRounded is the look-up of amcl and nav2, which round (x - origin) / resolution: a
/// cell reaches half a cell to either side of its lower corner. They ignore the yaw of the map.
enum class CellLookup : std::uint8_t { kContaining, kRounded };
FATHOM_API CellLookup cell_lookup(Localizer localizer);

/// For each cell of a map the distance between its centre and that of the nearest occupied cell, in linear time:
/// Felzenszwalb and Huttenlocher, "Distance transforms of sampled functions", Theory of Computing 8 (2012), section
/// 2.1.
class DistanceField {
 public:
  static constexpr std::uint32_t kMostCells = 1024;  ///< in max_distance_m

  /// Throws InputError for an invalid map, and for a max_distance_m of 0 or above kMostCells cells.
  FATHOM_API DistanceField(const GridMap& map, double max_distance_m);

  /// The same distances, found by another look-up.
  [[nodiscard]] FATHOM_API DistanceField looked_up(CellLookup lookup) const;

  /// Levels are squared distances in cells, up to that of everything farther.
  [[nodiscard]] FATHOM_API std::uint32_t level_at(double x_m, double y_m) const;  ///< of a point in the world
  [[nodiscard]] std::uint32_t levels() const { return far_ + 1; }
  [[nodiscard]] FATHOM_API double distance_m(std::uint32_t level) const;
  [[nodiscard]] double cell_m() const { return resolution_m_; }

 private:
  double resolution_m_, max_distance_m_;
  std::uint32_t rows_, cols_, far_;
  double cos_, sin_, x_m_, y_m_;                             // of the map in the world
  double rounding_ = 0.0;                                    // cells that are added before the fraction is cut off
  std::shared_ptr<const std::vector<std::uint32_t>> level_;  // [rows, cols], one for all look-ups
};

/// Ends of the readings of a scan that count, in the frame of the sensor at the first one. [readings]
struct ReadingEnds {
  std::vector<double> x_m, y_m;
};
/// Of every `ray_step`-th reading. Throws InputError for an unknown scan and a step of 0.
FATHOM_API ReadingEnds reading_ends(const ScanLog& log, std::uint32_t scan, const LikelihoodFieldModel& model,
                                    std::size_t ray_step = 1);

/// Distances of the ends of readings from occupied cells. Arrays [readings].
struct FieldData {
  std::vector<std::uint32_t> level;  ///< DistanceField::level_at
  std::vector<std::uint32_t> scan;   ///< not decreasing
};
/// Throws InputError for no scans and unknown scans.
FATHOM_API FieldData make_field_data(const ScanLog& log, std::span<const std::uint32_t> scans,
                                     const DistanceField& field, const LikelihoodFieldModel& model);

struct FieldFitOptions {
  double tolerance = 1e-10;  ///< stop when the log-likelihood L changes by at most tolerance (1 + |L|)
  std::size_t max_iterations = 5000;
  std::size_t stretches = 40;  ///< as FitOptions::stretches
  /// As FitOptions::stretch_of_scan, of the scans that FieldData has.
  std::vector<std::uint32_t> stretch_of_scan = {};
};

/// Its parameters are w_hit, w_rand and sigma_hit_m.
struct FieldFit : IteratedFit {
  LikelihoodFieldModel model;
};

/// Learns weights and sigma by expectation maximisation; the likelihood never falls. sigma is at least the size of a
/// cell / sqrt(12). The sensor stays that of `start`. Throws InputError if no reading counts and for invalid options.
FATHOM_API FieldFit fit_likelihood_field(const FieldData& data, const DistanceField& field,
                                         const LikelihoodFieldModel& start, const FieldFitOptions& options = {});

/// The mean log f of readings; NaN of none.
FATHOM_API double field_nats_per_reading(const FieldData& data, const DistanceField& field,
                                         const LikelihoodFieldModel& model);

/// Log-likelihoods of one scan, seen from many poses: the sum of log f over its readings.
class FATHOM_API FieldScorer {
 public:
  /// `field` must outlive it and have the model's max_distance_m. Throws InputError for an invalid model.
  FieldScorer(const LikelihoodFieldModel& model, const DistanceField& field, const Compute& compute = {});
  ~FieldScorer();
  FieldScorer(FieldScorer&&) noexcept;
  FieldScorer& operator=(FieldScorer&&) noexcept;

  /// out [poses]. Throws InputError when sizes disagree or a pose is not finite.
  void score(std::span<const PlanarPose> poses, const ReadingEnds& ends, std::span<double> out);

 private:
  const DistanceField* field_;
  std::vector<double> log_f_;  // [levels]
  std::unique_ptr<Executor> executor_;
};

/// The likelihood field of a localizer, by the names of its parameters. beluga's is f. Weights of amcl and nav2 make up
/// for the missing 1 / (sigma_hit sqrt(2 pi)): log p is log f and one constant.
struct LocalizerField {
  double z_hit = 0.0, z_rand = 0.0, sigma_hit = 0.0, laser_likelihood_max_dist = 0.0;
};
FATHOM_API LocalizerField localizer_field(const LikelihoodFieldModel& model, Localizer localizer);
/// The parameters as YAML.
FATHOM_API std::string localizer_text(const LikelihoodFieldModel& model, Localizer localizer);

}  // namespace fathom
