// SPDX-License-Identifier: MIT
// Whether a log lies on its map.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/geometry.hpp>

#include "core/numbers.hpp"
#include "fit/beam/scans.hpp"
#include "fit/report/fit_selection.hpp"
#include "fit/report/sanity.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPlacedScans = 48, kPlacedRays = 180;
constexpr double kLeastPlaced = 100.0;            // readings that tell a share
constexpr double kLeastExpected = 0.5;            // of them
constexpr double kNearM = 0.1, kNearCells = 2.0;  // readings so near to the map lie on it
constexpr double kLeastNears = 5.0;               // of this distance: shorter readings show nothing
constexpr double kReachM = 1e5;                   // a laser in any unit
// A change of the log that brings its readings onto the map: of good logs 0.6 and more lie there unchanged.
constexpr double kLeastPlacedShare = 0.4, kLeastPlacedRise = 0.2, kMostRest = 0.6, kSimpler = 0.02;
constexpr double kMostBeside = 0.1;  // of the poses

constexpr double kLeastMoves = 10.0;
constexpr double kLeastMoveM = 0.02, kLeastMoveCells = 0.5, kLeastMoveRad = 0.005;
constexpr double kMoveErrors = 3.0, kClearlyBetter = 1.3;

/// How far from the map a reading may end that lies on it.
double near_m_of(double cell_m) { return std::max(kNearM, kNearCells * cell_m); }

/// 0 if the readings are too few to tell.
double share_if_enough(double near, double readings) { return readings < kLeastPlaced ? 0.0 : near / readings; }

/// The share of readings, in another unit, that lie near an expected surface; 0 where most of them expect none, as
/// beside the map. Short readings do not count: in too small a unit a log lies in one place.
double share_of_near(const BeamData& pairs, double unit) {
  const double near_m = near_m_of(pairs.cell_m);
  double all = 0.0, readings = 0.0, near = 0.0;
  for (std::size_t i = 0; i < pairs.reading_m.size(); ++i) {
    const double reading_m = unit * double{pairs.reading_m[i]}, expected_m = double{pairs.expected_m[i]};
    if (!(reading_m > kLeastNears * near_m && std::isfinite(reading_m))) continue;
    all += 1.0;
    if (!(expected_m < kReachM)) continue;
    readings += 1.0, near += std::abs(reading_m - expected_m) <= near_m ? 1.0 : 0.0;
  }
  return readings < kLeastExpected * all ? 0.0 : share_if_enough(near, readings);
}

/// What may be wrong with all numbers of a log.
struct LogChange {
  double readings = 1.0, poses = 1.0, headings = 1.0;  ///< factors
  int quarters = 0;                                    ///< by which the laser is turned to the left
  bool mirrored = false;                               ///< rays run the other way
};

ScanLog changed(ScanLog log, const LogChange& by) {
  if (by.mirrored) {
    for (double& azimuth_rad : log.azimuth_rad) azimuth_rad = -azimuth_rad;
  }
  for (float& reading : log.range_m) reading = static_cast<float>(double{reading} * by.readings);
  for (PlanarPose& pose : log.pose) {
    pose.x_m *= by.poses, pose.y_m *= by.poses;
    pose.yaw_rad = pose.yaw_rad * by.headings + by.quarters * std::numbers::pi / 2.0;
  }
  return log;
}

constexpr std::array<double, 8> kUnits = {0.01, 0.001, 0.1, 0.3048, 0.0254, 100.0, 1000.0, 10.0};
constexpr std::array<const char*, 8> kUnitNames = {"centimetres", "millimetres",    "decimetres", "feet",
                                                   "inches",      "units of 100 m", "kilometres", "units of 10 m"};

