// SPDX-License-Identifier: MIT
#include <fathom/fit/measure_depth.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>

#include "fit/pairs/depth_patch.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr float kNoDepth = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kGrain = 8;              // patches at a time
constexpr double kRoundingOfFloats = 0x1p-22;  // of a depth, with the effect of the cubic
using Options = DepthMeasure::Options;

/// One patch of one frame.
struct Patch {
  PatchState state = PatchState::kHole;
  int bin = 0;
  std::size_t band = 0;
  PatchSums sums = {};
};

/// A frame whose patches later ones are compared with.
struct MeasuredFrame {
  std::vector<float> residual;  ///< [rows, cols]
  std::vector<Patch> patches;
};

void add_blob(DepthMeasure::Blobs& blobs, std::uint32_t size) {
  ++blobs.count;
  blobs.pixels += size;
}

/// `errors`: of the estimates of the summary.
void fill_estimates(DepthMeasure& m, const PatchSummary& summary, const std::vector<double>& errors, bool still) {
  const std::vector<double> values = summary.estimates();
  const double unit = m.focal_baseline_px_m.value_or(kNoNumber);
  m.deviation_px = {values[0] * unit, errors[0] * unit};
  m.deviation_m = {values[1], errors[1]};
  m.residual_px = summary.residual * unit;
  m.residual_m = summary.residual_m;
  for (std::size_t k = 2; k < values.size(); ++k) {
    const std::size_t kind = (k - 2) / DepthMeasure::kLags;
    if (kind < 2 || still) (kind == 0 ? m.across : kind == 1 ? m.down : m.in_time).push_back({values[k], errors[k]});
  }
  const auto& [across, down] = summary.residual_correlation;
  m.across_residual.assign(across.begin() + 1, across.end());
  m.down_residual.assign(down.begin() + 1, down.end());
}

void add_flags(DepthMeasure& m, const PatchSummary& summary) {
  if (m.patches.used == 0) {
    m.flags.emplace_back("no patch of 24 x 24 pixels is without holes and steps: nothing is known of the error");
    return;
  }
  if (!m.focal_baseline_px_m) m.flags.emplace_back("no camera is given: the deviation of disparity in px is not known");
  // Of an inverse depth: the geometric mean of both residuals is that times the depth.
  if (std::sqrt(summary.residual * summary.residual_m) < kRoundingOfFloats) {
    m.flags.emplace_back("no error is left but the rounding of numbers: these are depths without noise");
    return;
  }
  // A cubic leaves 1 - 10/576 of white noise; of what is smooth over a patch it leaves nothing.
  if (summary.residual < 0.6 * summary.deviation || m.across.back().value > 0.1 || m.down.back().value > 0.1) {
    m.flags.emplace_back(
        "the error is correlated over lengths near the 24 px of a patch: deviation and correlations are lower bounds");
  }
}

void add_trace_flags(DepthMeasure& m, const FilterTraces& traces) {
  if (traces.off_levels) {
    m.flags.emplace_back(
        "disparities are not on steps of 1/32 px, as raw frames of a D400 are: these were resampled or filtered, or "
        "another camera took them");
  }
  if (traces.fills_band) {
    m.flags.emplace_back(
        "pixels nearer to the left border than their disparity are measured: the images were aligned to another camera "
        "or cut, or another kind of camera took them");
  }
}

void check(const DepthMeasure::Options& o) {
  if (o.focal_baseline_px_m && !(*o.focal_baseline_px_m >= Options::kLeastFocalBaselinePxM &&
                                 *o.focal_baseline_px_m <= Options::kMostFocalBaselinePxM)) {
    throw InputError(Setting{"focal_baseline_px_m"},
                     fmt::format(" = {} is not in [{}, {}] px m", *o.focal_baseline_px_m,
                                 Options::kLeastFocalBaselinePxM, Options::kMostFocalBaselinePxM));
  }
  if (o.band_edges_m.size() >= Options::kMostBands) {
    throw InputError(Setting{"band_edges_m"}, fmt::format(" has {} numbers, at most {} are allowed",
                                                          o.band_edges_m.size(), Options::kMostBands - 1));
  }
  double last = 0.0;
  for (const double edge : o.band_edges_m) {
    if (!(edge > last && edge <= Options::kMostDepthM)) {
      throw InputError(Setting{"band_edges_m"},
                       fmt::format(": {} is not in ({}, {}] m: edges rise", edge, last, Options::kMostDepthM));
    }
    last = edge;
  }
  validate(Compute{.threads = o.threads});
}

}  // namespace

