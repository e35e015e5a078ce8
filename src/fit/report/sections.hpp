// SPDX-License-Identifier: MIT
#pragma once
// What the reports of fits share, and parameters as files.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/fit/beam.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/report/fit.hpp>

#include "report/report.hpp"

namespace fathom {

Report::Json estimate_json(const Estimate& estimate);
Report::Json estimates_json(const std::vector<Estimate>& estimates);
/// Readings that a fit of scans is judged by.
struct JudgedScans {
  std::size_t readings = 0;
  double nats = 0.0;           ///< per reading
  const char* noun = "scans";  ///< what they were chosen as
  bool rows_are_scans = false;
  bool has_errors = true;  ///< whether learning found a maximum, where there are standard errors
};
/// Fills the summary, the note on errors and the details, and refuses a fit that found no maximum or did not converge.
void add_iterated_fit(const IteratedFit& fit, const JudgedScans& judged, Report& report);
/// Where readings and model disagree, a sentence each, or that they agree.
void add_disagreements(const std::vector<std::string>& found, Report::Section& section);

/// The score of the frames that were held out.
Fact held_out_fact(const ChainFit& fit);
/// Fills the note on errors and the details, and refuses a chain that is worse than its start or has no errors.
void add_chain_fit(const ChainFit& fit, Report& report);

// parameters.yaml as text in memory.

/// As read_beam_model; `file` names the text in messages.
BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file);
std::string beam_model_text(const BeamModel& model);
/// What write_field_model() writes.
std::string field_model_text(const LikelihoodFieldModel& model);

}  // namespace fathom
