// SPDX-License-Identifier: MIT
#include "io/world/sdf/sdf_walk.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sdf/Geometry.hh>
#include <sdf/sdf.hh>

#include <fathom/core/error.hpp>
#include <fathom/files/meshes.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "io/world/link_shapes.hpp"

namespace fathom {

namespace {

constexpr double kEndlessPlaneM = 1000.0;  // a plane of physics has no end (docs/scene-format.md)

/// As in Gazebo: the highest pixel is at the height of the map's size, black at 0.
Mesh make_height_map(const std::string& file, const Vec3& size_m) {
  HeightField field = read_height_image(file, {.size_x_m = size_m.x, .size_y_m = size_m.y, .elevation_m = size_m.z});
  const float highest_m = *std::max_element(field.heights_m.begin(), field.heights_m.end());
  const float factor = highest_m > 0.0F ? static_cast<float>(size_m.z) / highest_m : 1.0F;
  for (float& height_m : field.heights_m) height_m *= factor;
  return make_height_field(field);
}

template <class Vector>
Vec3 sdf_vector(const Vector& v) {
  return {v.X(), v.Y(), v.Z()};
}

LinkShape height_shape(const sdf::Heightmap& map, LinkShapes& shapes) {
  const std::string file = map.Uri();
  const Vec3 size_m = sdf_vector(map.Size());
  LinkShape shape;
  shape.key = fmt::format("heights {} {} {} {}", file, size_m.x, size_m.y, size_m.z);
  shape.link_from_shape.translation_m = sdf_vector(map.Position());
  shape.make = [=, &shapes] {
    shapes.note_opened(file);
    return make_height_map(file, size_m);
  };
  return shape;
}

/// The shape of a geometry, if it has one.
std::optional<LinkShape> sdf_shape(const sdf::Geometry& geometry, RobotFileOptions::Geometry kind, LinkShapes& shapes) {
  if (const auto* box = geometry.BoxShape()) return box_shape(sdf_vector(box->Size()));
  if (const auto* sphere = geometry.SphereShape()) return sphere_shape(sphere->Radius());
  if (const auto* cylinder = geometry.CylinderShape()) return cylinder_shape(cylinder->Radius(), cylinder->Length());
  if (const auto* capsule = geometry.CapsuleShape()) return capsule_shape(capsule->Radius(), capsule->Length());
  if (const auto* ellipsoid = geometry.EllipsoidShape()) return ellipsoid_shape(sdf_vector(ellipsoid->Radii()));
  if (const auto* plane = geometry.PlaneShape()) {
    const bool endless = kind == RobotFileOptions::Geometry::kCollision;
    return plane_shape(sdf_vector(plane->Normal()), endless ? kEndlessPlaneM : plane->Size().X(),
                       endless ? kEndlessPlaneM : plane->Size().Y());
  }
  if (const auto* mesh = geometry.MeshShape()) return shapes.file_shape(mesh->Uri(), sdf_vector(mesh->Scale()));
  if (const auto* map = geometry.HeightmapShape()) return height_shape(*map, shapes);
  return std::nullopt;
}

void check_resolved(const sdf::Errors& errors) {
  if (!errors.empty()) throw InputError(one_line(errors.front().Message()));
}

template <class Pose3>
Pose pose_of_sdf(const Pose3& pose) {
  return {{pose.Pos().X(), pose.Pos().Y(), pose.Pos().Z()},
          normalized({pose.Rot().W(), pose.Rot().X(), pose.Rot().Y(), pose.Rot().Z()})};
}

/// The pose of an element in the frame `in`; if empty, in its parent's.
template <class Element>
Pose resolved_pose(const Element& element, const std::string& in = "") {
  auto pose = element.RawPose();
  check_resolved(element.SemanticPose().Resolve(pose, in));
  return pose_of_sdf(pose);
}

/// Gathers links and joints with their poses in the world, then connects the links.
class SdfWalk {
 public:
  SdfWalk(RobotFiles& files, Robot& robot)
      : geometry_(files.geometry()), shapes_(robot, files.opened()), robot_(robot) {}

  /// Sets the place in the file of the next models: finish() sorts links by it.
  void begin_model(std::size_t place) { place_ = place; }

