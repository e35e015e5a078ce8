// SPDX-License-Identifier: MIT
#include <fathom/simulate/simulator.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "frame/frame_writer.hpp"
#include "render/draw_fields.hpp"
#include "render/prepared_sensor.hpp"
#include "render/render.hpp"
#include "render/simulators.hpp"
#include "scene/poses.hpp"
#include "trace/caster.hpp"

namespace fathom {

namespace {

/// A sensor with the buffers of its frames.
struct RenderedSensor {
  PreparedSensor prepared;
  std::vector<Rigid> rolling_cast = {}, rolling_world = {};  // [plan.times_s]
  std::vector<RigidSpeed> speeds = {};
  std::vector<Rigid> places = {};
  EdgeScratch edge = {};
  FieldStore fields = {};
  mutable FreshFrames fresh = {};
  SensorMotion motion = {};
  FilterMemory filters = {};
};

}  // namespace

void check(const SimulatorOptions& options) {
  validate(options.compute);
  if (!(options.rate_hz > 0.0 && options.rate_hz <= kMostRateHz)) {
    throw InputError(
        fmt::format("rate_hz = {} is not in (0, {}] Hz", number_text(options.rate_hz), limit_text(kMostRateHz)));
  }
  if (!std::isfinite(options.start_s)) throw InputError("start_s is not finite");
}

void check_clock(const Sensor& sensor, const SimulatorOptions& options) {
  with_prefix([&] { return fmt::format("sensor '{}'", sensor.name); },
              [&] { check_timing(sensor.timing, clock_of(options)); });
}

class Simulator::Impl {
 public:
  Impl(Scene scene, const SimulatorOptions& options)
      : scene_(std::move(scene)),
        options_((check(options), options)),
        executor_(make_executor(options.compute.threads)),
        caster_(make_caster(options.compute.isa, *executor_)),
        device_(open_device(options.compute, *executor_)) {}
  Impl(Scene scene, const SimulatorOptions& options, std::unique_ptr<Caster> caster,
       std::unique_ptr<FrameDevice> device)
      : scene_(std::move(scene)),
        options_((check(options), options)),
        executor_(make_executor(options.compute.threads)),
        caster_(std::move(caster)),
        device_(std::move(device)) {}

  SensorId add_sensor(Sensor sensor) {
    for (const RenderedSensor& other : sensors_) {
      if (other.prepared.sensor().name == sensor.name)
        throw InputError(fmt::format("sensor '{}': the name is taken", sensor.name));
    }
    PreparedSensor prepared(std::move(sensor), scene_.entities());
    check_clock(prepared.sensor(), options_);
    sensors_.push_back({std::move(prepared)});
    return static_cast<SensorId>(sensors_.size() - 1);
  }

  void set_noise(SensorId id, NoiseChain noise) { at(id).prepared.set_noise(std::move(noise), scene_.entities()); }

  /// A temporal filter gets all frames from 0 on: the missing ones are rendered first.
  void render(SensorId id, std::uint32_t index, Frame& frame) {
    RenderedSensor& s = at(id);
    const FrameTime time = frame_time(id, index);
    if (s.prepared.sensor().filters.temporal) {
      for (std::uint32_t k = s.filters.past(0).first_missing(time.content); k < time.content; ++k) {
        const FrameTime before = frame_time(id, k);
        if (!before.is_frozen()) render(id, before, frame);
      }
    }
    render(id, time, frame);
  }

  void render(SensorId id, const FrameTime& time, Frame& frame) {
    RenderedSensor& s = at(id);
    PreparedSensor& prepared = s.prepared;
    const double stamp = time.stamp_s;
    prepared.set_frame(time.content);
    const Pose world_from_sensor = pose(prepared, stamp);
    const std::uint32_t mask = seen_.mask_of(fathom::index(id), prepared.sensor(), scene_);
    surfaces_.update(scene_);
    FrameDevice* const device = device_for(device_.get(), options_.compute, prepared.chain(), surfaces_);
    const bool read_speed = frame.channels().contains(Channel::kVelocity);
    update_caster(id, stamp, world_from_sensor.translation_m, device == nullptr ? Walker::kProcessor : Walker::kDevice,
                  read_speed);
    place_rolling(s, stamp);
    s.speeds.clear();
    if (read_speed) find_speeds(s, stamp);
    FrameWriter writer(frame);
    const RayPattern::Shape shape = prepared.shape();
    writer.resize(shape.rows, shape.cols, prepared.returns());
    writer.set_time(time.index, time.content, stamp, time.delivered_s);
    const Rigid cast_from_sensor = narrow(world_from_sensor, caster_->origin());
    find_places(prepared.chain(), scene_, stamp, caster_->origin(), s.places);
    fathom::render({.plan = prepared.plan(),
                    .pattern = prepared.rays(),
                    .chain = prepared.chain(),
                    .caster = *caster_,
                    .surface_table = surfaces_,
                    .reflectivity = surfaces_.reflectivity(),
                    .seed = options_.seed,
                    .frame_index = time.content,
                    .range_policy = prepared.chain().range_policy,
                    .isa = options_.compute.isa,
                    .cast_from_sensor = cast_from_sensor,
                    .world_from_sensor = narrow(world_from_sensor, {}),
                    .rolling_cast_from_sensor = s.rolling_cast,
                    .rolling_world_from_sensor = s.rolling_world,
                    .places = s.places,
                    .speeds = s.speeds,
                    .rig = view_rig(prepared.view(), cast_from_sensor),
                    .should_stop = options_.should_stop,
                    .edge = &s.edge,
                    .stamp_s = stamp,
                    .motion = motion_of(s, time.content),
                    .fields = &s.fields,
                    .mask = mask,
                    .device = device,
                    .ray_set = fathom::index(id),
                    .samples = prepared.samples(),
                    .falloff_m = falloff_of(prepared.sensor(), prepared.view()),
                    .echoes = prepared.echoes(),
                    .filters = prepared.filters(prepared.view(), s.filters, 0, time.content)},
                   *executor_, frame);
  }

