// SPDX-License-Identifier: MIT
#include "run/counted_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "frame/frame_writer.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using CountClock = std::chrono::steady_clock;

constexpr double kNearlyAll = 0.99;

bool is_nearly_all(std::uint64_t part, std::uint64_t all) {
  return all > 0 && static_cast<double>(part) >= kNearlyAll * static_cast<double>(all);
}

/// The depth below which a model of the chain loses every return; 0: no such depth.
double min_depth_m(const Sensor& sensor) {
  const Optics optics = make_view(sensor.model).optics;
  double depth_m = 0.0;
  for (const ChainEntry& entry : sensor.noise) depth_m = std::max(depth_m, entry.noise.least_depth_m(optics));
  return depth_m;
}

}  // namespace

SelfOcclusionCheck::SelfOcclusionCheck(const Scene& scene, const Sensor& sensor)
    : scene_(scene), sensor_(sensor.name), min_depth_m_(fathom::min_depth_m(sensor)) {
  if (index(sensor.parent) >= scene.entities().size()) return;  // no parent
  const std::size_t entities = scene.entities().size();
  std::vector<bool> wholes(entities);
  for (EntityId up = sensor.parent; up != kNoEntity; up = scene.entities()[index(up)].parent) {
    wholes[index(scene.whole_of(up))] = true;
  }
  carries_.resize(entities);
  for (std::size_t i = 0; i < entities; ++i) carries_[i] = wholes[index(scene.whole_of(static_cast<EntityId>(i)))];
}

bool SelfOcclusionCheck::suspects(const ReasonCounts& reasons) const {
  const std::uint64_t rays = std::accumulate(reasons.begin(), reasons.end(), std::uint64_t{0});
  return !carries_.empty() && is_nearly_all(reasons[static_cast<std::size_t>(Reason::kBelowMinRange)], rays);
}

ChannelSet SelfOcclusionCheck::channels() const {
  const ChannelSet needed = {Channel::kReason, Channel::kEntityId, Channel::kCleanRange};
  return min_depth_m_ > 0.0 ? needed | ChannelSet{Channel::kCleanDepth} : needed;
}

void SelfOcclusionCheck::count(const Frame& frame, std::span<const float> min_range_m) {
  std::map<std::uint32_t, std::uint64_t> rays_at;
  std::uint64_t at_carriers = 0;
  const auto reason = frame.reason();
  const auto entity = frame.entity_id();
  const auto range_m = frame.clean_range_m();
  const auto is_near = [&](std::size_t i) {
    return range_m[i] < min_range_m[min_range_m.size() > 1 ? i : 0] ||
           (min_depth_m_ > 0.0 && frame.clean_depth_m()[i] < min_depth_m_);
  };
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kBelowMinRange || entity[i] >= carries_.size() || !carries_[entity[i]]) continue;
    if (!is_near(i)) continue;
    ++rays_at[index(scene_.whole_of(static_cast<EntityId>(entity[i])))];
    ++at_carriers;
  }
  if (!is_nearly_all(at_carriers, frame.size())) return;
  ++frames_;
  rays_ += frame.size();
  for (const auto& [id, rays] : rays_at) rays_at_[id] += rays;
}

