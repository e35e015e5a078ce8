// SPDX-License-Identifier: MIT
#pragma once
// What is probably wrong with a log, its map, its poses or the model, in words that say what to do.

#include <string>
#include <string_view>
#include <vector>

#include <fathom/beam/log.hpp>
#include <fathom/beam/report.hpp>

#include "beam/no_return_pile.hpp"
#include "report/fit_selection.hpp"
#include "report/log_placement.hpp"

namespace fathom {

/// Names a wrong map where this weight of readings that the map does not explain is above `most`; else empty.
std::string unexplained_flag(std::string_view weight, double value, double most);
/// Names a wrong map where hits spread by more than `most_m`; else empty.
std::string spread_flag(double sigma_m, double cell_m, double most_m);
/// Words where the fit shows that the map is of another place; empty: it does not.
std::string wrong_map_flag(const FitReport& report);

/// Adds a flag, unless it is empty.
template <class Report>
void add_flag(const Message& flag, Report& report) {
  if (!flag.empty()) report.sanity.push_back(flag);
}
/// Adds a flag that makes the parameters useless, unless it is empty.
template <class Report>
void add_fault(const Message& flag, Report& report) {
  add_flag(flag, report);
  if (!flag.empty()) report.unusable.push_back(flag);
}

/// Adds what the fit and its readings show: a map of another place, which makes the parameters useless, or hits that
/// the book piles up below Z, heavy tails, and readings that lie elsewhere than the model has them.
void add_model_flags(FitReport& report);

/// A value that probably means no return; empty where there is none.
Message no_return_flag(const NoReturnPile::Code& code);
/// What is told where such a code was taken as the maximum range; empty: there was none.
std::string no_return_note(const NoReturnPile::Code& code);

/// Of readings that are ranges, and that the maximum range makes readings without a return; empty where there are few.
Message beyond_flag(const NoReturnPile::Beyond& beyond, double max_range_m);

/// Of the share of readings that are 0, which may mean no return; empty where they carry no evidence.
std::string zero_flag(double share, double min_range_m);

/// So many scans, evenly spaced, tell whether the poses of a log are exact.
inline constexpr std::size_t kPoseScans = 48;

/// By how many nats a judged ray is likelier at the refined poses of these scans than at those of the log; 0 where that
/// is at most 0.05, or three standard errors by scan, or cannot be known.
double telling_gain(const RefinedPoses& refined, const ScanLog& log, const World& world, const BeamSensor& sensor,
                    const Compute& compute);

/// What refined poses tell of those of a log.
struct PoseCheck {
  double gain = 0.0;  ///< as telling_gain() has it; 0 where poses move within half a cell
  CommonMove common;
};

/// Of these scans, whose poses are refined for it. With at most 180 rays of each, and two turns: of kPoseScans scans
/// about as long as 100 000 rays are learned from.
PoseCheck check_poses(const ScanLog& log, const World& world, const BeamSensor& sensor, const FitLogOptions& options);

/// Empty where there is no gain. `per_log`: what was learned of the log.
std::string pose_flag(const PoseCheck& check, PerLog per_log);

}  // namespace fathom
