// SPDX-License-Identifier: MIT
#include "simulate/scene_models.hpp"

namespace fathom {

NoiseChain scene_models(const NoiseChain& chain, bool with_bands) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    const bool is_shadow = entry.noise.slug() == StereoShadow::kSlug, is_window = entry.noise.stage() == Stage::kImage;
    if (is_shadow || is_window) models.push_back(entry);
    if (with_bands && entry.noise.slug() == InvalidBand::kSlug) {
      models.push_back(entry.noise.with("max_disparity_px", double{InvalidBand::kNoLimit}));
    }
  }
  return models;
}

NoiseChain straight_models(const NoiseChain& chain) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    if (entry.noise.stage() != Stage::kRay) models.push_back(entry);
  }
  return models;
}

}  // namespace fathom
