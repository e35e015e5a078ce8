// SPDX-License-Identifier: MIT
#pragma once
// Fields of correlated draws (fathom/noise/correlation.hpp): the kernels that turn white draws into a field, as numbers
// that a device can copy; one number of a field, in the order of sums that all renderers keep; and the threads of a
// device. field_lanes.cpp has the loops over pixels of a processor.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <fathom/core/random.hpp>
#include <fathom/noise/correlation.hpp>

namespace fathom {

/// How one direction of the image is summed over. Of a Gaussian, `weights` are h[0] .. h[radius]. The exponential's sum
/// over 2^k draws is made of k steps. Each adds a copy shifted twice as far as the one before:
///
///   T_0 = W,   T_{i+1}[u] = T_i[u] + weights[i] T_i[u - 2^i],   weights[i] = rho^(2^i),   F = gain T_k
struct LineKernel {
  static constexpr std::uint32_t kMostWeights = 193;

  float weights[kMostWeights] = {1.0F};
  std::uint32_t count = 1;      ///< of the weights
  std::uint32_t before = 0;     ///< draws before the pixel that the sum reads
  std::uint32_t after = 0;      ///< draws behind it
  float gain = 1.0F;            ///< of the exponential
  bool is_exponential = false;  ///< else symmetric, from -before to +after
};

struct FieldKernel {
  LineKernel across, down;
};

[[nodiscard]] LineKernel make_line_kernel(CorrelationShape shape, double size_px);
[[nodiscard]] FieldKernel make_field_kernel(const Correlation& correlation);

/// The time of a frame between two key frames.
struct KeyTime {
  std::uint32_t frame = 0;           ///< number of the key frame before, modulo 2^32
  bool is_between = false;           ///< whether the key frame after it counts, too
  float cosine = 1.0F, sine = 0.0F;  ///< weights of the two key frames
  friend bool operator==(const KeyTime&, const KeyTime&) = default;
};
/// How far a sensor has moved: sums over the frames before.
struct Travel {
  double way_m = 0.0, angle_rad = 0.0;
  friend bool operator==(const Travel&, const Travel&) = default;
};
/// The instant of a frame. `frame`: its number, by which it has its own field if the key frames have no step, or if
/// they follow a motion that is unknown.
struct FieldInstant {
  std::uint32_t frame;
  double stamp_s;
  std::optional<Travel> motion = Travel{};
};
[[nodiscard]] KeyTime key_time(const Correlation& correlation, const FieldInstant& instant);

/// White draws have rows and columns from -kFieldMargin on: more than any kernel reads beyond the image.
inline constexpr std::uint32_t kFieldMargin = 512;
/// Number of the first field's draw. A model without a correlation draws with smaller ones.
inline constexpr std::uint32_t kFirstFieldDraw = 256;

/// The rows and columns of the white draws behind an image. Four columns share a Philox block, a quad. If the image
/// closes, it has no columns beyond its own.
struct Lattice {
  std::uint32_t cols = 0;  ///< of the image
  bool closes = false;

  /// Quads of a row.
  [[nodiscard]] FATHOM_KERNEL std::uint32_t quads() const {
    return closes ? (cols + 3) / 4 : (cols + 2 * kFieldMargin + 3) / 4;
  }
  /// Name of the first quad of a row; `row`: in the image, above or below it.
  [[nodiscard]] FATHOM_KERNEL std::uint32_t row_of_quads(std::int32_t row) const {
    return (static_cast<std::uint32_t>(row) + kFieldMargin) * quads();
  }
  /// The quads that a row of the image needs with such a kernel: [first, end).
  [[nodiscard]] FATHOM_KERNEL std::uint32_t first_quad(const LineKernel& across) const {
    return closes ? 0 : (kFieldMargin - across.before) / 4;
  }
  [[nodiscard]] FATHOM_KERNEL std::uint32_t end_quad(const LineKernel& across) const {
    return closes ? quads() : (kFieldMargin + cols + across.after + 3) / 4;
  }
  /// Place of a column of the image in a row that starts with the first of these quads.
  [[nodiscard]] FATHOM_KERNEL std::uint32_t place_of(std::int32_t column, const LineKernel& across) const {
    if (!closes) return static_cast<std::uint32_t>(column) + kFieldMargin - 4 * first_quad(across);
    const auto n = static_cast<std::int32_t>(cols);
    return static_cast<std::uint32_t>(column < 0 ? column + n : column >= n ? column - n : column);
  }
};

/// The sum of a line at a pixel; at(i): the value i pixels before it.
template <class At>
FATHOM_KERNEL float line_sum(const LineKernel& k, At at) {
  if (!k.is_exponential) {
    float sum = k.weights[0] * at(0);
    for (std::uint32_t i = 1; i < k.count; ++i) {
      const auto j = static_cast<std::int32_t>(i);
      sum = sum + k.weights[i] * (at(j) + at(-j));
    }
    return sum;
  }
  float done[12];  // T_i of the first half of a pair, until the second half follows
  const std::uint32_t draws = k.before + 1;
  for (std::uint32_t i = 0; i < draws; ++i) {
    float part = at(static_cast<std::int32_t>(i));
    std::uint32_t step = 0;
    for (std::uint32_t rest = i; (rest & 1U) != 0; rest >>= 1U, ++step) part = done[step] + k.weights[step] * part;
    done[step] = part;
  }
  return done[k.count] * k.gain;
}

}  // namespace fathom

namespace fathom::device {

// Fields on a device, one number of one row a thread, with the bits of field_lanes.cpp: white draws, sums along rows,
// sums down the image, one launch for each.

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
