// SPDX-License-Identifier: MIT
#include "beam_fit.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/names.hpp>
#include <fathom/beam/carmen.hpp>
#include <fathom/beam/report.hpp>

#include "outputs.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

BeamLogOptions nth_log(const BeamFitOptions& options, std::size_t n) {
  BeamLogOptions log = options.log;
  if (n > 0) (log.bag.empty() ? log.log : log.bag) = options.also[n - 1];
  return log;
}

fathom::FitReport learn(const BeamFitOptions& options, const fathom::World& world, bool quiet, fathom::Ranks* ranks) {
  TaskDisplay display("learning:", quiet);
  fathom::FitLogOptions fit = options.fit;
  fit.on_iteration = [&display](const fathom::FitIteration& i) {
    display.show_text(fmt::format("iteration {}, log-likelihood {:.3f}", i.iteration + 1, i.log_likelihood));
  };
  fit.on_refine_progress = [&display](const fathom::RefineProgress& p) {
    display.show_text(fmt::format("turn {}, poses of {} scans", p.turn, group_digits(p.scans)));
  };
  return as_typed(
      {{"beam.max_range_m", "--max-range"},
       {"beam.min_range_m", "--min-range"},
       {"beam.step_m", "--step"},
       {"give max_range_m", "give --max-range"},
       {"is in scans", "is in --scans"},
       {"and in test_scans", "and in --test-scans"},
       {"per_log with refine_poses", "--per-log with --refine-poses"},
       {"test_scans with refine_poses", "--test-scans with --refine-poses"},
       {"refine_poses is for", "--refine-poses is for"},
       {"hit_offset_m is learned for all logs and per_log", "--hit-offset is learned for all logs and --per-log"}},
      [&] {
        const auto read = [&](std::size_t n) { return read_log(nth_log(options, n)); };
        if (fit.refine_poses && options.also.empty() && ranks == nullptr) return fathom::fit_log(read(0), world, fit);
        return fathom::fit_logs(1 + options.also.size(), read, world, fit, ranks);
      });
}

/// "0.8716 +- 0.0043"; without an error where there is none.
std::string parameters_table(const fathom::BeamFit& fit) {
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "std. error", "unit", "meaning"}};
  for (const auto& field : fathom::BeamParameters::fields()) {
    const double error = fit.std_error.*fathom::member_of<double>(field);
    rows.push_back({std::string(field.name), fmt::format("{:.5g}", fit.parameters.*fathom::member_of<double>(field)),
                    std::isfinite(error) ? fmt::format("{:.2g}", error) : "-",
                    field.unit == "1" ? "" : std::string(field.unit), std::string(field.doc)});
  }
  return align_columns(rows, {1, 2});
}

std::string logs_table(const fathom::FitReport& report) {
  if (report.logs.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"log", "mount_x_m", "mount_y_m", "mount_yaw_rad", "range_offset_m"}};
  for (const auto& log : report.logs) {
    const auto number = [&](double fathom::LogCorrection::*of) {
      const double error = log.std_error.*of;
      return fmt::format("{:.4f}", log.correction.*of) + (std::isfinite(error) ? fmt::format(" +- {:.2g}", error) : "");
    };
    rows.push_back({fathom::printable(log.name), number(&fathom::LogCorrection::mount_x_m),
                    number(&fathom::LogCorrection::mount_y_m), number(&fathom::LogCorrection::mount_yaw_rad),
                    number(&fathom::LogCorrection::range_offset_m)});
  }
  return "\n" + align_columns(rows, {1, 2, 3, 4});
}

/// What became of the rays that were held out, and which file has the poses.
std::string refined_text(const fathom::FitReport& report) {
  if (!report.refined) return "";
  const fathom::RefinedLog& refined = *report.refined;
  return fmt::format(
      "at the poses of the log: {:.4f} nats per ray, sigma_hit_m {:.5g}; {} turns\n"
      "refined.log is {} of {} scans\n",
      refined.before.nats_per_ray, refined.parameters_before.sigma_hit_m, refined.turns,
      fathom::fits_carmen(refined.log) ? "CARMEN text" : "CSV", group_digits(refined.log.scans()));
}

std::string summary(const fathom::FitReport& report, const std::filesystem::path& out) {
  std::string text = parameters_table(report.fit) + logs_table(report);
  for (const std::string& flag : fathom::report_flags(report)) text += "note: " + flag + "\n";
  text +=
      fmt::format("\n{} iterations on {} rays{}\n{}: {:.4f} nats per ray, KS distance {:.3f}, {} rays\n",
                  report.fit.log_likelihood.size() - 1, group_digits(report.fit.pairs),
                  report.fit.end == fathom::FitEnd::kConverged ? "" : "; not converged",
                  report.refined    ? "held-out rays"
                  : report.held_out ? "held-out scans"
                                    : "scans learned from",
                  report.judgement.nats_per_ray, report.judgement.ks_distance, group_digits(report.judgement.pairs));
  return text + refined_text(report) +
         fmt::format("parameters.yaml, fit.json and report.html are in {}\n", fathom::printable(out.string()));
}

}  // namespace

void fit_beam(const BeamFitOptions& options) {
  const std::unique_ptr<fathom::Ranks> ranks = join_ranks(environment_variable);
  const bool tells = !ranks || ranks->rank() == 0;
  std::optional<StopSignals> signals;  // one line of all processes is enough
  if (tells) signals.emplace(Patience::kNone);
  fathom::check_fit_folder(options.out, options.force);
  Paths inputs = world_files(options.world);
  for (std::size_t n = 0; n <= options.also.size(); ++n) inputs.push_back(nth_log(options, n).file());
  const Paths outputs = fathom::fit_files(options.out, options.fit.refine_poses.has_value());
  refuse_inputs(outputs, inputs);
  const fathom::World world = open_world(options.world, options.unknown, options.fit.compute.threads);
  refuse_inputs(outputs, world.inputs());

  const fathom::FitReport report = learn(options, world, options.quiet || !tells, ranks.get());
  if (!tells) return;
  fathom::write_fit(options.out, report, options.force);
  if (!options.quiet) print(notes_text(report.notes) + summary(report, options.out));
}

}  // namespace fathom_cli
