// SPDX-License-Identifier: MIT
#include <optional>
#include <utility>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/read_fields.hpp"
#include "run/read_scene.hpp"

namespace fathom {

namespace {

constexpr double kMostJoint = 1e6;  // rad or m; the joints have narrower limits

/// A folder, relative as in read_path(). Folders do not count as opened.
std::filesystem::path read_folder(const YamlReader& reader, SceneFiles& files) {
  std::filesystem::path folder = read_path(reader, files);
  files.opened.pop_back();
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder, unknown)) reader.fail("is not a folder");
  return folder;
}

RobotFileOptions read_options(YamlReader& map, SceneFiles& files) {
  RobotFileOptions options;
  if (const auto geometry = map.find("geometry")) {
    options.geometry = static_cast<RobotFileOptions::Geometry>(geometry->one_of(kRobotGeometryNames));
  }
  if (auto packages = map.find("packages")) {
    for (const YamlReader& folder : packages->entries()) {
      options.packages[std::string(folder.key())] = read_folder(folder, files);
    }
  }
  if (const auto missing = map.find("missing")) {
    options.missing = static_cast<RobotFileOptions::MissingMeshes>(missing->one_of(kMissingMeshesNames));
  }
  if (const auto paths = map.find("search_paths")) {
    for (const YamlReader& folder : paths->items()) options.search_paths.push_back(read_folder(folder, files));
  }
  return options;
}

/// The place of a robot. The parent of a moving robot is an entity with the motion.
struct PlacedMotion {
  RobotPlace place;
  std::optional<Trajectory> motion = {};
};

PlacedMotion read_place(YamlReader& map, SceneFiles& files, const LabelNames& labels, const Scene& scene,
                        const BareLinks& bare_links) {
  PlacedMotion read;
  RobotPlace& place = read.place;
  const Trajectory motion = read_trajectory_or_pose(map, files);
  if (!motion.is_fixed()) read.motion = motion;
  place.parent_from_robot = read.motion ? Pose{} : motion.keys().front().pose;
  if (const auto prefix = map.find("prefix")) place.prefix = prefix->text();
  read_surface(map, labels, place);
  if (auto joints = map.find("joints")) {
    for (const YamlReader& position : joints->entries()) {
      place.joints[std::string(position.key())] = position.number({-kMostJoint, kMostJoint, "rad or m"});
    }
  }
  if (const auto parent = map.find("parent")) {
    const PlacedRobot::Mount mount = parent->located([&] { return find_parent(scene, bare_links, parent->text()); });
    place.parent = mount.parent;
    if (read.motion) {
      read.motion = carried(mount.parent_from_link, *read.motion);
    } else {
      place.parent_from_robot = mount.parent_from_link * place.parent_from_robot;
    }
  }
  return read;
}

/// Adds the entity that moves a robot, and makes it the parent of the robot.
void add_mover(const PlacedMotion& read, const Robot& robot, RobotPlace& place, Scene& scene) {
  if (!read.motion) return;
  Entity mover;
  mover.name = place.prefix + robot.name + "_motion";
  mover.mesh = kNoMesh;
  mover.parent_from_entity = *read.motion;
  mover.parent = place.parent;
  place.parent = scene.add_entity(std::move(mover));
}

void keep_bare_links(const PlacedRobot& placed, const std::string& prefix, BareLinks& bare_links) {
  for (const Robot::Link& link : placed.robot().links) {
    if (placed.entity(link.name) == kNoEntity) bare_links[prefix + link.name] = placed.mount(link.name);
  }
}

void read_robot_entry(YamlReader entry, SceneFiles& files, const LabelNames& labels, Scene& scene,
                      BareLinks& bare_links, std::vector<std::string>& notes) {
  const bool is_name = entry.is(YamlValue::Kind::kScalar);
  const YamlReader name = is_name ? entry : entry.at("file");
  const std::filesystem::path file = read_path(name, files);
  files.opened.pop_back();  // the robot's files contain it
  RobotFileOptions options;
  PlacedMotion read;
  if (!is_name) {
    options = read_options(entry, files);
    read = read_place(entry, files, labels, scene, bare_links);
    entry.finish();
  }
  RobotPlace& place = read.place;
  Robot robot = name.located([&] { return read_robot(file, options); });
  files.opened.insert(files.opened.end(), robot.files.begin(), robot.files.end());
  notes.insert(notes.end(), robot.notes.begin(), robot.notes.end());
  entry.located([&] {
    for (const Robot::Link& link : robot.links) {
      if (!bare_links.contains(place.prefix + link.name)) continue;
      throw InputError("there is a link '" + place.prefix + link.name + "' before; give the robot a prefix");
    }
    add_mover(read, robot, place, scene);
    keep_bare_links(PlacedRobot(scene, std::move(robot), place), place.prefix, bare_links);
  });
}

}  // namespace

PlacedRobot::Mount find_parent(const Scene& scene, const BareLinks& bare_links, std::string_view name) {
  if (const auto link = bare_links.find(name); link != bare_links.end()) return link->second;
  if (bare_links.empty()) return {scene.find_entity(name), {}};
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < scene.entities().size(); ++i) {
    if (scene.entities()[i].name == name) return {static_cast<EntityId>(i), {}};
    names.emplace_back(scene.entities()[i].name);
  }
  for (const auto& [link, mount] : bare_links) names.emplace_back(link);
  throw InputError("there is no entity or link '" + std::string(name) + "'" + nearest_hint(name, names));
}

Trajectory carried(const Pose& parent_from_link, const Trajectory& motion) {
  if (parent_from_link == Pose{}) return motion;
  if (motion.is_fixed()) return parent_from_link * motion.keys().front().pose;
  std::vector<Trajectory::Key> keys = motion.keys();
  for (Trajectory::Key& key : keys) key.pose = parent_from_link * key.pose;
  return Trajectory(std::move(keys), motion.loops());
}

void read_robots(const YamlReader& from, SceneFiles& files, const LabelNames& labels, Scene& scene,
                 BareLinks& bare_links, std::vector<std::string>& notes) {
  if (!from.is(YamlValue::Kind::kList)) return read_robot_entry(from, files, labels, scene, bare_links, notes);
  for (const YamlReader& entry : from.items()) read_robot_entry(entry, files, labels, scene, bare_links, notes);
}

}  // namespace fathom