std::optional<std::string> SelfOcclusionCheck::warning(std::uint32_t frames) const {
  if (frames_ == 0) return std::nullopt;
  const auto most = std::max_element(rays_at_.begin(), rays_at_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string when = frames_ == frames ? "" : fmt::format("in {} of {} frames ", frames_, frames);
  const std::string part =
      most->second == rays_ ? fmt::format("all {}", rays_) : fmt::format("{} of {}", most->second, rays_);
  const std::string name = one_line(scene_.entities()[most->first].name);
  return fmt::format(
      "{}{} rays of '{}' end at '{}', which carries it, nearer than its least range; ignore: ['{}'] lets them through",
      when, part, sensor_, name, name);
}

namespace {

template <class Clouds>
bool are_in_world(const Output& output) {
  const auto* clouds = output.get_if<Clouds>();
  return clouds != nullptr && clouds->frame == CloudFrame::kWorld;
}

bool has_points_in_world(const Output& output) {
  const auto* arrays = output.get_if<NpyOutput>();
  return (arrays != nullptr && arrays->channels.contains(Channel::kHitWorld)) || are_in_world<PcdOutput>(output) ||
         are_in_world<PlyOutput>(output) || are_in_world<PointCloud2Output>(output);
}

}  // namespace

FarPoints::FarPoints(std::string sensor, std::span<const Output> outputs) : sensor_(std::move(sensor)) {
  for (const Output& output : outputs) {
    if (has_points_in_world(output)) outputs_ += fmt::format("{}{}", outputs_.empty() ? "" : ", ", output.info().slug);
  }
}

void FarPoints::add(const Vec3& at_m) {
  farthest_m_ = std::max({farthest_m_, std::abs(at_m.x), std::abs(at_m.y), std::abs(at_m.z)});
}

std::optional<std::string> FarPoints::warning() const {
  constexpr double kMostLossM = 0.9e-3;  // floats lose 0.98 mm from 2^14 m on
  const auto at_m = static_cast<float>(farthest_m_);
  // Half of the step to the next float.
  const double loss_m = 0.5 * (std::nextafter(at_m, std::numeric_limits<float>::infinity()) - at_m);
  if (outputs_.empty() || loss_m < kMostLossM) return std::nullopt;
  return fmt::format(
      "points of '{}' in the world ({}) have single precision: {:.0f} m from the origin they are off by up to {} m; "
      "points in the frame of the sensor are not",
      one_line(sensor_), outputs_, farthest_m_, number_text(loss_m));
}

CountedRun::CountedRun(const SceneSetup& setup, PreparedRun& run, bool digests)
    : setup_(setup), run_(run), digests_(digests) {
  begin();
}

void CountedRun::begin() {
  counts_ = {};
  counts_.seed = run_.episode.seed;
  counts_.environment = run_.episode.environment;
  counts_.episode = run_.episode.episode;
  counts_.drawn = run_.drawn;
  std::vector<CountedSensor> before = std::move(sensors_);
  sensors_.clear();
  for (std::size_t i = 0; i < run_.sensors.size(); ++i) {
    const RunSensor& sensor = run_.sensors[i];
    const Sensor& description = run_.simulator.sensor(sensor.id);
    counts_.sensors.push_back(begun_counts(sensor));
    const bool reuse = i < before.size() && before[i].frame.channels() == sensor.channels;
    sensors_.push_back({.frame = reuse ? std::move(before[i].frame) : Frame(sensor.channels),
                        .self_occlusion = SelfOcclusionCheck(setup_.scene, description),
                        .far_points = FarPoints(description.name, setup_.sensors[i].outputs)});
  }
}

SensorCounts CountedRun::begun_counts(const RunSensor& sensor) const {
  SensorCounts counts;
  counts.id = sensor.id;
  counts.name = run_.simulator.sensor(sensor.id).name;
  counts.drawn = sensor.drawn;
  return counts;
}

const Frame& CountedRun::render(std::size_t sensor, std::uint32_t index) {
  const RunSensor& of = run_.sensors[sensor];
  const FrameTime time = run_.simulator.frame_time(of.id, index);
  SensorCounts& counts = counts_.sensors[sensor];
  CountedSensor& counted = sensors_[sensor];
  if (run_.simulator.sensor(of.id).timing != Timing()) counts.times.push_back(time);
  if (time.is_dropped()) {
    mask(time, of, counted.frame);
    return counted.frame;
  }
  const CountClock::time_point begin = CountClock::now();
  run_.simulator.render(of.id, index, counted.frame);
  const std::chrono::duration<double> seconds = CountClock::now() - begin;
  check_self_occlusion(of, index, count(counted.frame, seconds.count(), counts), counted);
  ++counted.delivered;
  if (digests_) counted.digest.add(counted.frame);
  counted.far_points.add(run_.simulator.world_from_sensor(of.id, counted.frame.stamp_s()).translation_m);
  return counted.frame;
}

void CountedRun::mask(const FrameTime& time, const RunSensor& sensor, Frame& frame) const {
  const Sensor& description = run_.simulator.sensor(sensor.id);
  const RayPattern::Shape shape = image_shape(description);
  FrameWriter writer(frame);
  writer.resize(shape.rows, shape.cols, static_cast<std::uint32_t>(description.returns.size()));
  writer.mask_all();
  writer.set_time(time.index, time.content, time.stamp_s, time.delivered_s);
}

ReasonCounts CountedRun::count(const Frame& frame, double seconds, SensorCounts& counts) {
  counts.rows = frame.rows();
  counts.cols = frame.cols();
  counts.rays += frame.rays();
  counts.seconds += seconds;
  const ReasonCounts reasons = frame.count_reasons();
  for (std::size_t r = 0; r < reasons.size(); ++r) counts.reasons[r] += reasons[r];
  counts_.progress.rays_done += frame.rays();
  counts_.progress.cast_seconds += seconds;
  return reasons;
}

/// Adds the channels of the check, for the rest of the episode, once nearly all rays are below the minimum range.
void CountedRun::check_self_occlusion(const RunSensor& sensor, std::uint32_t index, const ReasonCounts& reasons,
                                      CountedSensor& counted) {
  if (!counted.self_occlusion.suspects(reasons)) return;
  const ChannelSet wanted = counted.frame.channels() | counted.self_occlusion.channels();
  if (wanted != counted.frame.channels()) {
    counted.frame = Frame(wanted);
    run_.simulator.render(sensor.id, index, counted.frame);
  }
  counted.self_occlusion.count(counted.frame,
                               run_.simulator.pattern(sensor.id, counted.frame.content_index()).min_range_m);
}

RunCounts& CountedRun::end() {
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const CountedSensor& sensor = sensors_[i];
    if (const auto warning = sensor.self_occlusion.warning(sensor.delivered)) counts_.warnings.push_back(*warning);
    if (const auto warning = sensor.far_points.warning()) counts_.warnings.push_back(*warning);
    if (digests_) counts_.sensors[i].digest = sensor.digest.text();
  }
  return counts_;
}

}  // namespace fathom
