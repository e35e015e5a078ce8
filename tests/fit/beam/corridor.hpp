// SPDX-License-Identifier: MIT
#pragma once
// A long corridor with furniture along its walls. The map shows where all of it once stood; in the world some pieces
// have moved. Many neighbouring scans see a moved piece, so errors within a stretch of the way are correlated. The beam
// model does not describe them exactly, as on real logs.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fathom/fit/beam.hpp>

#include "fit/beam/likelihood_field.hpp"

namespace fathom::test {

struct CorridorStudy {
  double length_m = 800.0;
  std::size_t scans = 480, rays = 36;
  double moved_share = 0.2;
  BeamParameters truth = {.75, .15, .04, .06, .06, 1.5, .03};
  BeamSensor sensor = {.max_range_m = 8.0, .miss = MissPolicy::kBook};
};

inline constexpr double kCorridorWidthM = 4.0, kSlotM = 2.5;

/// Piece `slot` along a wall: from x to x + width, as deep as it says.
struct Furniture {
  double x_m, width_m, depth_m;
};

/// Uniform in (0, 1), number `n` of what `seed` draws for a slot.
inline double corridor_uniform(std::uint64_t seed, std::uint32_t slot, std::uint32_t n) {
  const PhiloxBlock block = keyed_block({seed, n, make_stream("furniture", 0, "test")}, slot, 0);
  return open_uniform(block.word[0], block.word[1]);
}

inline Furniture furniture_at(std::uint32_t slot, double x_m) {
  return {x_m + 0.6 * corridor_uniform(1, slot, 0), 0.5 + 0.8 * corridor_uniform(1, slot, 1),
          0.3 + 0.6 * corridor_uniform(1, slot, 2)};
}

/// `seed`: says what was moved; 0: nothing.
inline GridMap corridor_map(const CorridorStudy& study, std::uint64_t seed) {
  GridMap map;
  map.resolution_m = 0.05;
  const auto cells = [&](double m) { return static_cast<std::int64_t>(std::lround(m / map.resolution_m)); };
  map.rows = static_cast<std::uint32_t>(cells(kCorridorWidthM)) + 2;
  map.cols = static_cast<std::uint32_t>(cells(study.length_m));
  map.world_from_map = {0, -kCorridorWidthM / 2 - map.resolution_m, 0};
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
  const auto fill = [&](std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
    for (std::int64_t r = std::max<std::int64_t>(row, 0); r < std::min<std::int64_t>(row + rows, map.rows); ++r) {
      for (std::int64_t c = std::max<std::int64_t>(col, 0); c < std::min<std::int64_t>(col + cols, map.cols); ++c) {
        map.cells[static_cast<std::size_t>(r) * map.cols + static_cast<std::size_t>(c)] = Cell::kOccupied;
      }
    }
  };
  fill(0, 1, 0, map.cols), fill(map.rows - 1, 1, 0, map.cols);
  fill(0, map.rows, 0, 1), fill(0, map.rows, map.cols - 1, 1);
  const auto slots = static_cast<std::uint32_t>(study.length_m / kSlotM);
  for (std::uint32_t slot = 0; slot < 2 * slots; ++slot) {
    Furniture piece = furniture_at(slot, kSlotM * (slot / 2));
    if (seed > 0 && corridor_uniform(seed + 1, slot, 3) < study.moved_share) {
      const double u = corridor_uniform(seed + 1, slot, 4);
      if (u < 0.3) continue;  // it is gone
      piece.x_m += 2.0 * u - 1.3;
      piece.depth_m += 0.4 * corridor_uniform(seed + 1, slot, 5) - 0.2;
    }
    const std::int64_t deep = cells(piece.depth_m);
    fill(slot % 2 == 0 ? 1 : map.rows - 1 - deep, deep, cells(piece.x_m), cells(piece.width_m));
  }
  return map;
}

/// Poses along the middle, and where rays point: 270 deg ahead.
inline std::vector<PlanarPose> corridor_poses(const CorridorStudy& study) {
  std::vector<PlanarPose> poses;
  const double margin_m = 10.0, way_m = study.length_m - 2 * margin_m;
  for (std::size_t i = 0; i < study.scans; ++i) {
    const double x = margin_m + way_m * static_cast<double>(i) / static_cast<double>(study.scans);
    poses.push_back({x, 0.4 * std::sin(0.31 * x), 0.5 * std::sin(0.17 * x)});
  }
  return poses;
}

inline std::vector<double> corridor_azimuths(const CorridorStudy& study) {
  std::vector<double> azimuths;
  for (std::size_t k = 0; k < study.rays; ++k) {
    azimuths.push_back(std::numbers::pi * (1.5 * static_cast<double>(k) / static_cast<double>(study.rays - 1) - 0.75));
  }
  return azimuths;
}

/// Readings of the world that `seed` made, beside what the map expects.
inline BeamData corridor_pairs(const CorridorStudy& study, const ExpectedRanges& map, std::uint64_t seed) {
  const auto world = make_grid_ranges(corridor_map(study, seed), {});
  const RayFan fan = RayFan::planar(corridor_azimuths(study));
  std::vector<Pose> poses;
  for (const PlanarPose& pose : corridor_poses(study)) poses.push_back(pose.at_height());
  BeamData data;
  data.cell_m = map.cell_m();
  data.expected_m.resize(poses.size() * fan.size());
  data.reading_m.resize(data.expected_m.size());
  std::vector<float> stands_m(data.expected_m.size());
  map.cast(poses, fan, study.sensor.max_range_m, data.expected_m);
  world->cast(poses, fan, study.sensor.max_range_m, stands_m);
  for (std::uint32_t scan = 0; scan < poses.size(); ++scan) {
    const std::size_t begin = scan * fan.size();
    sample_scan(study.truth, study.sensor, beam_key(seed, scan), std::span(stands_m).subspan(begin, fan.size()),
                std::span(data.reading_m).subspan(begin, fan.size()));
    data.scan.insert(data.scan.end(), fan.size(), scan);
  }
  return data;
}

/// Where those readings end, by the distance from what the map of `field` has.
inline FieldData corridor_ends(const CorridorStudy& study, const BeamData& pairs, const DistanceField& field,
                               const LikelihoodFieldModel& model) {
  ScanLog log;
  log.azimuth_rad = corridor_azimuths(study);
  log.pose = corridor_poses(study);
  log.range_m = pairs.reading_m;
  std::vector<std::uint32_t> all(log.scans());
  std::iota(all.begin(), all.end(), 0U);
  return make_field_data(log, all, field, model);
}

/// How often a parameter's 95 % interval held what all worlds together say, and how the errors compare.
struct ParameterCoverage {
  std::string name;
  double truth = 0.0;
  double held = 0.0;      ///< fraction of the fits; one without an interval holds nothing
  double spread = 0.0;    ///< of the estimates about the truth, root mean square
  double reported = 0.0;  ///< std_error, root mean square over the fits that have one
};

using Learned = std::vector<Fit::Parameter>;

/// `truth`: what all worlds together say; `fits`: what one world each says.
inline std::vector<ParameterCoverage> coverage_of(const Learned& truth, const std::vector<Learned>& fits) {
  std::vector<ParameterCoverage> all;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    ParameterCoverage& of = all.emplace_back(ParameterCoverage{truth[k].name, truth[k].value});
    double known = 0.0;
    for (const Learned& fit : fits) {
      const Fit::Parameter& number = fit[k];
      if (number.low_95 <= of.truth && of.truth <= number.high_95) of.held += 1.0;
      of.spread += (number.value - of.truth) * (number.value - of.truth);
      if (std::isfinite(number.std_error)) of.reported += number.std_error * number.std_error, known += 1.0;
    }
    const auto n = static_cast<double>(fits.size());
    of.held /= n, of.spread = std::sqrt(of.spread / n), of.reported = std::sqrt(of.reported / known);
  }
  return all;
}

