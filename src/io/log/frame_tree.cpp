// SPDX-License-Identifier: MIT
#include "io/log/frame_tree.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>

namespace fathom {

namespace {

/// tf2 reads "/map" as "map".
std::string bare(const std::string& frame) { return frame.starts_with('/') ? frame.substr(1) : frame; }

Pose pose_of(const msg::Transform& t) {
  return {{t.translation.x, t.translation.y, t.translation.z},
          {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z}};
}

std::int64_t nanoseconds_of(const msg::Time& stamp) {
  return std::int64_t{stamp.sec} * 1'000'000'000 + std::int64_t{stamp.nanosec};
}

}  // namespace

std::string FrameTree::fault_of(const msg::TransformStamped& transform) {
  const Pose pose = pose_of(transform.transform);
  const double norm2 = dot(pose.rotation, pose.rotation);
  const Vec3& p = pose.translation_m;
  if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) && std::isfinite(norm2) && norm2 >= 0.25)
    return {};
  return fmt::format("the transform from '{}' to '{}' has numbers that are not finite, or no rotation",
                     printable(bare(transform.header.frame_id)), printable(bare(transform.child_frame_id)));
}

void FrameTree::add(const msg::TFMessage& message, bool holds_always) {
  for (const msg::TransformStamped& t : message.transforms) {
    const std::string parent = bare(t.header.frame_id), child = bare(t.child_frame_id);
    if (const std::string fault = fault_of(t); !fault.empty()) throw InputError(fault);
    Pose pose = pose_of(t.transform);
    pose.rotation = normalized(pose.rotation);
    if (parent == child) throw InputError(fmt::format("frame '{}' is its own parent", printable(child)));
    Link& link = links_[child];
    if (link.poses.empty()) link.parent = parent, link.holds_always = holds_always;
    if (link.parent != parent) {
      throw InputError(fmt::format("frame '{}' has two parents, '{}' and '{}'", printable(child),
                                   printable(link.parent), printable(parent)));
    }
    if (holds_always) link.poses.clear(), link.holds_always = true;
    if (holds_always || !link.holds_always) link.poses.emplace_back(nanoseconds_of(t.header.stamp), pose);
  }
}

std::vector<std::string> FrameTree::up_from(const std::string& frame) const {
  std::vector<std::string> way = {frame};
  for (auto link = links_.find(frame); link != links_.end(); link = links_.find(way.back())) {
    if (std::find(way.begin(), way.end(), link->second.parent) != way.end()) {
      throw InputError(fmt::format("frame '{}' is its own ancestor", printable(frame)));
    }
    way.push_back(link->second.parent);
  }
  return way;
}

std::string FrameTree::frames_text() const {
  std::set<std::string> frames;
  for (const auto& [child, link] : links_) frames.insert(child), frames.insert(link.parent);
  if (frames.empty()) return "there is no transform";
  constexpr std::size_t kMost = 20;
  std::string text = "frames:";
  std::size_t count = 0;
  for (const std::string& frame : frames) {
    if (++count <= kMost) text += " " + printable(frame);
  }
  return text + (count > kMost ? fmt::format(" and {} more", count - kMost) : "");
}

FrameTree::Path FrameTree::path(const std::string& outer, const std::string& inner) {
  const std::vector<std::string> from_inner = up_from(bare(inner)), from_outer = up_from(bare(outer));
  const auto meets = std::find_first_of(from_inner.begin(), from_inner.end(), from_outer.begin(), from_outer.end());
  if (meets == from_inner.end()) {
    throw InputError(fmt::format("nothing connects frame '{}' with frame '{}'; {}", printable(inner), printable(outer),
                                 frames_text()));
  }
  Path path;
  const auto step = [&](const std::string& child, bool down) {
    Link& link = links_.at(child);
    std::stable_sort(link.poses.begin(), link.poses.end(),
                     [](const Path::Stamped& a, const Path::Stamped& b) { return a.first < b.first; });
    path.steps_.push_back({&link.poses, link.holds_always, down});
  };
  for (const std::string& frame : from_outer) {
    if (frame == *meets) break;
    step(frame, true);
  }
  for (auto frame = meets; frame != from_inner.begin();) step(*--frame, false);
  return path;
}

bool FrameTree::Path::find(Step& step, std::int64_t stamp_ns, Pose& pose) {
  const std::vector<Stamped>& poses = *step.poses;
  if (step.holds_always) {
    pose = poses.back().second;
    return true;
  }
  const auto after = [&](std::size_t i) { return i == poses.size() || poses[i].first >= stamp_ns; };
  if (!(after(step.next) && (step.next == 0 || !after(step.next - 1)))) {  // not between the last query's stamps
    const auto found = std::lower_bound(poses.begin(), poses.end(), stamp_ns,
                                        [](const Stamped& p, std::int64_t t) { return p.first < t; });
    step.next = static_cast<std::size_t>(found - poses.begin());
  }
  if (step.next == poses.size()) return false;
  const Stamped& b = poses[step.next];
  if (b.first == stamp_ns) {
    pose = b.second;
    return true;
  }
  if (step.next == 0) return false;
  const Stamped& a = poses[step.next - 1];
  const double u = static_cast<double>(stamp_ns - a.first) / static_cast<double>(b.first - a.first);
  pose = interpolate(a.second, b.second, u);
  return true;
}

bool FrameTree::Path::is_even(std::int64_t from_ns, std::int64_t to_ns) const {
  return std::all_of(steps_.begin(), steps_.end(), [=](const Step& step) {
    const std::vector<Stamped>& poses = *step.poses;
    return step.holds_always ||
           (poses[step.next].first >= to_ns && (step.next == 0 || poses[step.next - 1].first <= from_ns));
  });
}

bool FrameTree::Path::at(std::int64_t stamp_ns, Pose& pose) {
  pose = {};
  for (Step& step : steps_) {
    Pose parent_from_child;
    if (!find(step, stamp_ns, parent_from_child)) return false;
    pose = pose * (step.down ? inverse(parent_from_child) : parent_from_child);
  }
  return true;
}

}  // namespace fathom
