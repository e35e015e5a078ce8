// SPDX-License-Identifier: MIT
#include "fit/report/sections.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace fathom {

Report::Json estimate_json(const Estimate& estimate) {
  return {{"value", number_or_null(estimate.value)}, {"std_error", number_or_null(estimate.std_error)}};
}

Report::Json estimates_json(const std::vector<Estimate>& estimates) {
  Report::Json json = Report::Json::array();
  for (const Estimate& estimate : estimates) json.push_back(estimate_json(estimate));
  return json;
}

Fact held_out_fact(const ChainFit& fit) {
  return {"nats per return, held-out frames",
          fit.held_out ? text_or_dash(fit.held_out->nats, "{:.4f}") : "no frame was held out"};
}

void add_chain_fit(const ChainFit& fit, Report& report) {
  report.parameter_note = fmt::format(
      "Standard errors rest on {} independent {}, the naive ones on independent returns. A dash: the error is unknown "
      "(see the notes).",
      fit.blocks, fit.block == "stretch" ? "stretches of the way" : "frames (or blocks of frames)");
  report.details.update({{"returns", fit.returns}, {"lost", fit.lost}, {"frames", fit.frames}});
  require_errors(&FitParameter::naive_error, report);
  report.refuse(fit.held_out && fit.held_out->gain_nats < -3.0 * fit.held_out->gain_error,
                "returns that were held out are less likely than under the chain as given");
}

}  // namespace fathom
