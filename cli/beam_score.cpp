#include "beam_score.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <fathom/beam/csv.hpp>
#include <fathom/beam/fit.hpp>
#include <fathom/beam/score.hpp>

#include "outputs.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Scores = std::vector<fathom::ScanScore>;

Scores score_scans(const BeamScoreOptions& options, const fathom::BeamModel& model, const BeamWorld& world,
                   const fathom::ScanLog& log, const std::vector<std::uint32_t>& scans) {
  fathom::ScoreOptions score_options;
  score_options.beam_step = options.beam_step;
  score_options.alpha = options.alpha;
  score_options.compute.threads = 1;  // one pose at a time
  fathom::ScanScorer scorer(model.parameters, model.sensor, *world.expected, fathom::planar_fan(log.azimuth_rad),
                            score_options);
  Scores scores;
  TaskDisplay display("scoring:", options.quiet);
  for (const std::uint32_t scan : scans) {
    fathom::ScanScore score = {scan, log.pose[scan],
                               fathom::beams_with_evidence(log.scan(scan), model.sensor, options.beam_step), 0.0};
    const fathom::Pose pose = fathom::lift(score.pose);
    scorer.score({&pose, 1}, log.scan(scan), {&score.log_likelihood, 1});
    scores.push_back(score);
    display.show_fraction(static_cast<double>(scores.size()) / static_cast<double>(scans.size()));
  }
  return scores;
}

std::string summary(const Scores& scores, const fathom::BeamJudgement& judgement) {
  double sum = 0.0;
  std::size_t beams = 0;
  const fathom::ScanScore* worst = &scores.front();
  for (const fathom::ScanScore& s : scores) {
    sum += s.log_likelihood;
    beams += s.beams;
    if (s.log_likelihood < worst->log_likelihood) worst = &s;
  }
  return align_columns({{"scans", group_digits(scores.size())},
                        {"beams with evidence", group_digits(beams)},
                        {"log-likelihood", fmt::format("{:.3f}", sum)},
                        {"per scan", fmt::format("{:.4f}", sum / static_cast<double>(scores.size()))},
                        {"per beam", fmt::format("{:.4f}", sum / static_cast<double>(std::max<std::size_t>(1, beams)))},
                        {"least likely", fmt::format("scan {}: {:.3f}", worst->scan, worst->log_likelihood)},
                        {"KS distance", fmt::format("{:.3f} (all beams)", judgement.ks_distance)}});
}

}  // namespace

void score_beam(const BeamScoreOptions& options) {
  const StopSignals signals(Patience::kNone);
  const std::filesystem::path log_file = find_log(options.log);
  if (!options.out.empty()) {
    Paths inputs = world_files(options.world);
    inputs.insert(inputs.end(), {log_file, options.parameters});
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const BeamWorld world = open_world(options.world, model.unknown, options.threads);
  refuse_inputs({options.out}, world.inputs);
  const fathom::ScanLog log = fathom::read_scan_log(log_file);
  const std::vector<std::uint32_t> scans = choose_scans(options.scans, log, options.log);
  const Scores scores = score_scans(options, model, world, log, scans);
  const fathom::BeamData pairs =
      fathom::make_beam_data(log, scans, *world.expected, model.sensor.max_range_m, {.threads = options.threads});
  const fathom::BeamJudgement judgement =
      naming(options.log, [&] { return fathom::judge_beam_model(model.parameters, model.sensor, pairs); });
  const std::string text = skipped_note(log) + summary(scores, judgement);
  if (options.out.empty()) {
    print(fathom::scores_csv(scores));
    if (!options.quiet) std::fputs(text.c_str(), stderr);
  } else {
    fathom::write_text_file(options.out, fathom::scores_csv(scores));
    if (!options.quiet) print(text);
  }
}

}  // namespace fathom_cli
