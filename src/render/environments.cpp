// SPDX-License-Identifier: MIT
#include <fathom/simulate/environments.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>

#include "base/executor.hpp"
#include "base/frame_writer.hpp"
#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "cast/make_caster.hpp"
#include "render/parameter_range.hpp"
#include "render/prepared_sensor.hpp"
#include "render/render.hpp"
#include "render/rig_view.hpp"
#include "render/seen_masks.hpp"
#include "render/simulator_options.hpp"
#include "scene/world_poses.hpp"

namespace fathom {

class Environments::Impl {
  /// The state of one environment while it is rendered.
  struct Slot {
    std::unique_ptr<Caster> caster;
    std::size_t scene = 0;  // the slot whose caster it casts into: slot 0's, when both see the same scene
    Pose world_from_sensor;
    Vec3 origin;
    EdgeScratch edge;
  };
  /// An entity that was placed in some environment.
  struct Moved {
    EntityId entity;
    Trajectory by_scene;                    // where no pose was set
    std::vector<std::optional<Pose>> pose;  // [environments], as set
  };

 public:
  Impl(Scene scene, Sensor sensor, EnvironmentsOptions options)
      : scene_(std::move(scene)),
        options_((check(options.simulator), std::move(options))),
        prepared_(std::move(sensor), scene_.entities()) {
    if (sensor_.rolling)
      throw InputError(fmt::format("sensor '{}': environments cast whole frames, not rolling ones", sensor_.name));
    const CastPlan& plan = prepared_.plan();
    const std::uint64_t rays = std::uint64_t{options_.count} * plan.rows * plan.cols;
    if (options_.count == 0 || rays > kMaxRays || std::uint64_t{options_.count} * plan.rows > 0xffffffffU) {
      throw InputError(fmt::format("{} environments of {} x {} rays are not in [1, {}] rays", options_.count, plan.rows,
                                   plan.cols, kMaxRays));
    }
    for (const ParameterRange& range : options_.ranges) check_range(sensor_.noise, range);
    executor_ = make_executor(options_.simulator.compute.threads);
    slots_.resize(executor_->threads() == 1 ? 1 : 4 * static_cast<std::size_t>(executor_->threads()));
    slots_[0].caster = make_caster(options_.simulator.compute, *executor_);
    jobs_.reserve(slots_.size());
    episodes_.assign(options_.count, 0);
    sensor_poses_.resize(options_.count);
    chains_.assign(options_.ranges.empty() ? 1 : options_.count, prepared_.chain());
    drawn_.resize(chains_.size() * options_.ranges.size());
    for (std::uint32_t e = 0; e < options_.count; ++e) draw(e);
    for (const Entity& entity : scene_.entities()) reflectivity_.push_back(entity.reflectivity);
  }

  void set_entity_pose(std::uint32_t environment, EntityId entity, const Pose& pose) {
    const std::uint32_t e = local(environment);
    if (index(entity) >= scene_.entities().size()) {
      throw InputError(fmt::format("entity {} is not in [0, {})", index(entity), scene_.entities().size()));
    }
    static_cast<void>(Trajectory(pose));  // refuses what is not finite
    auto moved = std::find_if(moved_.begin(), moved_.end(), [&](const Moved& m) { return m.entity == entity; });
    if (moved == moved_.end()) {
      moved = moved_.insert(moved, {entity, scene_.entities()[index(entity)].parent_from_entity, {}});
      moved->pose.resize(options_.count);
    }
    moved->pose[e] = pose;
  }

  void set_sensor_pose(std::uint32_t environment, const Pose& pose) {
    static_cast<void>(Trajectory(pose));
    sensor_poses_[local(environment)] = pose;
  }

  void set_noise(std::uint32_t environment, NoiseChain noise) {
    const std::uint32_t e = local(environment);
    std::vector<double> values;
    const auto place = [&] { return fmt::format("sensor '{}', environment {}", sensor_.name, environment); };
    StagedChain chain = with_prefix(place, [&] {
      prepared_.check_noise(noise, scene_.entities());
      for (const ParameterRange& range : options_.ranges) check_range(noise, range);
      return draw(noise, e, values);
    });
    own_noise_.resize(options_.count);
    chains_.resize(options_.count, chains_[0]);
    own_noise_[e] = std::move(noise);
    keep(e, std::move(chain), values);
  }

