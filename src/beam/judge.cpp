#include <fathom/beam/fit.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/noise/field.hpp>

#include "random/goodness.hpp"

namespace fathom {

namespace {

/// The transform of a reading in the atom is any value in (1 - F's jump, 1]; the n-th takes the n-th of the
/// golden-ratio sequence there, which fills it evenly, and without chance.
double spread_over_atom(const BeamDensity& density, std::size_t n) {
  const double turns = (static_cast<double>(n) + 0.5) * 0.61803398874989484820;
  return 1.0 - density.w_max() * (turns - std::floor(turns));
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
  std::size_t max_seen = 0;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const ReadingKind kind = classify(data.reading_m[i], sensor);
    if (kind == ReadingKind::kNone) continue;
    if (!(data.expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, data.expected_m[i]));
    }
    const BeamDensity density(parameters, sensor, data.expected_m[i]);
    out.log_likelihood += density.log_likelihood(data.reading_m[i]);
    ++out.pairs;
    pit.push_back(kind == ReadingKind::kRange ? density.cdf(data.reading_m[i]) : spread_over_atom(density, max_seen++));
  }
  if (out.pairs == 0) throw InputError("no reading carries evidence");
  out.nats_per_beam = out.log_likelihood / static_cast<double>(out.pairs);
  out.pit_histogram.resize(bins);
  for (const double u : pit) {
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(u * static_cast<double>(bins)));
    out.pit_histogram[bin] += 1.0 / static_cast<double>(pit.size());
  }
  out.ks_distance = ks_distance_uniform(pit);
  return out;
}

}  // namespace fathom
