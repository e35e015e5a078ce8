// SPDX-License-Identifier: MIT
#include "scene/poses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "scene/checks.hpp"

namespace fathom {

namespace {

bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// The keys between which a motion is at a time, and that time within the first turn of a loop. Without a second key
/// the pose of the first is held.
struct Leg {
  const Trajectory::Key* from;
  const Trajectory::Key* to;
  double stamp_s;

  [[nodiscard]] double duration_s() const { return to->stamp_s - from->stamp_s; }
};

/// The later leg at the time of a key.
Leg leg_at(const Trajectory& motion, double stamp_s) {
  const std::vector<Trajectory::Key>& keys = motion.keys();
  const double first = keys.front().stamp_s, last = keys.back().stamp_s;
  if (motion.loops() && last > first) {
    const double period = last - first;
    stamp_s -= period * std::floor((stamp_s - first) / period);
  }
  if (!(stamp_s >= first)) return {&keys.front(), nullptr, stamp_s};
  if (stamp_s >= last) return {&keys.back(), nullptr, stamp_s};
  const auto next = std::upper_bound(keys.begin(), keys.end(), stamp_s,
                                     [](double t, const Trajectory::Key& key) { return t < key.stamp_s; });
  return {&*(next - 1), &*next, stamp_s};
}

/// The vector along the axis of a rotation, as long as its angle (rad), which is at most pi.
Vec3 rotation_vector(Quaternion q) {
  if (q.w < 0.0) q = {-q.w, -q.x, -q.y, -q.z};
  const Vec3 v = {q.x, q.y, q.z};
  const double length = norm(v);
  return length > 0.0 ? (2.0 * math::atan2(length, q.w) / length) * v : Vec3{};
}

Twist twist_at(const Trajectory& motion, double stamp_s) {
  if (motion.is_fixed()) return {};
  const Leg leg = leg_at(motion, stamp_s);
  if (leg.to == nullptr) return {};
  const Pose &a = leg.from->pose, &b = leg.to->pose;
  const double per_s = 1.0 / leg.duration_s();
  const Vec3 turn = rotate(a.rotation, rotation_vector(conjugate(a.rotation) * b.rotation));
  return {per_s * (b.translation_m - a.translation_m), per_s * turn};
}

/// Throws unless an array of `each` numbers a pose holds `count` of them.
void check_count(std::string_view what, std::size_t numbers, std::size_t each, std::size_t count) {
  if (numbers == each * count) return;
  throw InputError(fmt::format("{} are {} numbers, not {}: {} poses of {}", what, numbers, each * count, count, each));
}

}  // namespace

bool is_valid(const Pose& pose) {
  return !coordinate_beyond_limits(pose.translation_m) && is_about_one(std::sqrt(dot(pose.rotation, pose.rotation)));
}

Pose checked_pose(const Pose& pose, std::string_view what) {
  const Vec3 t = pose.translation_m;
  const double length = std::sqrt(dot(pose.rotation, pose.rotation));
  if (!is_finite(t)) throw InputError(fmt::format("{}: position is not finite", what));
  if (const auto c = coordinate_beyond_limits(t)) {
    throw InputError(fmt::format("{}: position {} m is not in {}", what, number_text(*c), kCoordinateLimits));
  }
  if (!is_about_one(length)) {
    throw InputError(fmt::format("{}: quaternion has length {}, not 1", what, number_text(length)));
  }
  return {t, std::abs(length - 1.0) < 1e-15 ? pose.rotation : normalized(pose.rotation)};
}

PoseArrays::PoseArrays(std::span<const double> positions_m, std::span<const double> quaternions_wxyz, std::size_t count)
    : positions_m_(positions_m.data()), quaternions_(quaternions_wxyz.data()), count_(count) {
  check_count("positions", positions_m.size(), 3, count);
  check_count("quaternions", quaternions_wxyz.size(), 4, count);
}

void check_place(const Vec3& place_m, std::string_view what, std::string_view name) {
  if (const auto c = coordinate_beyond_limits(place_m)) {
    throw InputError(fmt::format("{} '{}': its place in the world, {} m, is not in {}", what, name, number_text(*c),
                                 kCoordinateLimits));
  }
}

Trajectory::Trajectory(const Pose& fixed) : keys_{{0.0, checked_pose(fixed, "pose")}} {}

Trajectory::Trajectory(std::vector<Trajectory::Key> keys, bool loop) : keys_(std::move(keys)), loop_(loop) {
  if (keys_.empty()) throw InputError("a trajectory needs at least one pose");
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].pose = checked_pose(keys_[i].pose, fmt::format("trajectory pose {}", i));
    if (!std::isfinite(keys_[i].stamp_s)) throw InputError(fmt::format("trajectory pose {}: time is not finite", i));
    if (i > 0 && !(keys_[i].stamp_s > keys_[i - 1].stamp_s)) {
      throw InputError(fmt::format("trajectory pose {}: time {} s does not come after {} s", i,
                                   number_text(keys_[i].stamp_s), number_text(keys_[i - 1].stamp_s)));
    }
  }
}

void Trajectory::hold(const Pose& fixed) {
  const Trajectory::Key key = {0.0, checked_pose(fixed, "pose")};
  keys_.resize(1);
  keys_.front() = key;
}

Pose Trajectory::at(double stamp_s) const {
  const Leg leg = leg_at(*this, stamp_s);
  if (leg.to == nullptr || !(leg.stamp_s > keys_.front().stamp_s)) return leg.from->pose;
  return interpolate(leg.from->pose, leg.to->pose, (leg.stamp_s - leg.from->stamp_s) / leg.duration_s());
}

