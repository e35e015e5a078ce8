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
#include "render/given.hpp"
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
        prepared_(without_place(std::move(sensor)), options_.entities) {
    check_clock(prepared_.sensor(), simulator_options(options));
    check_sight(prepared_.sensor().noise, prepared_);
  }

  void set_noise(NoiseChain noise) {
    prepared_.check_noise(noise, options_.entities);
    check_sight(noise, prepared_);
    prepared_.set_noise(std::move(noise), options_.entities);
  }

  void apply(std::uint32_t index, std::span<const GivenFrame> given, Frame& frame) {
    const FrameTime time = frame_time(index);
    prepared_.set_frame(time.content);
    for (const GivenFrame& image : given) check_given(image, prepared_.rays(), prepared_.view(), options_.far_m);
    FrameWriter writer(frame);
    writer.resize(static_cast<std::uint32_t>(given.size()) * rays().rows, rays().cols);
    writer.set_time(index, time.content, time.stamp_s, time.delivered_s);
    // Rays that differ from frame to frame have one plan at a time.
    const std::size_t most =
        std::clamp<std::size_t>(kRaysAtOnce / (std::size_t{rays().rows} * rays().cols), 1, kMostAtOnce);
    const std::size_t at_once = prepared_.view().rays_vary ? 1 : most;
    for (std::size_t first = 0; first < given.size(); first += at_once) {
      render(index, given, first, std::min(at_once, given.size() - first), frame);
    }
  }

  const RayPattern& pattern(std::uint32_t index) {
    prepared_.set_frame(index);
    return prepared_.rays();
  }
  [[nodiscard]] FrameTime frame_time(std::uint32_t index) const {
    const Sensor& s = prepared_.sensor();
    return fathom::frame_time(s.timing, clock_, options_.seed, s.name, index, fresh_);
  }
  [[nodiscard]] const Sensor& sensor() const { return prepared_.sensor(); }
  [[nodiscard]] const RayPattern& rays() const { return prepared_.rays(); }
  [[nodiscard]] const SensorNoiseOptions& options() const { return options_; }

 private:
  /// Images whose blocks are shared out together, so that small images fill all threads. Their memory is kept.
  static constexpr std::size_t kMostAtOnce = 64, kRaysAtOnce = std::size_t{1} << 21U;

  struct Slot {
    GivenImage image;
    EdgeScratch edge;
    FieldStore fields;
  };

  void render(std::uint32_t index, std::span<const GivenFrame> given, std::size_t first, std::size_t count,
              Frame& frame) {
    if (slots_.size() < count) slots_.resize(count);
    jobs_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const FrameTime time = frame_time(index + static_cast<std::uint32_t>(first + k));
      prepared_.set_frame(time.content);
      Slot& slot = slots_[k];
      const GivenFrame& image = given[first + k];
      slot.image.prepare(image, needs(frame.channels()), *executor_);
      const Rigid cast_from_sensor = narrow(image.world_from_sensor, image.world_from_sensor.translation_m);
      jobs_.push_back({.plan = prepared_.plan(),
                       .pattern = prepared_.rays(),
                       .chain = prepared_.chain(),
                       .caster = *caster_,
                       .surface_table = surfaces_,
                       .reflectivity = {},
                       .seed = options_.seed,
                       .frame_index = time.content,
                       .range_policy = prepared_.chain().range_policy,
                       .isa = options_.compute.isa,
                       .cast_from_sensor = cast_from_sensor,
                       .world_from_sensor = narrow(image.world_from_sensor, {}),
                       .rolling_cast_from_sensor = {},
                       .rolling_world_from_sensor = {},
                       .rig = view_rig(prepared_.view(), cast_from_sensor),
                       .should_stop = options_.should_stop,
                       .edge = &slot.edge,
                       .stamp_s = time.stamp_s,
                       .fields = &slot.fields,
                       .first = (first + k) * frame.cols() * prepared_.rays().rows,
                       .falloff_m = prepared_.falloff_m(),
                       .given = &slot.image.surfaces()});
    }
    fathom::render(jobs_, *executor_, frame);
  }

  [[nodiscard]] GivenNeeds needs(ChannelSet channels) const {
    const StagedChain& chain = prepared_.chain();
    const bool normals = !chain.ray.empty() || reads_normals(chain, channels);
    return {prepared_.rays(), prepared_.view(), chain, normals, options_.far_m};
  }

  SensorNoiseOptions options_;
  SceneClock clock_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> caster_;  // of no scene: jobs have one
  PreparedSensor prepared_;
  SurfaceTable surfaces_;
  mutable FreshFrames fresh_;
  std::vector<Slot> slots_;
  std::vector<RenderJob> jobs_;
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
void SensorNoise::set_noise(NoiseChain noise) { impl_->set_noise(std::move(noise)); }
const Sensor& SensorNoise::sensor() const { return impl_->sensor(); }
const SensorNoiseOptions& SensorNoise::options() const { return impl_->options(); }
std::uint32_t SensorNoise::rows() const { return impl_->rays().rows; }
std::uint32_t SensorNoise::cols() const { return impl_->rays().cols; }
const RayPattern& SensorNoise::pattern(std::uint32_t index) { return impl_->pattern(index); }
FrameTime SensorNoise::frame_time(std::uint32_t index) const { return impl_->frame_time(index); }

}  // namespace fathom
