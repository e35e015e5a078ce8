// SPDX-License-Identifier: MIT
#include "beam_score.hpp"

#include <cstdio>

#include <fmt/format.h>

#include <fathom/beam/field_log.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/files/maps.hpp>

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

void write_csv(const BeamScoreOptions& options, const std::string& csv, const std::string& summary) {
  if (options.out.empty()) {
    print(csv);
    if (!options.quiet) std::fputs(summary.c_str(), stderr);
  } else {
    fathom::write_text_file(options.out, csv);
    if (!options.quiet) print(summary);
  }
}

/// By the likelihood field.
void score_field(const BeamScoreOptions& options) {
  const StopSignals signals(Patience::kNone);
  if (options.world.map.empty()) throw fathom::InputError("--model likelihood_field needs --map: a scene has no cells");
  if (options.per_beam) throw fathom::InputError("--per-beam is of the beam model: the likelihood field has no rays");
  if (!options.out.empty()) {
    Paths inputs = world_files(options.world);
    inputs.insert(inputs.end(), {options.log.file(), options.parameters});
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::LikelihoodFieldModel model =
      as_model_typed([&] { return fathom::read_field_model(options.parameters); });
  const fathom::GridMapFile map = fathom::read_grid_map_file(options.world.map);
  const fathom::ScanLog log = read_log(options.log);
  fathom::LogScores scores;
  scores.scans = fathom::score_field_log(model, map.map, log, options.scans, options.score.ray_step);
  for (fathom::ScanScore& scan : scores.scans) scan.log_likelihood *= options.score.alpha;
  const fathom::ScanScore& worst = scores.least_likely();
  const std::string summary =
      align_columns({{"scans", group_digits(scores.scans.size())},
                     {"readings with evidence", group_digits(scores.rays())},
                     {"log-likelihood", fmt::format("{:.3f}", scores.log_likelihood())},
                     {"per scan", fmt::format("{:.4f}", scores.mean_per_scan())},
                     {"per reading", fmt::format("{:.4f}", scores.mean_per_ray())},
                     {"least likely", fmt::format("scan {}: {:.3f}", worst.scan, worst.log_likelihood)}});
  write_csv(options, fathom::scores_csv(scores.scans),
            notes_text(map.notes) + notes_text(fathom::log_notes(log)) + summary);
}

}  // namespace

void score_beam(const BeamScoreOptions& options) {
  if (options.model == ScanModel::kLikelihoodField) return score_field(options);
  const StopSignals signals(Patience::kNone);
  const std::filesystem::path log_file = options.log.file();
  if (!options.out.empty()) {
    Paths inputs = world_files(options.world);
    inputs.insert(inputs.end(), {log_file, options.parameters});
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::BeamModel model = as_model_typed([&] { return fathom::read_beam_model(options.parameters); });
  const fathom::World world = open_world(options.world, model.unknown, options.score.compute.threads);
  refuse_inputs({options.out}, world.inputs());
  const fathom::ScanLog log = read_log(options.log);
  const fathom::LogScores scores = score(options, model, world, log);
  const std::string text = notes_text(world.notes()) + notes_text(fathom::log_notes(log)) + summary(scores);
  write_csv(options, scored_csv(options, model, world, log, scores), text);
}

}  // namespace fathom_cli
