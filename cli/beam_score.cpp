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

}  // namespace

void score_beam(const BeamScoreOptions& options) {
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
  if (options.out.empty()) {
    print(fathom::scores_csv(scores.scans));
    if (!options.quiet) std::fputs(text.c_str(), stderr);
  } else {
    fathom::write_text_file(options.out, fathom::scores_csv(scores.scans));
    if (!options.quiet) print(text);
  }
}

}  // namespace fathom_cli