struct DepthMeter::State {
  explicit State(const DepthMeasure::Options& given) : options(given), executor(make_executor(given.threads)) {
    double low = 0.0;
    for (const double edge : options.band_edges_m) {
      total.bands.push_back({.low_m = low, .high_m = edge});
      low = edge;
    }
    total.bands.push_back({.low_m = low, .high_m = std::numeric_limits<double>::infinity()});
    total.focal_baseline_px_m = options.focal_baseline_px_m;
  }

  [[nodiscard]] std::size_t band_of(double depth_m) const {
    const auto& edges = options.band_edges_m;
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, depth_m) - edges.begin());
  }
  [[nodiscard]] std::size_t patch_cols() const { return total.cols / kPatchSide; }
  [[nodiscard]] std::size_t patch_count() const { return total.rows / kPatchSide * patch_cols(); }
  /// The first pixel of a patch. The patches are in the middle: pixels left over are shared by the sides.
  [[nodiscard]] std::size_t first_pixel(std::size_t patch) const {
    const std::size_t row = total.rows % kPatchSide / 2 + patch / patch_cols() * kPatchSide;
    const std::size_t col = total.cols % kPatchSide / 2 + patch % patch_cols() * kPatchSide;
    return row * total.cols + col;
  }
  /// From the first pixel of a patch to its pixel i.
  [[nodiscard]] std::size_t offset(std::size_t i) const { return i / kPatchSide * total.cols + i % kPatchSide; }

  void take(std::span<const float> depth_m, std::uint32_t rows, std::uint32_t cols,
            std::span<const std::uint8_t> left_out) {
    const std::size_t size = std::size_t{rows} * cols;
    if (size == 0) throw InputError(fmt::format("an image of {} x {} is empty", cols, rows));
    if (depth_m.size() != size) {
      throw InputError(fmt::format("an image of {} x {} pixels has {} depths", cols, rows, depth_m.size()));
    }
    if (!left_out.empty() && left_out.size() != size) {
      throw InputError(
          fmt::format("an image of {} x {} pixels has {} marks of pixels left out", cols, rows, left_out.size()));
    }
    if (total.frames > 0 && (rows != total.rows || cols != total.cols)) {
      throw InputError(
          fmt::format("{} x {} pixels, but the first image has {} x {}", cols, rows, total.cols, total.rows));
    }
    total.rows = rows, total.cols = cols;
    depth.resize(size), pixels.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const bool good = depth_m[i] > 0.0F && depth_m[i] <= std::numeric_limits<float>::max();  // NaN is not
      const bool out = !left_out.empty() && left_out[i] != 0;
      if (good && !out && (depth_m[i] < Options::kLeastDepthM || depth_m[i] > Options::kMostDepthM)) {
        throw InputError(fmt::format("row {}, column {}: a depth of {} m is not in [{}, {}] m", i / cols, i % cols,
                                     depth_m[i], Options::kLeastDepthM, Options::kMostDepthM));
      }
      depth[i] = good && !out ? depth_m[i] : kNoDepth;
      pixels[i] = out ? DepthPixel::kLeftOut : good ? DepthPixel::kMeasured : DepthPixel::kHole;
    }
  }

  void count_blobs() {
    blobs = find_blobs(pixels, total.rows, total.cols);
    for (const auto& [size, whole] : blobs.blobs) {
      const std::size_t by_class = size <= 3 ? 0 : size <= 50 ? 1 : 2;
      add_blob(total.blobs[by_class], size);
      if (whole) add_blob(total.whole_blobs[by_class], size);
      const auto octave = static_cast<std::size_t>(std::bit_width(size)) - 1;
      if (octave >= total.blobs_by_size.size()) total.blobs_by_size.resize(octave + 1);
      add_blob(total.blobs_by_size[octave], size);
      total.largest_blob = std::max<std::uint64_t>(total.largest_blob, size);
      total.holes += size;
    }
  }

  void count_pixels() {
    const auto out = static_cast<std::size_t>(std::ranges::count(pixels, DepthPixel::kLeftOut));
    total.left_out += out;
    total.pixels += depth.size() - out;
    for (std::size_t row = 0; row < total.rows; ++row) count_row(row * total.cols);
  }

  /// By distance.
  void count_row(std::size_t first) {
    const std::size_t end = first + total.cols;
    for (std::size_t i = first; i < end; ++i) {
      if (pixels[i] == DepthPixel::kMeasured) ++total.bands[band_of(depth[i])].pixels;
      if (pixels[i] != DepthPixel::kHole) continue;
      const float left = i > first ? depth[i - 1] : kNoDepth;
      const std::size_t begin = i;
      while (i + 1 < end && pixels[i + 1] == DepthPixel::kHole) ++i;
      const float right = i + 1 < end ? depth[i + 1] : kNoDepth;
      const float farther = std::fmax(left, right);  // of one that is NaN, the other
      const std::size_t holes = i + 1 - begin;
      if (farther > 0.0F) {
        DepthMeasure::Band& band = total.bands[band_of(farther)];
        band.pixels += holes, band.holes += holes;
      } else {
        total.holes_without_neighbour += holes;
      }
    }
  }

  void measure_patch(std::size_t number) {
    const std::size_t first = first_pixel(number);
    Patch& patch = now.patches[number];
    patch.state = patch_state(&depth[first], total.cols);
    if (patch.state != PatchState::kGood) return;
    std::array<double, kPatchPixels> values;  // written below, wholly
    double sum_m = 0.0;
    for (std::size_t i = 0; i < kPatchPixels; ++i) {
      const double depth_m = depth[first + offset(i)];
      values[i] = 1.0 / depth_m;
      sum_m += depth_m;
    }
    remove_cubic(values);
    patch.bin = roughness_bin(block_mean_square(values));
    patch.band = band_of(sum_m / kPatchPixels);
    double square_m = 0.0;
    for (std::size_t i = 0; i < kPatchPixels; ++i) {
      const std::size_t pixel = first + offset(i);
      const double error_m = double{depth[pixel]} * depth[pixel] * values[i];  // of first order; the sign is of 1/z
      square_m += error_m * error_m;
      now.residual[pixel] = static_cast<float>(values[i]);
    }
    patch.sums = {.patches = 1.0, .lags = lag_means(values), .square_m = square_m / kPatchPixels};
  }

  void add_patch(std::size_t number) {
    const Patch& patch = now.patches[number];
    ++total.patches.all;
    if (patch.state == PatchState::kHole) ++total.patches.with_hole;
    if (patch.state == PatchState::kStep) ++total.patches.with_step;
    if (patch.state != PatchState::kGood) return;
    RoughnessBin& bin = bins[patch.bin];
    bin.bands.resize(total.bands.size());
    ++bin.patches;
    bin.groups[number % kPatchGroups].add(patch.sums);
    bin.bands[patch.band].add(patch.sums);
    for (std::size_t k = 0; k < past.size(); ++k) compare_in_time(number, past[k], k + 1);
  }

  void compare_in_time(std::size_t number, const MeasuredFrame& before, std::size_t lag) {
    const Patch &a = before.patches[number], &b = now.patches[number];
    if (a.state != PatchState::kGood) return;
    const std::size_t first = first_pixel(number);
    double sum = 0.0;
    for (std::size_t i = 0; i < kPatchPixels; ++i) {
      const std::size_t pixel = first + offset(i);
      sum += double{before.residual[pixel]} * double{now.residual[pixel]};
    }
    PatchSums pair;
    pair.in_time[lag] = sum / kPatchPixels;
    pair.both[lag] = 0.5 * (a.sums.lags.across[0] + b.sums.lags.across[0]);
    bins[std::max(a.bin, b.bin)].groups[number % kPatchGroups].add(pair);
  }

  void keep_picture() {
    picture = {.rows = total.rows,
               .cols = total.cols,
               .depth_m = depth,
               .blob_size = blobs.blob_size,
               .residual = now.residual};
    const auto unit = static_cast<float>(options.focal_baseline_px_m.value_or(1.0));
    for (float& value : picture.residual) value *= unit;
  }

  DepthMeasure::Options options;
  std::unique_ptr<Executor> executor;
  DepthMeasure total;  ///< counts; estimates come with the result
  RoughnessBins bins;
  std::vector<WallPatches> walls = {WallPatches(24), WallPatches(48), WallPatches(72)};
  FilterTraces traces;  ///< of the first frame
  HoleBlobs blobs;
  std::vector<float> depth;        ///< of this frame, NaN: a hole or left out
  std::vector<DepthPixel> pixels;  ///< of this frame
  MeasuredFrame now;
  std::vector<MeasuredFrame> past;  ///< the frame before first
  DepthMeter::Picture picture;
};

