// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>
#include <fathom/beam/fit.hpp>

#include "base/counts.hpp"
#include "beam/ks_distance.hpp"

namespace fathom {

namespace {

/// Where the cdf jumps (at Z, or at every reading of a sensor with a step), the transform may be any value in the jump.
/// The n-th reading takes the n-th value of the golden-ratio sequence, which fills jumps evenly without random numbers.
double spread_over_jump(const CdfJump& jump, std::size_t n) {
  const double turns = (static_cast<double>(n) + 0.5) * 0.61803398874989484820;
  return jump.after - (jump.after - jump.before) * (turns - std::floor(turns));
}

}  // namespace

BeamJudgement judge_beam_model(const BeamParameters& parameters, const BeamSensor& sensor, const BeamData& data,
                               std::size_t bins) {
  validate(parameters);
  validate(sensor);
  check_in_range("judge", "bins", static_cast<double>(bins), 1, 1e6, "1");
  if (data.reading_m.size() != data.expected_m.size()) {
    throw InputError(
        fmt::format("{} readings given for {} expected ranges", data.reading_m.size(), data.expected_m.size()));
  }
  BeamJudgement out;
  std::vector<double> pit;
  std::array<std::size_t, 3> seen = {};  // by ReadingKind
  const double log_step = sensor.step_m > 0.0 ? std::log(sensor.step_m) : 0.0;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const ReadingKind kind = classify(data.reading_m[i], sensor);
    if (kind == ReadingKind::kNone) continue;
    if (!(data.expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, data.expected_m[i]));
    }
    const BeamDensity density(parameters, sensor, data.expected_m[i]);
    const double log_density = density.log_likelihood(data.reading_m[i]) - (kind == ReadingKind::kRange ? log_step : 0);
    out.log_likelihood += log_density;
    if (!std::isfinite(log_density)) ++out.impossible;
    ++out.pairs;
    pit.push_back(spread_over_jump(density.cdf_jump(data.reading_m[i]), seen[static_cast<std::size_t>(kind)]++));
  }
  if (out.pairs == 0) throw InputError("no reading carries evidence");
  out.nats_per_ray = out.log_likelihood / static_cast<double>(out.pairs);
  out.pit_histogram.resize(bins);
  for (const double u : pit) {
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(u * static_cast<double>(bins)));
    out.pit_histogram[bin] += 1.0 / static_cast<double>(pit.size());
  }
  out.ks_distance = ks_distance_uniform(pit);
  if (out.impossible > 0) {
    out.flags.push_back(fmt::format("{} of {} judged by {} impossible under the parameters: nats per ray are -inf",
                                    grouped(out.impossible), counted(out.pairs, "reading"), are(out.impossible)));
  }
  return out;
}

}  // namespace fathom
