// SPDX-License-Identifier: MIT
#include "render/image_filters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include <fathom/core/geometry.hpp>
#include <fathom/core/ids.hpp>

#include "core/errors.hpp"
#include "frame/frame_writer.hpp"
#include "render/ray_math.hpp"
#include "render/render.hpp"

namespace fathom {

PixelPast& FilterPast::begin(std::uint32_t frame, std::size_t pixels) {
  if (frame == 0) {
    before_.disparity.assign(pixels, 0.0F), before_.filled.assign(pixels, 0);
  } else if (frame >= next_) {
    std::swap(before_, after_);
  }
  after_ = before_;
  next_ = frame + 1;
  return after_;
}

namespace {

/// Steps of disparity of the maker's filters.
constexpr float kStepsPerPx = 32.0F;

struct ImageSize {
  std::size_t rows, cols;
  [[nodiscard]] std::size_t pixels() const { return rows * cols; }
};

/// Neighbouring lines of pixels that are filtered together: pixel k of line i is at[k * step + i * apart].
struct PixelLines {
  static constexpr std::size_t kMost = 64;

  float* at;
  std::ptrdiff_t step;
  std::size_t length;
  std::ptrdiff_t apart;
  std::size_t count;

  [[nodiscard]] PixelLines reversed() const {
    return {at + step * (static_cast<std::ptrdiff_t>(length) - 1), -step, length, apart, count};
  }
};

void smooth_lines(const PixelLines& lines, const DepthFilters::Spatial& filter) {
  std::array<float, PixelLines::kMost> smoothed = {}, before = {};
  for (std::size_t k = 0; k < lines.length; ++k) {
    float* pixel = lines.at + static_cast<std::ptrdiff_t>(k) * lines.step;
    for (std::size_t i = 0; i < lines.count; ++i, pixel += lines.apart) {
      const float here = *pixel, step = here - before[i];
      const bool joins = here > 0.0F && before[i] > 0.0F && step < filter.delta && -step < filter.delta;
      smoothed[i] = joins ? filter.alpha * here + (1.0F - filter.alpha) * smoothed[i] : here;
      *pixel = smoothed[i];
      before[i] = here;
    }
  }
}

/// Fills the first pixels of each hole with the pixel before it.
void fill_line(const PixelLines& line, std::size_t most) {
  std::size_t lost = 0;
  for (std::size_t k = 1; k < line.length; ++k) {
    float* const pixel = line.at + static_cast<std::ptrdiff_t>(k) * line.step;
    lost = *pixel > 0.0F ? 0 : lost + 1;
    if (lost > 0 && lost <= most) *pixel = *(pixel - line.step);
  }
}

/// Calls f(lines) for all rows or all columns of an image, in parallel.
template <class F>
void for_each_line(float* image, const ImageSize& size, bool rows, std::size_t together, Executor& executor, F f) {
  const auto cols = static_cast<std::ptrdiff_t>(size.cols);
  const std::size_t lines = rows ? size.rows : size.cols;
  const std::ptrdiff_t step = rows ? 1 : cols, apart = rows ? cols : 1;
  executor.parallel_for((lines + together - 1) / together, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin * together; first < std::min(end * together, lines); first += together) {
      f(PixelLines{image + static_cast<std::ptrdiff_t>(first) * apart, step, rows ? size.cols : size.rows, apart,
                   std::min(together, lines - first)});
    }
  });
}

void smooth_in_space(float* image, const ImageSize& size, const DepthFilters::Spatial& filter, Executor& executor) {
  const auto smooth = [&](const PixelLines& lines) {
    smooth_lines(lines, filter);
    smooth_lines(lines.reversed(), filter);
  };
  for (std::uint32_t pass = 0; pass < filter.iterations; ++pass) {
    for_each_line(image, size, true, 8, executor, smooth);
    for_each_line(image, size, false, PixelLines::kMost, executor, smooth);
  }
  if (filter.holes_fill == 0) return;
  const std::size_t most = filter.holes_fill == 5 ? 254 : (std::size_t{1} << filter.holes_fill) - 1;
  for_each_line(image, size, true, 1, executor, [&](const PixelLines& row) {
    fill_line(row, most);
    fill_line(row.reversed(), most);
  });
}

