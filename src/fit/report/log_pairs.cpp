// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/core/field.hpp>
#include <fathom/fit/reports.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "fit/report/fit_selection.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

constexpr double kMostOthers = 0.5;     // of the readings: in their own maps two offices have 0.11 and 0.12
constexpr double kFewDeviations = 4.0;  // cut to these, a normal has 0.999 of its deviation; cut to 3, 0.987
constexpr double kGoodDeviations = 5.0;

double share_of_others(const LogPairs& found, const DistanceCalibration& learned) {
  const std::size_t all = found.others + learned.pairs;
  return static_cast<double>(found.others) / static_cast<double>(std::max<std::size_t>(1, all));
}

/// With the line that a scene file needs.
template <class Calibration>
Report pairs_report(std::string_view slug, const char* title, const Calibration& fit, const std::string& more) {
  Report out{.kind = std::string(slug), .title = title, .summary = {{"pairs", grouped(fit.pairs)}}, .fit = fit};
  std::vector<std::string> values;
  for (const Fit::Parameter& p : fit.parameters) values.push_back(fmt::format("{}: {:.6g}", p.name, p.value));
  out.refuse(true, first_unusable(fit.findings));
  out.sections = {scene_file_section(fmt::format("- {}: {{{}{}}}", slug, fmt::join(values, ", "), more))};
  return out;
}

Report report_of(const DistanceReport& report) {
  const DistanceCalibration& fit = report.fit;
  Report out = pairs_report(DistanceNoise::kSlug, "Distance noise learned", fit, "");
  if (report.found) {
    const std::vector<Finding> of_log = log_pair_findings(*report.found, fit, report.gate_m);
    out.fit.findings.insert(out.fit.findings.end(), of_log.begin(), of_log.end());
    out.refuse(true, first_unusable(of_log));
  }
  for (const std::string& note : report.notes) out.fit.note("log", note);
  out.summary.push_back({"without a return, skipped", grouped(fit.skipped)});
  out.details = {{"pairs", fit.pairs}, {"skipped", fit.skipped}};
  require_errors(&Fit::Parameter::std_error, out);
  return out;
}

Report report_of(const EnergyCalibration& fit) {
  const std::string law = choice_word(fit.normalization);
  Report out = pairs_report(StereoEnergy::kSlug, "Energy law learned", fit,
                            fmt::format(", {}: {}", StereoEnergy::kNormalization, law));
  out.summary.push_back({"of them lost", grouped(fit.lost)});
  out.details = {
      {StereoEnergy::kNormalization, law}, {"pairs", fit.pairs}, {"lost", fit.lost}, {"skipped", fit.skipped}};
  require_errors(&Fit::Parameter::std_error, out);
  return out;
}

}  // namespace

LogPairs range_pairs_of_log(const ScanLog& log, const World& world, const LogPairs::Options& options) {
  const double max_range_m = options.max_range_m.value_or(log.max_range_m);
  if (!options.max_range_m) with_prefix(log.name, [&] { require_max_range(max_range_m); });
  const double gate_m = options.gate_m;
  if (!(gate_m > 0.0 && gate_m < 0.5 * max_range_m)) {
    throw InputError(Setting{"gate_m"}, fmt::format(" = {} is not in (0, {}) m, half of how far the sensor measures",
                                                    gate_m, 0.5 * max_range_m));
  }
  const BeamData data = make_beam_data(log, all_scans(log), world, max_range_m, options.compute);
  LogPairs found;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const double reading_m = double{data.reading_m[i]}, expected_m = double{data.expected_m[i]};
    if (!(expected_m >= gate_m && expected_m <= max_range_m - gate_m)) continue;
    if (std::isfinite(reading_m) && reading_m < max_range_m && std::abs(reading_m - expected_m) > gate_m) {
      ++found.others;
      continue;
    }
    const bool returned = std::isfinite(reading_m) && reading_m < max_range_m;
    found.pairs.range_m.push_back(returned ? data.reading_m[i] : std::nanf(""));
    found.pairs.expected_m.push_back(data.expected_m[i]);
    found.pairs.scan.push_back(data.scan[i]);
  }
  if (found.pairs.range_m.empty()) {
    throw InputError(fmt::format("{}: no reading is within {} m of what {} expects", log.name, gate_m,
                                 world.name().empty() ? "the world" : world.name()));
  }
  return found;
}

std::vector<Finding> log_pair_findings(const LogPairs& found, const DistanceCalibration& learned, double gate_m) {
  double sum_m = 0.0;
  for (const float expected_m : found.pairs.expected_m) sum_m += double{expected_m};
  const double mean_m = sum_m / static_cast<double>(found.pairs.expected_m.size());
  const double deviation_m = learned[DistanceNoise::kStddev].value + learned[DistanceNoise::kStddevPerM].value * mean_m;
  const bool is_cut = gate_m < kFewDeviations * deviation_m;
  const std::size_t all = found.others + learned.pairs;
  const double others = share_of_others(found, learned);
  const bool are_most = others > kMostOthers;
  std::vector<Finding> findings;
  if (found.others > 0) {
    const Message text(fmt::format("{} of {} readings{} are farther than {} m (", grouped(found.others), grouped(all),
                                   are_most ? fmt::format(", {:.0f} %,", 100.0 * others) : "", gate_m),
                       Setting{"gate_m"}, ") from what the world expects, and were left out");
    findings.push_back({Finding::Severity::kWarning, "other_readings", text});
  }
  if (are_most) {
    Finding& worst = findings.back();
    worst.severity = Finding::Severity::kUnusable;
    worst.text +=
        ": the map or scene is of another place, or lies elsewhere than the log says, or the poses belong to "
        "other scans";
    if (is_cut) {
      worst.text +=
          fmt::format(", or the gate, {:.1f} deviations of what was learned, is too small", gate_m / deviation_m);
    }
    return findings;
  }
  if (is_cut) {
    const Message text(
        Setting{"gate_m"},
        fmt::format(" = {} is {:.1f} deviations of what was learned at {:.2g} m: it cuts off larger errors, and the "
                    "deviation is too small; give ",
                    gate_m, gate_m / deviation_m, mean_m),
        Setting{"gate_m"},
        fmt::format(" {:.2g}, or more if the deviation still grows",
                    std::max(2.0 * gate_m, kGoodDeviations * deviation_m)));
    findings.push_back({Finding::Severity::kWarning, "narrow_gate", text});
  }
  return findings;
}

std::string DistanceReport::text(ReportForm form, SettingNames names) const {
  return text_of(report_of(*this), form, names);
}

std::string EnergyCalibration::text(ReportForm form, SettingNames names) const {
  return text_of(report_of(*this), form, names);
}

}  // namespace fathom