  const RayPattern& pattern(SensorId id, std::uint32_t index) {
    PreparedSensor& prepared = at(id).prepared;
    prepared.set_frame(index);
    return prepared.rays();
  }

  [[nodiscard]] const RenderedSensor& at(SensorId id) const {
    const std::uint32_t i = index(id);
    if (i >= sensors_.size()) throw InputError(fmt::format("sensor {} is not in [0, {})", i, sensors_.size()));
    return sensors_[i];
  }
  RenderedSensor& at(SensorId id) { return const_cast<RenderedSensor&>(std::as_const(*this).at(id)); }

  [[nodiscard]] Pose pose(const PreparedSensor& prepared, double stamp) const {
    const Sensor& sensor = prepared.sensor();
    const Pose parent_from_sensor = sensor.parent_from_sensor.at(stamp);
    Pose world_from_sensor = sensor.parent == kNoEntity
                                 ? parent_from_sensor
                                 : scene_.world_from_entity(sensor.parent, stamp) * parent_from_sensor;
    check_place(world_from_sensor.translation_m, "sensor", sensor.name);
    world_from_sensor.rotation = aligned(prepared.view().axes, world_from_sensor.rotation);
    return world_from_sensor;
  }

  [[nodiscard]] double stamp_s(std::uint32_t index) const { return options_.start_s + index / options_.rate_hz; }
  [[nodiscard]] FrameTime frame_time(SensorId id, std::uint32_t index) const {
    const RenderedSensor& s = at(id);
    const Sensor& sensor = s.prepared.sensor();
    return fathom::frame_time(sensor.timing, clock_of(options_), options_.seed, sensor.name, index, s.fresh);
  }

  void set_seed(std::uint64_t seed) {
    options_.seed = seed;
    for (RenderedSensor& s : sensors_) s.fresh.forget(), s.motion.forget(), s.filters.forget();
  }
  void set_sensor(SensorId id, Sensor sensor) {
    RenderedSensor& s = at(id);
    s.prepared.replace(std::move(sensor), scene_.entities());
    s.fresh.forget(), s.motion.forget(), s.filters.forget();
  }

  void set_reflectivity(EntityId entity, float reflectivity) {
    surfaces_.update(scene_);
    surfaces_.set_reflectivity(entity, reflectivity);
  }

  Scene& scene() { return scene_; }
  [[nodiscard]] const SimulatorOptions& options() const { return options_; }
  [[nodiscard]] int threads() const { return executor_->threads(); }

 private:
  [[nodiscard]] Travel motion_of(RenderedSensor& s, std::uint32_t frame) const {
    const Sensor& sensor = s.prepared.sensor();
    const bool is_fixed = sensor.parent == kNoEntity && sensor.parent_from_sensor.is_fixed();
    if (!s.prepared.chain().needs_motion || is_fixed) return {};
    return s.motion.up_to(frame, [&](std::uint32_t k) {
      if (k % kPosesAtOnce == 0) stop_if_asked(options_.should_stop);
      return pose(s.prepared, frame_time_without_draws(sensor.timing, clock_of(options_), k).stamp_s);
    });
  }

  /// The rays over whose times moving entities were placed.
  struct Scan {
    std::uint32_t sensor = ~0U;  ///< ~0U: none
    std::uint64_t plan = 0;      ///< CastPlan::revision
    bool has_speeds = false;     ///< without a sensor: whether entities have speeds

    [[nodiscard]] bool serves(const Scan& other) const {
      return sensor == other.sensor && plan == other.plan && (has_speeds || !other.has_speeds);
    }
  };

