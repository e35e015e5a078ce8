// SPDX-License-Identifier: MIT
#pragma once
// A synthetic fit, and the flags of reports.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/beam/beam.hpp>

#include "beam/synthetic.hpp"

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
    report.fit.held_out = HeldOut{.nats = report.judgement.nats_per_ray, .readings = report.judgement.pairs};
  }
  return report;
}

/// The flag of a report that has these words; empty without such a flag.
template <class Report>
std::string flag_with(const Report& report, std::string_view words) {
  for (const std::string& flag : fathom::texts_of(report.findings())) {
    if (flag.find(words) != std::string::npos) return flag;
  }
  return "";
}

/// The findings of a fit.json as sentences.
inline std::vector<std::string> texts_of(const nlohmann::json& fit) {
  std::vector<std::string> texts;
  for (const nlohmann::json& finding : fit["findings"]) texts.push_back(finding["text"]);
  return texts;
}

}  // namespace fathom::test
