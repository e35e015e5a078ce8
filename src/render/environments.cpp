// SPDX-License-Identifier: MIT
#include <fathom/simulate/environments.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "frame/frame_writer.hpp"
#include "render/draw_fields.hpp"
#include "render/environment_parts.hpp"
#include "render/render.hpp"
#include "trace/caster.hpp"

namespace fathom {

class Environments::Impl {
  /// What the places of entities follow from that no environment moves. Meshes do not change.
  struct Placed {
    double stamp_s;
    Vec3 origin;
    bool read_speed;
    friend bool operator==(const Placed&, const Placed&) = default;
  };
  /// A sensor in an environment while it is rendered.
  struct View {
    std::unique_ptr<Caster> own;   // null if never needed
    std::optional<Placed> placed;  // `own`, by an environment at a MovedEntities::revision()
    std::uint32_t environment = 0;
    std::uint64_t revision = 0;
    Caster* caster = nullptr;  // its own, or that of a view with the same scene and origin
    FrameTime time;
    Pose world_from_sensor;
    RigidSpeed speed;
    std::vector<Rigid> places;
    bool reads_speed = false;
    Travel motion;
    EdgeScratch edge;
    FieldStore fields;
  };
  /// The sensors of an environment while it is rendered, by id.
  using Slot = std::vector<View>;

  /// Environments that a GPU renders at once, each with its own top-level tree.
  static constexpr std::uint32_t kMostOnDevice = 4096;

 public:
  Impl(Scene scene, Environments::Options options)
      : scene_(std::move(scene)),
        options_((check(options.simulator), std::move(options))),
        executor_(make_executor(options_.simulator.compute.threads)),
        device_(open_device(options_.simulator.compute, *executor_)),
        episodes_(options_.simulator.seed, options_.first, options_.count),
        moved_(options_.count, options_.first),
        still_(!scene_.moves()),
        surfaces_(scene_),
        entities_(scene_, surfaces_.reflectivity(), std::exchange(options_.entity_ranges, {}), options_.count) {
    if (options_.count == 0) throw InputError("count = 0: there is no environment");
    const auto threads = static_cast<std::size_t>(executor_->threads());
    slots_.resize(device_ != nullptr ? std::min(options_.count, kMostOnDevice) : threads == 1 ? 1 : 4 * threads);
    jobs_.reserve(slots_.size());
    for (std::uint32_t e = 0; e < options_.count && !entities_.ranges().empty(); ++e) {
      entities_.keep(e, entities_.draw(scene_, episodes_.seed_of(e)), scene_, moved_);
    }
  }

  SensorId add_sensor(Sensor sensor, std::vector<ParameterRange> ranges) {
    for (const EnvironmentSensor& other : sensors_) {
      if (other.sensor().name == sensor.name)
        throw InputError(fmt::format("sensor '{}': the name is taken", sensor.name));
    }
    check_masks(sensor);
    if (sensor.filters.temporal) {
      throw InputError(fmt::format(
          "sensor '{}': filters.temporal needs the frames before, which environments do not keep", sensor.name));
    }
    EnvironmentSensor added(std::move(sensor), std::move(ranges), scene_.entities(), options_.count);
    added.check_shared_rays();
    check_clock(added.sensor(), options_.simulator);
    for (std::uint32_t e = 0; e < options_.count && added.draws(); ++e)
      added.keep(e, added.draw(e, scene_.entities(), episodes_.seed_of(e)));
    ray_sets_.push_back(sensors_.empty() ? 0 : ray_sets_.back() + sensors_.back().ray_sets());
    sensors_.push_back(std::move(added));
    ray_masks_.push_back(kSeesAll);
    filters_.emplace_back();
    for (Slot& slot : slots_) slot.emplace_back();
    if (sensors_.size() == 1) slots_[0][0].own = make_caster(options_.simulator.compute.isa, *executor_);
    return static_cast<SensorId>(sensors_.size() - 1);
  }

  void set_entity_poses(std::span<const EntityId> entities, std::span<const double> positions_m,
                        std::span<const double> quaternions_wxyz, const EnvironmentNumbers& environments) {
    const std::span<const std::uint32_t> which = episodes_.select(environments);
    const PoseArrays poses(positions_m, quaternions_wxyz, which.size() * entities.size());
    moved_.set(scene_, which, entities, poses, *executor_);
  }