/// Whether the frames before, the newest one in bit 0, let a lost pixel keep its last value.
bool persists(std::uint32_t persistency, unsigned filled) {
  struct Rule {
    unsigned frames, least;
  };
  constexpr std::array<Rule, 9> kRules = {{{0, 1}, {8, 8}, {3, 2}, {4, 2}, {8, 2}, {2, 1}, {5, 1}, {8, 1}, {0, 0}}};
  const Rule rule = kRules[persistency];
  return static_cast<unsigned>(__builtin_popcount(filled & ((1U << rule.frames) - 1U))) >= rule.least;
}

void smooth_in_time(float* image, std::size_t begin, std::size_t end, const DepthFilters::Temporal& filter,
                    PixelPast& past) {
  for (std::size_t i = begin; i < end; ++i) {
    float &here = image[i], &last = past.disparity[i];
    const unsigned filled = past.filled[i];
    if (here > 0.0F) {
      const bool joins = last > 0.0F && std::abs(here - last) < filter.delta;
      if (joins) here = filter.alpha * here + (1.0F - filter.alpha) * last;
      last = here;
      past.filled[i] = static_cast<std::uint8_t>(joins ? filled << 1U | 1U : 1U);
    } else {
      if (last > 0.0F && persists(filter.persistency, filled)) here = last;
      past.filled[i] = static_cast<std::uint8_t>(filled << 1U);
    }
  }
}

/// Of depths. Each filled pixel may fill the next one in reading order.
void fill_holes(float* image, const ImageSize& size, HoleFilling rule) {
  const auto cols = static_cast<std::ptrdiff_t>(size.cols);
  const bool from_left = rule == HoleFilling::kLeft;
  const std::size_t first_row = from_left ? 0 : 1, rows = from_left ? size.rows : size.rows - 1;
  for (std::size_t row = first_row; row < rows; ++row) {
    for (std::size_t col = 1; col < size.cols; ++col) {
      float* const pixel = image + row * size.cols + col;
      if (*pixel > 0.0F) continue;
      *pixel = pixel[-1];
      if (from_left) continue;
      for (const std::ptrdiff_t at : {-cols, -cols - 1, cols - 1, cols}) {
        if (!(pixel[at] > 0.0F)) continue;
        const bool is_better = rule == HoleFilling::kFarthest ? pixel[at] > *pixel : pixel[at] < *pixel;
        if (is_better || !(*pixel > 0.0F)) *pixel = pixel[at];
      }
    }
  }
}

/// The raw image of a job and its steps.
class ImageFilter {
 public:
  ImageFilter(const RenderJob& job, Executor& executor)
      : job_(job),
        steps_(job.filters),
        memory_(*job.filters.memory),
        size_{job.plan.rows, job.plan.cols},
        executor_(executor),
        raw_(memory_.raw),
        reason_(raw_.reason() + job.first),
        depth_m_(raw_.floats(Channel::kDepth) + job.first) {}

  void run(Frame& out) {
    if (steps_.filters.any()) filter();
    if (steps_.aligned_to != nullptr) find_nearest();
    copy_to(out);
  }

