// SPDX-License-Identifier: MIT
#include "trace/tree/motion.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scene/checks.hpp"
#include "scene/mesh.hpp"
#include "scene/poses.hpp"

namespace fathom::tree {

namespace {

/// Largest error of the speed of a surface between two keys, m/s.
constexpr double kSpeedError = 1e-4;

/// Moves a column vector by a column-major matrix.
Vec3 times(const double (&m)[9], const Vec3& v) {
  return {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
          m[2] * v.x + m[5] * v.y + m[8] * v.z};
}

Vec3 vec(const double (&v)[3]) { return {v[0], v[1], v[2]}; }

void set(double (&to)[3], const Vec3& v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

/// A key between two others.
MotionKey between(const MotionKey& a, const MotionKey& b, double time_s) {
  const double share = (time_s - a.time_s) / (b.time_s - a.time_s);
  const auto mix = [&](const auto& from, const auto& to, auto& out) {
    for (std::size_t i = 0; i < std::size(out); ++i) out[i] = from[i] + share * (to[i] - from[i]);
  };
  MotionKey key = {};
  mix(a.inverse, b.inverse, key.inverse), mix(a.at, b.at, key.at);
  mix(a.velocity, b.velocity, key.velocity), mix(a.turn_rate, b.turn_rate, key.turn_rate);
  return key;
}

Vec3 speed_of(const MotionKey& key, const Vec3& p) {
  return vec(key.velocity) + cross(vec(key.turn_rate), p - vec(key.at));
}

bool stands_still(std::span<const MotionSample> samples) {
  const MotionSample& first = samples.front();
  const Vec3 zero;
  return std::all_of(samples.begin(), samples.end(), [&](const MotionSample& s) {
    return s.world_from_mesh == first.world_from_mesh && vec(s.key.velocity) == zero && vec(s.key.turn_rate) == zero;
  });
}

}  // namespace

Affine world_from_mesh(const Scene& scene, const Entity& entity, const Pose& world_from_entity, const Vec3& origin) {
  const Pose place = world_from_vertices(scene, entity, world_from_entity);
  const Vec3 x = entity.scale.x * rotate(place.rotation, {1, 0, 0});
  const Vec3 y = entity.scale.y * rotate(place.rotation, {0, 1, 0});
  const Vec3 z = entity.scale.z * rotate(place.rotation, {0, 0, 1});
  const Vec3 t = place.translation_m - origin;
  return {{{x.x, y.x, z.x, t.x}, {x.y, y.y, z.y, t.y}, {x.z, y.z, z.z, t.z}}};
}

void MotionSampler::begin(double stamp_s, std::span<const float> times_s, const Vec3& origin) {
  stamp_s_ = stamp_s, origin_ = origin;
  times_s_.assign(times_s.begin(), times_s.end());
  if (!times_s.empty()) rounding_s_ = 0x1p-51 * (std::abs(stamp_s) + std::abs(double{times_s.back()}));
}

std::span<const MotionSample> MotionSampler::sample(const Scene& scene, EntityId entity, const Box& bounds) {
  scene_ = &scene, entity_ = entity, bounds_ = bounds;
  samples_.clear(), rounding_m_ = 0.0;
  if (bounds.empty()) return {};
  find_cuts();
  samples_.push_back(at(times_s_[cuts_.front()]));
  if (!inverse(samples_.front().world_from_mesh)) return {};
  for (std::size_t k = 0; k + 1 < cuts_.size(); ++k) {
    const MotionSample from = samples_.back();
    split(cuts_[k], from, cuts_[k + 1], at(times_s_[cuts_[k + 1]]), 0.0);
  }
  if (stands_still(samples_) && at(0.0F).world_from_mesh == samples_.front().world_from_mesh) return {};
  for (std::size_t k = 0; k + 1 < samples_.size(); ++k) {
    samples_[k].key.per_s = 1.0 / (samples_[k + 1].key.time_s - samples_[k].key.time_s);
  }
  return samples_;
}

MotionSample MotionSampler::at(float time_after_stamp_s) const {
  const double time_s = double{time_after_stamp_s};
  const Motion motion = motion_at(*scene_, entity_, stamp_s_ + time_s);
  const Entity& entity = scene_->entities()[index(entity_)];
  check_place(motion.pose.translation_m, "entity", entity.name);
  MotionSample sample = {world_from_mesh(*scene_, entity, motion.pose, origin_), {}};
  const Affine back = inverse(sample.world_from_mesh).value_or(Affine{});
  MotionKey& key = sample.key;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) key.inverse[3 * c + r] = back.m[r][c];
  }
  const Vec3 place = translation_of(sample.world_from_mesh);
  const Vec3 arm = place - (motion.pose.translation_m - origin_);
  key.time_s = time_s;
  set(key.at, place);
  set(key.velocity, motion.twist.linear_m_s + cross(motion.twist.turn_rad_s, arm));
  set(key.turn_rate, motion.twist.turn_rad_s);
  return sample;
}