  void set_sensor_poses(SensorId id, std::span<const double> positions_m, std::span<const double> quaternions_wxyz,
                        const EnvironmentNumbers& environments) {
    EnvironmentSensor& sensor = at(id);
    const std::span<const std::uint32_t> which = episodes_.select(environments);
    sensor.set_poses(which, {positions_m, quaternions_wxyz, which.size()}, options_.first);
  }

  void set_noise(std::uint32_t environment, SensorId id, NoiseChain noise) {
    const std::uint32_t e = episodes_.local(environment);
    EnvironmentSensor& sensor = at(id);
    const auto place = [&] { return fmt::format("sensor '{}', environment {}", sensor.sensor().name, environment); };
    with_prefix(place, [&] { sensor.set_noise(e, std::move(noise), scene_.entities(), episodes_.seed_of(e)); });
  }

  /// `episodes`: as Episodes::starts().
  void reset(const EnvironmentNumbers& environments, const Episodes::Numbers& episodes = {}) {
    struct Draws {
      std::vector<EnvironmentSensor::Drawn> sensors;  // that draw
      EntityDraw entities;
    };
    const std::vector<Episodes::Start> starts = episodes_.starts(environments, episodes);
    std::vector<Draws> draws;
    for (const Episodes::Start& start : starts) {
      const std::uint64_t seed = episodes_.seed_of(start);
      Draws& drawn = draws.emplace_back(Draws{{}, entities_.draw(scene_, seed)});
      for (const EnvironmentSensor& sensor : sensors_) {
        if (sensor.draws()) drawn.sensors.push_back(sensor.draw(start.environment, scene_.entities(), seed));
      }
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::uint32_t e = starts[i].environment;
      episodes_.begin(starts[i]);
      entities_.keep(e, draws[i].entities, scene_, moved_);
      auto drawn = draws[i].sensors.begin();
      for (EnvironmentSensor& sensor : sensors_) {
        sensor.fresh(e).forget(), sensor.motion(e).forget();
        if (sensor.draws()) sensor.keep(e, std::move(*drawn++));
      }
    }
  }

  [[nodiscard]] std::vector<ParameterRange::Drawn> drawn(std::uint32_t environment, SensorId id) const {
    const EnvironmentSensor& sensor = at(id);
    const std::size_t count = sensor.ranges().size();
    return named_values(sensor.ranges(), sensor.drawn().subspan(episodes_.local(environment) * count, count));
  }
  [[nodiscard]] std::vector<ParameterRange::Drawn> entity_drawn(std::uint32_t environment) const {
    return entities_.drawn(episodes_.local(environment));
  }
  [[nodiscard]] const DrawnEntities& entities() const { return entities_; }

  void render(std::uint32_t index, std::span<Frame* const> frames, const EnvironmentNumbers& environments) {
    check_frames(frames);
    const std::span<const std::uint32_t> which = episodes_.select(environments);
    for (std::size_t i = 0; i < sensors_.size(); ++i) {
      ray_masks_[i] = seen_.mask_of(static_cast<std::uint32_t>(i), sensors_[i].sensor(), scene_);
      if (frames[i] == nullptr) continue;
      sensors_[i].set_frame(index, which);
      begin(sensors_[i], index, environments.has_value(), *frames[i]);
    }
    for (std::size_t first = 0; first < which.size(); first += slots_.size()) {
      render_group(which.subspan(first, std::min(slots_.size(), which.size() - first)), index, frames);
    }
  }

  [[nodiscard]] std::vector<FrameTime> frame_times(SensorId id, std::uint32_t index) const {
    const EnvironmentSensor& sensor = at(id);
    std::vector<FrameTime> times;
    for (std::uint32_t e = 0; e < options_.count; ++e) times.push_back(time_of(sensor, e, index));
    return times;
  }

