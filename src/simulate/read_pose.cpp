// SPDX-License-Identifier: MIT
#include "simulate/read_pose.hpp"

#include <utility>

#include <fathom/files/trajectories.hpp>

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

Trajectory read_motion(YamlReader motion, SceneFiles& files) {
  const auto loop = motion.find("loop");
  const bool repeats = loop && loop->boolean();
  const auto file = motion.find("file");
  if (!file) {
    Trajectory trajectory = read_keyframes(motion.at("keyframes"), repeats);
    motion.finish();
    return trajectory;
  }
  if (motion.find("keyframes")) file->fail("and keyframes are both given; one is enough");
  motion.finish();
  const std::filesystem::path path = read_path(*file, files);
  return file->located([&] { return Trajectory(read_trajectory(path).keys(), repeats); });
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
