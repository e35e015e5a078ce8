#include "simulate/read_pose.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/input.hpp>

#include "simulate/quantity.hpp"

namespace fathom {

namespace {

Quaternion read_quaternion(const YamlReader& reader) {
  const std::vector<double> v = reader.numbers(4);
  const Quaternion q{v[3], v[0], v[1], v[2]};
  const double length = std::sqrt(dot(q, q));
  if (!(std::abs(length - 1.0) <= 1e-2)) reader.fail(fmt::format("has length {:.6g}, not 1", length));
  return normalized(q);
}

Quaternion read_rotation(YamlReader& map) {
  const auto angles = Quantity::find(map, "rpy_rad");
  const auto quaternion = map.find("quaternion_xyzw");
  if (angles && quaternion) quaternion->fail("and a roll, pitch and yaw are both given; one is enough");
  if (quaternion) return read_quaternion(*quaternion);
  if (!angles) return {};
  static_cast<void>(angles->reader().numbers(3));
  constexpr double kTurns = 1000 * 360 * kRadPerDeg;  // generous: stops a slipped unit only
  const std::vector<double> a = angles->numbers({-kTurns, kTurns, "rad"});
  return from_roll_pitch_yaw(a[0], a[1], a[2]);
}

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

Pose read_pose(YamlReader& map) {
  const auto position = map.find("position_m");
  const Vec3 translation_m = position ? position->vector({-kMaxCoordinateM, kMaxCoordinateM, "m"}) : Vec3{};
  return {translation_m, read_rotation(map)};
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