  void render_one(SensorId id, std::uint32_t index, Frame& frame, const EnvironmentNumbers& environments) {
    static_cast<void>(at(id));
    one_frame_.assign(sensors_.size(), nullptr);
    one_frame_[fathom::index(id)] = &frame;
    render(index, one_frame_, environments);
  }

  [[nodiscard]] const EnvironmentSensor& at(SensorId id) const {
    const std::uint32_t i = index(id);
    if (i >= sensors_.size()) throw InputError(fmt::format("sensor {} is not in [0, {})", i, sensors_.size()));
    return sensors_[i];
  }
  [[nodiscard]] EnvironmentSensor& at(SensorId id) {
    return const_cast<EnvironmentSensor&>(std::as_const(*this).at(id));
  }
  [[nodiscard]] const Environments::Options& options() const { return options_; }
  [[nodiscard]] std::span<const std::uint32_t> episodes() const { return episodes_.present(); }
  [[nodiscard]] std::uint32_t sensor_count() const { return static_cast<std::uint32_t>(sensors_.size()); }

 private:
  /// An environment is cast for all sensors at once, so they cannot share bits.
  void check_masks(const Sensor& sensor) const {
    const auto ignoring = static_cast<std::size_t>(std::count_if(
        sensors_.begin(), sensors_.end(), [](const EnvironmentSensor& s) { return ignores_something(s.sensor()); }));
    if (ignores_something(sensor) && ignoring == SeenMasks::kBits) {
      throw InputError(fmt::format("sensor '{}': at most {} sensors of environments can ignore something", sensor.name,
                                   SeenMasks::kBits));
    }
  }

