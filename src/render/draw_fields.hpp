// SPDX-License-Identifier: MIT
#pragma once
// The correlated draws of a frame, made before its blocks are rendered: for each number that such a model draws, an
// array over the image. What the next frame needs again (a fixed pattern, a key frame) is kept; whether it was kept or
// made anew changes no bit.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/noise/drive.hpp>

#include "base/compute.hpp"
#include "render/chain.hpp"
#include "render/field_kernel.hpp"
#include "render/field_lanes.hpp"

namespace fathom {

struct RenderJob;

/// What a frame is to a field.
struct FieldFrame {
  const StagedChain& chain;
  std::uint32_t rows, cols;
  std::uint64_t seed;
  std::uint32_t index;
  double stamp_s;
};

class FieldStore {
 public:
  /// Finds what is to be made for the frame, and makes room. In a steady state nothing is allocated.
  void begin(const FieldFrame& frame);
  /// How many images are to be made. Each may be cut into bands of rows that are made at the same time.
  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }
  void cut_into(std::uint32_t bands);
  void make(std::size_t task, std::uint32_t band, std::uint32_t bands, Isa isa);
  /// Makes the numbers of a band out of the images, once all of these are there.
  void finish(std::uint32_t band, std::uint32_t bands, Isa isa);
  /// Says that all of it was done: what is not said to be is made anew for the next frame.
  void end();

  /// Of a model of the frame's chain, whose `correlated` this is.
  [[nodiscard]] const DrawFields& fields(std::uint32_t correlated) const { return fields_[correlated]; }

 private:
  /// All that an image depends on.
  struct Source {
    Correlation correlation;
    bool closes = false;
    std::uint64_t seed = 0;
    std::uint32_t stream = 0, draw = 0, key_frame = 0;
    std::uint32_t rows = 0, cols = 0;
    friend bool operator==(const Source&, const Source&) = default;
  };
  struct Image {
    std::vector<float> values;  // [rows, cols]
    Source source;
    bool is_made = false;
  };
  /// A random number of a model.
  struct Number {
    Image at_key[2];           // those of the key frames around the frame; the first alone where no time passes
    std::vector<float> mixed;  // [rows, cols], of what is not the first image itself
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

/// The correlated draws of a model of the job; null: it has none.
[[nodiscard]] const DrawFields* fields_of(const RenderJob& job, const ActiveNoise& noise);

/// Makes the fields of the jobs.
void make_fields(std::span<const RenderJob> jobs, Executor& executor);

}  // namespace fathom