  void reset(std::uint32_t environment, std::uint32_t episode) {
    const std::uint32_t e = local(environment);
    episodes_[e] = episode;
    draw(e);
  }

  [[nodiscard]] std::vector<DrawnParameter> drawn(std::uint32_t environment) const {
    std::vector<DrawnParameter> values;
    const std::size_t first = std::size_t{local(environment)} * options_.ranges.size();
    for (std::size_t k = 0; k < options_.ranges.size(); ++k) {
      const ParameterRange& r = options_.ranges[k];
      values.push_back({r.entry, r.field, r.entity, r.ring, drawn_[first + k]});
    }
    return values;
  }

  void render(std::uint32_t index, Frame& frame) {
    const double stamp = options_.simulator.start_s + index / options_.simulator.rate_hz;
    prepared_.set_frame(index);
    mask_ = seen_.mask_of(0, sensor_, scene_);
    FrameWriter writer(frame);
    writer.resize(options_.count * rows(), cols());
    writer.set_stamp(index, stamp);
    for (std::uint32_t first = 0; first < options_.count; first += static_cast<std::uint32_t>(slots_.size())) {
      render_group(first, index, stamp, frame);
    }
  }

  [[nodiscard]] std::uint32_t count() const { return options_.count; }
  [[nodiscard]] std::uint32_t rows() const { return prepared_.plan().rows; }
  [[nodiscard]] std::uint32_t cols() const { return prepared_.plan().cols; }

 private:
  [[nodiscard]] std::uint32_t local(std::uint32_t environment) const {
    if (environment >= options_.first && environment - options_.first < options_.count)
      return environment - options_.first;
    throw InputError(fmt::format("environment {} is not in [{}, {})", environment, options_.first,
                                 std::uint64_t{options_.first} + options_.count));
  }

  [[nodiscard]] std::uint64_t seed_of(std::uint32_t e) const {
    return episode_seed(options_.simulator.seed, options_.first + e, episodes_[e]);
  }

  void draw(std::uint32_t e) {
    if (options_.ranges.empty() && own_noise_.empty()) return;
    std::vector<double> values;
    StagedChain chain = draw(own_noise_.empty() || !own_noise_[e] ? sensor_.noise : *own_noise_[e], e, values);
    keep(e, std::move(chain), values);
  }

  /// The chain with the numbers of the environment's episode, which it appends to `values`. Throws InputError where
  /// these do not fit together, and so before anything is kept.
  [[nodiscard]] StagedChain draw(NoiseChain noise, std::uint32_t e, std::vector<double>& values) const {
    for (const ParameterRange& range : options_.ranges) {
      values.push_back(draw_into(noise, sensor_.name, range, seed_of(e)));
    }
    return prepared_.staged_chain(noise, scene_.entities());
  }

  void keep(std::uint32_t e, StagedChain chain, std::span<const double> values) {
    std::copy(values.begin(), values.end(), drawn_.begin() + static_cast<std::ptrdiff_t>(e * values.size()));
    chains_[e] = std::move(chain);
  }

