// SPDX-License-Identifier: MIT
#include "nodes/rays.hpp"

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

void RaysFromMatrices::validate(const World&) {
  if (!parents.empty()) fail(RGL_INVALID_PIPELINE, fmt::format("{} is a source and can have no parents", name()));
}

void RaysRingIds::validate(const World&) {
  if (input().beams() % rings_.size() == 0) return;
  fail(RGL_INVALID_PIPELINE,
       fmt::format("ring ids doesn't match number of rays: {} rays, {} ring ids", input().beams(), rings_.size()));
}

void RaysRange::validate(const World&) {
  if (ranges_.size() == 1 || ranges_.size() == input().beams()) return;
  fail(RGL_INVALID_PIPELINE,
       fmt::format("ranges doesn't match number of rays: {} rays, {} ranges", input().beams(), ranges_.size()));
}

void RaysTimeOffsets::validate(const World&) {
  if (offsets_ms_.size() == input().beams()) return;
  fail(RGL_INVALID_PIPELINE, fmt::format("time offsets doesn't match number of rays: {} rays, {} time offsets",
                                         input().beams(), offsets_ms_.size()));
}

/// Transforms that lead back one by one may not together: 1e-38 thrice is 0.
void RaysTransform::prepare(World&) {
  cumulative_ = transform_ * input().world_from_sensor();
  if (!fathom::inverse(cumulative_))
    fail(RGL_INVALID_PIPELINE, "TransformRaysNode: with those above it, flattens space");
}

void RaysAngularNoise::prepare_beams(const RunContext& context) {
  input().prepare_beams(context);
  key_ = noise_key(context, noise_.slug());
  isa_ = context.isa;
}

void RaysAngularNoise::load(fathom::BeamBlock& block) const {
  input().load(block);
  fathom::apply_noise(noise_, key_, isa_, block);
}

}  // namespace rgl