  void check_frames(std::span<Frame* const> frames) const {
    if (frames.size() != sensors_.size()) {
      throw InputError(fmt::format("{} frames are given for {} sensors", frames.size(), sensors_.size()));
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i] == nullptr) continue;
      const auto other = std::find(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(i), frames[i]);
      if (*other == frames[i] && other != frames.begin() + static_cast<std::ptrdiff_t>(i)) {
        throw InputError(fmt::format("sensors '{}' and '{}' cannot render into one frame",
                                     sensors_[static_cast<std::size_t>(other - frames.begin())].sensor().name,
                                     sensors_[i].sensor().name));
      }
    }
  }

  [[nodiscard]] FrameTime time_of(const EnvironmentSensor& sensor, std::uint32_t e, std::uint32_t index) const {
    const Sensor& s = sensor.sensor();
    return fathom::frame_time(s.timing, clock_of(options_.simulator), episodes_.seed_of(e), s.name, index,
                              sensor.fresh(e));
  }

  void begin(const EnvironmentSensor& sensor, std::uint32_t index, bool of_some, Frame& frame) const {
    const RayPattern::Shape image = sensor.prepared().shape();
    FrameWriter writer(frame);
    const std::uint32_t rows = options_.count * image.rows, returns = sensor.prepared().returns();
    const bool fits = writer.has_shape(rows, image.cols, returns);
    writer.resize(rows, image.cols, returns);
    if (of_some && !fits) writer.mask_all();
    const FrameTime time = frame_time_without_draws(sensor.sensor().timing, clock_of(options_.simulator), index);
    writer.set_time(index, index, time.stamp_s, time.delivered_s);
  }

  /// Renders as many environments as there are slots: builds their top-level trees in parallel, and then shares out the
  /// blocks of each sensor as for one image.
  void render_group(std::span<const std::uint32_t> group, std::uint32_t index, std::span<Frame* const> frames) {
    const Walker walker = walker_of(group);
    for (std::size_t s = 0; s < group.size(); ++s) place(group[s], index, s, frames, walker);
    const std::size_t sensors = sensors_.size();
    executor_->parallel_for(group.size() * sensors, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const View& view = slots_[k / sensors][k % sensors];
        if (view.caster != nullptr && view.caster == view.own.get()) view.caster->commit(walker);
      }
    });
    for (std::size_t i = 0; i < sensors; ++i) {
      if (frames[i] == nullptr) continue;
      jobs_.clear();
      for (std::size_t s = 0; s < group.size(); ++s) jobs_.push_back(job_of(group[s], i, slots_[s][i]));
      fathom::render(jobs_, *executor_, *frames[i]);
    }
  }

  /// The processor, if it renders any of the sensors of these environments.
  [[nodiscard]] Walker walker_of(std::span<const std::uint32_t> group) const {
    const Compute& compute = options_.simulator.compute;
    const auto is_on_device = [&](const EnvironmentSensor& sensor, std::uint32_t e) {
      return device_for(device_.get(), compute, sensor.chain(e), surfaces_) != nullptr;
    };
    if (device_ == nullptr) return Walker::kProcessor;
    for (const EnvironmentSensor& sensor : sensors_) {
      for (const std::uint32_t e : group) {
        if (!is_on_device(sensor, e)) return Walker::kProcessor;
      }
    }
    return Walker::kDevice;
  }

  static bool reads_speed(const Frame* frame) {
    return frame != nullptr && frame->channels().contains(Channel::kVelocity);
  }

  void place(std::uint32_t e, std::uint32_t index, std::size_t s, std::span<Frame* const> frames, Walker walker) {
    std::optional<double> placed_s;  // the time of the entities' poses
    const bool read_speed = std::any_of(frames.begin(), frames.end(), reads_speed);
    for (View& view : slots_[s]) view.caster = nullptr;
    for (std::size_t i = 0; i < sensors_.size(); ++i) {
      if (frames[i] == nullptr) continue;
      View& view = slots_[s][i];
      view.time = time_of(sensors_[i], e, index);
      const double stamp_s = view.time.stamp_s;
      view.motion = {};
      if (sensors_[i].chain(e).needs_motion) view.motion = motion_of(sensors_[i], e, view.time.content, placed_s);
      if (placed_s != stamp_s) moved_.place(e, stamp_s, read_speed, scene_);
      placed_s = stamp_s;
      view.world_from_sensor = sensors_[i].world_from_sensor(e, scene_, stamp_s);
      view.reads_speed = reads_speed(frames[i]);
      if (view.reads_speed) view.speed = sensors_[i].speed(e, scene_, stamp_s);
      const Vec3 origin = origin_near(view.world_from_sensor.translation_m);
      find_places(sensors_[i].chain(e), scene_, stamp_s, origin, view.places);
      view.caster = find_placed(s, stamp_s, origin);
      if (view.caster != nullptr) continue;
      if (view.own == nullptr) view.own = slots_[0][0].own->fork();
      view.caster = view.own.get();
      place(e, stamp_s, origin, read_speed, walker, view);
    }
  }

  /// Places the entities of a view's own caster, if they may have other poses than before.
  void place(std::uint32_t e, double stamp_s, const Vec3& origin, bool read_speed, Walker walker, View& view) {
    const Placed placed = {still_ ? 0.0 : stamp_s, origin, read_speed};
    const bool same = view.placed == placed;
    if (!same || view.environment != e || view.revision != moved_.revision(e)) {
      view.placed.reset();  // place() may throw
      view.caster->place(scene_, stamp_s, origin, walker, times_of_stamp(read_speed),
                         same && !read_speed ? moved_.subtrees(scene_) : std::span<const EntityId>());
      view.placed = placed, view.environment = e, view.revision = moved_.revision(e);
    }
    view.caster->set_masks(seen_.masks());
  }

  /// `placed_s`: emptied if the entities are left at poses of another time.
  Travel motion_of(EnvironmentSensor& sensor, std::uint32_t e, std::uint32_t frame, std::optional<double>& placed_s) {
    if (sensor.sensor().parent == kNoEntity) {
      if (sensor.is_placed(e)) return sensor.motion(e).up_to(frame, sensor.world_from_sensor(e, scene_, 0.0));
      if (sensor.sensor().parent_from_sensor.is_fixed()) return {};
    }
    return sensor.motion(e).up_to(frame, [&](std::uint32_t k) {
      if (k % kPosesAtOnce == 0) stop_if_asked(options_.simulator.should_stop);
      const Timing& timing = sensor.sensor().timing;
      const double stamp_s = frame_time_without_draws(timing, clock_of(options_.simulator), k).stamp_s;
      moved_.place(e, stamp_s, false, scene_);
      placed_s.reset();
      return sensor.world_from_sensor(e, scene_, stamp_s);
    });
  }

  /// A caster of this group that was placed with the same scene, time and origin, or null. Without moved entities all
  /// environments share the casters of the first.
  [[nodiscard]] Caster* find_placed(std::size_t s, double stamp_s, const Vec3& origin) const {
    for (const View& other : slots_[moved_.empty() ? 0 : s]) {
      if (other.caster == nullptr || other.caster != other.own.get() || other.caster->origin() != origin) continue;
      if (still_ || other.time.stamp_s == stamp_s) return other.caster;
    }
    return nullptr;
  }

  RenderJob job_of(std::uint32_t e, std::size_t i, View& view) {
    const EnvironmentSensor& sensor = sensors_[i];
    const CastPlan& plan = sensor.plan(e);
    const StagedChain& chain = sensor.chain(e);
    const Rigid cast_from_sensor = narrow(view.world_from_sensor, view.caster->origin());
    return {.plan = plan,
            .pattern = sensor.rays(e),
            .chain = chain,
            .caster = *view.caster,
            .surface_table = surfaces_,
            .reflectivity = entities_.reflectivity(e),
            .seed = episodes_.seed_of(e),
            .frame_index = view.time.content,
            .range_policy = chain.range_policy,
            .isa = options_.simulator.compute.isa,
            .cast_from_sensor = cast_from_sensor,
            .world_from_sensor = narrow(view.world_from_sensor, {}),
            .rolling_cast_from_sensor = {},
            .rolling_world_from_sensor = {},
            .places = view.places,
            .speeds = std::span(&view.speed, view.reads_speed ? 1 : 0),
            .rig = view_rig(sensor.view(e), cast_from_sensor),
            .should_stop = options_.simulator.should_stop,
            .edge = &view.edge,
            .stamp_s = view.time.stamp_s,
            .motion = view.motion,
            .fields = &view.fields,
            .mask = ray_masks_[i],
            .first = e * (std::size_t{plan.rows} * plan.cols),
            .device = device_for(device_.get(), options_.simulator.compute, chain, surfaces_),
            .ray_set = ray_sets_[i] + (sensor.ray_sets() > 1 ? e : 0),
            .samples = sensor.samples(e),
            .falloff_m = falloff_of(sensor.sensor(), sensor.view(e)),
            .echoes = sensor.echoes(e),
            .filters = sensor.prepared().filters(sensor.view(e), filters_[i], e, view.time.content)};
  }

  Scene scene_;
  Environments::Options options_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<FrameDevice> device_;  // null for the processor
  Episodes episodes_;
  MovedEntities moved_;
  bool still_;  // whether the scene's poses are the same at all times
  SurfaceTable surfaces_;
  DrawnEntities entities_;  // with the reflectivities of surfaces_ or drawn ones
  std::vector<EnvironmentSensor> sensors_;
  SeenMasks seen_;
  std::vector<std::uint32_t> ray_masks_;  // [sensors]
  std::vector<Slot> slots_;
  std::vector<RenderJob> jobs_;          // of busy slots
  std::vector<std::uint32_t> ray_sets_;  // [sensors]: index of the first set of rays
  std::vector<Frame*> one_frame_;        // [sensors]
  std::vector<FilterMemory> filters_;    // [sensors]
};

