// SPDX-License-Identifier: MIT
#include "beam_score.hpp"

#include <cstdio>

#include <fmt/format.h>

#include <fathom/beam/log.hpp>

#include "outputs.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

fathom::LogScores score(const BeamScoreOptions& options, const fathom::BeamModel& model, const fathom::World& world,
                        const fathom::ScanLog& log) {
  TaskDisplay display("scoring:", options.quiet);
  fathom::ScoreLogOptions how;
  how.score = options.score;
  how.on_progress = [&display](double done) { display.show_fraction(done); };
  return fathom::score_log(model, world, log, options.scans, how);
}

std::string summary(const fathom::LogScores& scores) {
  const fathom::ScanScore& worst = scores.least_likely();
  return align_columns({{"scans", group_digits(scores.scans.size())},
                        {"rays with evidence", group_digits(scores.rays())},
                        {"log-likelihood", fmt::format("{:.3f}", scores.log_likelihood())},
                        {"per scan", fmt::format("{:.4f}", scores.mean_per_scan())},
                        {"per ray", fmt::format("{:.4f}", scores.mean_per_ray())},
                        {"least likely", fmt::format("scan {}: {:.3f}", worst.scan, worst.log_likelihood)},
                        {"KS distance", fmt::format("{:.3f} (all rays)", scores.judgement.ks_distance)}});
}

/// As a line of the file of scores.
std::string line_of(const fathom::ScanScore& score) {
  const std::string text = fathom::scores_csv({&score, 1});
  return text.substr(text.find('\n') + 1);
}

/// The CSV of what was scored: scans, or their beams.
std::string scored_csv(const BeamScoreOptions& options, const fathom::BeamModel& model, const fathom::World& world,
                       const fathom::ScanLog& log, const fathom::LogScores& scores) {
  if (!options.per_beam) return fathom::scores_csv(scores.scans);
  std::string text = fathom::beam_scores_csv({});
  for (const fathom::ScanScore& scan : scores.scans) {
    const std::string beams = fathom::beam_scores_csv(fathom::score_beams(
        model, world, log, {&scan.scan, 1}, options.score.ray_step, {.threads = options.score.compute.threads}));
    text += beams.substr(beams.find('\n') + 1);
  }
  return text;
}

void score_live(const BeamScoreOptions& options) {
  const StopSignals signals(Patience::kASecond);
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const fathom::World world = open_world(options.world, model.unknown, options.score.compute.threads);
  fathom::LiveScanOptions topics = options.topics;
  topics.scan_topic = options.log.in_bag.scan_topic;
  topics.map_frame = options.log.in_bag.map_frame;
  topics.should_stop = &StopSignals::received;
  print(fathom::scores_csv({}));
  std::uint32_t count = 0;
  const auto result = fathom::follow_scans(topics, [&](const fathom::ScanLog& log) {
    fathom::ScoreLogOptions how;
    how.score = options.score;
    fathom::ScanScore score = fathom::score_log(model, world, log, "all", how).scans.front();
    score.scan = count++;
    print(line_of(score));
    std::fflush(stdout);
  });
  if (options.quiet) return;
  if (result.scans == 0 && result.left_out == 0) print_warnings(std::vector<std::string>{"no scan came"});
  if (result.left_out > 0) {
    print_warnings(
        std::vector{fmt::format("{} left out, the last because: {}", counted(result.left_out, "scan"), result.reason)});
  }
}

}  // namespace

void score_beam(const BeamScoreOptions& options) {
  if (options.live) return score_live(options);
  const StopSignals signals(Patience::kNone);
  const std::filesystem::path log_file = options.log.file();
  if (!options.out.empty()) {
    Paths inputs = world_files(options.world);
    inputs.insert(inputs.end(), {log_file, options.parameters});
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const fathom::World world = open_world(options.world, model.unknown, options.score.compute.threads);
  refuse_inputs({options.out}, world.inputs());
  const fathom::ScanLog log = read_log(options.log);
  const fathom::LogScores scores = score(options, model, world, log);
  const std::string text = notes_text(fathom::log_notes(log)) + summary(scores);
  const std::string csv = scored_csv(options, model, world, log, scores);
  if (options.out.empty()) {
    print(csv);
    if (!options.quiet) std::fputs(text.c_str(), stderr);
  } else {
    fathom::write_text_file(options.out, csv);
    if (!options.quiet) print(text);
  }
}

}  // namespace fathom_cli
