// Pictures of a depth camera's frame: reasons with their legend, and the sheet of four.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <fmt/format.h>

#include <fathom/depth_output.hpp>
#include <fathom/error.hpp>

#include "io/image.hpp"
#include "io/lettering.hpp"
#include "io/palette.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kGap = 6, kSwatch = 10, kLegendWidth = 24 * kLetterWidth + kSwatch + 3 * kGap;
constexpr std::uint32_t kMaxSheetSide = 100000;
constexpr Rgb kLetters = {220, 220, 220};

void check_size(const std::filesystem::path& file, const Frame& frame) {
  if (frame.size() > 0 && frame.rows() <= kMaxSheetSide && frame.cols() <= kMaxSheetSide) return;
  throw InputError(fmt::format("{}: a frame of {} x {} rays makes no picture, the limits are 1 and {} on a side",
                               file.string(), frame.rows(), frame.cols(), kMaxSheetSide));
}

std::uint32_t legend_columns(std::uint32_t width) { return std::max(1U, width / kLegendWidth); }
std::uint32_t legend_height(std::uint32_t width) {
  const auto names = static_cast<std::uint32_t>(kReasonNames.size());
  return (names + legend_columns(width) - 1) / legend_columns(width) * kLineHeight + 2 * kGap;
}

void draw_legend(Image& image, std::uint32_t top, const Frame& frame) {
  const auto counts = frame.count_reasons();
  const std::uint32_t columns = legend_columns(image.width);
  for (std::uint32_t k = 0; k < kReasonNames.size(); ++k) {
    const std::uint32_t x = kGap + k % columns * kLegendWidth, y = top + kGap + k / columns * kLineHeight;
    for (std::uint32_t i = 0; i < kSwatch * kSwatch; ++i) {
      image.draw(x + i % kSwatch, y + i / kSwatch, reason_color(static_cast<Reason>(k)));
    }
    draw_text(image, x + kSwatch + kGap, y, fmt::format("{} {}", kReasonNames[k], counts[k]), kLetters);
  }
}

void draw_panel(Image& image, std::uint32_t left, std::uint32_t top, const Frame& frame, std::string_view title,
                const std::function<Rgb(std::size_t)>& color) {
  draw_text(image, left, top - kLineHeight, title, kLetters);
  for (std::uint32_t v = 0; v < frame.rows(); ++v) {
    for (std::uint32_t u = 0; u < frame.cols(); ++u) {
      image.at(left + u, top + v) = color(std::size_t{v} * frame.cols() + u);
    }
  }
}

/// Depth below which 99 % of the finite values lie.
double usual_depth(std::span<const float> depth) {
  std::vector<float> finite;
  std::copy_if(depth.begin(), depth.end(), std::back_inserter(finite), [](float v) { return std::isfinite(v); });
  if (finite.empty()) return 1.0;
  const auto at = finite.begin() + static_cast<std::ptrdiff_t>(finite.size() * 99 / 100);
  std::nth_element(finite.begin(), at, finite.end());
  return std::max(1e-3, static_cast<double>(*at));
}

Rgb depth_color(float depth, double scale_m) {
  return std::isfinite(depth) ? range_color(depth / scale_m) : kLostColor;
}

Rgb energy_color(float energy) {
  if (std::isnan(energy)) return kLostColor;
  const auto level = static_cast<std::uint8_t>(std::lround(255 * std::clamp(energy, 0.0F, 1.0F)));
  return {level, level, level};
}

}  // namespace

void write_reason_picture(const std::filesystem::path& file, const Frame& frame) {
  check_size(file, frame);
  const std::span<const Reason> reason = frame.reason();
  const std::uint32_t width = std::max(frame.cols(), kLegendWidth);
  Image image(width, frame.rows() + legend_height(width), kBackground);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    image.at(static_cast<std::uint32_t>(i % frame.cols()), static_cast<std::uint32_t>(i / frame.cols())) =
        reason_color(reason[i]);
  }
  draw_legend(image, frame.rows(), frame);
  write_png(file, image);
}

void write_camera_sheet(const std::filesystem::path& file, const Frame& frame, double scale_m) {
  check_size(file, frame);
  if (!(scale_m >= 0.0 && scale_m <= 1e6)) throw InputError(fmt::format("scale_m = {} is not in [0, 1e6] m", scale_m));
  const std::span<const float> clean = frame.clean_depth_m(), noisy = frame.depth_m(), energy = frame.energy();
  const std::span<const Reason> reason = frame.reason();
  const double scale = scale_m > 0.0 ? scale_m : usual_depth(clean);
  const std::uint32_t step = frame.cols() + kGap, top = kGap + kLineHeight;
  const std::uint32_t width = std::max(4 * step + kGap, kLegendWidth);
  Image image(width, top + frame.rows() + legend_height(width), kBackground);
  draw_panel(image, kGap, top, frame, "clean depth", [&](std::size_t i) { return depth_color(clean[i], scale); });
  draw_panel(image, kGap + step, top, frame, "noisy depth",
             [&](std::size_t i) { return depth_color(noisy[i], scale); });
  draw_panel(image, kGap + 2 * step, top, frame, "reason", [&](std::size_t i) { return reason_color(reason[i]); });
  draw_panel(image, kGap + 3 * step, top, frame, "energy", [&](std::size_t i) { return energy_color(energy[i]); });
  draw_legend(image, top + frame.rows(), frame);
  write_png(file, image);
}

}  // namespace fathom
