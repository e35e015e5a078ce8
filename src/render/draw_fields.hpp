// SPDX-License-Identifier: MIT
#pragma once
// The correlated draws of a frame, made before its blocks are rendered: an array over the image for each number that
// such a model draws. Images that the next frame needs again (a fixed pattern, a key frame) are kept, which changes no
// bit.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/noise/detail/drive.hpp>

#include "core/compute.hpp"
#include "render/chain.hpp"
#include "render/lanes.hpp"

namespace fathom {

struct RenderJob;

/// The properties of a frame that its fields depend on.
struct FieldFrame {
  const StagedChain& chain;
  std::uint32_t rows, cols;
  std::uint64_t seed;
  FieldInstant instant;
};

class FieldStore {
 public:
  /// Finds the images to make for the frame, and allocates them. In a steady state nothing is allocated.
  void begin(const FieldFrame& frame);
  /// Number of images to make. Each may be cut into bands of rows that are made in parallel.
  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }
  void cut_into(std::uint32_t bands);
  void make(std::size_t task, std::uint32_t band, std::uint32_t bands, Isa isa);
  /// Makes the numbers of a band out of the complete images.
  void finish(std::uint32_t band, std::uint32_t bands, Isa isa);
  /// Commits the images of this frame. Without it the next frame makes them again.
  void end();

  /// For a model of the frame's chain; `correlated`: of its ActiveNoise.
  [[nodiscard]] const DrawFields& fields(std::uint32_t correlated) const { return fields_[correlated]; }

 private:
  /// Everything that determines an image.
  struct Source {
    Correlation correlation;
    bool closes = false;
    std::uint64_t seed = 0;
    std::uint32_t stream = 0, draw = 0, key_frame = 0;
    std::uint32_t rows = 0, cols = 0;
    bool is_uniform = false;
    friend bool operator==(const Source&, const Source&) = default;
  };
  struct Image {
    std::vector<float> values;  // [rows, cols]
    Source source;
    bool is_made = false;
  };
  /// A random number of a model.
  struct Number {
    Image at_key[2];           // of the key frames around the frame; without time only the first
    std::vector<float> mixed;  // [rows, cols], between key frames; else the first image is the number
    KeyTime time;
    bool is_uniform = false;
    bool is_mixed = false;  // whether `mixed` is of that time
  };
  struct Task {
    std::size_t number;
    std::size_t image;
    const FieldKernel* kernel;
  };

  void begin_number(std::size_t number, const CorrelatedDraws& draws, std::uint32_t draw, const FieldFrame& frame);

  std::vector<Number> numbers_;
  std::vector<DrawFields> fields_;  // [correlated models]
  std::vector<Task> tasks_;
  std::vector<std::vector<float>> scratch_;  // [tasks, bands]
};

/// The correlated draws of a model of the job; null without correlation.
[[nodiscard]] const DrawFields* fields_of(const RenderJob& job, const ActiveNoise& noise);

/// Makes the fields of the jobs.
void make_fields(std::span<const RenderJob> jobs, Executor& executor);

}  // namespace fathom