  /// As many environments at once as there are slots: their top-level trees are built side by side, and then their
  /// blocks shared out as if they were one image.
  void render_group(std::uint32_t first, std::uint32_t index, double stamp, Frame& frame) {
    const std::size_t count = std::min<std::size_t>(slots_.size(), options_.count - first);
    for (std::size_t s = 0; s < count; ++s) place(first + static_cast<std::uint32_t>(s), stamp, s);
    executor_->parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        if (slots_[s].scene == s) slots_[s].caster->commit();
      }
    });
    jobs_.clear();
    for (std::size_t s = 0; s < count; ++s) {
      jobs_.push_back(job_of(first + static_cast<std::uint32_t>(s), index, slots_[s]));
    }
    fathom::render(jobs_, *executor_, frame);
  }

  void place(std::uint32_t e, double stamp, std::size_t s) {
    Slot& slot = slots_[s];
    for (const Moved& m : moved_) scene_.set_pose(m.entity, m.pose[e] ? *m.pose[e] : m.by_scene.at(stamp));
    slot.world_from_sensor = sensor_poses_[e] ? *sensor_poses_[e] : sensor_.parent_from_sensor.at(stamp);
    if (sensor_.parent != kNoEntity) {
      slot.world_from_sensor = scene_.world_from_entity(sensor_.parent, stamp) * slot.world_from_sensor;
    }
    check_place(slot.world_from_sensor.translation_m, "sensor", sensor_.name);
    slot.world_from_sensor.rotation = aligned(prepared_.view().axes, slot.world_from_sensor.rotation);
    slot.origin = origin_near(slot.world_from_sensor.translation_m);
    slot.scene = moved_.empty() && slot.origin == slots_[0].origin ? 0 : s;
    if (slot.scene != s) return;
    if (slot.caster == nullptr) slot.caster = slots_[0].caster->fork();
    slot.caster->place(scene_, stamp, slot.origin);
    slot.caster->set_masks(seen_.masks());
  }

  RenderJob job_of(std::uint32_t e, std::uint32_t index, Slot& slot) {
    const StagedChain& chain = chains_[chains_.size() == 1 ? 0 : e];
    const std::size_t rays = std::size_t{rows()} * cols();
    const Rigid cast_from_sensor = narrow(slot.world_from_sensor, slot.origin);
    return {.plan = prepared_.plan(),
            .pattern = prepared_.rays(),
            .chain = chain,
            .caster = *slots_[slot.scene].caster,
            .reflectivity = reflectivity_,
            .seed = seed_of(e),
            .frame_index = index,
            .range_policy = chain.range_policy,
            .isa = options_.simulator.compute.isa,
            .cast_from_sensor = cast_from_sensor,
            .world_from_sensor = narrow(slot.world_from_sensor, {}),
            .rolling_cast_from_sensor = {},
            .rolling_world_from_sensor = {},
            .rig = view_rig(prepared_.view(), cast_from_sensor),
            .should_stop = options_.simulator.should_stop,
            .edge = &slot.edge,
            .mask = mask_,
            .first = e * rays};
  }

  Scene scene_;
  EnvironmentsOptions options_;
  PreparedSensor prepared_;
  const Sensor& sensor_ = prepared_.sensor();
  std::unique_ptr<Executor> executor_;
  std::vector<Slot> slots_;
  std::vector<RenderJob> jobs_;      // of the slots at work
  std::vector<float> reflectivity_;  // [entities]
  std::vector<StagedChain> chains_;  // [environments], or one for all
  // [environments], or empty: all have the sensor's
  std::vector<std::optional<NoiseChain>> own_noise_;
  std::vector<std::uint32_t> episodes_;            // [environments]
  std::vector<std::optional<Pose>> sensor_poses_;  // [environments], as set
  std::vector<Moved> moved_;
  SeenMasks seen_;
  std::uint32_t mask_ = kSeesAll;  // of the sensor's rays
  std::vector<double> drawn_;      // [environments, ranges]
};

Environments::Environments(Scene scene, Sensor sensor, EnvironmentsOptions options)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(sensor), std::move(options))) {}
Environments::~Environments() = default;
Environments::Environments(Environments&&) noexcept = default;
Environments& Environments::operator=(Environments&&) noexcept = default;

void Environments::set_entity_pose(std::uint32_t environment, EntityId entity, const Pose& parent_from_entity) {
  impl_->set_entity_pose(environment, entity, parent_from_entity);
}
void Environments::set_sensor_pose(std::uint32_t environment, const Pose& parent_from_sensor) {
  impl_->set_sensor_pose(environment, parent_from_sensor);
}
void Environments::set_noise(std::uint32_t environment, NoiseChain noise) {
  impl_->set_noise(environment, std::move(noise));
}
void Environments::reset(std::uint32_t environment, std::uint32_t episode) { impl_->reset(environment, episode); }
std::vector<DrawnParameter> Environments::drawn(std::uint32_t environment) const { return impl_->drawn(environment); }
void Environments::render(std::uint32_t index, Frame& frame) { impl_->render(index, frame); }
std::uint32_t Environments::count() const { return impl_->count(); }
std::uint32_t Environments::rows() const { return impl_->rows(); }
std::uint32_t Environments::cols() const { return impl_->cols(); }

}  // namespace fathom
