// SPDX-License-Identifier: MIT
#pragma once
// A synthetic fit, and the flags of reports.

#include <nlohmann/json.hpp>

#include "fit/beam/synthetic.hpp"

namespace fathom::test {

inline FitReport fit_synthetic() {
  const BeamParameters truth = {.7, .15, .05, .1, .1, .4};
  FitReport report;
  report.model.sensor.max_range_m = 10;
  report.shown = simulate(truth, report.model.sensor, 8000, .5, 8, 1);
  report.fit = fit_beam_model(report.shown, report.model.sensor);
  report.model.parameters = report.fit.model;
  report.judgement = judge_beam_model(report.fit.model, report.model.sensor, report.shown);
  report.facts = {{"map", "<odd> & \"map\".yaml"}};
  return report;
}

/// A fit to 8000 synthetic readings, up to Z = 10 m.
inline FitReport make_report(bool held_out = true) {
  static const FitReport fitted = fit_synthetic();
  FitReport report = fitted;
  if (held_out) {
    report.fit.held_out = Fit::HeldOut{.nats = report.judgement.nats_per_ray, .readings = report.judgement.pairs};
  }
  return report;
}

/// Whether a number of a sentence has more than six digits, which is more than any error supports.
inline bool has_long_number(const std::string& sentence) {
  std::size_t digits = 0;
  for (const char c : sentence) {
    const bool is_digit = c >= '0' && c <= '9', continues = c == '.' && digits > 0;
    if (is_digit && (digits > 0 || c != '0')) ++digits;
    if (!is_digit && !continues) digits = 0;
    if (digits > 6) return true;
  }
  return false;
}

/// The flag of a report that has these words; empty without such a flag. All flags have short numbers.
template <class Report>
std::string flag_with(const Report& report, std::string_view words) {
  std::string found;
  for (const std::string& flag : fathom::texts_of(report.findings())) {
    EXPECT_FALSE(has_long_number(flag)) << flag;
    if (found.empty() && flag.find(words) != std::string::npos) found = flag;
  }
  return found;
}

/// The findings of a fit.json as sentences.
inline std::vector<std::string> texts_of(const nlohmann::json& fit) {
  std::vector<std::string> texts;
  for (const nlohmann::json& finding : fit["findings"]) texts.push_back(finding["text"]);
  return texts;
}

}  // namespace fathom::test
