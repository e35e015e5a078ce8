// SPDX-License-Identifier: MIT
#pragma once
// A world of MuJoCo as a scene: its geoms become entities, and follow mjData. For programs that use MuJoCo already:
// neither <fathom/fathom.hpp> nor the library includes this header. It is compiled against the <mujoco/mujoco.h> of the
// program, reads arrays that have the same names from MuJoCo 2.2.2 to 3.x, and calls no function of MuJoCo.
//
//   MujocoMirror mirror(model);
//   Simulator simulator(mirror.scene(data));
//   StereoCamera eyes = mirror.camera("eyes", {.width = 160, .height = 120});
//   eyes.baseline_m = 0.05;
//   const SensorId sensor = simulator.add_sensor(mirror.on_camera("eyes", eyes));
//   Frame frame({Channel::kDepth, Channel::kReason, Channel::kEntityId});
//   for (std::uint32_t t = 0; t < steps; ++t) {
//     mj_step(model, data);
//     mirror.update(data, simulator.scene());
//     simulator.render(sensor, t, frame);
//   }

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mujoco/mujoco.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom::detail {

/// The unit quaternion of a rotation matrix, row-major: of its four forms the one that divides by the most.
inline Quaternion quaternion_from(const std::array<double, 9>& r) {
  const double trace = r[0] + r[4] + r[8];
  Quaternion q;
  if (trace > 0.0) {
    q = {1.0 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  } else if (r[0] > r[4] && r[0] > r[8]) {
    q = {r[7] - r[5], 1.0 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]};
  } else if (r[4] > r[8]) {
    q = {r[2] - r[6], r[1] + r[3], 1.0 - r[0] + r[4] - r[8], r[5] + r[7]};
  } else {
    q = {r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 - r[0] - r[4] + r[8]};
  }
  return normalized(q);
}

/// What makes the mesh of a geom, before it is scaled: its type and two numbers of it.
using MujocoShapeKey = std::array<double, 3>;
struct MujocoShape {
  Vec3 scale;
  MujocoShapeKey key;
};

/// Round geoms, boxes and planes are scaled from one mesh each; a capsule cannot be.
inline MujocoShape mujoco_shape(const mjModel& model, int geom, double infinite_plane_m) {
  const auto* numbers = model.geom_size + 3 * geom;
  const double size[3] = {static_cast<double>(numbers[0]), static_cast<double>(numbers[1]),
                          static_cast<double>(numbers[2])};
  const int type = model.geom_type[geom];
  const auto half = [&](double given) { return given > 0.0 ? given : 0.5 * infinite_plane_m; };
  switch (type) {
    case mjGEOM_PLANE:
      return {{half(size[0]), half(size[1]), 1.0}, {mjGEOM_PLANE}};
    case mjGEOM_SPHERE:
      return {{size[0], size[0], size[0]}, {mjGEOM_SPHERE}};
    case mjGEOM_ELLIPSOID:
      return {{size[0], size[1], size[2]}, {mjGEOM_SPHERE}};
    case mjGEOM_CYLINDER:
      return {{size[0], size[0], size[1]}, {mjGEOM_CYLINDER}};
    case mjGEOM_BOX:
      return {{size[0], size[1], size[2]}, {mjGEOM_BOX}};
    case mjGEOM_CAPSULE:
      return {{1, 1, 1}, {mjGEOM_CAPSULE, size[0], size[1]}};
    case mjGEOM_HFIELD:
      return {{1, 1, 1}, {mjGEOM_HFIELD, static_cast<double>(model.geom_dataid[geom])}};
    default:
      return {{1, 1, 1}, {mjGEOM_MESH, static_cast<double>(model.geom_dataid[geom])}};
  }
}

inline Mesh mujoco_height_field(const mjModel& model, int field) {
  const auto* size = model.hfield_size + 4 * field;  // half x, half y, elevation, base
  HeightField made;
  made.rows = static_cast<std::uint32_t>(model.hfield_nrow[field]);
  made.cols = static_cast<std::uint32_t>(model.hfield_ncol[field]);
  const float* data = model.hfield_data + model.hfield_adr[field];
  for (std::size_t i = 0; i < std::size_t{made.rows} * made.cols; ++i) {
    made.heights_m.push_back(static_cast<float>(static_cast<double>(size[2]) * data[i]));
  }
  made.size_x_m = 2.0 * static_cast<double>(size[0]), made.size_y_m = 2.0 * static_cast<double>(size[1]);
  made.base_m = static_cast<double>(size[3]);
  return make_height_field(made);
}

/// The vertices as the geom's frame has them: MuJoCo has centred and turned them when it compiled the model.
inline Mesh mujoco_triangles(const mjModel& model, int mesh) {
  Mesh made;
  const float* vertex = model.mesh_vert + 3 * static_cast<std::size_t>(model.mesh_vertadr[mesh]);
  for (int i = 0; i < model.mesh_vertnum[mesh]; ++i, vertex += 3) {
    made.vertices_m.push_back({vertex[0], vertex[1], vertex[2]});
  }
  const int* face = model.mesh_face + 3 * static_cast<std::size_t>(model.mesh_faceadr[mesh]);
  for (int i = 0; i < model.mesh_facenum[mesh]; ++i, face += 3) {
    made.triangles.push_back({static_cast<std::uint32_t>(face[0]), static_cast<std::uint32_t>(face[1]),
                              static_cast<std::uint32_t>(face[2])});
  }
  return made;
}

/// The mesh of a geom, not scaled.
inline Mesh mujoco_mesh(const mjModel& model, int geom, std::uint32_t segments) {
  const auto* size = model.geom_size + 3 * geom;
  switch (model.geom_type[geom]) {
    case mjGEOM_PLANE:
      return make_plane(2.0, 2.0);
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
      return make_sphere(1.0, segments);
    case mjGEOM_CYLINDER:
      return make_cylinder(1.0, 2.0, segments);
    case mjGEOM_BOX:
      return make_box({2.0, 2.0, 2.0});
    case mjGEOM_CAPSULE:
      return make_capsule(static_cast<double>(size[0]), 2.0 * static_cast<double>(size[1]), segments);
    case mjGEOM_HFIELD:
      return mujoco_height_field(model, model.geom_dataid[geom]);
    default:
      break;
  }
  if (model.geom_dataid[geom] >= 0) return mujoco_triangles(model, model.geom_dataid[geom]);
  throw InputError("geom " + std::to_string(geom) + ": type " + std::to_string(model.geom_type[geom]) +
                   " is not one that the mirror knows");
}

}  // namespace fathom::detail