Motion motion_at(const Trajectory& path, double stamp_s) { return {path.at(stamp_s), twist_at(path, stamp_s)}; }

Motion operator*(const Motion& a, const Motion& b) {
  const Vec3 arm = rotate(a.pose.rotation, b.pose.translation_m);
  return {a.pose * b.pose,
          {a.twist.linear_m_s + cross(a.twist.turn_rad_s, arm) + rotate(a.pose.rotation, b.twist.linear_m_s),
           a.twist.turn_rad_s + rotate(a.pose.rotation, b.twist.turn_rad_s)}};
}

Motion motion_at(const Scene& scene, EntityId entity, double stamp_s) {
  Motion motion;
  for (EntityId up = entity; up != kNoEntity; up = scene.entities()[index(up)].parent) {
    motion = motion_at(scene.entities()[index(up)].parent_from_entity, stamp_s) * motion;
  }
  return motion;
}

Quaternion from_rotation_vector(const Vec3& rotation_rad) {
  // By the largest component first: the square of a tiny one would be 0.
  const double most =
      std::fmax(std::abs(rotation_rad.x), std::fmax(std::abs(rotation_rad.y), std::abs(rotation_rad.z)));
  if (!(most > 0.0)) return {};
  const Vec3 scaled = {rotation_rad.x / most, rotation_rad.y / most, rotation_rad.z / most};
  const double length = norm(scaled);
  const math::SinCos64 half = math::sincos(0.5 * most * length);
  const Vec3 v = (half.sin / length) * scaled;
  return {half.cos, v.x, v.y, v.z};
}

Pose pose_offset(std::span<const double, 6> parts) {
  return {{parts[0], parts[1], parts[2]}, from_rotation_vector({parts[3], parts[4], parts[5]})};
}

Pose moved(const Pose& nominal, const Pose& offset) { return checked_pose(nominal * offset, "drawn pose"); }

Trajectory moved(const Trajectory& nominal, const Pose& offset) {
  if (nominal.is_fixed()) return moved(nominal.keys().front().pose, offset);
  std::vector<Trajectory::Key> keys = nominal.keys();
  for (Trajectory::Key& key : keys) key.pose = moved(key.pose, offset);
  return Trajectory(std::move(keys), nominal.loops());
}

namespace {

/// Appends all entities, parents before children.
void sort_parents_first(const std::vector<EntityId>& parent, std::vector<EntityId>& order) {
  std::vector<bool> sorted(parent.size(), false);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    const std::size_t begin = order.size();
    for (auto up = static_cast<EntityId>(i); up != kNoEntity && !sorted[index(up)]; up = parent[index(up)]) {
      order.push_back(up);
      sorted[index(up)] = true;
    }
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());
  }
}

}  // namespace

void WorldPoses::sort(const Scene& scene) {
  const std::vector<Entity>& entities = scene.entities();
  const auto same = [](EntityId parent, const Entity& entity) { return parent == entity.parent; };
  if (std::equal(parent_.begin(), parent_.end(), entities.begin(), entities.end(), same)) return;
  parent_.clear();
  for (const Entity& entity : entities) parent_.push_back(entity.parent);
  order_.clear();
  sort_parents_first(parent_, order_);
}

const std::vector<Pose>& WorldPoses::at(const Scene& scene, double stamp_s) {
  sort(scene);
  world_from_entity_.resize(order_.size()), moves_.resize(order_.size());
  return at(scene, stamp_s, order_);
}

const std::vector<Pose>& WorldPoses::at(const Scene& scene, double stamp_s, std::span<const EntityId> moved) {
  for (const EntityId id : moved) {
    const Entity& entity = scene.entities()[index(id)];
    const Pose pose = entity.parent_from_entity.at(stamp_s);
    world_from_entity_[index(id)] = entity.parent == kNoEntity ? pose : world_from_entity_[index(entity.parent)] * pose;
    moves_[index(id)] =
        !entity.parent_from_entity.is_fixed() || (entity.parent != kNoEntity && moves_[index(entity.parent)]);
    check_place(world_from_entity_[index(id)].translation_m, "entity", entity.name);
  }
  return world_from_entity_;
}

std::vector<EntityId> with_children(const Scene& scene, std::span<const EntityId> entities) {
  std::vector<EntityId> parent, order, found;
  for (const Entity& entity : scene.entities()) parent.push_back(entity.parent);
  sort_parents_first(parent, order);
  std::vector<bool> is_found(parent.size());
  for (const EntityId id : entities) is_found[index(id)] = true;
  for (const EntityId id : order) {
    const EntityId up = parent[index(id)];
    if (up != kNoEntity && is_found[index(up)]) is_found[index(id)] = true;
    if (is_found[index(id)]) found.push_back(id);
  }
  return found;
}

double farthest_m(const Trajectory& trajectory) {
  double farthest = 0.0;
  for (const Trajectory::Key& key : trajectory.keys()) farthest = std::max(farthest, norm(key.pose.translation_m));
  return farthest;
}

std::vector<double> farthest_from_world_m(const Scene& scene) {
  std::vector<EntityId> parent, order;
  for (const Entity& entity : scene.entities()) parent.push_back(entity.parent);
  sort_parents_first(parent, order);
  std::vector<double> farthest(parent.size());
  for (const EntityId id : order) {
    const double own_m = farthest_m(scene.entities()[index(id)].parent_from_entity);
    const EntityId up = parent[index(id)];
    farthest[index(id)] = own_m + (up == kNoEntity ? 0.0 : farthest[index(up)]);
  }
  return farthest;
}

}  // namespace fathom