DepthMeter::DepthMeter(const DepthMeasure::Options& options) {
  check(options);
  state_ = std::make_unique<State>(options);
}
DepthMeter::~DepthMeter() = default;
DepthMeter::DepthMeter(DepthMeter&&) noexcept = default;
DepthMeter& DepthMeter::operator=(DepthMeter&&) noexcept = default;

void DepthMeter::add(std::span<const float> depth_m, std::uint32_t rows, std::uint32_t cols,
                     std::span<const std::uint8_t> left_out) {
  State& s = *state_;
  s.take(depth_m, rows, cols, left_out);
  s.count_blobs();
  s.count_pixels();
  const std::size_t patches = s.patch_count();
  s.now.residual.assign(depth_m.size(), kNoDepth);
  s.now.patches.assign(patches, {});
  s.executor->parallel_for(patches, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t patch = begin; patch < end; ++patch) s.measure_patch(patch);
  });
  for (std::size_t patch = 0; patch < patches; ++patch) s.add_patch(patch);  // in order: sums have the same bits
  for (WallPatches& wall : s.walls) wall.add(s.depth, rows, cols, *s.executor);
  if (s.total.frames == 0) {
    s.keep_picture();
    if (s.options.focal_baseline_px_m) s.traces = find_filter_traces(s.depth, cols, *s.options.focal_baseline_px_m);
  }
  ++s.total.frames;
  if (!s.options.still) return;
  if (s.past.size() < DepthMeasure::kLags) s.past.emplace_back();
  std::rotate(s.past.begin(), s.past.end() - 1, s.past.end());
  std::swap(s.past.front(), s.now);
}