 private:
  template <class F>
  void for_pixels(F f) const {
    executor_.parallel_for(size_.pixels(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) f(i);
    });
  }
  [[nodiscard]] bool is_valid(std::size_t pixel) const { return reason_[pixel] == Reason::kHit; }

  void filter() {
    std::vector<float>& values = memory_.values;
    values.resize(size_.pixels());
    const bool by_disparity = steps_.filters.spatial || steps_.filters.temporal;
    const float scale = kStepsPerPx * job_.rig.optics.fx_px * job_.rig.optics.baseline_m;
    for_pixels([&](std::size_t i) {
      values[i] = !is_valid(i) ? 0.0F : by_disparity ? scale / depth_m_[i] : depth_m_[i];
    });
    if (const auto& spatial = steps_.filters.spatial) smooth_in_space(values.data(), size_, *spatial, executor_);
    if (steps_.filters.temporal) filter_in_time(*steps_.filters.temporal);
    if (by_disparity) {
      for_pixels([&](std::size_t i) {
        const bool is_same = is_valid(i) && values[i] == scale / depth_m_[i];
        values[i] = is_same ? depth_m_[i] : values[i] > 0.0F ? scale / values[i] : 0.0F;
      });
    }
    if (steps_.filters.hole_filling) fill_holes(values.data(), size_, *steps_.filters.hole_filling);
    place_all();
  }

  void filter_in_time(const DepthFilters::Temporal& temporal) {
    PixelPast& past = memory_.past(steps_.environment).begin(steps_.frame, size_.pixels());
    executor_.parallel_for(size_.pixels(), 4096, [&](std::size_t begin, std::size_t end) {
      smooth_in_time(memory_.values.data(), begin, end, temporal, past);
    });
  }

  /// Makes each pixel with a new value a return on its own ray.
  void place_all() {
    const RayPattern& rays = job_.pattern;
    float* const range_m = raw_.floats(Channel::kRange);
    float *const in_sensor = raw_.floats(Channel::kHitSensor), *const in_world = raw_.floats(Channel::kHitWorld);
    for_pixels([&](std::size_t i) {
      const float x = memory_.values[i], range = x / rays.direction_x[i];
      if (!(x > 0.0F) || (is_valid(i) && x == depth_m_[i])) return;
      const Triple point = {x, range * rays.direction_y[i], range * rays.direction_z[i]};
      reason_[i] = Reason::kHit;
      depth_m_[i] = x;
      if (range_m != nullptr) range_m[job_.first + i] = range;
      put_point(in_sensor, i, point);
      put_point(in_world, i, moved(job_.world_from_sensor, point.x, point.y, point.z));
    });
  }
  void put_point(float* out, std::size_t pixel, const Triple& point) const {
    const std::size_t plane = memory_.raw.size(), at = job_.first + pixel;
    if (out != nullptr) out[at] = point.x, out[plane + at] = point.y, out[2 * plane + at] = point.z;
  }

  /// Of two depth pixels, the one that the other camera gets: a return, else the nearer one, else the first.
  void find_nearest() {
    const AlignedCamera& camera = *steps_.aligned_to;
    const float* const clean_m = raw_.floats(Channel::kCleanDepth) + job_.first;
    memory_.filled.resize(size_.pixels());
    for_pixels([&](std::size_t i) { memory_.filled[i] = filled_by(i, is_valid(i) ? depth_m_[i] : clean_m[i]); });
    memory_.nearest.assign(std::size_t{camera.height} * camera.width, ~0U);
    const auto wins = [&](std::size_t pixel, std::uint32_t other) {
      if (other == ~0U || is_valid(pixel) != is_valid(other)) return other == ~0U || is_valid(pixel);
      return is_valid(pixel) ? depth_m_[pixel] < depth_m_[other] : clean_m[pixel] < clean_m[other];
    };
    for (std::size_t i = 0; i < size_.pixels(); ++i) {
      const FilledPixels& filled = memory_.filled[i];
      const bool is_large = filled.right - filled.left > 1024;
      if (i % size_.cols == 0) stop_if_asked(job_.should_stop);
      for (std::int32_t v = filled.top; v <= filled.bottom; ++v) {
        if (is_large) stop_if_asked(job_.should_stop);
        for (std::int32_t u = filled.left; u <= filled.right; ++u) {
          std::uint32_t& nearest = memory_.nearest[static_cast<std::size_t>(v) * camera.width + std::size_t(u)];
          if (wins(i, nearest)) nearest = static_cast<std::uint32_t>(i);
        }
      }
    }
  }

  [[nodiscard]] FilledPixels filled_by(std::size_t pixel, float depth_m) const {
    const AlignedCamera& camera = *steps_.aligned_to;
    const std::size_t whole_row = pixel / size_.cols;
    const auto row = static_cast<double>(whole_row), col = static_cast<double>(pixel % size_.cols);
    const auto first = projected(col - 0.5, row - 0.5, depth_m), last = projected(col + 0.5, row + 0.5, depth_m);
    if (!first || !last) return {};
    const auto whole = [](double at, std::uint32_t size) {
      return static_cast<std::int32_t>(std::clamp(std::floor(at + 0.5), -1.0, static_cast<double>(size)));
    };
    return {std::max(whole((*first)[0], camera.width), 0), std::max(whole((*first)[1], camera.height), 0),
            std::min(whole((*last)[0], camera.width), static_cast<std::int32_t>(camera.width) - 1),
            std::min(whole((*last)[1], camera.height), static_cast<std::int32_t>(camera.height) - 1)};
  }

  /// A point of the depth image at this depth, in the other image; empty behind the other camera.
  [[nodiscard]] std::optional<std::array<double, 2>> projected(double col, double row, float depth_m) const {
    const AlignedCamera& camera = *steps_.aligned_to;
    const Intrinsics& lens = steps_.lens;
    const Pose offset = camera.offset.value_or(Pose{});
    const Vec3 ray = {1.0, (lens.cx - col) / lens.fx, (lens.cy - row) / lens.fy};
    const Vec3 at = rotate(conjugate(offset.rotation), ray - (1.0 / double{depth_m}) * offset.translation_m);
    if (!(at.x > 0.0)) return std::nullopt;
    return std::array{camera.cx - camera.fx * at.y / at.x, camera.cy - camera.fy * at.z / at.x};
  }

  void copy_to(Frame& out) {
    FrameWriter to(out);
    pixels_ = steps_.aligned_to == nullptr ? size_.pixels() : memory_.nearest.size();
    first_ = job_.first / size_.pixels() * pixels_;
    for (const ChannelInfo& info : channel_list()) {
      if (info.type != ElementType::kFloat32 || !out.channels().contains(info.channel)) continue;
      for (std::size_t plane = 0; plane < info.planes; ++plane) {
        copy(raw_.floats(info.channel) + plane * memory_.raw.size(), to.floats(info.channel) + plane * out.size(),
             kNoNumber);
      }
    }
    copy(raw_.entity_id(), to.entity_id(), index(kNoEntity));
    copy(raw_.triangle_id(), to.triangle_id(), kNoTriangle);
    copy(raw_.label(), to.label(), 0U);
    copy(raw_.ring(), to.ring(), std::uint16_t{0});
    copy(raw_.path(), to.path(), std::uint8_t{0});
    copy(raw_.reason(), to.reason(), Reason::kMasked);
  }

  /// `nothing`: for a pixel of the other camera that no depth pixel fills.
  template <class T>
  void copy(const T* from, T* to, T nothing) const {
    if (to == nullptr) return;
    from += job_.first, to += first_;
    executor_.parallel_for(pixels_, 4096, [&](std::size_t begin, std::size_t end) {
      if (steps_.aligned_to == nullptr) {
        std::copy(from + begin, from + end, to + begin);
        return;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t nearest = memory_.nearest[i];
        to[i] = nearest == ~0U ? nothing : from[nearest];
      }
    });
  }

  const RenderJob& job_;
  const ImageFilters& steps_;
  FilterMemory& memory_;
  ImageSize size_;
  Executor& executor_;
  FrameWriter raw_;
  Reason* reason_;
  float* depth_m_;
  std::size_t pixels_ = 0, first_ = 0;  // of the caller's frame
};

}  // namespace

Frame& raw_frame(const RenderJob& job, const Frame& frame) {
  const AlignedCamera* const other = job.filters.aligned_to;
  ChannelSet channels = frame.channels() | ChannelSet{Channel::kDepth, Channel::kReason};
  if (other != nullptr) channels.insert(Channel::kCleanDepth);
  Frame& raw = job.filters.memory->raw;
  if (raw.channels() != channels) raw = Frame(channels);
  const std::uint32_t images = frame.rows() / (other == nullptr ? job.plan.rows : other->height);
  FrameWriter(raw).resize(images * job.plan.rows, job.plan.cols);
  return raw;
}

void filter_images(std::span<const RenderJob> jobs, Executor& executor, Frame& frame) {
  for (const RenderJob& job : jobs) ImageFilter(job, executor).run(frame);
}

}  // namespace fathom
