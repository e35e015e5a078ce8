// SPDX-License-Identifier: MIT
#pragma once
// Fields of correlated draws on a device, one number of one row a thread, with the bits of render/field_lanes.cpp:
// white draws, sums along rows, sums down the image, one launch for each.

#include <cstddef>
#include <cstdint>

#include "render/field_math.hpp"

namespace fathom::device {

/// One random number of a model, for rows [row_begin, row_end) of an image.
struct FieldJob {
  const FieldKernel* kernel;
  std::uint64_t seed;
  std::uint32_t stream, draw;
  KeyTime time;
  std::uint32_t row_begin, row_end, cols;
  std::uint32_t lines;  ///< rows that the sums down the image read
  std::uint32_t quads;  ///< of white draws in a line
  bool closes, is_uniform;
  float* white;  ///< [key frames, lines, 4 quads of a line]
  float* half;   ///< [key frames, lines, cols]: sums along rows
  float* out;    ///< [rows * cols] from row_begin on

  [[nodiscard]] FATHOM_KERNEL std::uint32_t keys() const { return time.is_between ? 2 : 1; }
  [[nodiscard]] FATHOM_KERNEL Lattice lattice() const { return {cols, closes}; }
  [[nodiscard]] FATHOM_KERNEL std::uint32_t white_threads() const { return keys() * lines * quads; }
  [[nodiscard]] FATHOM_KERNEL std::uint32_t half_threads() const { return keys() * lines * cols; }
  [[nodiscard]] FATHOM_KERNEL std::uint32_t threads() const { return (row_end - row_begin) * cols; }
};

/// Four white draws.
FATHOM_KERNEL void draw_white(const FieldJob& f, std::uint32_t thread) {
  if (thread >= f.white_threads()) return;
  const std::uint32_t quad = thread % f.quads, line = thread / f.quads % f.lines;
  const std::uint32_t key = thread / f.quads / f.lines;
  const std::int32_t row =
      static_cast<std::int32_t>(f.row_begin + line) - static_cast<std::int32_t>(f.kernel->down.before);
  const std::uint32_t name = f.lattice().row_of_quads(row) + f.lattice().first_quad(f.kernel->across) + quad;
  const PhiloxBlock block = keyed_block({f.seed, f.time.frame + key, f.stream}, name, kFirstFieldDraw + f.draw);
  const NormalPair first = normals_from_words(block.word[0], block.word[1]);
  const NormalPair second = normals_from_words(block.word[2], block.word[3]);
  float* const out = f.white + 4 * std::size_t{thread};
  out[0] = first.first, out[1] = first.second, out[2] = second.first, out[3] = second.second;
}

/// The sum along a row at a pixel.
FATHOM_KERNEL void sum_field_across(const FieldJob& f, std::uint32_t thread) {
  if (thread >= f.half_threads()) return;
  const auto col = static_cast<std::int32_t>(thread % f.cols);
  const float* const line = f.white + std::size_t{thread / f.cols} * 4 * f.quads;
  const LineKernel& across = f.kernel->across;
  f.half[thread] = line_sum(
      across, [&](std::int32_t i)
                  __attribute__((always_inline)) { return line[f.lattice().place_of(col - i, across)]; });
}

/// The number of a pixel.
FATHOM_KERNEL void sum_field_down(const FieldJob& f, std::uint32_t thread) {
  if (thread >= f.threads()) return;
  const LineKernel& down = f.kernel->down;
  const auto sum_of = [&](std::uint32_t key) __attribute__((always_inline)) {
    const float* const here = f.half + std::size_t{key} * f.lines * f.cols + std::size_t{down.before} * f.cols + thread;
    return line_sum(
        down, [&](std::int32_t i) __attribute__((always_inline)) {
          return here[-static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(f.cols)];
        });
  };
  float value = sum_of(0);
  if (f.time.is_between) value = f.time.cosine * value + f.time.sine * sum_of(1);
  f.out[thread] = f.is_uniform ? uniform_from_normal(value) : value;
}

}  // namespace fathom::device
