// SPDX-License-Identifier: MIT
#include "fit/report/sanity.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "fit/report/figures.hpp"
#include "fit/report/fit_selection.hpp"

namespace fathom {

namespace {

constexpr double kMostUnexplained = 0.5, kMostCells = 10.0;  // of w_short and of w_rand, and of sigma in cells
constexpr double kLeastPoseGain = 0.05;                      // nats per ray: poses whose errors cost more are not exact
constexpr double kPoseErrors = 3.0;                          // standard errors of the gain, clustered by scan
constexpr std::size_t kLeastPoseScans = 10;                  // fewer tell no standard error
constexpr std::size_t kMostPoseRays = 180, kPoseTurns = 2;
constexpr double kMoveOfCells = 0.5;  // poses that move less are as exact as the map tells
// KS distances of the three laws of hits on two offices in their own maps are 0.06 to 0.10, and 0.3 without the offset
// of their walls. By chance that of n independent readings is above 2 / sqrt(n) once in 1500 times.
constexpr double kMostKsDistance = 0.15, kKsByChance = 2.0;
constexpr double kLeastShiftOfPit = 0.05;  // of its mean from 1/2: hits centre elsewhere than expected

/// Why a map explains a log badly, and how to find out.
constexpr std::string_view kElsewhere =
    "the map is of another place, or lies elsewhere than the log says; draw where a scan could have been made (fathom "
    "beam heatmap)";

/// By how many nats the shown rays are likelier with miss: atom, at the same parameters. Learned ones gain more.
double gain_of_atom(const FitReport& report) {
  const BeamParameters& p = report.fit.model;
  BeamSensor atom = report.model.sensor;
  atom.miss = MissPolicy::kAtom;
  const BeamDensity book_has(p, report.model.sensor, atom.max_range_m), atom_has(p, atom, atom.max_range_m);
  double gain = 0.0, rays = 0.0;
  for (std::size_t i = 0; i < report.shown.reading_m.size(); ++i) {
    const double reading_m = double{report.shown.reading_m[i]};
    if (classify(reading_m, atom) == ReadingKind::kNone) continue;
    rays += 1.0;
    if (!reaches(double{report.shown.expected_m[i]}, atom.max_range_m)) continue;
    gain += atom_has.log_likelihood(reading_m) - book_has.log_likelihood(reading_m);
  }
  return gain / rays;
}

/// Parameters under which no reading is impossible: a held-out one may be of a kind that none learned from was.
BeamParameters with_all_kinds(BeamParameters p) {
  constexpr double kLeastOfKind = 1e-3;
  p.w_max = std::max(p.w_max, kLeastOfKind), p.w_rand = std::max(p.w_rand, kLeastOfKind);
  const double sum = p.w_hit + p.w_short + p.w_max + p.w_rand;
  for (double* weight : {&p.w_hit, &p.w_short, &p.w_max, &p.w_rand}) *weight /= sum;
  return p;
}

/// By how many nats a ray is likelier with student_t, learned from some of the shown rays and judged by others.
double gain_of_student_t(const FitReport& report) {
  constexpr std::size_t kRays = 16'384, kIterations = 200;
  BeamData learn, judge;
  const std::size_t all = report.shown.reading_m.size(), stride = std::max<std::size_t>(1, all / kRays);
  for (std::size_t i = 0, k = 0; i < all; ++k) {
    BeamData& to = k % 2 == 0 ? learn : judge;
    to.reading_m.push_back(report.shown.reading_m[i]), to.expected_m.push_back(report.shown.expected_m[i]);
    to.scan.push_back(static_cast<std::uint32_t>(k));
    i += stride > 1 ? stride + k % 3 : 1;  // they differ, lest all rays are of a few beams
  }
  learn.cell_m = report.shown.cell_m;
  const BeamParameters usual = with_all_kinds(report.fit.model);
  FitOptions how = {.start = usual, .tolerance = 1e-7, .max_iterations = kIterations};
  how.start.tail = {.hit = HitLaw::kStudentT};
  how.stretches = 0, how.compute.threads = 1;
  try {
    const BeamFit student = fit_beam_model(learn, report.model.sensor, how);
    return judge_beam_model(student.model, report.model.sensor, judge).nats_per_ray -
           judge_beam_model(usual, report.model.sensor, judge).nats_per_ray;
  } catch (const InputError&) {
    return 0.0;  // none of these rays carries evidence
  }
}

/// Where nothing is expected, the book has hits just below Z and sensors have no return.
Message empty_mass_flag(const FitReport& report) {
  const BeamSensor& sensor = report.model.sensor;
  if (sensor.miss != MissPolicy::kBook || !(report.fit.model.w_hit > 0.0)) return "";
  const auto missed = std::ranges::count_if(report.shown.expected_m,
                                            [&](float expected) { return reaches(expected, sensor.max_range_m); });
  if (missed == 0) return "";
  const MixtureShares shares = shares_by_range(report, {0.0, usual_range_m(report)});
  // Random readings there are another matter: a smaller maximum range helps.
  const double readings = shares.beyond.readings, hits = shares.beyond.hit;
  if (!(hits > readings) || !disagree(readings, hits, shares)) return "";
  const double gain = gain_of_atom(report);
  if (!(gain >= kLeastModelGain)) return "";
  return Message(
      fmt::format(
          "the model puts hits of {:.1f} % of the rays beyond {:.3g} m, where {:.1f} % of the readings are, which "
          "costs "
          "{:.2g} nats per ray or more: the map expects nothing there, and the sensor returns none; use miss: atom",
          100.0 * hits, usual_range_m(report), 100.0 * readings, gain),
      Hint{"miss", "atom", true});
}

Message heavy_tails_flag(const FitReport& report) {
  if (report.fit.model.tail.hit == HitLaw::kStudentT) return "";
  const MixtureShares near = tail_shares(report);
  const auto is_heavy = [&](const MixtureBin& bin) {
    return bin.readings > bin.expected() && disagree(bin.readings, bin.expected(), near);
  };
  if (!is_heavy(near.bins[0]) && !is_heavy(near.bins[2])) return "";
  const double gain = gain_of_student_t(report);
  if (!(gain >= kLeastModelGain)) return "";
  return Message(
      tail_words(near.bins[0].readings + near.bins[2].readings, near.bins[0].expected() + near.bins[2].expected()),
      fmt::format(", which costs {:.2g} nats per ray: its tails are too light; learn with ", gain),
      Setting{"hit", "student_t"});
}

/// The mean of the probability integral transform: above 1/2 where readings are longer than the model has them.
double mean_of_pit(const BeamJudgement& judgement) {
  double mean = 0.0;
  const auto bins = static_cast<double>(judgement.pit_histogram.size());
  for (std::size_t i = 0; i < judgement.pit_histogram.size(); ++i) {
    mean += judgement.pit_histogram[i] * (static_cast<double>(i) + 0.5) / bins;
  }
  return mean;
}

Message misfit_flag(const FitReport& report) {
  const double distance = report.judgement.ks_distance;
  const double by_chance = kKsByChance / std::sqrt(static_cast<double>(report.judgement.pairs));
  if (!(distance > kMostKsDistance + by_chance)) return "";
  const bool has_offset = report.fit.model.hit_offset_m != 0.0 ||
                          (!report.logs.empty() && report.logs.front().correction.range_offset_m != 0.0);
  const double shift = mean_of_pit(report.judgement) - 0.5;
  const bool is_shifted = !has_offset && std::abs(shift) > kLeastShiftOfPit;
  const std::string misfit = fmt::format(
      "the model does not describe the readings: the KS distance is {:.2f}, above {:g}: ", distance, kMostKsDistance);
  if (!is_shifted) return misfit + "see in report.html where the readings leave it";
  return Message(misfit, "they are ", shift > 0.0 ? "longer" : "shorter", " than expected; learn by how much (",
                 Setting{"fit_hit_offset"}, ")");
}

/// Of scans with readings that carry evidence, the mean log-likelihood of these.
std::vector<FrameScore> scores_of_scans(const BeamParameters& parameters, const BeamSensor& sensor,
                                        const BeamData& data) {
  std::vector<FrameScore> scores;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    if (classify(data.reading_m[i], sensor) == ReadingKind::kNone) continue;
    if (scores.empty() || scores.back().frame != data.scan[i]) scores.push_back({.frame = data.scan[i]});
    ++scores.back().returns;
    scores.back().nats += BeamDensity(parameters, sensor, data.expected_m[i]).log_likelihood(data.reading_m[i]);
  }
  for (FrameScore& scan : scores) scan.nats /= static_cast<double>(scan.returns);
  return scores;
}

}  // namespace