/// The simplest first.
std::vector<LogChange> possible_changes(const ScanLog& log) {
  std::vector<LogChange> changes;
  changes.reserve(7 * kUnits.size());
  for (const double unit : kUnits) changes.push_back({.readings = unit});
  for (const int quarters : {2, 1, 3}) changes.push_back({.quarters = quarters});
  if (!log.has_own_rays) changes.push_back({.mirrored = true});
  changes.push_back({.headings = kRadPerDeg});
  for (const double unit : kUnits) changes.push_back({.readings = unit, .poses = unit});
  for (const double unit : kUnits) changes.push_back({.poses = unit});
  for (const double unit : kUnits) {
    for (const int quarters : {2, 1, 3}) changes.push_back({.readings = unit, .quarters = quarters});
  }
  return changes;
}

struct FoundChange {
  LogChange change;
  double before = 0.0, share = 0.0;  ///< of the readings on the map, without and with it
  [[nodiscard]] bool is_clear() const {
    return share >= kLeastPlacedShare && share >= before + kLeastPlacedRise &&
           1.0 - share <= kMostRest * (1.0 - before);
  }
};

FoundChange find_change(const ScanLog& log, const ShareOnMap& share) {
  const ScanLog few =
      part_of(log, spread_scans(all_scans(log), kPlacedScans), (log.rays() + kPlacedRays - 1) / kPlacedRays);
  FoundChange found;
  found.before = found.share = share(few);
  if (found.before > 1.0 - kLeastPlacedRise) return found;
  for (const LogChange& change : possible_changes(few)) {
    const double with = share(changed(few, change));
    if (with > found.share + kSimpler) found.change = change, found.share = with;
  }
  return found;
}

const char* unit_name(double unit) {
  return kUnitNames.at(static_cast<std::size_t>(std::ranges::find(kUnits, unit) - kUnits.begin()));
}

/// "divided by 100: are they centimetres?"
std::string unit_words(double unit) {
  return fmt::format("{} {:g}: are they {}?", unit < 1.0 ? "divided by" : "times", unit < 1.0 ? 1.0 / unit : unit,
                     unit_name(unit));
}

Message change_words(const LogChange& change) {
  Message words;
  if (change.quarters != 0) {
    words = Message(fmt::format("with the laser turned by {} degrees: it is mounted so; give its pose on the robot (",
                                90 * change.quarters),
                    Setting{"mount"}, ", or the transform of its frame)");
  }
  if (change.mirrored) words = "with azimuths negated: the laser hangs upside down, or its rays run clockwise";
  if (change.headings != 1.0) words = "with headings taken as degrees: are they degrees?";
  if (change.readings != 1.0) {
    words = Message(words, words.empty() ? "" : ", and ", unit_words(change.readings));
    if (change.poses != 1.0) words = Message("together with the poses ", words);
  } else if (change.poses != 1.0) {
    words = Message("with poses ", unit_words(change.poses));
  }
  return words;
}

/// A sentence, or empty if no change is clearly better.
Message words_of(const FoundChange& found) {
  if (!found.is_clear()) return "";
  return Message(fmt::format("{:.0f} % of the readings lie where the map has surfaces as they are, and {:.0f} % ",
                             100.0 * found.before, 100.0 * found.share),
                 change_words(found.change));
}

bool covers(const GridMap& map, const PlanarPose& at) {
  const PlanarPose& corner = map.world_from_map;
  const double c = std::cos(corner.yaw_rad), s = std::sin(corner.yaw_rad);
  const double x = at.x_m - corner.x_m, y = at.y_m - corner.y_m;
  const double along = (c * x + s * y) / map.resolution_m, across = (c * y - s * x) / map.resolution_m;
  return along >= 0.0 && across >= 0.0 && along < map.cols && across < map.rows;
}

double share_beside(const ScanLog& log, const GridMap& outline) {
  if (outline.rows == 0) return 0.0;
  const auto beside = std::ranges::count_if(log.pose, [&](const PlanarPose& pose) { return !covers(outline, pose); });
  return static_cast<double>(beside) / static_cast<double>(log.scans());
}