namespace fathom {

inline constexpr int kMujocoGroups = 6;  ///< of geoms; mj_ray counts a group outside of them as the nearest

/// Selects the mirrored geoms: mj_ray would meet them with the same geomgroup, bodyexclude and flg_static.
struct MirrorOptions {
  std::array<bool, kMujocoGroups> groups = {true, true, true, true, true, true};
  std::vector<std::string> exclude_bodies = {};  ///< by name; their children are mirrored
  bool statics = true;                           ///< geoms of bodies that are welded to the world
  /// Side of the square that stands for a plane that is infinite, around the plane's origin.
  double infinite_plane_m = 1e4;
  std::uint32_t segments = kUsualSegments;  ///< of round geoms: make_sphere() has their error
};

/// Size of an image; 0 x 0: the resolution that the camera has in the model (MuJoCo 3).
struct MirrorImage {
  std::uint32_t width = 0, height = 0;
};

/// The geoms of a model as entities of a scene. The entity of the i-th geom that is mirrored has EntityId i, and the
/// geom's name, or geom_17 for geom 17 without one. After them stand entities without a mesh, to hang sensors on: one
/// for each camera (camera/<name>) and each site (site/<name>). The groups of an entity are "group/2", by its geom's
/// group, and "body/<name>"; a sensor can ignore them (Sensor::ignore_groups).
///
/// Planes are seen only from above, as by mj_ray. Geoms with alpha 0, in the geom or in its
/// material, are left out as mj_ray leaves them out. Flexes and skins are not mirrored, signed distance fields by the
/// mesh that shows them.
///
/// The model must outlive the mirror, and its geoms stay as they are; for another model make another mirror. A mirror
/// may be used for many scenes, by one thread at a time.
class MujocoMirror {
 public:
  /// Throws InputError for a null model, a body that is not there, or when no geom is left.
  explicit MujocoMirror(const mjModel* model, MirrorOptions options = MirrorOptions())
      : model_(model), options_(std::move(options)) {
    if (model == nullptr) throw InputError("the model of MuJoCo is null");
    if (!(options_.infinite_plane_m > 0.0 && options_.infinite_plane_m <= kMostPrimitiveM)) {
      throw InputError("infinite_plane_m is not in (0, 1e6] m");
    }
    find_geoms();
    if (geom_ids_.empty()) throw InputError("the model of MuJoCo has no geom that the options leave");
    entity_of_geom_.assign(static_cast<std::size_t>(model_->ngeom), kNoEntity);
    for (std::size_t i = 0; i < geom_ids_.size(); ++i) {
      entity_of_geom_[static_cast<std::size_t>(geom_ids_[i])] = static_cast<EntityId>(i);
    }
    name_entities();
    for (std::size_t i = 0; i < names_.size(); ++i) entities_.push_back(static_cast<EntityId>(i));
  }

