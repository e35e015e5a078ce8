// SPDX-License-Identifier: MIT
#include "calibrate/chain_laws.hpp"

#include <algorithm>

#include "noise/noise_access.hpp"

namespace fathom {

std::optional<NoiseChain> with_other_law(const NoiseChain& chain, std::span<const FreeNumber> numbers,
                                         std::size_t entry) {
  if (chain[entry].noise.slug() != StereoEnergy::kSlug) return std::nullopt;
  for (const std::string_view field : {StereoEnergy::kMinEnergy, StereoEnergy::kPow}) {
    const bool is_free = std::any_of(numbers.begin(), numbers.end(), [&](const FreeNumber& p) {
      return p.entry == entry && p.field == field && p.rings.empty();
    });
    if (!is_free) return std::nullopt;
  }
  constexpr auto kDocument = EnergyNormalization::kDocument, kThreshold = EnergyNormalization::kThreshold;
  auto model = *static_cast<const StereoEnergy*>(detail::NoiseAccess::model(chain[entry].noise));
  model.normalization = model.normalization == kThreshold ? kDocument : kThreshold;
  NoiseChain other = chain;
  other[entry].noise = model;
  return other;
}

std::string_view law_of_energies(const NoiseChain& chain, std::size_t entry) {
  const auto* model = static_cast<const StereoEnergy*>(detail::NoiseAccess::model(chain[entry].noise));
  return kChoiceWords<EnergyNormalization>[static_cast<std::size_t>(model->normalization)];
}

}  // namespace fathom
