// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/trajectory.hpp>

namespace fathom {

inline constexpr std::array<std::string_view, 3> kIncidenceLawNames = {"lambert", "table", "retro"};

/// A surface that lets light pass or mirrors it: a pane, a mirror, water. Sensors follow the light through it
/// (docs/glass.md). With a refractive index the mirrored share is Fresnel's, averaged over both polarisations:
///
///   cos(b) = sqrt(1 - (sin(a) / n)^2)
///   R      = (((cos(a) - n cos(b)) / (cos(a) + n cos(b)))^2 + ((n cos(a) - cos(b)) / (n cos(a) + cos(b)))^2) / 2
///   pane   = 2 R / (1 + R), of both faces without interference (Hecht: Optics, sections 4.6 and 9.6)
///
/// at the angle a; the rest of the light that is not scattered passes, or is absorbed if the surface is opaque. A pane
/// is one sheet of triangles, and the way through it is longer by thickness * (sqrt(n^2 - sin(a)^2) - cos(a)). Not
/// modelled: the shift of the ray by a pane, colour, and refraction into a body.
///
/// A film of water on a matt surface covers the share c of it, which is full at 1.2 mm, the depth of coarse asphalt.
/// Light that enters the film and leaves it again is reflected in it, too. With R of water and the reflectivity rho:
///
///   mirrored = c R,   law(a) rho becomes law(a) rho (1 - c + c (1 - R)^2 / (1 - rho R))
///
/// Source: Hahner et al., "LiDAR snowfall simulation for robust 3D object detection", CVPR 2022, section 4, and its
/// program, which takes the larger polarisation instead of the mean and divides the share of the film by the angle.
struct SurfaceOptics {
  float refractive_index = 1.0F;
  float thickness_m = 0.0F;
  float diffuse = 0.0F;
  float mirror = 0.0F;
  float roughness_rad = 0.0F;
  bool opaque = false;
  float water_film_mm = 0.0F;

  static constexpr std::string_view kSlug = "optics";
  static constexpr std::string_view kDoc = "A surface that lets light pass or mirrors it.";
  static constexpr auto fields() {
    return std::array<Field<SurfaceOptics>, 7>{{
        {"refractive_index", "1", &SurfaceOptics::refractive_index, 1, 5, "of glass or water; 1: none"},
        {"thickness_m", "m", &SurfaceOptics::thickness_m, 0, 1, "of a pane"},
        {"diffuse", "1", &SurfaceOptics::diffuse, 0, 1, "share of the light that the surface scatters"},
        {"mirror", "1", &SurfaceOptics::mirror, 0, 1, "share that a metal mirrors, at any angle"},
        {"roughness_rad", "rad", &SurfaceOptics::roughness_rad, 0, 0.5, "half angle by which mirrored light spreads"},
        {"opaque", "1", &SurfaceOptics::opaque, 0, 1, "whether it absorbs the light that enters it"},
        {"water_film_mm", "mm", &SurfaceOptics::water_film_mm, 0, 10, "of water on a matt surface"},
    }};
  }
  /// Throws InputError for both an index and a mirror, for more light than there is, and for keys without effect.
  FATHOM_API void check() const;

  friend bool operator==(const SurfaceOptics&, const SurfaceOptics&) = default;
  /// Whether light passes or is mirrored by the surface itself, which `diffuse` then describes.
  [[nodiscard]] constexpr bool is_clear() const { return refractive_index > 1.0F || mirror > 0.0F; }
  /// Whether rays are followed from it.
  [[nodiscard]] constexpr bool leads_on() const { return is_clear() || water_film_mm > 0.0F; }
};

struct Material {
  /// The share of light that a surface sends back, by the angle a at which it is struck.
  ///
  ///   lambert   reflectivity * cos(a): matt surfaces (Lambert, Photometria 1760), and entities without a material
  ///   table     reflectivity * (value at a, linear between the entries), measured: [[0, 1], [60, 0.4], [90, 0]] in
  ///             degrees. Constant before the first entry and after the last one
  ///   retro     reflectivity * (cos(a) + gain * exp(-(a / width)^2)): signs, number plates and tape, a lobe back to
  ///   the
  ///             emitter on a matt surface. The form is fathom's own; sheeting keeps most of its coefficient of
  ///             retroreflection at an entrance angle of -4 degrees and less of it at +30 (the two angles of ASTM
  ///             D4956)
  ///
  /// A white matt surface struck head-on has an intensity of 1. A gain, or a value above 1, makes it brighter.
  /// docs/intensity.md has figures for surfaces, with their sources.
  enum class Law : std::uint8_t { kLambert, kTable, kRetro };

  /// An entry of Material::table.
  struct TableEntry {
    float angle_rad = 0.0F;  ///< [0, pi/2]
    float value = 0.0F;      ///< [0, 1000]
  };

