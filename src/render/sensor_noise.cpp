// SPDX-License-Identifier: MIT
#include <fathom/simulate/sensor_noise.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "frame/frame_writer.hpp"
#include "render/draw_fields.hpp"
#include "render/environment_parts.hpp"
#include "render/given.hpp"
#include "render/given_cloud.hpp"
#include "render/prepared_sensor.hpp"
#include "render/render.hpp"
#include "render/simulators.hpp"
#include "trace/caster.hpp"

namespace fathom {

namespace {

/// The sensor without its place in a scene.
Sensor without_place(Sensor sensor) {
  sensor.parent = kNoEntity;
  sensor.ignore.clear(), sensor.ignore_groups.clear();
  sensor.rolling = false;  // its images have moved already
  sensor.divergence = {};
  return sensor;
}

SimulatorOptions simulator_options(const SensorNoiseOptions& options) {
  SimulatorOptions out;
  out.seed = options.seed, out.compute = options.compute;
  out.rate_hz = options.rate_hz, out.start_s = options.start_s;
  return out;
}

/// Scenes check the parents of their entities. These entities are in no scene.
void check_parents(const std::vector<Entity>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t up = i, steps = 0;
    while (all[up].parent != kNoEntity) {
      up = index(all[up].parent);
      if (up < all.size() && ++steps <= all.size()) continue;
      throw InputError(fmt::format("entities: the parents of entity {} are no entities, or form a circle", i));
    }
  }
}

void check(const SensorNoiseOptions& options, const Sensor& sensor) {
  check_parents(options.entities);
  check(simulator_options(options));
  if (!(options.far_m > 0.0)) throw InputError(fmt::format("far_m = {} is not above 0", options.far_m));
  if (options.environments == 0 && !options.ranges.empty()) {
    throw InputError(
        fmt::format("sensor '{}': ranges are drawn for environments: their number is missing", sensor.name));
  }
  if (options.compute.device.kind == DeviceKind::kCuda) {
    throw InputError("the processor applies noise to given frames: device = ", to_string(options.compute.device),
                     " cannot");
  }
  if (sensor.returns.size() > 1) {
    throw InputError(fmt::format("sensor '{}': a given frame has one range for each ray, not {} returns", sensor.name,
                                 sensor.returns.size()));
  }
}

/// How far two cameras may lie apart besides along a row.
constexpr double kBesideRowM = 1e-6;

bool lies_in_row(const Vec3& camera_m) {
  return std::abs(camera_m.x) <= kBesideRowM && std::abs(camera_m.z) <= kBesideRowM;
}

void check_sight(const NoiseChain& chain, const PreparedSensor& prepared) {
  for (const ChainEntry& entry : chain) {
    if (!entry.noise.info().needs.place || entry.by_entity.empty()) continue;
    throw InputError(fmt::format("sensor '{}': {} of an entity needs a scene, and given frames have none",
                                 prepared.sensor().name, entry.noise.slug()));
  }
  const StereoRig& cameras = prepared.view().cameras;
  if (lies_in_row(cameras.left_m) && lies_in_row(cameras.right_m)) return;
  for (const ChainEntry& entry : chain) {
    if (!entry.noise.info().needs.sight) continue;
    throw InputError(fmt::format("sensor '{}': {} of a given frame needs cameras side by side along its rows",
                                 prepared.sensor().name, entry.noise.slug()));
  }
}

}  // namespace

class SensorNoise::Impl {
 public:
  Impl(Sensor sensor, const SensorNoiseOptions& options)
      : options_((check(options, sensor), options)),
        clock_(clock_of(simulator_options(options))),
        executor_(make_executor(options.compute.threads)),
        caster_(make_caster(options.compute.isa, *executor_)),
        episodes_(options.seed, 0, std::max(options.environments, 1U)),
        sensor_(without_place(std::move(sensor)), options.ranges, options_.entities, episodes_.count(),
                CastOrder::kRows),
        next_(episodes_.count(), 0) {
    check_clock(sensor_.sensor(), simulator_options(options));
    check_sight(sensor_.sensor().noise, sensor_.prepared());
    for (std::uint32_t e = 0; e < next_.size() && sensor_.draws(); ++e) {
      sensor_.keep(e, sensor_.draw(e, options_.entities, episodes_.seed_of(e)));
    }
    set_cloud_rays();
  }

  void set_noise(NoiseChain noise) {
    check_sight(noise, sensor_.prepared());
    sensor_.set_noise(std::move(noise), options_.entities, episodes_);
    set_cloud_rays();
  }

