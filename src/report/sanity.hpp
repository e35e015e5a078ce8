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

namespace fathom {

/// What it means that a map explains a log badly, and what to do.
inline constexpr std::string_view kElsewhere =
    "the map is of another place, or lies elsewhere than the log says; draw where a scan could have been made (fathom "
    "beam heatmap)";

/// Words where the fit shows that the map is of another place; empty: it does not.
std::string wrong_map_flag(const FitReport& report);

/// What the fit and its readings show: a map of another place, or hits that the book piles up below Z, and heavy tails.
std::vector<std::string> sanity_flags(const FitReport& report);

/// A value that probably means no return; empty where there is none.
std::string no_return_flag(const NoReturnPile::Code& code);

/// Of the share of readings that are 0, which may mean no return; empty where they carry no evidence.
std::string zero_flag(double share, double min_range_m);

/// So many scans, evenly spaced, tell whether the poses of a log are exact.
inline constexpr std::size_t kPoseScans = 48;

/// By how many nats a judged ray is likelier at the refined poses of these scans than at those of the log; 0 where that
/// is at most 0.05, or three standard errors by scan, or cannot be known.
double telling_gain(const RefinedPoses& refined, const ScanLog& log, const World& world, const BeamSensor& sensor,
                    const Compute& compute);

/// The same of these scans, whose poses are refined for it. With at most 180 rays of each, and two turns: of kPoseScans
/// scans about as long as 100 000 rays are learned from.
double gain_of_refined_poses(const ScanLog& log, const World& world, const BeamSensor& sensor,
                             const FitLogOptions& options);

/// Of such a gain; empty where it is 0. `per_log`: what was learned of the log.
std::string pose_flag(double gain, PerLog per_log);

}  // namespace fathom