/// "x -3 to 5 m and y 0 to 4 m": the box about a map.
std::string extent_words(const GridMap& map) {
  const PlanarPose& corner = map.world_from_map;
  const double c = std::cos(corner.yaw_rad), s = std::sin(corner.yaw_rad);
  const double width = map.cols * map.resolution_m, height = map.rows * map.resolution_m;
  const double left = std::min({0.0, c * width, -s * height, c * width - s * height}),
               right = std::max({0.0, c * width, -s * height, c * width - s * height}),
               low = std::min({0.0, s * width, c * height, s * width + c * height}),
               high = std::max({0.0, s * width, c * height, s * width + c * height});
  return fmt::format("x {:.1f} to {:.1f} m and y {:.1f} to {:.1f} m", corner.x_m + left, corner.x_m + right,
                     corner.y_m + low, corner.y_m + high);
}

/// The median of shifts, and a robust deviation from it.
struct Typical {
  double median = 0.0, spread = 0.0;

  explicit Typical(std::vector<double> values) {
    constexpr double kSigmasPerDeviation = 1.4826;
    median = fathom::median(values);
    for (double& value : values) value = std::abs(value - median);
    spread = kSigmasPerDeviation * fathom::median(values);
  }
};

/// Whether a common move is more than `least`, than chance explains, and than single moves differ from it.
bool is_common(double move, double spread, double scans, double least) {
  constexpr double kErrorOfMedian = 1.2533;  // times that of a mean
  return move > std::max({least, kMoveErrors * kErrorOfMedian * spread / std::sqrt(scans), spread});
}

/// A move along x and y that all scans have in common.
struct CommonShift {
  double x_m = 0.0, y_m = 0.0, spread_m = 0.0;
  bool is_some = false;

  CommonShift(const std::vector<double>& x, const std::vector<double>& y, double least_m) {
    const Typical of_x(x), of_y(y);
    x_m = of_x.median, y_m = of_y.median, spread_m = std::hypot(of_x.spread, of_y.spread);
    is_some = is_common(std::hypot(x_m, y_m), spread_m, static_cast<double>(x.size()), least_m);
  }
};

}  // namespace

ShareOnMap share_by_ranges(const ExpectedRanges& world) {
  return [&world](const ScanLog& log) {
    return share_of_near(make_beam_data(log, all_scans(log), world, kReachM, {.threads = 1}), 1.0);
  };
}

ShareOnMap share_by_ends(const DistanceField& field) {
  return [&field](const ScanLog& log) {
    LikelihoodFieldModel any;
    const double near_m = near_m_of(field.cell_m());
    any.max_range_m = kReachM, any.min_range_m = kLeastNears * near_m;
    const FieldData ends = make_field_data(log, all_scans(log), field, any);
    const auto near =
        std::ranges::count_if(ends.level, [&](std::uint32_t level) { return field.distance_m(level) <= near_m; });
    return share_if_enough(static_cast<double>(near), static_cast<double>(ends.level.size()));
  };
}

void require_poses_on_map(const ScanLog& log, const GridMap& outline, const ShareOnMap& share) {
  if (outline.rows == 0 || share_beside(log, outline) < 1.0) return;
  const FoundChange found = find_change(log, share);
  const bool is_unit = found.is_clear() && found.change.poses != 1.0;
  const PlanarPose& first = log.pose.front();
  const std::string where =
      fmt::format("no pose lies on the map, which covers {}; the first is ({:.1f}, {:.1f}): ", extent_words(outline),
                  first.x_m, first.y_m);
  if (is_unit) {
    throw InputError(where, fmt::format("{:.0f} % of the readings lie on the map ", 100.0 * found.share),
                     change_words(found.change));
  }
  throw InputError(where, "give the origin of the map in the frame of the poses, or the frame in which it stands (",
                   Setting{"map_frame"}, ")");
}

std::string beside_map_flag(const ScanLog& log, const GridMap& outline) {
  const double share = share_beside(log, outline);
  if (!(share > kMostBeside)) return "";
  return fmt::format("{:.0f} % of the poses lie beside the map, which covers {}", 100.0 * share, extent_words(outline));
}