std::string unexplained_flag(std::string_view weight, double value, double most) {
  if (!(value > most)) return "";
  return fmt::format("{} is {:.2f}, above {:g}: {}", weight, value, most, kElsewhere);
}

std::string spread_flag(double sigma_m, double cell_m, double most_m) {
  if (!(sigma_m > most_m)) return "";
  return fmt::format("hits spread over {:.2g} m, {:.0f} cells of the map: {}", sigma_m, sigma_m / cell_m, kElsewhere);
}

std::string wrong_map_flag(const FitReport& report) {
  const BeamParameters& weights = report.fit.model;
  if (std::string flag = unexplained_flag("w_short", weights.w_short, kMostUnexplained); !flag.empty()) return flag;
  if (std::string flag = unexplained_flag("w_rand", weights.w_rand, kMostUnexplained); !flag.empty()) return flag;
  const double cell_m = report.shown.cell_m;
  return cell_m > 0.0 ? spread_flag(usual_sigma_m(report), cell_m, kMostCells * cell_m) : "";
}

void add_model_flags(FitReport& report) {
  // In a wrong map hits, tails and expected empty rays mean nothing.
  if (const std::string wrong_map = wrong_map_flag(report); !wrong_map.empty())
    return add_fault("wrong_map", wrong_map, report);
  add_flag("hits_beyond", empty_mass_flag(report), report);
  add_flag("heavy_tails", heavy_tails_flag(report), report);
  add_flag("misfit", misfit_flag(report), report);
}

