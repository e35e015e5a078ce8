// SPDX-License-Identifier: MIT
#include <fathom/noise/beam_mixture.hpp>

#include <algorithm>
#include <cmath>

#include <fathom/beam/fit.hpp>

namespace fathom {

void BeamMixture::settle(BeamMixture& p) {
  double sum = 0.0;
  for (const float weight : {p.w_short, p.w_max, p.w_rand}) sum += double{weight};
  p.w_hit = static_cast<float>(std::max(0.0, 1.0 - sum));
  if (!(sum > 1.0)) return;
  for (float* weight : {&p.w_short, &p.w_max, &p.w_rand}) *weight = static_cast<float>(double{*weight} / sum);
}

BeamMixture BeamMixture::begin(const BeamMixture& given, const LearnedReturns& returns,
                               std::span<const std::string_view> free) {
  BeamData data;
  for (std::size_t i = 0; i < returns.range_m.size(); ++i) {
    const float range_m = returns.range_m[i];
    data.reading_m.push_back(std::isnan(range_m) ? static_cast<float>(returns.max_range_m) : range_m);
  }
  data.expected_m.assign(returns.clean_range_m.begin(), returns.clean_range_m.end());
  data.scan.assign(returns.frame.begin(), returns.frame.end());
  FitOptions options;
  options.fit_hit_offset = std::find(free.begin(), free.end(), "hit_offset_m") != free.end();
  if (!options.fit_hit_offset) options.start.hit_offset_m = double{given.hit_offset_m};
  options.tolerance = 1e-6;  // the search goes on from there
  options.compute.threads = 1;
  const BeamParameters found =
      fit_beam_model(data, {.max_range_m = returns.max_range_m, .miss = given.miss}, options).model;
  BeamMixture begun = given;
  begun.w_short = static_cast<float>(found.w_short), begun.w_max = static_cast<float>(found.w_max);
  begun.w_rand = static_cast<float>(found.w_rand), begun.sigma_hit_m = static_cast<float>(found.sigma_hit_m);
  begun.lambda_short_per_m = static_cast<float>(found.lambda_short_per_m);
  begun.hit_offset_m = static_cast<float>(found.hit_offset_m);
  settle(begun);
  return begun;
}

}  // namespace fathom