  std::string name;           ///< not empty, unique in the scene
  float reflectivity = 1.0F;  ///< [0, 1]; if optics is clear, not read: `diffuse` takes its place
  Law law = Law::kLambert;
  std::vector<TableEntry> table = {};  ///< of kTable: 2 to 64 entries, angles ascending; else empty
  float gain = 0.0F;                   ///< of kRetro: (0, 1000]; else 0
  float width_rad = 0.0F;              ///< of kRetro: (0, pi/2]; else 0
  SurfaceOptics optics = {};
};

inline constexpr std::array<std::string_view, 4> kMaterialPresets = {"window_glass", "mirror", "still_water",
                                                                     "polished_steel"};
/// A material of these. Throws InputError naming the nearest preset.
FATHOM_API Material preset_material(std::string name, std::string_view preset);

/// A mesh placed in the world (or in the frame of another entity).
struct Entity {
  std::string name;                    ///< unique in the scene, not empty
  MeshId mesh = {};                    ///< kNoMesh: invisible, only a frame for its children
  Trajectory parent_from_entity = {};  ///< pose over time, in the world or in the parent's frame
  Vec3 scale = {1, 1, 1};  ///< per axis, applied in the mesh's frame; != 0 and finite. Not inherited by children. No
                           ///< vertex may come to lie beyond kMaxCoordinateM.
  EntityId parent = kNoEntity;
  float reflectivity = 1.0F;  ///< [0, 1]; intensity = reflectivity * cos(incidence). With a material, not read.
  /// Whether it is one thing with its parent, such as a second mesh of one link of a robot: a sensor that ignores the
  /// parent ignores it, too. Has no effect without a parent.
  bool part_of_parent = false;
  std::vector<std::string> groups = {};  ///< names, not empty, under which a sensor can ignore many entities at once
  std::string label = {};                ///< name of its Label; may be empty
  std::string material = {};             ///< name of its Material, which the scene has already; may be empty
  /// Whether rays pass through its triangles from behind. On the front of a triangle its corners run counter-clockwise
  /// in the frame of the mesh. A negative scale mirrors the fronts with the mesh, so that its outside stays visible. A
  /// ray along a triangle meets neither side.
  bool one_sided = false;
};

/// Meshes and the entities that place them. Ids count from 0 in the order of adding. A Scene is always valid:
/// every call that would break it throws InputError and changes nothing.
class FATHOM_API Scene {
 public:
  MeshId add_mesh(Mesh mesh, std::string name = {});
  /// A label that the scene does not have yet gets the id after the highest so far.
  EntityId add_entity(Entity entity);
  /// Adds a label with an id of your choice, before the entities that have it.
  void add_label(Label label);
  /// Adds a material, before the entities that have it.
  void add_material(Material material);

  /// Places an entity by hand from now on, relative to its parent; ends its keyed motion.
  void set_pose(EntityId entity, const Pose& parent_from_entity);
  /// set_pose() of K entities at once: positions [K, 3] and quaternions (w, x, y, z) [K, 4]. If an entity is listed
  /// twice, the later pose counts.
  void set_poses(std::span<const EntityId> entities, std::span<const double> positions_m,
                 std::span<const double> quaternions_wxyz);
  /// Moves an entity along a trajectory from now on, relative to its parent.
  void set_motion(EntityId entity, Trajectory parent_from_entity);
  /// Attaches an entity to another (or to the world: kNoEntity). A cycle is an error.
  void set_parent(EntityId entity, EntityId parent);
  /// Replaces the vertices of a mesh, same count and triangles (deforming meshes: the tree is refitted). They are
  /// relative to Mesh::origin_m, which stays.
  void replace_vertices(MeshId mesh, std::span<const std::array<float, 3>> vertices_m);

  /// The entity itself; for a part (part_of_parent) the whole that its parent belongs to.
  [[nodiscard]] EntityId whole_of(EntityId entity) const;
  /// The place is not checked: a chain of parents that leads beyond kMaxCoordinateM is refused when it is cast.
  [[nodiscard]] Pose world_from_entity(EntityId entity, double stamp_s) const;
  [[nodiscard]] EntityId find_entity(std::string_view name) const;  ///< throws InputError, naming the nearest name
  [[nodiscard]] const std::vector<Entity>& entities() const { return entities_; }
  [[nodiscard]] const std::vector<Mesh>& meshes() const { return meshes_; }
  [[nodiscard]] const std::vector<Label>& labels() const { return labels_; }           ///< in the order of adding
  [[nodiscard]] const std::vector<Material>& materials() const { return materials_; }  ///< in the order of adding
  /// The entity's material; null without one.
  [[nodiscard]] const Material* material_of(EntityId entity) const;
  /// Id of the entity's label; 0 without one.
  [[nodiscard]] std::uint32_t label_id(EntityId entity) const { return label_ids_[index(entity)]; }
  [[nodiscard]] std::string_view mesh_name(MeshId mesh) const { return mesh_names_[index(mesh)]; }
  /// Counts replace_vertices() on a mesh, so that a caster knows which trees to refit.
  [[nodiscard]] std::uint32_t mesh_version(MeshId mesh) const { return mesh_versions_[index(mesh)]; }
  /// Counts every change of the scene.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  /// Counts the changes of the set of entities and their parents; poses do not count.
  [[nodiscard]] std::uint64_t structure_revision() const { return structure_revision_; }
  /// Whether any entity moves by itself as time passes.
  [[nodiscard]] bool moves() const;

 private:
  FATHOM_HIDDEN void check_label(const Label& label) const;
  FATHOM_HIDDEN Label label_of(const Entity& entity) const;
  FATHOM_HIDDEN void check_entity(const Entity& entity) const;
  FATHOM_HIDDEN void check_id(EntityId entity) const;
  FATHOM_HIDDEN void check_scaled(const Entity& entity, const Vec3& reach_m) const;

  std::vector<Mesh> meshes_;
  std::vector<std::string> mesh_names_;
  std::vector<std::uint32_t> mesh_versions_;
  std::vector<Vec3> mesh_reach_m_;  // per axis, the coordinate of a vertex that is farthest from 0
  std::vector<Entity> entities_;
  std::vector<Label> labels_;
  std::vector<Material> materials_;
  std::vector<std::uint32_t> label_ids_;  // [entities]
  std::map<std::string, EntityId, std::less<>> ids_;
  std::vector<bool> has_children_;  // [entities]; stays true when they are taken away
  std::uint64_t revision_ = 0, structure_revision_ = 0;
};

}  // namespace fathom
