// SPDX-License-Identifier: MIT
#include "simulate/read_pose.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/files/trajectories.hpp>

#include "base/text.hpp"
#include "text/read_fields.hpp"

namespace fathom {

namespace {

Trajectory read_keyframes(const YamlReader& list, bool loop) {
  std::vector<StampedPose> keys;
  for (YamlReader key : list.items()) {
    const double stamp_s = key.at("time_s").number();
    keys.push_back({stamp_s, read_pose(key)});
    key.finish();
  }
  return list.located([&] { return Trajectory(std::move(keys), loop); });
}

/// The keyframes are in the scene or in a file.
Trajectory read_keys(YamlReader& motion, bool repeats, SceneFiles& files) {
  const auto file = motion.find("file");
  if (!file) return read_keyframes(motion.at("keyframes"), repeats);
  if (motion.find("keyframes")) file->fail("and keyframes are both given; one is enough");
  const std::filesystem::path path = read_path(*file, files);
  return file->located([&] { return Trajectory(read_trajectory(path).keys(), repeats); });
}

/// The motion, moved in time so that its first key is at first_s.
Trajectory moved_to(double first_s, const Trajectory& motion) {
  std::vector<StampedPose> keys = motion.keys();
  const double later_s = first_s - keys.front().stamp_s;
  for (StampedPose& key : keys) key.stamp_s += later_s;
  return Trajectory(std::move(keys), motion.loops());
}

/// A log's stamps are seconds since 1970, while frames of a scene begin at 0: all of them would show one pose.
void note_times(const YamlReader& motion, const Trajectory& trajectory, SceneFiles& files) {
  const double first_s = trajectory.keys().front().stamp_s, last_s = trajectory.keys().back().stamp_s;
  const bool is_met = files.first_frame_s <= last_s && files.last_frame_s >= first_s;
  if (is_met || trajectory.loops() || trajectory.is_fixed()) return;
  files.notes.push_back(fmt::format(
      "{}: no frame lies within its keyframes: they are at {} to {} s, the frames at {} to {} s; 'start: first_stamp' "
      "moves the first to the first",
      motion.place(), number_text(first_s), number_text(last_s), number_text(files.first_frame_s),
      number_text(files.last_frame_s)));
}

constexpr std::array<std::string_view, 2> kStarts = {"as_stamped", "first_stamp"};

Trajectory read_motion(YamlReader motion, SceneFiles& files) {
  const auto loop = motion.find("loop"), start = motion.find("start");
  const bool repeats = loop && loop->boolean();
  const bool is_moved = start && start->one_of(kStarts) == 1;
  Trajectory trajectory = read_keys(motion, repeats, files);
  motion.finish();
  if (is_moved) trajectory = moved_to(files.first_frame_s, trajectory);
  note_times(motion, trajectory, files);
  return trajectory;
}

}  // namespace

std::filesystem::path read_path(const YamlReader& reader, SceneFiles& files) {
  if (reader.text().empty() || reader.text().find('\0') != std::string::npos) reader.fail("is not a file name");
  const YamlMark& mark = reader.value().mark;
  const auto folder = mark.line > 0 ? std::filesystem::path(*mark.source).parent_path() : files.folder;
  files.opened.push_back(folder / reader.text());
  return files.opened.back();
}

Trajectory read_trajectory_or_pose(YamlReader& map, SceneFiles& files) {
  const auto motion = map.find("motion");
  if (!motion) return read_pose(map);
  for (const char* key : {"position_m", "rpy_deg", "rpy_rad", "quaternion_xyzw"}) {
    if (const auto fixed = map.find(key)) fixed->fail("and motion are both given; the keyframes hold the whole pose");
  }
  return read_motion(*motion, files);
}

}  // namespace fathom