/// Errors are linear over a mesh, so the corners of its box have the largest. Beyond them, times of a late stamp are
/// rounded.
double MotionSampler::error(const MotionSample& a, const MotionSample& b, const MotionSample& sample) {
  const MotionKey key = between(a.key, b.key, sample.key.time_s);
  double most = 0.0;
  for (unsigned k = 0; k < 8; ++k) {
    const Vec3 corner = {(k & 1U) != 0 ? bounds_.hi[0] : bounds_.lo[0], (k & 2U) != 0 ? bounds_.hi[1] : bounds_.lo[1],
                         (k & 4U) != 0 ? bounds_.hi[2] : bounds_.lo[2]};
    const Vec3 p = transform_point(sample.world_from_mesh, corner);
    const Vec3 off = times(key.inverse, p - vec(key.at)) - corner;
    const Vec3 speed = speed_of(sample.key, p);
    const double rounding_m = rounding_s_ * norm(speed);
    const double rounding_m_s = rounding_m * norm(vec(sample.key.turn_rate));
    rounding_m_ = std::max(rounding_m_, rounding_m);
    const double share = norm(transform_vector(sample.world_from_mesh, off)) / (kMotionErrorM + rounding_m);
    const double of_speed = norm(speed_of(key, p) - speed) / (kSpeedError + rounding_m_s);
    if (std::isnan(share + of_speed)) return share + of_speed;
    most = std::max({most, share, of_speed});
  }
  return most;
}

bool MotionSampler::is_linear_at(std::size_t k, std::size_t i, const MotionSample& a, const MotionSample& b) {
  return k == i || error(a, b, at(times_s_[k])) <= 1.0;
}

/// Appends the samples behind `a` up to `b`. The error of a smooth motion falls to a quarter when a stretch is halved.
/// Once it does, the middle has the largest error; before, the middle may be right by chance.
void MotionSampler::split(std::size_t i, const MotionSample& a, std::size_t j, const MotionSample& b, double before) {
  constexpr double kClearly = 0.8, kLeastFall = 3.0, kMostFall = 5.0;
  const std::size_t k = (i + j) / 2;
  if (k == i) return samples_.push_back(b);
  const MotionSample middle = at(times_s_[k]);
  const double off = error(a, b, middle);
  const bool is_smooth = off > 0.0 && off * kLeastFall <= before && before <= off * kMostFall;
  const bool is_clear = is_smooth && off <= kClearly;
  if (is_clear ||
      (off <= 1.0 && is_linear_at(i + (j - i) / 4, i, a, b) && is_linear_at(i + (j - i) * 3 / 4, i, a, b))) {
    return samples_.push_back(b);
  }
  split(i, a, k, middle, off);
  split(k, middle, j, b, off);
}

void MotionSampler::find_cuts() {
  cuts_.assign({0, times_s_.size() - 1});
  for (EntityId up = entity_; up != kNoEntity; up = scene_->entities()[index(up)].parent) {
    cut_at_keys(scene_->entities()[index(up)].parent_from_entity);
  }
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
}

/// Velocity may jump at a key, so a separate stretch joins the rays before and behind it.
void MotionSampler::cut_at_keys(const Trajectory& motion) {
  const std::vector<Trajectory::Key>& keys = motion.keys();
  if (motion.is_fixed()) return;
  const double first_s = stamp_s_ + double{times_s_.front()}, last_s = stamp_s_ + double{times_s_.back()};
  const double period_s = keys.back().stamp_s - keys.front().stamp_s;
  const double lap = motion.loops() ? std::floor((first_s - keys.front().stamp_s) / period_s) : 0.0;
  const double laps = motion.loops() ? std::floor((last_s - keys.front().stamp_s) / period_s) - lap : 0.0;
  const auto times = static_cast<double>(times_s_.size()), count = static_cast<double>(keys.size());
  constexpr double kMostLaps = 0x1p52;  // exact in double precision
  if ((laps - 1.0) * count > times || !(std::abs(lap) < kMostLaps)) {
    for (std::size_t k = 0; k < times_s_.size(); ++k) cuts_.push_back(k);
    return;
  }
  const auto is_before = [](const Trajectory::Key& key, double time) { return key.stamp_s < time; };
  for (std::size_t n = 0; static_cast<double>(n) <= laps; ++n) {
    const double shift_s = (lap + static_cast<double>(n)) * period_s;
    auto key = std::lower_bound(keys.begin(), keys.end(), first_s - shift_s, is_before);
    for (; key != keys.end() && key->stamp_s + shift_s <= last_s; ++key) {
      const auto time = static_cast<float>(key->stamp_s + shift_s - stamp_s_);
      const auto behind = std::lower_bound(times_s_.begin(), times_s_.end(), time);
      const auto k = static_cast<std::size_t>(behind - times_s_.begin());
      const std::size_t last = times_s_.size() - 1;
      for (const std::size_t cut : {k == 0 ? k : k - 1, k, k + 1}) cuts_.push_back(std::min(cut, last));
    }
  }
}

}  // namespace fathom::tree
