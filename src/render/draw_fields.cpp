// SPDX-License-Identifier: MIT
#include "render/draw_fields.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fathom/core/f64.hpp>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "render/lanes.hpp"
#include "render/render.hpp"

namespace fathom {

namespace {

/// exp(-i^2 / (2 s^2)) up to 3 s, with squares that sum to 1.
LineKernel gaussian(double size_px) {
  LineKernel kernel;
  const auto radius = static_cast<std::uint32_t>(std::ceil(3.0 * size_px));
  const auto weight = [&](std::uint32_t i) { return math::exp(-0.5 * i * i / (size_px * size_px)); };
  double squares = 1.0;
  for (std::uint32_t i = 1; i <= radius; ++i) squares += 2.0 * weight(i) * weight(i);
  for (std::uint32_t i = 0; i <= radius; ++i) {
    kernel.weights[i] = static_cast<float>(weight(i) / std::sqrt(squares));
  }
  kernel.count = radius + 1;
  kernel.before = kernel.after = radius;
  return kernel;
}

/// rho^i, rho = exp(-1 / s), over the smallest power of 2 that is at least 8 s. If all terms of a product of (1 + c
/// z^k) have different powers of z, the sum of their squared coefficients is the product of (1 + c^2).
LineKernel exponential(double size_px) {
  LineKernel kernel;
  kernel.is_exponential = true;
  double squares = 1.0;
  std::uint32_t reach = 1, steps = 0;
  while (steps == 0 || reach < 8.0 * size_px) {
    const auto weight = static_cast<float>(math::exp(-static_cast<double>(reach) / size_px));
    kernel.weights[steps++] = weight;
    squares *= 1.0 + double{weight} * weight;
    reach *= 2;
  }
  kernel.count = steps;
  kernel.before = reach - 1;
  kernel.gain = static_cast<float>(1.0 / std::sqrt(squares));
  return kernel;
}

}  // namespace

LineKernel make_line_kernel(CorrelationShape shape, double size_px) {
  if (!(size_px > 0.0)) return {};
  return shape == CorrelationShape::kGaussian ? gaussian(size_px) : exponential(size_px);
}

FieldKernel make_field_kernel(const Correlation& correlation) {
  return {make_line_kernel(correlation.shape, double{correlation.across_px}),
          make_line_kernel(correlation.shape, double{correlation.down_px})};
}

KeyTime key_time(const Correlation& c, const FieldInstant& instant) {
  if (c.time_s == 0.0 && !c.has_motion()) return {.frame = instant.frame};
  if (c.has_motion() && !instant.motion) return {.frame = instant.frame};
  if (std::isinf(c.time_s) && !c.has_motion()) return {};
  constexpr double kFarthest = 0x1p52;  // beyond, a double has no fractions: the frame is a key frame
  double steps = c.time_s > 0.0 ? instant.stamp_s / c.time_s : 0.0;
  if (c.motion_m > 0.0) steps += instant.motion->way_m / c.motion_m;
  if (c.motion_rad > 0.0) steps += instant.motion->angle_rad / c.motion_rad;
  const double at = std::clamp(steps, -kFarthest, kFarthest);
  const double whole = std::floor(at);
  const math::SinCos64 turn = math::sincos(0.5 * std::numbers::pi * (at - whole));
  return {.frame = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole)),
          .is_between = true,
          .cosine = static_cast<float>(turn.cos),
          .sine = static_cast<float>(turn.sin)};
}

namespace {

/// The rows of a band; bands have about equal heights.
struct Band {
  std::uint32_t begin, end;
  Band(std::uint32_t rows, std::uint32_t band, std::uint32_t bands)
      : begin(static_cast<std::uint32_t>(std::uint64_t{rows} * band / bands)),
        end(static_cast<std::uint32_t>(std::uint64_t{rows} * (band + 1) / bands)) {}
};

FieldFrame frame_of(const RenderJob& job) { return {job.chain, job.plan.rows, job.plan.cols, job.seed, job.instant()}; }

/// Enough bands for all threads, but not so small that the rows which a band reads beyond its own cost more.
std::uint32_t bands_for(std::size_t images, std::uint32_t rows, int threads) {
  constexpr std::uint32_t kLeastRows = 32;
  if (threads == 1 || images == 0) return 1;
  const std::size_t wanted = (2 * static_cast<std::size_t>(threads) + images - 1) / images;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 1, std::max(rows / kLeastRows, 1U)));
}

}  // namespace

void FieldStore::begin(const FieldFrame& frame) {
  tasks_.clear();
  numbers_.resize(count_correlated(frame.chain));
  fields_.resize(frame.chain.correlated.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const CorrelatedDraws& draws = frame.chain.correlated[i];
    std::uint32_t draw = 0;
    const auto next = [&] {
      const std::size_t number = draws.first_number + draw;
      begin_number(number, draws, draw++, frame);
      const Number& n = numbers_[number];
      return n.mixed.empty() ? n.at_key[0].values.data() : n.mixed.data();
    };
    for (int k = 0; k < draws.draws.normals; ++k) fields_[i].normal[k] = next();
    for (int k = 0; k < draws.draws.uniforms; ++k) fields_[i].uniform[k] = next();
  }
}