std::string one_place_flag(std::span<const PlanarPose> poses) {
  if (!are_of_one_place(poses)) return "";
  return "all scans are from one place: the parameters describe this place alone, and without others there are no "
         "standard errors; drive through the map";
}

Message misplacement_flag(const ScanLog& log, const ShareOnMap& share) { return words_of(find_change(log, share)); }

Message unit_flag(const BeamData& pairs) {
  FoundChange found;
  found.before = found.share = share_of_near(pairs, 1.0);
  for (const double unit : kUnits) {
    const double with = share_of_near(pairs, unit);
    if (with > found.share + kSimpler) found.change = {.readings = unit}, found.share = with;
  }
  return words_of(found);
}

std::string CommonMove::words() const {
  constexpr std::string_view kMounted = "the laser is mounted otherwise than the log says",
                             kElsewhereIs = "the map lies elsewhere than the log says";
  const std::string turned = fmt::format("turned by {:.1f} degrees", map.yaw_rad / kRadPerDeg);
  if (is_mount && !is_map) {
    return fmt::format(
        "scans fit best with the laser {:.2f} m {} and {:.2f} m to the {} of where the log has it, {}, all to the same "
        "side of the robot: {}",
        std::abs(mount.x_m), mount.x_m < 0.0 ? "behind" : "ahead", std::abs(mount.y_m),
        mount.y_m < 0.0 ? "right" : "left", turned, kMounted);
  }
  const double shift_m = std::hypot(map.x_m, map.y_m);
  if (is_mount) {
    return fmt::format("scans fit best {:.2f} m from where the log has them and {}, all to the same side: {}, or {}",
                       shift_m, turned, kMounted, kElsewhereIs);
  }
  return fmt::format(
      "scans fit best {:.2f} m from where the log has them, by ({:.2f}, {:.2f}) m, and {}, all to the same side: {}",
      shift_m, map.x_m, map.y_m, turned, kElsewhereIs);
}

CommonMove find_common_move(std::span<const PlanarPose> logged, std::span<const PlanarPose> moved, double cell_m) {
  CommonMove common;
  const auto scans = static_cast<double>(logged.size());
  if (scans < kLeastMoves) return common;
  double middle_x = 0.0, middle_y = 0.0;
  for (const PlanarPose& pose : logged) middle_x += pose.x_m / scans, middle_y += pose.y_m / scans;
  std::vector<double> turns, lengths, ahead, left, east, north;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    turns.push_back(std::remainder(moved[i].yaw_rad - logged[i].yaw_rad, 2.0 * std::numbers::pi));
  }
  const Typical turn(turns);
  const bool is_turned = is_common(std::abs(turn.median), turn.spread, scans, kLeastMoveRad);
  const double by_rad = is_turned ? turn.median : 0.0;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    const double x = moved[i].x_m - logged[i].x_m, y = moved[i].y_m - logged[i].y_m;
    const double c = std::cos(logged[i].yaw_rad), s = std::sin(logged[i].yaw_rad);
    lengths.push_back(std::hypot(x, y));
    ahead.push_back(c * x + s * y), left.push_back(c * y - s * x);
    east.push_back(x + by_rad * (logged[i].y_m - middle_y)), north.push_back(y - by_rad * (logged[i].x_m - middle_x));
  }
  const double least_m = std::max(kLeastMoveM, kLeastMoveCells * cell_m);
  const CommonShift of_mount(ahead, left, least_m), of_map(east, north, least_m);
  common.typical_m = fathom::median(lengths);
  common.mount = {of_mount.x_m, of_mount.y_m, turn.median}, common.map = {of_map.x_m, of_map.y_m, turn.median};
  const double slack_m = 0.1 * least_m;
  common.is_mount = (of_mount.is_some || is_turned) && of_mount.spread_m <= kClearlyBetter * of_map.spread_m + slack_m;
  common.is_map = (of_map.is_some || is_turned) && of_map.spread_m <= kClearlyBetter * of_mount.spread_m + slack_m;
  return common;
}

}  // namespace fathom
