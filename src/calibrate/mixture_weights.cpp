// SPDX-License-Identifier: MIT
#include "calibrate/mixture_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include <fathom/beam/fit.hpp>

#include "calibrate/chain_likelihood.hpp"
#include "noise/noise_access.hpp"

namespace fathom {

namespace {

constexpr std::array<std::pair<std::string_view, float BeamMixture::*>, 3> kFreeWeights = {
    {{"w_short", &BeamMixture::w_short}, {kWeightOfNoReturn, &BeamMixture::w_max}, {"w_rand", &BeamMixture::w_rand}}};

BeamFit em_of(const ChainReturns& returns, std::span<const std::size_t> learn, const BeamMixture& given,
              bool offset_is_free) {
  BeamData data;
  for (const std::size_t i : learn) {
    const float range_m = returns.range_m[i];
    data.reading_m.push_back(std::isnan(range_m) ? static_cast<float>(returns.max_range_m) : range_m);
    data.expected_m.push_back(returns.clean_range_m[i]);
    data.scan.push_back(returns.frame[i]);
  }
  FitOptions options;
  options.fit_hit_offset = offset_is_free;
  if (!offset_is_free) options.start.hit_offset_m = double{given.hit_offset_m};
  options.tolerance = 1e-6;  // the search goes on from there
  options.compute.threads = 1;
  return fit_beam_model(data, {.max_range_m = returns.max_range_m, .miss = given.miss}, options);
}

}  // namespace

bool is_mixture_weight(const NoiseChain& chain, const FreeNumber& p) {
  return chain[p.entry].noise.slug() == BeamMixture::kSlug &&
         std::any_of(kFreeWeights.begin(), kFreeWeights.end(), [&](const auto& w) { return w.first == p.field; });
}

Noise with_weights(const Noise& mixture, std::span<const MixtureWeight> weights) {
  auto model = *static_cast<const BeamMixture*>(detail::NoiseAccess::model(mixture));
  double sum = 0.0;
  for (const auto& [field, member] : kFreeWeights) {
    for (const MixtureWeight& weight : weights) {
      if (weight.field == field) model.*member = static_cast<float>(weight.value);
    }
    sum += double{model.*member};
  }
  model.w_hit = static_cast<float>(std::max(0.0, 1.0 - sum));
  if (sum > 1.0) {
    for (const auto& [field, member] : kFreeWeights) model.*member = static_cast<float>(double{model.*member} / sum);
  }
  return model;
}

NoiseChain with_mixture_begun(const NoiseChain& chain, std::span<const FreeNumber> searched,
                              const ChainReturns& returns, std::span<const std::size_t> learn, Executor& executor) {
  NoiseChain begun = chain;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    std::vector<FreeNumber> of_mixture;
    std::copy_if(searched.begin(), searched.end(), std::back_inserter(of_mixture),
                 [&](const FreeNumber& p) { return p.entry == entry; });
    if (chain[entry].noise.slug() != BeamMixture::kSlug || of_mixture.empty()) continue;
    const bool offset_is_free = std::any_of(of_mixture.begin(), of_mixture.end(),
                                            [](const FreeNumber& p) { return p.field == "hit_offset_m"; });
    const auto& given = *static_cast<const BeamMixture*>(detail::NoiseAccess::model(chain[entry].noise));
    const BeamParameters found = em_of(returns, learn, given, offset_is_free).parameters;
    const std::array<std::pair<std::string_view, double>, 6> values = {
        {{"w_short", found.w_short},
         {kWeightOfNoReturn, found.w_max},
         {"w_rand", found.w_rand},
         {"sigma_hit_m", found.sigma_hit_m},
         {"lambda_short_per_m", found.lambda_short_per_m},
         {"hit_offset_m", found.hit_offset_m}}};
    std::vector<double> numbers;
    for (const FreeNumber& p : of_mixture) {
      const auto same = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == p.field; });
      numbers.push_back(std::clamp(same->second, p.low, p.high));
    }
    set_values(begun, of_mixture, numbers);
    const auto total = [&](const NoiseChain& c) { return ChainLikelihood(c, {}, returns, learn, executor).total({}); };
    if (!(total(begun) > total(chain))) begun = chain;
  }
  return begun;
}

}  // namespace fathom
