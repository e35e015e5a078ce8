// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ. Fields of correlated draws, row by
// row, with the bits of field_math.hpp. Sums over weights use vector types of g++ and clang, because neither
// interchanges the loops over pixels and weights by itself.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <fathom/noise/detail/drive.hpp>

#include "render/field_math.hpp"
#include "render/lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

struct FieldBuild;  // the tag of this build

#if defined(__AVX512F__)
constexpr std::uint32_t kWidth = 16;
#elif defined(__AVX2__)
constexpr std::uint32_t kWidth = 8;
#else
constexpr std::uint32_t kWidth = 4;
#endif
constexpr std::uint32_t kVectors = 4;  // enough to hide the latency of an addition
constexpr std::uint32_t kStep = kVectors * kWidth;
static_assert(kFieldStep % kStep == 0);

using Vector [[gnu::vector_size(kWidth * sizeof(float))]] = float;

FATHOM_KERNEL Vector load(const float* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
FATHOM_KERNEL void store(float* p, const Vector& v) { __builtin_memcpy(p, &v, sizeof v); }

/// Pixels next to each other.
template <std::uint32_t kCount>
struct PixelsOf {
  Vector v[kCount];
};
using Pixels = PixelsOf<kVectors>;

template <std::uint32_t kCount = kVectors>
FATHOM_KERNEL PixelsOf<kCount> load_pixels(const float* p) {
  PixelsOf<kCount> pixels;
  for (std::uint32_t k = 0; k < kCount; ++k) pixels.v[k] = load(p + k * kWidth);
  return pixels;
}
template <std::uint32_t kCount>
FATHOM_KERNEL void store_pixels(float* p, const PixelsOf<kCount>& pixels) {
  for (std::uint32_t k = 0; k < kCount; ++k) store(p + k * kWidth, pixels.v[k]);
}

/// The Gaussian's sum along a row.
FATHOM_KERNEL Pixels gaussian_sum(const LineKernel& kernel, const float* at) {
  Pixels sum = load_pixels(at);
  for (Vector& v : sum.v) v = kernel.weights[0] * v;
  for (std::uint32_t i = 1; i < kernel.count; ++i) {
    const float weight = kernel.weights[i];
    const float *before = at - i, *after = at + i;
    for (std::uint32_t k = 0; k < kVectors; ++k) {
      sum.v[k] = sum.v[k] + weight * (load(before + k * kWidth) + load(after + k * kWidth));
    }
  }
  return sum;
}

/// The Gaussian's sums down the image, of kRows rows and as many pixels as fit into registers. `lines` are of the first
/// row. The rows share loads: each weight needs two new ones.
template <std::uint32_t kRows, std::uint32_t kCount>
FATHOM_KERNEL void gaussian_sums(const LineKernel& kernel, const float* const* lines, std::uint32_t c,
                                 PixelsOf<kCount> (&sum)[kRows]) {
  PixelsOf<kCount> before[kRows], after[kRows];
  for (std::uint32_t r = 0; r < kRows; ++r) {
    before[r] = after[r] = sum[r] = load_pixels<kCount>(lines[r] + c);
    for (Vector& v : sum[r].v) v = kernel.weights[0] * v;
  }
  for (std::uint32_t i = 1; i < kernel.count; ++i) {
    const float weight = kernel.weights[i];
    const auto j = static_cast<std::int32_t>(i);
    for (std::uint32_t r = kRows - 1; r > 0; --r) before[r] = before[r - 1];
    for (std::uint32_t r = 0; r + 1 < kRows; ++r) after[r] = after[r + 1];
    before[0] = load_pixels<kCount>(lines[-j] + c), after[kRows - 1] = load_pixels<kCount>(lines[kRows - 1 + i] + c);
    for (std::uint32_t r = 0; r < kRows; ++r) {
      for (std::uint32_t k = 0; k < kCount; ++k) {
        sum[r].v[k] = sum[r].v[k] + weight * (before[r].v[k] + after[r].v[k]);
      }
    }
  }
}

void make_uniform(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = uniform_from_normal(values[i]);
}

/// Makes the rows of an image one after the other.
class RowMaker {
 public:
  RowMaker(const FieldImage& image, float* scratch)
      : image_(image),
        across_(image.kernel->across),
        down_(image.kernel->down),
        lattice_{image.cols, image.closes},
        room_(*image.kernel, image.cols),
        line_(aligned(scratch) + kFieldStep),
        other_line_(line_ + room_.line),
        rows_(line_ - kFieldStep + 2 * std::size_t{room_.line}) {}

  void run(std::uint32_t begin, std::uint32_t end) {
    const auto first = static_cast<std::int32_t>(begin), last = static_cast<std::int32_t>(end);
    std::int32_t done = first;
    for (std::int32_t row = first - static_cast<std::int32_t>(down_.before);
         row < last + static_cast<std::int32_t>(down_.after); ++row) {
      if (down_.is_exponential) {
        sum_across(row, other_line_);
        add_row(row, row >= first ? out_row(row) : nullptr);
        if (row >= first) finish(row);
      } else {
        sum_across(row, ring_row(row));
        const std::int32_t ready = row - static_cast<std::int32_t>(down_.after) + 1;  // rows before it can be summed
        if (ready - done == static_cast<std::int32_t>(kFieldRows)) sum_down<kFieldRows>(done), done = ready;
      }
    }
    for (; !down_.is_exponential && done < last; ++done) sum_down<1>(done);
  }

 private:
  static float* aligned(float* p) {
    constexpr std::uintptr_t kLine = 64;  // bytes of a cache line
    return p + (kLine - reinterpret_cast<std::uintptr_t>(p) % kLine) % kLine / sizeof(float);
  }

  /// While the row is in the cache.
  void finish(std::int32_t row) const {
    if (image_.is_uniform) make_uniform(out_row(row), image_.cols);
  }

  /// White draws of a row; returns the place of column 0 of the image. If the image closes, the draws beyond its ends
  /// are copied.
  float* fill_white(std::int32_t row) {
    const std::uint32_t first = lattice_.first_quad(across_), end = lattice_.end_quad(across_);
    float* const out = line_ + (image_.closes ? across_.before : 0);
    const std::uint32_t name = lattice_.row_of_quads(row);
    constexpr std::uint32_t kQuads = kBlockRays / kQuadRays;
    alignas(64) std::array<std::uint32_t, kQuads> quads;
    for (std::uint32_t q = first; q < end; q += kQuads) {
      for (std::uint32_t i = 0; i < kQuads; ++i) quads[i] = name + q + i;
      fill_normals<FieldBuild>(image_.key, kFirstFieldDraw + image_.draw, quads.data(), std::min(kQuads, end - q),
                               out + 4 * std::size_t{q - first});
    }
    if (!image_.closes) return out + kFieldMargin - 4 * first;
    std::memcpy(line_, out + image_.cols - across_.before, across_.before * sizeof(float));
    std::memcpy(out + image_.cols, out, across_.after * sizeof(float));
    return out;
  }

  void sum_across(std::int32_t row, float* out) {
    float* const white = fill_white(row);
    if (across_.is_exponential) return add_shifted(white, out);
    for (std::uint32_t c = 0; c < room_.stride; c += kStep) {
      store_pixels(out + c, gaussian_sum(across_, white + c));
    }
  }

  /// The steps of the exponential along a row; overwrites `row`. Values at the left whose inputs are incomplete are
  /// never used.
  void add_shifted(float* row, float* out) {
    std::uint32_t lead = across_.before;  // pixels before the image that the next step needs
    for (std::uint32_t step = 0; step < across_.count; ++step) {
      const std::uint32_t shift = 1U << step;
      const float weight = across_.weights[step];
      const bool is_last = step + 1 == across_.count;
      lead -= shift;
      // In place from the right, so that the pixels to the left still hold the step before.
      const std::uint32_t count = (lead + room_.stride + kStep - 1) / kStep * kStep;
      float* const end = row + room_.stride;
      if (is_last) {
        for (std::uint32_t c = 0; c < room_.stride; c += kStep) {
          Pixels sum = load_pixels(row + c);
          const Pixels left = load_pixels(row + c - shift);
          for (std::uint32_t k = 0; k < kVectors; ++k) sum.v[k] = (sum.v[k] + weight * left.v[k]) * across_.gain;
          store_pixels(out + c, sum);
        }
        return;
      }
      for (std::uint32_t c = kStep; c <= count; c += kStep) {
        Pixels sum = load_pixels(end - c);
        const Pixels left = load_pixels(end - c - shift);
        for (std::uint32_t k = 0; k < kVectors; ++k) sum.v[k] = sum.v[k] + weight * left.v[k];
        store_pixels(end - c, sum);
      }
    }
  }

  [[nodiscard]] float* ring_row(std::int32_t row) const {
    const std::uint32_t rows = down_.before + down_.after + kFieldRows;
    const std::uint32_t at = (static_cast<std::uint32_t>(row) + (kFieldMargin / rows + 1) * rows) % rows;
    return rows_ + std::size_t{at} * room_.stride;
  }
  [[nodiscard]] float* out_row(std::int32_t row) const {
    return image_.out + static_cast<std::size_t>(row) * image_.cols;
  }

  template <std::uint32_t kCount>
  void store_out(float* row, std::uint32_t c, const PixelsOf<kCount>& pixels) const {
    if (c + kCount * kWidth <= image_.cols) return store_pixels(row + c, pixels);
    float rest[kCount * kWidth];
    store_pixels(rest, pixels);
    for (std::uint32_t i = c; i < image_.cols; ++i) row[i] = rest[i - c];
  }

  /// Rows from `row` on.
  template <std::uint32_t kRows>
  void sum_down(std::int32_t row) {
    constexpr std::uint32_t kCount = kWidth == 16 ? 2 : 1;
    std::array<const float*, 2 * LineKernel::kMostWeights + kRows> lines;
    const auto radius = static_cast<std::int32_t>(down_.before), rows = static_cast<std::int32_t>(kRows);
    const float** const middle = lines.data() + radius;
    for (std::int32_t i = -radius; i < radius + rows; ++i) middle[i] = ring_row(row + i);
    for (std::uint32_t c = 0; c < image_.cols; c += kCount * kWidth) {
      PixelsOf<kCount> sum[kRows];
      gaussian_sums(down_, middle, c, sum);
      for (std::int32_t r = 0; r < rows; ++r) store_out(out_row(row + r), c, sum[r]);
    }
    for (std::int32_t r = 0; r < rows; ++r) finish(row + r);
  }

  /// One more row of the exponential's steps. Step i keeps the last 2^i rows of T_i.
  void add_row(std::int32_t row, float* out) const {
    for (std::uint32_t c = 0; c < image_.cols; c += kStep) {
      Pixels sum = load_pixels(other_line_ + c);
      float* kept = rows_ + c;
      for (std::uint32_t step = 0; step < down_.count; ++step) {
        const std::uint32_t rows = 1U << step;
        float* const slot = kept + std::size_t{static_cast<std::uint32_t>(row) & (rows - 1)} * room_.stride;
        const Pixels old = load_pixels(slot);
        store_pixels(slot, sum);
        for (std::uint32_t k = 0; k < kVectors; ++k) sum.v[k] = sum.v[k] + down_.weights[step] * old.v[k];
        kept += std::size_t{rows} * room_.stride;
      }
      if (out == nullptr) continue;
      for (Vector& v : sum.v) v = v * down_.gain;
      store_out(out, c, sum);
    }
  }

  const FieldImage& image_;
  const LineKernel &across_, &down_;
  Lattice lattice_;
  FieldScratch room_;
  float *line_, *other_line_, *rows_;
};

void make_rows(const FieldImage& image, std::uint32_t begin, std::uint32_t end, float* scratch) {
  RowMaker(image, scratch).run(begin, end);
}

void mix(const KeyTime& time, const float* __restrict a, const float* __restrict b, std::size_t count,
         float* __restrict out) {
  const float cosine = time.cosine, sine = time.sine;
  for (std::size_t i = 0; i < count; ++i) out[i] = cosine * a[i] + sine * b[i];
}

}  // namespace

const FieldKernels kFields = {make_rows, mix, make_uniform};

}  // namespace fathom::FATHOM_ISA