namespace {

Message no_return_flag(const NoReturnPile::Code& code) {
  if (!(code.value_m > 0.0)) return "";
  return Message(code.words(), ", or let it be found (", Setting{"auto_max_range"}, ")");
}

Message beyond_flag(const NoReturnPile::Beyond& beyond, double max_range_m) {
  if (!(beyond.readings > 0.0)) return "";
  constexpr double kPerM = 100.0;
  return Message(
      fmt::format("{} readings, {:.1f} %, lie between {:.6g} and {:.6g} m, beyond the maximum range, and count as "
                  "without a return: give ",
                  grouped(static_cast<std::uint64_t>(beyond.readings)), 100.0 * beyond.share, max_range_m,
                  beyond.largest_m),
      Setting{"max_range_m"},
      fmt::format(" {:.6g} or more, or what the sensor measures", std::ceil(kPerM * beyond.largest_m + 0.5) / kPerM));
}

Message zero_flag(double share, double min_range_m) {
  if (!(share > 0.0) || min_range_m > 0.0) return "";
  return Message(
      fmt::format(
          "{:.1f} % of the readings are 0 m, and count as ranges: if that means no return, give min_range_m 0.001",
          100.0 * share),
      Hint{"min_range_m", "0.001", true}, ", and they carry no evidence");
}

}  // namespace

std::string no_return_note(const NoReturnPile::Code& code) {
  if (!(code.value_m > 0.0)) return "";
  return fmt::format("readings of {:.6g} m, {:.1f} % of them, count as without a return: max_range_m is {:.6g}",
                     code.value_m, 100.0 * code.share, code.below_m());
}

void add_flag(const char* code, const Message& flag, LogReport& report) {
  if (!flag.empty()) report.sanity.push_back({Finding::Severity::kWarning, code, flag});
}

void add_fault(const char* code, const Message& flag, LogReport& report) {
  if (!flag.empty()) report.sanity.push_back({Finding::Severity::kUnusable, code, flag});
}

void add_reading_flags(const ReadingFacts& readings, bool is_taken, const BeamSensor& sensor, const std::string& log,
                       LogReport& report) {
  const auto add = [&](const char* code, const Message& flag) { add_flag(code, with_log_name(flag, log), report); };
  if (!is_taken) add("no_return_code", no_return_flag(readings.code));
  add("beyond_max_range", beyond_flag(readings.pile.beyond(sensor.max_range_m), sensor.max_range_m));
  add("zero_readings", zero_flag(readings.pile.share_of_zeros(), sensor.min_range_m));
}