const DepthMeter::Picture& DepthMeter::picture() const { return state_->picture; }

DepthMeasure DepthMeter::result() const {
  const State& s = *state_;
  if (s.total.frames == 0) throw InputError("there is no depth image to measure");
  DepthMeasure m = s.total;
  PatchGroups groups;
  PatchSums all;
  std::vector<PatchSums> bands(m.bands.size());
  const int last = s.bins.empty() ? 0 : last_used_bin(s.bins);
  for (const auto& [number, bin] : s.bins) {
    (number > last ? m.patches.rough : m.patches.used) += bin.patches;
    if (number > last) continue;
    for (std::size_t k = 0; k < kPatchGroups; ++k) groups[k].add(bin.groups[k]);
    for (std::size_t k = 0; k < bin.bands.size(); ++k) bands[k].add(bin.bands[k]);
  }
  for (const PatchSums& group : groups) all.add(group);
  const PatchSummary summary = summarise(all);
  fill_estimates(m, summary, jackknife_errors(groups), s.options.still);
  for (std::size_t k = 0; k < bands.size(); ++k) {
    const double unit = summary.put_back * m.focal_baseline_px_m.value_or(kNoNumber);
    m.bands[k].patches = static_cast<std::uint64_t>(bands[k].patches);
    m.bands[k].deviation_px = unit * std::sqrt(bands[k].lags.across[0] / bands[k].patches);  // 0 / 0: NaN
    m.bands[k].deviation_m = summary.put_back * std::sqrt(bands[k].square_m / bands[k].patches);
  }
  for (const WallPatches& wall : s.walls) m.walls.push_back(wall.result(m.focal_baseline_px_m.value_or(kNoNumber)));
  add_flags(m, summary);
  const bool has_noise = std::sqrt(summary.residual * summary.residual_m) >= kRoundingOfFloats;
  if (has_noise) add_trace_flags(m, s.traces);
  return m;
}

DepthMeasure measure_depth(std::span<const float> depth_m, std::size_t frames, std::uint32_t rows, std::uint32_t cols,
                           const DepthMeasure::Options& options, std::span<const std::uint8_t> left_out) {
  DepthMeter meter(options);
  const std::size_t size = std::size_t{rows} * cols;
  if (frames == 0 || size == 0 || depth_m.size() / frames != size || depth_m.size() % frames != 0) {
    throw InputError(fmt::format("{} depths are no {} images of {} x {} pixels", depth_m.size(), frames, cols, rows));
  }
  const bool one_for_all = left_out.size() == size;
  if (!left_out.empty() && !one_for_all && left_out.size() != depth_m.size()) {
    throw InputError(
        fmt::format("left_out has {} numbers: it has one for each of {} x {} pixels, or for each of {} depths",
                    left_out.size(), cols, rows, depth_m.size()));
  }
  for (std::size_t k = 0; k < frames; ++k) {
    const std::size_t first = k * size;
    meter.add(depth_m.subspan(first, size), rows, cols,
              left_out.empty() || one_for_all ? left_out : left_out.subspan(first, size));
  }
  return meter.result();
}

}  // namespace fathom