  void reset(const EnvironmentNumbers& environments, const Episodes::Numbers& episodes = {}) {
    check_environments();
    const std::vector<Episodes::Start> starts = episodes_.starts(environments, episodes);
    std::vector<EnvironmentSensor::Drawn> drawn;
    for (const Episodes::Start& start : starts) {
      if (!sensor_.draws()) break;
      drawn.push_back(sensor_.draw(start.environment, options_.entities, episodes_.seed_of(start)));
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::uint32_t e = starts[i].environment;
      episodes_.begin(starts[i]);
      next_[e] = 0;
      sensor_.fresh(e).forget();
      if (sensor_.draws()) sensor_.keep(e, std::move(drawn[i]));
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> episodes() const {
    check_environments();
    return episodes_.present();
  }
  [[nodiscard]] std::vector<ParameterRange::Drawn> drawn(std::uint32_t environment) const {
    check_environments();
    const std::size_t count = sensor_.ranges().size();
    return named_values(sensor_.ranges(), sensor_.drawn().subspan(episodes_.local(environment) * count, count));
  }

  void apply(std::uint32_t index, std::span<const GivenFrame> given, Frame& frame) {
    check_images(given);
    check_order(index);
    std::fill(next_.begin(), next_.end(), index);
    render_all(given, frame);
  }

  void apply(std::span<const GivenFrame> given, Frame& frame) {
    check_images(given);
    check_order(std::nullopt);
    render_all(given, frame);
  }

  void apply_cloud(std::uint32_t index, const GivenCloud& given, Frame& frame) {
    if (has_environments()) {
      throw InputError(
          fmt::format("sensor '{}': clouds are for one environment, not {}", sensor().name, options_.environments));
    }
    if (sensor_.chain(0).is_filtered) {
      throw InputError(fmt::format("sensor '{}': filters and aligned_to act on images, not on clouds", sensor().name));
    }
    const FrameTime time = frame_time(index);
    set_frame(0, time.content);
    cloud_.prepare(given, rays());
    const bool on_sensor_rays = cloud_.on_sensor_rays();
    check_cloud_chain(sensor().name, sensor().noise, on_sensor_rays || cloud_.in_rows());
    cloud_view_.seen_by_angle = !cloud_.in_rows();
    const GivenRays rays =
        on_sensor_rays ? rays_of(0) : GivenRays{cloud_.pattern(), cloud_.plan(), cloud_chain_, cloud_view_};
    GivenFrame image = cloud_.image();
    image.motion = given.motion;
    check_given(image, rays.pattern, rays.view, options_.far_m, options_.compute.isa);
    begin_frame(index, time, {rays.pattern.rows, rays.pattern.cols}, 1, frame);
    if (slots_.empty()) slots_.resize(1);
    slots_[0].image.prepare(image, needs(rays, frame.channels()), *executor_);
    jobs_.clear();
    jobs_.push_back(job_of(0, rays, time, image.world_from_sensor, image.motion, slots_[0]));
    fathom::render(jobs_, *executor_, frame);
    cloud_.lose_unknown(frame);
    next_[0] = index + 1;
  }
  [[nodiscard]] std::span<const std::uint32_t> cloud_places() const { return cloud_.places(); }

  const RayPattern& pattern(std::uint32_t index) {
    set_frame(0, index);
    return rays();
  }
  [[nodiscard]] FrameTime frame_time(std::uint32_t index) const {
    return has_environments() ? frame_time_without_draws(sensor().timing, clock_, index) : time_of(0, index);
  }
  [[nodiscard]] const Sensor& sensor() const { return sensor_.sensor(); }
  [[nodiscard]] const RayPattern& rays() const { return sensor_.rays(0); }
  [[nodiscard]] const SensorNoiseOptions& options() const { return options_; }

 private:
  /// Images whose blocks are shared out together, so that small images fill all threads. Their memory is kept. One
  /// thread takes as many as its cache holds.
  static constexpr std::size_t kMostAtOnce = 64, kRaysAtOnce = std::size_t{1} << 21U, kRaysInCache = 1U << 14U;

  /// The rays of images, and the chain for them.
  struct GivenRays {
    const RayPattern& pattern;
    const CastPlan& plan;
    const StagedChain& chain;
    const SensorView& view;
  };

  struct Slot {
    PreparedImage image;
    EdgeScratch edge;
    FieldStore fields;
    std::vector<Rigid> places;
  };

  [[nodiscard]] bool has_environments() const { return options_.environments > 0; }
  void check_environments() const {
    if (has_environments()) return;
    throw InputError(fmt::format("sensor '{}': there are no environments", sensor().name));
  }
  void check_count(std::size_t images) const {
    if (!has_environments() || images == options_.environments) return;
    throw InputError(fmt::format("{} images are given for {} environments", images, options_.environments));
  }
  /// Without environments all images belong to one.
  [[nodiscard]] std::uint32_t environment_of(std::size_t image) const {
    return has_environments() ? static_cast<std::uint32_t>(image) : 0;
  }
  [[nodiscard]] std::uint64_t seed_of(std::uint32_t e) const {
    return has_environments() ? episodes_.seed_of(e) : options_.seed;
  }
  [[nodiscard]] FrameTime time_of(std::uint32_t e, std::uint32_t index) const {
    const Sensor& s = sensor();
    return fathom::frame_time(s.timing, clock_, seed_of(e), s.name, index, sensor_.fresh(e));
  }
  void set_frame(std::uint32_t e, std::uint32_t content) { sensor_.set_frame(content, {&e, 1}); }

  [[nodiscard]] GivenRays rays_of(std::uint32_t e) const {
    return {sensor_.rays(e), sensor_.plan(e), sensor_.chain(e), sensor_.view(e)};
  }
  /// The rays that a cloud brings do not close, and lie on no grid of pixels.
  void set_cloud_rays() {
    cloud_view_ = sensor_.view(0);
    cloud_view_.closes = false, cloud_view_.optics = {};
    cloud_chain_ = sensor_.chain(0);
    for (CorrelatedDraws& draws : cloud_chain_.correlated) draws.closes = false;
  }

  static void check_pixels(std::size_t images, const RayPattern::Shape& image) {
    if (images * std::uint64_t{image.rows} * image.cols > kMaxRays) {
      throw InputError(
          fmt::format("{} images of {} x {} pixels are more than {}", images, image.rows, image.cols, kMaxRays));
    }
  }

  static void begin_frame(std::uint32_t index, const FrameTime& time, const RayPattern::Shape& image,
                          std::size_t images, Frame& frame) {
    check_pixels(images, image);
    FrameWriter writer(frame);
    writer.resize(static_cast<std::uint32_t>(images) * image.rows, image.cols);
    writer.set_time(index, time.content, time.stamp_s, time.delivered_s);
  }

  void check_images(std::span<const GivenFrame> given) const {
    check_count(given.size());
    for (std::size_t k = 0; k < given.size(); ++k) {
      check_given(given[k], sensor_.rays(environment_of(k)), sensor_.view(environment_of(k)), options_.far_m,
                  options_.compute.isa);
    }
  }

  /// A temporal filter begins with frame 0. Only the last frame may be filtered again.
  void check_order(std::optional<std::uint32_t> given_index) {
    if (!sensor().filters.temporal) return;
    for (std::uint32_t e = 0; e < next_.size(); ++e) {
      const std::uint32_t index = given_index.value_or(next_[e]);
      const std::uint32_t content = time_of(e, index).content, last = filters_.past(e).next();
      if (content == 0 || filters_.past(e).first_missing(content) == content) continue;
      bool only_frozen = content > last;
      for (std::uint32_t k = last; k < content; ++k) only_frozen = only_frozen && time_of(e, k).is_frozen();
      if (only_frozen) continue;
      throw InputError(fmt::format("sensor '{}': filters.temporal takes frames in their order: frame 0 or {}, not {}",
                                   sensor().name, last, index));
    }
  }

  void render_all(std::span<const GivenFrame> given, Frame& frame) {
    check_pixels(given.size(), {rays().rows, rays().cols});
    begin_frame(next_[0], frame_time(next_[0]), sensor_.prepared().shape(), given.size(), frame);
    // Rays that differ from frame to frame have one plan at a time.
    const std::size_t rays_at_once = executor_->threads() == 1 ? kRaysInCache : kRaysAtOnce;
    const std::size_t most =
        std::clamp<std::size_t>(rays_at_once / (std::size_t{rays().rows} * rays().cols), 1, kMostAtOnce);
    const std::size_t at_once = sensor_.prepared().view().rays_vary ? 1 : most;
    for (std::size_t first = 0; first < given.size(); first += at_once) {
      render(given, first, std::min(at_once, given.size() - first), frame);
    }
    for (std::uint32_t& next : next_) next += has_environments() ? 1 : static_cast<std::uint32_t>(given.size());
  }

  void render(std::span<const GivenFrame> given, std::size_t first, std::size_t count, Frame& frame) {
    if (slots_.size() < count) slots_.resize(count);
    jobs_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t image = first + k;
      const std::uint32_t e = environment_of(image);
      const std::uint32_t index = next_[e] + (has_environments() ? 0 : static_cast<std::uint32_t>(image));
      const FrameTime time = time_of(e, index);
      set_frame(e, time.content);
      slots_[k].image.prepare(given[image], needs(rays_of(e), frame.channels()), *executor_);
      jobs_.push_back(job_of(e, rays_of(e), time, given[image].world_from_sensor, given[image].motion, slots_[k]));
      jobs_.back().first = image * rays().cols * rays().rows;
      jobs_.back().filters = sensor_.prepared().filters(sensor_.view(e), filters_, e, time.content);
    }
    fathom::render(jobs_, *executor_, frame);
  }

  RenderJob job_of(std::uint32_t e, const GivenRays& rays, const FrameTime& time, const Pose& world_from_sensor,
                   const std::optional<GivenFrame::Motion>& motion, Slot& slot) {
    const Rigid cast_from_sensor = narrow(world_from_sensor, world_from_sensor.translation_m);
    slot.places.assign(rays.chain.frames.size(), narrow(Pose{world_from_sensor.translation_m, {}}, {}));
    std::optional<Travel> travel;
    if (options_.still) travel.emplace();
    if (motion) travel = {motion->way_m, motion->angle_rad};
    return {.plan = rays.plan,
            .pattern = rays.pattern,
            .chain = rays.chain,
            .caster = *caster_,
            .surface_table = surfaces_,
            .reflectivity = {},
            .seed = seed_of(e),
            .frame_index = time.content,
            .range_policy = rays.chain.range_policy,
            .isa = options_.compute.isa,
            .cast_from_sensor = cast_from_sensor,
            .world_from_sensor = narrow(world_from_sensor, {}),
            .rolling_cast_from_sensor = {},
            .rolling_world_from_sensor = {},
            .places = slot.places,
            .speeds = {},
            .rig = view_rig(sensor_.view(e), cast_from_sensor),
            .should_stop = options_.should_stop,
            .edge = &slot.edge,
            .stamp_s = time.stamp_s,
            .motion = travel,
            .fields = &slot.fields,
            .falloff_m = falloff_of(sensor_.sensor(), sensor_.view(e)),
            .given = &slot.image.surfaces()};
  }

  [[nodiscard]] GivenNeeds needs(const GivenRays& rays, ChannelSet channels) const {
    const bool normals = !rays.chain.ray.empty() || reads_normals(rays.chain, channels);
    return {rays.pattern, rays.view, rays.chain, normals, options_.far_m, options_.compute.isa};
  }

  SensorNoiseOptions options_;
  SceneClock clock_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> caster_;  // of no scene: jobs have one
  Episodes episodes_;
  EnvironmentSensor sensor_;
  std::vector<std::uint32_t> next_;  // [environments], or one: number of the next frame
  SurfaceTable surfaces_;
  std::vector<Slot> slots_;
  std::vector<RenderJob> jobs_;
  FilterMemory filters_;
  CloudImage cloud_;
  StagedChain cloud_chain_;
  SensorView cloud_view_;
};

SensorNoise::SensorNoise(Sensor sensor, const SensorNoiseOptions& options)
    : impl_(std::make_unique<Impl>(std::move(sensor), options)) {}
SensorNoise::~SensorNoise() = default;
SensorNoise::SensorNoise(SensorNoise&&) noexcept = default;
SensorNoise& SensorNoise::operator=(SensorNoise&&) noexcept = default;

void SensorNoise::apply(std::uint32_t index, const GivenFrame& given, Frame& frame) {
  impl_->apply(index, {&given, 1}, frame);
}
void SensorNoise::apply(std::uint32_t index, std::span<const GivenFrame> given, Frame& frame) {
  impl_->apply(index, given, frame);
}
void SensorNoise::apply_cloud(std::uint32_t index, const GivenCloud& given, Frame& frame) {
  impl_->apply_cloud(index, given, frame);
}
std::span<const std::uint32_t> SensorNoise::cloud_places() const { return impl_->cloud_places(); }
void SensorNoise::apply(std::span<const GivenFrame> given, Frame& frame) { impl_->apply(given, frame); }
void SensorNoise::reset(const EnvironmentNumbers& environments) { impl_->reset(environments); }
void SensorNoise::reset(const EnvironmentNumbers& environments, std::span<const std::uint32_t> episodes) {
  impl_->reset(environments, episodes);
}
std::span<const std::uint32_t> SensorNoise::episodes() const { return impl_->episodes(); }
std::vector<ParameterRange::Drawn> SensorNoise::drawn(std::uint32_t environment) const {
  return impl_->drawn(environment);
}
void SensorNoise::set_noise(NoiseChain noise) { impl_->set_noise(std::move(noise)); }
const Sensor& SensorNoise::sensor() const { return impl_->sensor(); }
const SensorNoiseOptions& SensorNoise::options() const { return impl_->options(); }
std::uint32_t SensorNoise::rows() const { return impl_->rays().rows; }
std::uint32_t SensorNoise::cols() const { return impl_->rays().cols; }
const RayPattern& SensorNoise::pattern(std::uint32_t index) { return impl_->pattern(index); }
FrameTime SensorNoise::frame_time(std::uint32_t index) const { return impl_->frame_time(index); }

}  // namespace fathom