void GivenLog::place_on(const GridMap& outline, const ShareOnMap& share) {
  require_poses_on_map(log, outline, share);
  beside = beside_map_flag(log, outline);
  misplaced = misplacement_flag(log, share);
}

std::string GivenLogs::name_of(const GivenLog& given) const { return logs.size() == 1 ? "" : given.log.name; }

bool GivenLogs::add_flags(std::span<const PlanarPose> poses, std::size_t stretches, bool takes_code,
                          const BeamSensor& sensor, LogReport& report) const {
  for (const GivenLog& given : logs) add_fault("misplaced", with_log_name(given.misplaced, name_of(given)), report);
  if (!first_unusable(report.sanity).empty()) return false;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const std::string name = name_of(logs[i]);
    add_reading_flags(readings[i], takes_code, sensor, name, report);
    add_flag("beside_map", with_log_name(logs[i].beside, name), report);
  }
  if (stretches > 0) add_flag("one_place", one_place_flag(poses), report);
  return true;
}

void GivenLogs::add_notes(bool takes_code, LogReport& report) const {
  for (const GivenLog& given : logs) {
    for (const Message& note : log_notes(given.log)) report.notes.push_back(with_log_name(note, name_of(given)));
  }
  for (std::size_t i = 0; i < logs.size() && takes_code; ++i) {
    const Message note = with_log_name(no_return_note(readings[i].code), name_of(logs[i]));
    if (!note.empty()) report.notes.push_back(note);
  }
}

double telling_gain(const RefinedPoses& refined, const BeamSensor& sensor) {
  const std::vector<FrameScore> was = scores_of_scans(refined.fit_before.model, sensor, refined.judged_before),
                                is = scores_of_scans(refined.fit.model, sensor, refined.judged);
  if (is.size() < kLeastPoseScans) return 0.0;
  const MeanScore gain = score_difference(is, was);
  const bool is_clear = std::isfinite(gain.nats) && gain.nats > std::max(kLeastPoseGain, kPoseErrors * gain.std_error);
  return is_clear ? gain.nats : 0.0;
}

PoseCheck check_poses(const ScanLog& log, const World& world, const BeamSensor& sensor, const FitLogOptions& options) {
  constexpr std::size_t kLeastRays = 3;
  const ScanLog few = part_of(log, all_scans(log), (log.rays() + kMostPoseRays - 1) / kMostPoseRays);
  if (few.rays() < kLeastRays) return {};
  RefineOptions how;
  how.fit = fit_options(options, world.cell_m());
  how.fit.stretches = 0;
  how.fit.on_iteration = {};
  how.max_turns = kPoseTurns;
  try {
    const RefinedPoses refined = refine_poses(few, world, sensor, how);
    PoseCheck check;
    check.common = find_common_move(few.pose, refined.pose, world.cell_m());
    if (!check.common.is_some() && check.common.typical_m < kMoveOfCells * world.cell_m()) return {};
    check.gain = telling_gain(refined, sensor);
    return check;
  } catch (const InputError&) {
    return {};  // a third of these rays carries no evidence
  }
}

Message pose_flag(const PoseCheck& check, FitLogOptions::PerLog per_log) {
  const double gain = check.gain;
  if (!(gain > 0.0)) return "";
  const bool learned_mount = per_log == FitLogOptions::PerLog::kMount || per_log == FitLogOptions::PerLog::kBoth;
  if (check.common.is_some() && !(check.common.is_mount && learned_mount)) {
    const std::string what =
        fmt::format("{}, and a ray that was held out is about {:.1g} nats likelier", check.common.words(), gain);
    if (!check.common.is_mount) {
      return Message(what, "; give the origin of the map so, or the frame in which it stands (", Setting{"map_frame"},
                     ")");
    }
    return Message(what, "; learn the mount (",
                   Setting{"per_log", per_log == FitLogOptions::PerLog::kOffset ? "both" : "mount"},
                   "), or give it where the log has the poses of the robot (", Setting{"mount"}, ")");
  }
  const Message limit =
      has_own_offset(per_log) ? Message(", which goes with ", Setting{"per_log"}, " nothing and mount") : Message();
  return Message(
      fmt::format("the poses of the log are not exact: at refined ones a ray that was held out is about {:.1g} nats "
                  "likelier; learn them, too (",
                  gain),
      Setting{"refine_poses"}, limit, ")");
}

}  // namespace fathom
