// SPDX-License-Identifier: MIT
#pragma once
// The shape of a depth camera's error and of its holes, measured in its own images, without truth: in a patch of 24 x
// 24 pixels a smooth surface is a cubic, and the rest is the error. The section "Measure a camera" of
// docs/depth-cameras.md explains the numbers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/fit/calibrate.hpp>

namespace fathom {

/// Standard errors come from the scatter of patches, as if these were independent. NaN: unknown (no camera, no patch,
/// fewer frames than the lag).
struct DepthMeasure {
  struct Options {
    static constexpr double kLeastFocalBaselinePxM = 1e-6, kMostFocalBaselinePxM = 1e9;
    static constexpr double kLeastDepthM = 1e-6, kMostDepthM = 1e6;  ///< limits of a depth
    static constexpr std::size_t kMostBands = 32;

    /// Focal length (px, along rows) times baseline (m), which turns depth into disparity; none: nothing in px is
    /// known.
    std::optional<double> focal_baseline_px_m = {};
    /// Where bands of distance end, m: rising, in (0, kMostDepthM]; the last band goes on from the last of them.
    std::vector<double> band_edges_m = {0.5, 1.0, 2.0, 4.0, 8.0};
    /// Whether frames follow each other and neither scene nor camera moves: the error is compared in time, too.
    bool still = false;
    int threads = 0;  ///< at work at once; 0: one per core; they change no bit of the result
  };

  static constexpr std::uint32_t kPatchSide = 24;  ///< pixels
  static constexpr std::uint32_t kLags = 12;
  static constexpr double kMostStep = 0.1;        ///< between neighbours of a patch, of the nearer depth
  static constexpr std::size_t kBlobClasses = 3;  ///< 1 to 3, 4 to 50 and more pixels

  std::uint32_t rows = 0, cols = 0;
  std::uint64_t frames = 0;
  std::optional<double> focal_baseline_px_m;

  /// Patches not used have a hole or a pixel left out; or neighbours (of 4) that differ by more than kMostStep of the
  /// nearer depth; or are rough, by an edge or a crease: means of blocks of 6 x 6 pixels deviate more than twice as
  /// much as in the median patch (to 6 %). Of patches with nothing but noise 0.2 % are rough.
  struct Patches {
    std::uint64_t all = 0, with_hole = 0, with_step = 0, rough = 0, used = 0;
  } patches;

  /// Deviation of the error. The cubic takes a part of the error with it; the result is corrected for that (see
  /// `across`).
  Estimate deviation_px, deviation_m;
  double residual_px = 0.0, residual_m = 0.0;  ///< root mean square of the residual of the cubic, uncorrected

  /// Correlation of the error in disparity at lags 1 to kLags: [kLags] each. A fixed-point iteration puts the part of
  /// the cubic back. It is exact for a separable field without correlation beyond kLags, such as white noise.
  std::vector<Estimate> across, down;
  /// The same of the residuals as they are: for white noise -0.016 at 1 px and -0.011 at 4.
  std::vector<double> across_residual, down_residual;
  /// Correlation with the frame 1 to kLags later, [kLags] where frames are still, else empty. A surface that is no
  /// cubic counts as an error that stays.
  std::vector<Estimate> in_time;

  /// Deviation on a wall: of the median patch of this many pixels a side, a quadric off. Patches have no step and up to
  /// 3 % holes. It grows with the side where the error has waves.
  struct Wall {
    std::uint32_t side_px = 0;
    std::uint64_t patches = 0;
    double deviation_px = 0.0;
  };
  std::vector<Wall> walls;  ///< of 24, 48 and 72 px

  std::uint64_t left_out = 0;           ///< pixels left out by the caller of add(); no other number counts them
  std::uint64_t pixels = 0, holes = 0;  ///< of the others
  struct Blobs {
    std::uint64_t count = 0, pixels = 0;
  };
  /// Blobs of holes, connected over 4 neighbours, of 1 to 3, 4 to 50 and more pixels. Whole ones touch neither the
  /// border of the image nor a pixel left out: the size of others, such as the band of a stereo image, is unknown.
  std::array<Blobs, kBlobClasses> blobs, whole_blobs;
  std::vector<Blobs> blobs_by_size;  ///< entry k: of 2^k to 2^(k + 1) - 1 pixels; ends with the largest
  std::uint64_t largest_blob = 0;    ///< pixels

  /// By distance, low <= depth < high. A hole lies as far away as the farther one of the nearest measured pixels to its
  /// left and right; a patch as its middle.
  struct Band {
    double low_m = 0.0, high_m = 0.0;  ///< the last one has an infinite high_m
    std::uint64_t pixels = 0, holes = 0, patches = 0;
    double deviation_px = 0.0, deviation_m = 0.0;  ///< corrected as the whole is
  };
  std::vector<Band> bands;
  std::uint64_t holes_without_neighbour = 0;  ///< in rows without a measured pixel

  std::vector<std::string> flags;  ///< one line each: limits of the numbers
};

/// Measures frame by frame: memory holds one frame, with `still` the residuals of kLags more.
class FATHOM_API DepthMeter {
 public:
  /// The first frame as a picture needs it. Arrays [rows, cols].
  struct Picture {
    std::uint32_t rows = 0, cols = 0;
    std::vector<float> depth_m;            ///< NaN: a hole, or left out
    std::vector<std::uint32_t> blob_size;  ///< pixels of the blob that a hole belongs to, 0: no hole
    std::vector<float> residual;  ///< in px of disparity, without a camera in 1/m; NaN where no patch is looked at
  };

  /// Throws InputError for a number outside its limits.
  explicit DepthMeter(const DepthMeasure::Options& options = {});
  ~DepthMeter();
  DepthMeter(DepthMeter&&) noexcept;
  DepthMeter& operator=(DepthMeter&&) noexcept;

  /// The next frame: depth along the optical axis, m, [rows, cols]; a hole is not above 0 or not finite. `left_out`,
  /// [rows, cols] or empty: where it is not 0, the pixel is left out, for example because nothing is within the
  /// camera's reach. Throws InputError when the size is 0, not that of a span or not that of the first frame, and for a
  /// depth outside [kLeastDepthM, kMostDepthM] that is no hole.
  void add(std::span<const float> depth_m, std::uint32_t rows, std::uint32_t cols,
           std::span<const std::uint8_t> left_out = {});
  /// Of all frames so far. Throws InputError before the first.
  [[nodiscard]] DepthMeasure result() const;
  [[nodiscard]] const Picture& picture() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All frames at once, [frames, rows, cols], as DepthMeter takes them; `left_out` is of that size, or [rows, cols] for
/// all frames.
FATHOM_API DepthMeasure measure_depth(std::span<const float> depth_m, std::size_t frames, std::uint32_t rows,
                                      std::uint32_t cols, const DepthMeasure::Options& options = {},
                                      std::span<const std::uint8_t> left_out = {});

}  // namespace fathom