/// `parts`: pairs of one world each. `starts`: where learning starts, of each; its end is written there.
inline std::vector<Learned> learn_from_each(const CorridorStudy& study, const std::vector<BeamData>& parts,
                                            std::size_t stretches, std::vector<BeamParameters>& starts) {
  std::vector<Learned> fits;
  for (std::size_t world = 0; world < parts.size(); ++world) {
    FitOptions options = {.start = starts[world], .fit_hit_offset = true, .stretches = stretches};
    options.compute.threads = 1;
    const BeamFit fit = fit_beam_model(parts[world], study.sensor, options);
    starts[world] = fit.model;
    fits.push_back(fit.parameters);
  }
  return fits;
}

/// What the likelihood of all worlds together says: the model's parameters of least divergence.
inline BeamFit learn_from_all(const CorridorStudy& study, const std::vector<BeamData>& parts) {
  FitOptions options = {.start = study.truth, .fit_hit_offset = true};
  options.tolerance = 1e-8;
  BeamData all;
  std::uint32_t first = 0;
  for (const BeamData& part : parts) {
    all.cell_m = part.cell_m;
    all.reading_m.insert(all.reading_m.end(), part.reading_m.begin(), part.reading_m.end());
    all.expected_m.insert(all.expected_m.end(), part.expected_m.begin(), part.expected_m.end());
    for (const std::uint32_t scan : part.scan) all.scan.push_back(first + scan);
    first = all.scan.back() + 1;
  }
  return fit_beam_model(all, study.sensor, options);
}

/// The likelihood field of the corridor, `parts`: ends of one world each.
inline std::vector<Learned> learn_fields(const std::vector<FieldData>& parts, const DistanceField& field,
                                         const LikelihoodFieldModel& start, std::size_t stretches) {
  std::vector<Learned> fits;
  for (const FieldData& part : parts) {
    fits.push_back(fit_likelihood_field(part, field, start, {.stretches = stretches}).parameters);
  }
  return fits;
}

inline FieldFit learn_field_from_all(const std::vector<FieldData>& parts, const DistanceField& field,
                                     const LikelihoodFieldModel& start) {
  FieldData all;
  std::uint32_t first = 0;
  for (const FieldData& part : parts) {
    all.level.insert(all.level.end(), part.level.begin(), part.level.end());
    for (const std::uint32_t scan : part.scan) all.scan.push_back(first + scan);
    first = all.scan.back() + 1;
  }
  return fit_likelihood_field(all, field, start);
}

}  // namespace fathom::test