  /// Brings the trees to `stamp`, and over the times of the rays of a sensor, unless they are up to date.
  void update_caster(SensorId id, double stamp, const Vec3& sensor_m, Walker walker, bool read_speed) {
    const Vec3 origin = origin_near(sensor_m);
    const CastPlan& plan = at(id).prepared.plan();
    const bool moves = scene_.moves(), rolls = !plan.times_s.empty();
    Scan scan = {.has_speeds = read_speed};
    if (rolls) scan = {fathom::index(id), plan.revision};
    const bool unchanged =
        updated_ && scene_.revision() == revision_ && (!moves || (stamp == stamp_ && scan_.serves(scan)));
    const bool ready = walker == Walker::kDevice || walker == walker_;
    if (unchanged && ready && origin == caster_->origin() && seen_.version() == seen_version_) return;
    updated_ = false;
    caster_->place(scene_, stamp, origin, walker, rolls ? plan.times_s : times_of_stamp(read_speed));
    caster_->set_masks(seen_.masks());
    caster_->commit(walker);
    seen_version_ = seen_.version();
    updated_ = true, revision_ = scene_.revision(), stamp_ = stamp, scan_ = scan, walker_ = walker;
  }

  /// The velocity of a sensor at every distinct time of its rays.
  void find_speeds(RenderedSensor& s, double stamp) {
    const Sensor& sensor = s.prepared.sensor();
    const Trajectory& path = sensor.parent_from_sensor;
    const std::vector<float>& times = s.prepared.plan().times_s;
    s.speeds.resize(std::max<std::size_t>(1, times.size()));
    executor_->parallel_for(s.speeds.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double time = times.empty() ? stamp : stamp + double{times[i]};
        s.speeds[i] = narrow((motion_at(scene_, sensor.parent, time) * motion_at(path, time)).twist);
      }
    });
  }

  /// The pose at every distinct time of a rolling sensor's rays.
  void place_rolling(RenderedSensor& s, double stamp) {
    const std::vector<float>& times = s.prepared.plan().times_s;
    s.rolling_cast.resize(times.size());
    s.rolling_world.resize(times.size());
    executor_->parallel_for(times.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Pose world_from_sensor = pose(s.prepared, stamp + static_cast<double>(times[i]));
        s.rolling_cast[i] = narrow(world_from_sensor, caster_->origin());
        s.rolling_world[i] = narrow(world_from_sensor, {});
      }
    });
  }

  Scene scene_;
  SimulatorOptions options_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> caster_;
  std::unique_ptr<FrameDevice> device_;  // null for the processor
  std::vector<RenderedSensor> sensors_;
  SurfaceTable surfaces_;
  bool updated_ = false;
  std::uint64_t revision_ = 0;
  double stamp_ = 0.0;
  Scan scan_;
  Walker walker_ = Walker::kProcessor;  // for which the trees are up to date
  SeenMasks seen_;
  std::uint64_t seen_version_ = 0;  // in the caster
};

Simulator::Simulator(Scene scene, const SimulatorOptions& options)
    : impl_(std::make_unique<Impl>(std::move(scene), options)) {}
Simulator::Simulator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

SensorId Simulator::add_sensor(Sensor sensor) { return impl_->add_sensor(std::move(sensor)); }
void Simulator::set_noise(SensorId sensor, NoiseChain noise) { impl_->set_noise(sensor, std::move(noise)); }
void Simulator::render(SensorId sensor, std::uint32_t index, Frame& frame) { impl_->render(sensor, index, frame); }
Scene& Simulator::scene() { return impl_->scene(); }
const Scene& Simulator::scene() const { return impl_->scene(); }
const Sensor& Simulator::sensor(SensorId sensor) const { return impl_->at(sensor).prepared.sensor(); }
const RayPattern& Simulator::pattern(SensorId sensor, std::uint32_t index) { return impl_->pattern(sensor, index); }
double Simulator::stamp_s(std::uint32_t index) const { return impl_->stamp_s(index); }
FrameTime Simulator::frame_time(SensorId sensor, std::uint32_t index) const { return impl_->frame_time(sensor, index); }
Pose Simulator::world_from_sensor(SensorId sensor, double stamp_s) const {
  return impl_->pose(impl_->at(sensor).prepared, stamp_s);
}
const SimulatorOptions& Simulator::options() const { return impl_->options(); }
int Simulator::threads() const { return impl_->threads(); }

SharedTrees::SharedTrees(const Scene& scene, const Compute& compute, double stamp_s)
    : executor_((validate(compute), make_executor(compute.threads))), root_(make_caster(compute.isa, *executor_)) {
  root_->update(scene, stamp_s, {});
}

Simulator SharedTrees::make_simulator(Scene scene, const SimulatorOptions& options) const {
  auto device = make_device_ == nullptr ? open_device(options.compute, *executor_) : make_device_();
  return Simulator(std::make_unique<Simulator::Impl>(std::move(scene), options, root_->fork(), std::move(device)));
}

void SharedTrees::set_seed(Simulator& simulator, std::uint64_t seed) { simulator.impl_->set_seed(seed); }
void SharedTrees::set_sensor(Simulator& simulator, SensorId id, Sensor sensor) {
  simulator.impl_->set_sensor(id, std::move(sensor));
}
void SharedTrees::set_reflectivity(Simulator& simulator, EntityId entity, float reflectivity) {
  simulator.impl_->set_reflectivity(entity, reflectivity);
}

Versions versions() {
#ifdef __clang__
  return {FATHOM_VERSION, "clang " __clang_version__};
#else
  return {FATHOM_VERSION, "gcc " __VERSION__};
#endif
}

}  // namespace fathom