  /// The scene with everything where `data` has it.
  [[nodiscard]] Scene scene(const mjData* data) const {
    Scene scene;
    Meshes meshes;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Entity entity;
      entity.name = names_[i];
      entity.parent_from_entity = pose(data, i);
      entity.mesh = kNoMesh;
      if (i < geom_ids_.size()) describe(geom_ids_[i], scene, meshes, entity);
      scene.add_entity(std::move(entity));
    }
    return scene;
  }

  /// Places the entities that are elsewhere in `data` than in the scene, which scene() made; returns how many these
  /// were. In steady state nothing is allocated. Throws InputError for another scene.
  std::size_t update(const mjData* data, Scene& scene) {
    if (scene.entities().size() < names_.size() || scene.entities().front().name != names_.front()) {
      throw InputError("the scene is not one that the mirror made");
    }
    moved_.clear(), positions_m_.clear(), quaternions_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Pose now = pose(data, i);
      const Trajectory& before = scene.entities()[i].parent_from_entity;
      if (before.is_fixed() && is_same(before.keys().front().pose, now)) continue;
      moved_.push_back(entities_[i]);
      append(now, positions_m_, quaternions_);
    }
    if (!moved_.empty()) scene.set_poses(moved_, positions_m_, quaternions_);
    return moved_.size();
  }

  /// What Environments::set_entity_poses() takes with entities(): positions [K, 3] in m and quaternions (w, x, y, z)
  /// [K, 4], appended.
  void append_poses(const mjData* data, std::vector<double>& positions_m, std::vector<double>& quaternions_wxyz) const {
    for (std::size_t i = 0; i < names_.size(); ++i) append(pose(data, i), positions_m, quaternions_wxyz);
  }
  /// All entities of the mirror, including cameras and sites.
  [[nodiscard]] std::span<const EntityId> entities() const { return entities_; }

  /// The geoms that are mirrored, by MuJoCo's id: geom_ids()[index(entity)].
  [[nodiscard]] std::span<const int> geom_ids() const { return geom_ids_; }
  /// MuJoCo's id for an element of Frame::entity_id(); -1: none, as mj_ray says it.
  [[nodiscard]] int geom_id(std::uint32_t entity_id) const {
    return entity_id < geom_ids_.size() ? geom_ids_[entity_id] : -1;
  }
  /// Throws InputError for a geom that is not there, or not mirrored.
  [[nodiscard]] EntityId geom(std::string_view name) const {
    return geom(find("geom", model_->name_geomadr, model_->ngeom, name));
  }
  [[nodiscard]] EntityId geom(int geom_id) const {
    const bool is_there = geom_id >= 0 && geom_id < static_cast<int>(model_->ngeom);
    const EntityId entity = is_there ? entity_of_geom_[static_cast<std::size_t>(geom_id)] : kNoEntity;
    if (entity != kNoEntity) return entity;
    throw InputError("geom " + std::to_string(geom_id) +
                     (is_there ? " is not mirrored: the options or its alpha of 0 leave it out"
                               : " is not in [0, " + std::to_string(model_->ngeom) + ")"));
  }

  /// Other parameters of noise for the returns from a geom, by name or id: {StereoEnergy{}, {mirror.row("window",
  /// StereoEnergy{.min_energy = 0.4F})}} is an entry of a chain.
  template <class Geom>
  [[nodiscard]] EntityEntry row(const Geom& name_or_id, Noise noise) const {
    return {geom(name_or_id), std::move(noise)};
  }

  /// The intrinsics of a camera of the model, as MuJoCo renders an image of that size: of its field of view, or of its
  /// sensor and focal length where it has these. The caller gives it a baseline, or makes a DepthCamera of it. Throws
  /// InputError for a camera that is not there, or without a size.
  [[nodiscard]] StereoCamera camera(std::string_view name, MirrorImage image = {}) const {
    const int id = find("camera", model_->name_camadr, model_->ncam, name);
    if (is_orthographic(*model_, id)) {
      throw InputError("camera '" + std::string(name) + "' is orthographic: its rays do not come from one point");
    }
    StereoCamera camera;
    complete(id, image);
    if (image.width == 0 || image.height == 0) {
      throw InputError("camera '" + std::string(name) + "' has no resolution in the model: give width and height");
    }
    camera.width = image.width, camera.height = image.height;
    if (set_lens(id, camera)) return camera;
    camera.fx = 0.5 * image.height / std::tan(0.5 * static_cast<double>(model_->cam_fovy[id]) * kRadPerDeg);
    return camera;
  }

  /// A sensor at a camera or a site of the model. At a camera it looks where MuJoCo's camera looks; at a site it looks
  /// along x, with z up. It passes through the geoms of the body that carries it, unless that is the world or
  /// `see_own_body`; noise and name are the caller's.
  [[nodiscard]] Sensor on_camera(std::string_view name, SensorModel model, bool see_own_body = false) const {
    const int id = find("camera", model_->name_camadr, model_->ncam, name);
    const std::size_t entity = geom_ids_.size() + static_cast<std::size_t>(id);
    // MuJoCo's cameras look along -z with y up.
    const Pose camera_from_sensor = {{}, {0.5, -0.5, 0.5, 0.5}};
    return carried(entity, model_->cam_bodyid[id], name, std::move(model), see_own_body, camera_from_sensor);
  }
  [[nodiscard]] Sensor on_site(std::string_view name, SensorModel model, bool see_own_body = false) const {
    const int id = find("site", model_->name_siteadr, model_->nsite, name);
    const std::size_t entity = geom_ids_.size() + static_cast<std::size_t>(model_->ncam + id);
    return carried(entity, model_->site_bodyid[id], name, std::move(model), see_own_body, {});
  }

  /// Groups of entities, for Sensor::ignore_groups: the geoms of a body, or of a group of geoms.
  [[nodiscard]] std::string body_group(std::string_view body) const {
    return std::string("body/").append(
        name_of(model_->name_bodyadr, find("body", model_->name_bodyadr, model_->nbody, body), "body_"));
  }
  [[nodiscard]] static std::string geom_group(int group) {
    return std::string("group/").append(std::to_string(clamped(group)));
  }

 private:
  /// Versions of MuJoCo before 3.3 have only perspective cameras.
  template <class Model>
  static bool is_orthographic(const Model& model, int camera) {
    if constexpr (requires { model.cam_orthographic; }) {
      return model.cam_orthographic[camera] != 0;
    } else {
      return false;
    }
  }

  /// Meshes that several geoms share, by type and sizes.
  using Meshes = std::map<detail::MujocoShapeKey, MeshId>;

  static int clamped(int group) { return group < 0 ? 0 : group >= kMujocoGroups ? kMujocoGroups - 1 : group; }

  [[nodiscard]] std::string name_of(const int* addresses, int id, const char* without) const {
    std::string name = model_->names + addresses[id];
    if (name.empty()) name.append(without).append(std::to_string(id));
    return name;
  }

  template <class Count>
  [[nodiscard]] int find(const char* what, const int* addresses, Count count, std::string_view name) const {
    for (int id = 0; id < static_cast<int>(count) && !name.empty(); ++id) {
      if (name == model_->names + addresses[id]) return id;
    }
    std::string message = std::string(what) + " '" + std::string(name) + "' is not in the model, which has";
    for (int id = 0; id < static_cast<int>(count); ++id) {
      message.append(id == 0 ? " " : ", ").append(name_of(addresses, id, "?"));
    }
    throw InputError(count == 0 ? message + " none" : message);
  }

  [[nodiscard]] bool is_invisible(int geom) const {
    const int material = model_->geom_matid[geom];
    const float* rgba = material < 0 ? model_->geom_rgba + 4 * geom : model_->mat_rgba + 4 * material;
    return rgba[3] == 0.0F;
  }

  void find_geoms() {
    std::set<int> excluded;
    for (const std::string& body : options_.exclude_bodies) {
      excluded.insert(find("body", model_->name_bodyadr, model_->nbody, body));
    }
    for (int geom = 0; geom < static_cast<int>(model_->ngeom); ++geom) {
      const int body = model_->geom_bodyid[geom];
      if (!options_.groups[static_cast<std::size_t>(clamped(model_->geom_group[geom]))]) continue;
      if (excluded.contains(body) || is_invisible(geom)) continue;
      if (!options_.statics && model_->body_weldid[body] == 0) continue;
      geom_ids_.push_back(geom);
    }
  }

  void name_entities() {
    std::set<std::string> taken;
    const auto add = [&](std::string name) {
      while (!taken.insert(name).second) name += '_';  // a geom may be called geom_17 or camera/eyes
      names_.push_back(std::move(name));
    };
    for (int geom = 0; geom < static_cast<int>(model_->ngeom); ++geom) {  // names of the model go before made ones
      if (entity_name_is_given(geom)) taken.insert(model_->names + model_->name_geomadr[geom]);
    }
    for (const int geom : geom_ids_) {
      if (entity_name_is_given(geom)) {
        names_.emplace_back(model_->names + model_->name_geomadr[geom]);
      } else {
        add("geom_" + std::to_string(geom));
      }
    }
    for (int id = 0; id < static_cast<int>(model_->ncam); ++id) {
      add("camera/" + name_of(model_->name_camadr, id, ""));
    }
    for (int id = 0; id < static_cast<int>(model_->nsite); ++id) add("site/" + name_of(model_->name_siteadr, id, ""));
  }
  [[nodiscard]] bool entity_name_is_given(int geom) const { return model_->names[model_->name_geomadr[geom]] != '\0'; }

  /// From numbers of `data`: a position [3] and a matrix [3, 3].
  template <class Number>
  static Pose pose_from(const Number* position, const Number* matrix) {
    std::array<double, 9> r;
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = static_cast<double>(matrix[k]);
    return {{static_cast<double>(position[0]), static_cast<double>(position[1]), static_cast<double>(position[2])},
            detail::quaternion_from(r)};
  }

  [[nodiscard]] Pose pose(const mjData* data, std::size_t entity) const {
    if (entity < geom_ids_.size()) {
      const int geom = geom_ids_[entity];
      return pose_from(data->geom_xpos + 3 * geom, data->geom_xmat + 9 * geom);
    }
    const std::size_t camera = entity - geom_ids_.size(), cameras = static_cast<std::size_t>(model_->ncam);
    if (camera < cameras) return pose_from(data->cam_xpos + 3 * camera, data->cam_xmat + 9 * camera);
    const std::size_t site = camera - cameras;
    return pose_from(data->site_xpos + 3 * site, data->site_xmat + 9 * site);
  }

  /// As Scene keeps it: normalised anew, so that the last bits of a rotation may differ.
  static bool is_same(const Pose& a, const Pose& b) {
    constexpr double kLastBits = 4e-16;
    const Quaternion &p = a.rotation, &q = b.rotation;
    return a.translation_m == b.translation_m && std::abs(p.w - q.w) <= kLastBits && std::abs(p.x - q.x) <= kLastBits &&
           std::abs(p.y - q.y) <= kLastBits && std::abs(p.z - q.z) <= kLastBits;
  }

  static void append(const Pose& pose, std::vector<double>& positions_m, std::vector<double>& quaternions_wxyz) {
    const Vec3& p = pose.translation_m;
    const Quaternion& q = pose.rotation;
    positions_m.insert(positions_m.end(), {p.x, p.y, p.z});
    quaternions_wxyz.insert(quaternions_wxyz.end(), {q.w, q.x, q.y, q.z});
  }

  void describe(int geom, Scene& scene, Meshes& meshes, Entity& entity) const {
    entity.groups = {geom_group(model_->geom_group[geom]),
                     "body/" + name_of(model_->name_bodyadr, model_->geom_bodyid[geom], "body_")};
    const auto [size, key] = detail::mujoco_shape(*model_, geom, options_.infinite_plane_m);
    entity.scale = size;
    entity.one_sided = model_->geom_type[geom] == mjGEOM_PLANE;
    const auto known = meshes.find(key);
    if (known != meshes.end()) {
      entity.mesh = known->second;
      return;
    }
    entity.mesh = scene.add_mesh(detail::mujoco_mesh(*model_, geom, options_.segments), entity.name);
    meshes.emplace(key, entity.mesh);
  }

  /// Fills in the image properties that the model gives a camera.
  void complete(int camera, MirrorImage& image) const {
#if mjVERSION_HEADER >= 300
    if (image.width != 0 || image.height != 0) return;
    const int* resolution = model_->cam_resolution + 2 * camera;
    if (resolution[0] > 1 || resolution[1] > 1) {  // 1 x 1 stands for none
      image = {static_cast<std::uint32_t>(resolution[0]), static_cast<std::uint32_t>(resolution[1])};
    }
#else
    static_cast<void>(camera), static_cast<void>(image), static_cast<void>(this);
#endif
  }

  /// Whether the model gives the camera a sensor and a focal length.
  bool set_lens(int id, StereoCamera& camera) const {
#if mjVERSION_HEADER >= 300
    const float *sensor = model_->cam_sensorsize + 2 * id, *lens = model_->cam_intrinsic + 4 * id;
    if (!(sensor[0] > 0.0F && sensor[1] > 0.0F)) return false;
    // The principal point is given from the middle, as the image's share to the right of it and above it grow.
    const double wide = camera.width / static_cast<double>(sensor[0]),
                 high = camera.height / static_cast<double>(sensor[1]);
    camera.fx = lens[0] * wide, camera.fy = lens[1] * high;
    camera.principal_point_px = {
        {0.5 * (camera.width - 1.0) - lens[2] * wide, 0.5 * (camera.height - 1.0) + lens[3] * high}};
    return true;
#else
    static_cast<void>(id), static_cast<void>(camera), static_cast<void>(this);
    return false;
#endif
  }

  [[nodiscard]] Sensor carried(std::size_t entity, int body, std::string_view name, SensorModel model,
                               bool see_own_body, const Pose& carrier_from_sensor) const {
    Sensor sensor;
    sensor.name = name;
    sensor.model = std::move(model);
    sensor.parent = static_cast<EntityId>(entity);
    sensor.parent_from_sensor = carrier_from_sensor;
    if (body != 0 && !see_own_body) {
      sensor.ignore_groups.push_back("body/" + name_of(model_->name_bodyadr, body, "body_"));
    }
    return sensor;
  }

  const mjModel* model_;
  MirrorOptions options_;
  std::vector<int> geom_ids_;
  std::vector<EntityId> entity_of_geom_;  // [geoms of the model]
  std::vector<std::string> names_;        // of the entities: geoms, cameras, sites
  std::vector<EntityId> entities_;
  std::vector<EntityId> moved_;  // by the last update()
  std::vector<double> positions_m_, quaternions_;
};

}  // namespace fathom
