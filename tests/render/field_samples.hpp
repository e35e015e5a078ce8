// SPDX-License-Identifier: MIT
#pragma once
// The correlated draws of one model, without a frame around them.

#include <fathom/noise/chain.hpp>

#include "render/draw_fields.hpp"
#include "support/expect.hpp"

namespace fathom::test {

struct FieldShape {
  std::uint32_t rows = 160, cols = 160;
  bool closes = false;
};

/// Draws of a model for frames of an image.
class FieldSamples {
 public:
  FieldSamples(ChainEntry entry, FieldShape shape, std::uint64_t seed = 7, std::string sensor = "s")
      : chain_(stage_chain(sensor, {std::move(entry)}, RangePolicy::kKeep, {}, shape.closes)),
        shape_(shape),
        seed_(seed) {}

  /// Valid until the next call.
  const DrawFields& draw(std::uint32_t index, double stamp_s = 0.0, Isa isa = detect_isa(), std::uint32_t bands = 1) {
    store_.begin({chain_, shape_.rows, shape_.cols, seed_, index, stamp_s});
    made_ += store_.tasks();
    store_.cut_into(bands);
    for (std::size_t task = 0; task < store_.tasks(); ++task) {
      for (std::uint32_t band = bands; band-- > 0;) store_.make(task, band, bands, isa);
    }
    for (std::uint32_t band = bands; band-- > 0;) store_.finish(band, bands, isa);
    store_.end();
    return store_.fields(0);
  }
  /// The first normal of all rays.
  std::vector<float> normals(std::uint32_t index, double stamp_s = 0.0, Isa isa = detect_isa(),
                             std::uint32_t bands = 1) {
    const float* const first = draw(index, stamp_s, isa, bands).normal[0];
    return {first, first + std::size_t{shape_.rows} * shape_.cols};
  }
  [[nodiscard]] const CorrelatedDraws& correlated() const { return chain_.correlated.at(0); }
  [[nodiscard]] const StagedChain& chain() const { return chain_; }
  /// Images made so far.
  [[nodiscard]] std::size_t made() const { return made_; }

 private:
  StagedChain chain_;
  FieldShape shape_;
  std::uint64_t seed_;
  FieldStore store_;
  std::size_t made_ = 0;
};

}  // namespace fathom::test