Environments::Environments(Scene scene, Environments::Options options) {
  if (!options.ranges.empty()) throw InputError("ranges are given without a sensor; add_sensor() takes them");
  impl_ = std::make_unique<Impl>(std::move(scene), std::move(options));
}
Environments::Environments(Scene scene, Sensor sensor, Environments::Options options) {
  std::vector<ParameterRange> ranges = std::exchange(options.ranges, {});
  impl_ = std::make_unique<Impl>(std::move(scene), std::move(options));
  impl_->add_sensor(std::move(sensor), std::move(ranges));
}
Environments::~Environments() = default;
Environments::Environments(Environments&&) noexcept = default;
Environments& Environments::operator=(Environments&&) noexcept = default;

SensorId Environments::add_sensor(Sensor sensor, std::vector<ParameterRange> ranges) {
  return impl_->add_sensor(std::move(sensor), std::move(ranges));
}

void Environments::set_entity_pose(std::uint32_t environment, EntityId entity, const Pose& parent_from_entity) {
  const auto& [p, q] = parent_from_entity;
  const double position_m[] = {p.x, p.y, p.z}, quaternion[] = {q.w, q.x, q.y, q.z};
  impl_->set_entity_poses({&entity, 1}, position_m, quaternion, std::span<const std::uint32_t>(&environment, 1));
}
void Environments::set_entity_poses(std::span<const EntityId> entities, std::span<const double> positions_m,
                                    std::span<const double> quaternions_wxyz, const EnvironmentNumbers& environments) {
  impl_->set_entity_poses(entities, positions_m, quaternions_wxyz, environments);
}
void Environments::set_sensor_pose(std::uint32_t environment, const Pose& parent_from_sensor, SensorId sensor) {
  const auto& [p, q] = parent_from_sensor;
  const double position_m[] = {p.x, p.y, p.z}, quaternion[] = {q.w, q.x, q.y, q.z};
  impl_->set_sensor_poses(sensor, position_m, quaternion, std::span<const std::uint32_t>(&environment, 1));
}
void Environments::set_sensor_poses(SensorId sensor, std::span<const double> positions_m,
                                    std::span<const double> quaternions_wxyz, const EnvironmentNumbers& environments) {
  impl_->set_sensor_poses(sensor, positions_m, quaternions_wxyz, environments);
}
void Environments::set_noise(std::uint32_t environment, NoiseChain noise, SensorId sensor) {
  impl_->set_noise(environment, sensor, std::move(noise));
}