  void add_model(const sdf::Model& model, const Pose& world_from_parent, const std::string& scope,
                 const std::string& in = "") {
    const std::string name = scope + model.Name();
    with_prefix([&] { return fmt::format("model '{}'", name); },
                [&] {
                  const Pose world_from_model = world_from_parent * resolved_pose(model, in);
                  for (std::uint64_t i = 0; i < model.LinkCount(); ++i)
                    add_link(*model.LinkByIndex(i), world_from_model, name);
                  for (std::uint64_t i = 0; i < model.JointCount(); ++i)
                    add_joint(*model.JointByIndex(i), world_from_model, name);
                });
    const Pose world_from_model = world_from_parent * resolved_pose(model, in);
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
      add_model(*model.ModelByIndex(i), world_from_model, name + "::");
    }
  }

  /// Fills the robot, parents before children.
  void finish() {
    sort_by_place();
    for (std::size_t j = 0; j < joints_.size(); ++j) hang(j);
    std::vector<std::vector<std::size_t>> children(links_.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].parent) {
        children[*links_[i].parent].push_back(i);
      } else {
        order.push_back(i);
      }
    }
    for (std::size_t at = 0; at < order.size(); ++at) {  // `order` grows in the loop
      const std::vector<std::size_t>& next = children[order[at]];
      order.insert(order.end(), next.begin(), next.end());
    }
    if (order.size() < links_.size()) throw InputError("the joints lead in a circle");
    std::vector<std::size_t> places(links_.size());
    for (const std::size_t i : order) {
      places[i] = robot_.links.size();
      emit(links_[i], places);
    }
  }

 private:
  struct FoundLink {
    std::string name;
    Pose world_from_link;
    std::size_t place = 0;  // of its model in the file
    std::optional<std::size_t> mesh = {}, parent = {}, joint = {};
  };
  struct FoundJoint {
    Robot::Joint joint;
    std::string parent, child;  // names of links; empty parent: the world
    Pose world_from_joint;
    std::size_t place = 0;
  };

  void sort_by_place() {
    const auto earlier = [](const auto& a, const auto& b) { return a.place < b.place; };
    std::stable_sort(links_.begin(), links_.end(), earlier);
    std::stable_sort(joints_.begin(), joints_.end(), earlier);
    for (std::size_t i = 0; i < links_.size(); ++i) index_[links_[i].name] = i;
  }

  void add_link(const sdf::Link& link, const Pose& world_from_model, const std::string& model) {
    with_prefix([&] { return fmt::format("link '{}'", link.Name()); },
                [&] {
                  FoundLink found{model + "::" + link.Name(), world_from_model * resolved_pose(link), place_,
                                  join_shapes(link)};
                  if (!index_.emplace(found.name, links_.size()).second) throw InputError("is there twice");
                  links_.push_back(std::move(found));
                });
  }

  std::optional<std::size_t> join_shapes(const sdf::Link& link) {
    std::vector<LinkShape> shapes;
    const auto add = [&](const auto& element) {
      std::optional<LinkShape> shape = sdf_shape(*element.Geom(), geometry_, shapes_);
      if (!shape) return;
      shape->link_from_shape = resolved_pose(element) * shape->link_from_shape;
      shapes.push_back(std::move(*shape));
    };
    if (geometry_ == RobotFileOptions::Geometry::kVisual) {
      for (std::uint64_t i = 0; i < link.VisualCount(); ++i) add(*link.VisualByIndex(i));
    } else {
      for (std::uint64_t i = 0; i < link.CollisionCount(); ++i) add(*link.CollisionByIndex(i));
    }
    return shapes_.join(shapes);
  }

  void add_joint(const sdf::Joint& joint, const Pose& world_from_model, const std::string& model) {
    with_prefix([&] { return fmt::format("joint '{}'", joint.Name()); },
                [&] {
                  FoundJoint found;
                  found.place = place_;
                  std::string parent, child;
                  check_resolved(joint.ResolveParentLink(parent));
                  check_resolved(joint.ResolveChildLink(child));
                  found.parent = parent == "world" ? "" : model + "::" + parent;
                  found.child = model + "::" + child;
                  found.world_from_joint = world_from_model * resolved_pose(joint, "__model__");
                  found.joint = moving_part(joint);
                  found.joint.name = model + "::" + joint.Name();
                  joints_.push_back(std::move(found));
                });
  }

  static Robot::Joint moving_part(const sdf::Joint& from) {
    Robot::Joint joint;
    if (from.Type() == sdf::JointType::REVOLUTE || from.Type() == sdf::JointType::CONTINUOUS) {
      joint.kind = Robot::Joint::Kind::kRevolute;
    }
    if (from.Type() == sdf::JointType::PRISMATIC) joint.kind = Robot::Joint::Kind::kPrismatic;
    if (joint.kind == Robot::Joint::Kind::kFixed) return joint;
    if (from.Axis() == nullptr) throw InputError("has no axis");
    auto axis = from.Axis()->Xyz();
    check_resolved(from.Axis()->ResolveXyz(axis));
    joint.axis = {axis.X(), axis.Y(), axis.Z()};
    if (from.Type() == sdf::JointType::CONTINUOUS) return joint;
    joint.lower = from.Axis()->Lower();
    joint.upper = from.Axis()->Upper();
    return joint;
  }

  /// Attaches the child of a joint to its parent. A link that has a parent keeps it: the file closes a loop.
  void hang(std::size_t j) {
    const FoundJoint& found = joints_[j];
    const auto child = index_.find(found.child), parent = index_.find(found.parent);
    if (child == index_.end() || (!found.parent.empty() && parent == index_.end())) {
      throw InputError(fmt::format("joint '{}' leads to a link that is not there", found.joint.name));
    }
    FoundLink& link = links_[child->second];
    if (link.joint) {
      robot_.notes.push_back(fmt::format("joint '{}' closes a loop and moves nothing", found.joint.name));
      return;
    }
    link.joint = robot_.joints.size();
    if (!found.parent.empty()) link.parent = parent->second;
    link_joints_.push_back(j);
    robot_.joints.push_back(found.joint);
  }

  void emit(const FoundLink& found, const std::vector<std::size_t>& places) {
    Robot::Link link;
    link.name = found.name;
    link.mesh = found.mesh;
    link.joint = found.joint;
    Pose parent_from_world;
    if (found.parent) {
      link.parent = places[*found.parent];
      parent_from_world = inverse(links_[*found.parent].world_from_link);
    }
    if (found.joint) {
      const Pose& world_from_joint = joints_[link_joints_[*found.joint]].world_from_joint;
      link.parent_from_joint = parent_from_world * world_from_joint;
      link.joint_from_link = inverse(world_from_joint) * found.world_from_link;
    } else {
      link.joint_from_link = parent_from_world * found.world_from_link;
    }
    robot_.links.push_back(std::move(link));
  }

  RobotFileOptions::Geometry geometry_;
  LinkShapes shapes_;
  Robot& robot_;
  std::size_t place_ = 0;
  std::vector<FoundLink> links_;
  std::vector<FoundJoint> joints_;
  std::vector<std::size_t> link_joints_;  // [robot_.joints], in joints_
  std::map<std::string, std::size_t> index_;
};

}  // namespace

void walk_sdf(std::span<const SdfPiece> pieces, const LoadSdf& load, RobotFiles& files, Robot& robot) {
  SdfWalk walk(files, robot);
  for (const SdfPiece& piece : pieces) {
    sdf::Root root;
    load(root, piece.text);
    const SdfQuiet quiet;
    if (const sdf::World* const world = root.WorldByIndex(0)) {
      if (robot.name.empty()) robot.name = world->Name();
      for (std::uint64_t i = 0; i < world->ModelCount(); ++i) {
        walk.begin_model(i < piece.places.size() ? piece.places[i] : 0);
        walk.add_model(*world->ModelByIndex(i), {}, piece.scope);
      }
    }
    if (const sdf::Model* const model = root.Model()) {
      robot.name = model->Name();
      walk.begin_model(std::numeric_limits<std::size_t>::max());
      walk.add_model(*model, {}, "", "__root__");
    }
  }
  walk.finish();
}

}  // namespace fathom