void FieldStore::begin_number(std::size_t number, const CorrelatedDraws& draws, std::uint32_t draw,
                              const FieldFrame& frame) {
  Number& n = numbers_[number];
  const KeyTime time = key_time(draws.correlation, frame.instant);
  const bool is_uniform = draw >= static_cast<std::uint32_t>(draws.draws.normals);
  const std::size_t rays = std::size_t{frame.rows} * frame.cols;
  Source source = {draws.correlation, draws.closes, frame.seed,
                   draws.stream,      draw,         time.frame,
                   frame.rows,        frame.cols,   is_uniform && !time.is_between};
  n.is_mixed = n.is_mixed && n.time == time && n.is_uniform == is_uniform;
  n.time = time, n.is_uniform = is_uniform;
  if (n.at_key[1].source == source) std::swap(n.at_key[0], n.at_key[1]);
  for (std::size_t k = 0; k < (time.is_between ? 2U : 1U); ++k, ++source.key_frame) {
    Image& image = n.at_key[k];
    if (image.is_made && image.source == source) continue;
    image.source = source, image.is_made = false;
    image.values.resize(rays);
    tasks_.push_back({number, k, &draws.kernel});
    n.is_mixed = false;
  }
  n.mixed.resize(time.is_between ? rays : 0);
}

void FieldStore::cut_into(std::uint32_t bands) {
  if (scratch_.size() < tasks_.size() * bands) scratch_.resize(tasks_.size() * bands);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Task& task = tasks_[i];
    const FieldScratch room(*task.kernel, numbers_[task.number].at_key[task.image].source.cols);
    for (std::uint32_t band = 0; band < bands; ++band) {
      std::vector<float>& scratch = scratch_[i * bands + band];
      if (scratch.size() < room.floats()) scratch.resize(room.floats());
    }
  }
}

void FieldStore::make(std::size_t task, std::uint32_t band, std::uint32_t bands, Isa isa) {
  const Task& t = tasks_[task];
  Image& image = numbers_[t.number].at_key[t.image];
  const Source& s = image.source;
  const Band rows(s.rows, band, bands);
  field_kernels(isa).make_rows({.kernel = t.kernel,
                                .key = {s.seed, s.key_frame, s.stream},
                                .draw = s.draw,
                                .rows = s.rows,
                                .cols = s.cols,
                                .closes = s.closes,
                                .out = image.values.data(),
                                .is_uniform = s.is_uniform},
                               rows.begin, rows.end, scratch_[task * bands + band].data());
}

void FieldStore::finish(std::uint32_t band, std::uint32_t bands, Isa isa) {
  const FieldKernels& kernels = field_kernels(isa);
  for (Number& n : numbers_) {
    if (n.mixed.empty() || n.is_mixed) continue;
    const Source& s = n.at_key[0].source;
    const Band rows(s.rows, band, bands);
    const std::size_t first = std::size_t{rows.begin} * s.cols, count = std::size_t{rows.end - rows.begin} * s.cols;
    float* const out = n.mixed.data() + first;
    kernels.mix(n.time, n.at_key[0].values.data() + first, n.at_key[1].values.data() + first, count, out);
    if (n.is_uniform) kernels.make_uniform(out, count);
  }
}

void FieldStore::end() {
  for (Number& n : numbers_) {
    for (std::size_t k = 0; k < (n.time.is_between ? 2U : 1U); ++k) n.at_key[k].is_made = true;
    n.is_mixed = true;
  }
}

const DrawFields* fields_of(const RenderJob& job, const ActiveNoise& noise) {
  return noise.correlated == ActiveNoise::kWhite ? nullptr : &job.fields->fields(noise.correlated);
}

void make_fields(std::span<const RenderJob> jobs, Executor& executor) {
  std::size_t most = 0, images = 0;
  bool any = false;
  for (const RenderJob& job : jobs) {
    if (job.chain.correlated.empty()) continue;
    any = true;
    job.fields->begin(frame_of(job));
    most = std::max(most, job.fields->tasks()), images += job.fields->tasks();
  }
  if (!any) return;
  const RenderJob& first = jobs.front();
  const std::uint32_t bands = bands_for(images, first.plan.rows, executor.threads());
  for (const RenderJob& job : jobs) {
    if (!job.chain.correlated.empty()) job.fields->cut_into(bands);
  }
  const std::function<bool()>& should_stop = first.should_stop;
  executor.parallel_for(jobs.size() * most * bands, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      stop_if_asked(should_stop);
      const RenderJob& job = jobs[i / (most * bands)];
      const std::size_t task = i / bands % most;
      if (job.chain.correlated.empty() || task >= job.fields->tasks()) continue;
      job.fields->make(task, static_cast<std::uint32_t>(i % bands), bands, job.isa);
    }
  });
  executor.parallel_for(jobs.size() * bands, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const RenderJob& job = jobs[i / bands];
      if (job.chain.correlated.empty()) continue;
      job.fields->finish(static_cast<std::uint32_t>(i % bands), bands, job.isa);
    }
  });
  for (const RenderJob& job : jobs) {
    if (!job.chain.correlated.empty()) job.fields->end();
  }
}

}  // namespace fathom