void Environments::reset(std::uint32_t environment, std::uint32_t episode) {
  impl_->reset(std::span<const std::uint32_t>(&environment, 1), std::span<const std::uint32_t>(&episode, 1));
}
void Environments::reset(const EnvironmentNumbers& environments) { impl_->reset(environments); }
void Environments::reset(const EnvironmentNumbers& environments, std::span<const std::uint32_t> episodes) {
  impl_->reset(environments, episodes);
}
std::span<const std::uint32_t> Environments::episodes() const { return impl_->episodes(); }

std::vector<ParameterRange::Drawn> Environments::drawn(std::uint32_t environment, SensorId sensor) const {
  return impl_->drawn(environment, sensor);
}
std::span<const double> Environments::drawn_values(SensorId sensor) const {
  return std::as_const(*impl_).at(sensor).drawn();
}
std::span<const ParameterRange> Environments::ranges(SensorId sensor) const { return impl_->at(sensor).ranges(); }
std::vector<ParameterRange::Drawn> Environments::entity_drawn(std::uint32_t environment) const {
  return impl_->entity_drawn(environment);
}
std::span<const double> Environments::entity_drawn_values() const { return impl_->entities().values(); }
std::span<const ParameterRange> Environments::entity_ranges() const { return impl_->entities().ranges(); }

std::vector<FrameTime> Environments::frame_times(SensorId sensor, std::uint32_t index) const {
  return std::as_const(*impl_).frame_times(sensor, index);
}
void Environments::render(SensorId sensor, std::uint32_t index, Frame& frame, const EnvironmentNumbers& environments) {
  impl_->render_one(sensor, index, frame, environments);
}
void Environments::render(std::uint32_t index, Frame& frame, const EnvironmentNumbers& environments) {
  impl_->render_one(SensorId{0}, index, frame, environments);
}
void Environments::render(std::uint32_t index, std::span<Frame* const> frames, const EnvironmentNumbers& environments) {
  impl_->render(index, frames, environments);
}

std::uint32_t Environments::count() const { return impl_->options().count; }
std::uint32_t Environments::first() const { return impl_->options().first; }
std::uint32_t Environments::sensor_count() const { return impl_->sensor_count(); }
const Sensor& Environments::sensor(SensorId sensor) const { return impl_->at(sensor).sensor(); }
std::uint32_t Environments::rows(SensorId sensor) const { return impl_->at(sensor).prepared().shape().rows; }
std::uint32_t Environments::cols(SensorId sensor) const { return impl_->at(sensor).prepared().shape().cols; }

}  // namespace fathom
