// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include <fathom/core/error.hpp>
#include <fathom/files/meshes.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/scene/mesh.hpp>

#include "arguments.hpp"
#include "beam_values.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

using MeshPtr = std::shared_ptr<Mesh>;

/// Throws InputError where float32 loses a millimetre of a vertex.
void check_rounding(const py::object& value, std::string_view name, const Floats& kept) {
  if (py::isinstance<py::array_t<float>>(value)) return;
  const Doubles given = doubles(value, name, {{-1, 3}, "(V, 3)"});
  for (py::ssize_t i = 0; i < given.size(); ++i) {
    const double lost_m = std::abs(given.data()[i] - double{kept.data()[i]});
    if (!(lost_m > 1e-3)) continue;
    throw InputError(std::string(name) + ": " + std::to_string(given.data()[i]) + " m is off by " +
                     std::to_string(lost_m) + " m in float32; subtract an origin (Mesh: origin_m)");
  }
}

std::vector<std::array<float, 3>> vertices_of(const py::object& value, std::string_view name) {
  const Floats given = floats(value, name, {{-1, 3}, "(V, 3)"});
  check_rounding(value, name, given);
  std::vector<std::array<float, 3>> made(static_cast<std::size_t>(given.shape(0)));
  if (!made.empty()) std::memcpy(made.data(), given.data(), made.size() * sizeof(made[0]));
  return made;
}

MeshPtr make_mesh(const py::object& vertices, const py::object& triangles, const py::object& origin_m) {
  auto mesh = std::make_shared<Mesh>();
  mesh->vertices_m = vertices_of(vertices, "vertices");
  const auto most = static_cast<std::int64_t>(mesh->vertices_m.size()) - 1;
  const Integers corners = integers(triangles, "triangles", {{-1, 3}, "(T, 3)"}, 0, most);
  mesh->triangles.resize(static_cast<std::size_t>(corners.shape(0)));
  for (std::size_t i = 0; i < mesh->triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) mesh->triangles[i][k] = static_cast<std::uint32_t>(corners.data()[3 * i + k]);
  }
  if (!origin_m.is_none()) mesh->origin_m = vec3(origin_m, "origin_m");
  validate(*mesh);
  return mesh;
}

MeshPtr keep(Mesh mesh) { return std::make_shared<Mesh>(std::move(mesh)); }

py::array mesh_view(const MeshPtr& mesh, const void* data, std::size_t rows, const py::dtype& type) {
  const py::capsule owner(new MeshPtr(mesh), [](void* p) { delete static_cast<MeshPtr*>(p); });
  return readonly_view(type, {static_cast<py::ssize_t>(rows), 3}, data, owner);
}

void bind_mesh(py::module_& m) {
  py::class_<Mesh, MeshPtr>(m, "Mesh", "A triangle mesh in its own frame; never changes.")
      .def(py::init(&make_mesh), "vertices"_a, "triangles"_a, "origin_m"_a = py::none(),
           "vertices [V, 3], m, kept as float32; triangles [T, 3], whole numbers that count vertices from 0; origin_m "
           "[3], m:\n"
           "vertices are relative to it (None: 0). Vertices that float32 would move by more than 1 mm are refused: "
           "subtract an origin.")
      .def_property_readonly(
          "vertices",
          [](const MeshPtr& p) {
            return mesh_view(p, p->vertices_m.data(), p->vertices_m.size(), py::dtype::of<float>());
          },
          "float32 [V, 3], m, relative to origin_m; read-only, no copy.")
      .def_property_readonly(
          "origin_m", [](const Mesh& p) { return array_of(p.origin_m); },
          "float64 [3], m, in the frame of the mesh. read_mesh() sets it for a mesh far away, such as one in UTM; else "
          "0.")
      .def_property_readonly(
          "triangles",
          [](const MeshPtr& p) {
            return mesh_view(p, p->triangles.data(), p->triangles.size(), py::dtype::of<std::int32_t>());
          },
          "int32 [T, 3]; read-only, no copy.")
      .def("__repr__", [](const Mesh& p) {
        return "Mesh of " + std::to_string(p.vertices_m.size()) + " vertices, " + std::to_string(p.triangles.size()) +
               " triangles";
      });
  m.def(
      "plane",
      [](const py::object& size) {
        const Doubles given = doubles(size, "size_m", {{2}, "(2,)"});
        return keep(make_plane(given.data()[0], given.data()[1]));
      },
      "size_m"_a, "A rectangle in the x-y plane, centred, facing +z; size_m [2].");
  m.def(
      "box", [](const py::object& size) { return keep(make_box(vec3(size, "size_m"))); }, "size_m"_a,
      "A centred box; size_m [3].");
  m.def(
      "sphere", [](double r, std::uint32_t n) { return keep(make_sphere(r, n)); }, "radius_m"_a,
      "segments"_a = kUsualSegments, "A centred inscribed sphere; segments: its meridians, 8 to 1024.");
  m.def(
      "cylinder", [](double r, double h, std::uint32_t n) { return keep(make_cylinder(r, h, n)); }, "radius_m"_a,
      "height_m"_a, "segments"_a = kUsualSegments, "A centred closed cylinder along z, inscribed.");
  m.def(
      "read_mesh",
      [](const std::filesystem::path& file, const std::optional<std::string>& up_axis) {
        return keep(read_mesh(file, up_axis_of(up_axis)));
      },
      "file"_a, "up_axis"_a = py::none(),
      "Reads OBJ, PLY, STL, glTF/GLB or DAE, joined, in m, turned so that up_axis ('x', 'y' or 'z') becomes z. "
      "Without\n"
      "it: y for glTF, what the file says for DAE, z for the others.");
}

MeshId mesh_of(const Scene& scene, py::handle mesh) {
  if (py::isinstance<py::str>(mesh)) {
    const auto name = py::cast<std::string>(mesh);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < scene.meshes().size(); ++i) names.push_back(scene.mesh_name(static_cast<MeshId>(i)));
    return static_cast<MeshId>(position_of(name, names, "mesh"));
  }
  if (scene.meshes().empty()) throw InputError("mesh: the scene has no mesh");
  return static_cast<MeshId>(whole(mesh, "mesh", 0, scene.meshes().size() - 1));
}

std::uint32_t add_mesh(Scene& scene, const py::object& mesh, const py::object& triangles, const std::string& name) {
  if (py::isinstance<Mesh>(mesh)) {
    if (!triangles.is_none()) throw InputError("triangles: a Mesh has its own");
    return index(scene.add_mesh(*py::cast<MeshPtr>(mesh), name));
  }
  if (triangles.is_none()) throw InputError("triangles: shape () given, (T, 3) wanted, or a Mesh instead of vertices");
  return index(scene.add_mesh(std::move(*make_mesh(mesh, triangles, py::none())), name));
}

Vec3 scale_of(const py::object& scale) {
  if (PyFloat_Check(scale.ptr()) != 0 || PyLong_Check(scale.ptr()) != 0) {
    const double s = real(scale, "scale");
    return {s, s, s};
  }
  return vec3(scale, "scale");
}

/// Makes the checks of add_entity() before the mesh is added.
void check_alone(const Scene& scene, Entity entity, const Mesh& mesh) {
  for (const Entity& other : scene.entities()) {
    if (other.name == entity.name) throw InputError("entity '" + entity.name + "': the name is taken");
  }
  Scene alone;
  for (const Label& label : scene.labels()) alone.add_label(label);
  for (const Material& material : scene.materials()) alone.add_material(material);
  entity.mesh = alone.add_mesh(mesh);
  entity.parent = kNoEntity;
  alone.add_entity(std::move(entity));
}

std::uint32_t add_entity(Scene& scene, const std::string& name, const py::object& mesh, const py::object& pose,
                         const py::object& scale, const py::object& parent, float reflectivity,
                         const std::optional<std::string>& label, const std::vector<std::string>& groups,
                         bool part_of_parent, bool one_sided, const std::optional<std::string>& material) {
  Entity entity;
  entity.name = name;
  entity.parent_from_entity = trajectory_of(pose, "pose");
  entity.scale = scale_of(scale);
  if (!parent.is_none()) entity.parent = entity_of(scene, parent, "parent");
  entity.reflectivity = reflectivity;
  entity.label = label.value_or("");
  if (label && label->empty()) throw InputError("entity '" + name + "': label is empty; None: no label");
  entity.material = material.value_or("");
  if (material && material->empty()) throw InputError("entity '" + name + "': material is empty; None: no material");
  entity.groups = groups, entity.part_of_parent = part_of_parent, entity.one_sided = one_sided;
  if (!py::isinstance<Mesh>(mesh)) {
    entity.mesh = mesh.is_none() ? kNoMesh : mesh_of(scene, mesh);
    return index(scene.add_entity(std::move(entity)));
  }
  check_alone(scene, entity, *py::cast<MeshPtr>(mesh));
  entity.mesh = scene.add_mesh(*py::cast<MeshPtr>(mesh), name);
  return index(scene.add_entity(std::move(entity)));
}

std::vector<EntityId> entities_of(const Scene& scene, const py::object& ids) {
  std::vector<EntityId> made;
  if (py::isinstance<py::sequence>(ids) && !py::isinstance<py::array>(ids) && py::len(ids) > 0 &&
      py::isinstance<py::str>(py::reinterpret_borrow<py::sequence>(ids)[0])) {
    for (const py::handle id : ids) made.push_back(entity_of(scene, id, "ids"));
    return made;
  }
  const auto most = static_cast<std::int64_t>(scene.entities().size()) - 1;
  const Integers given = integers(ids, "ids", {{-1}, "(K,)"}, 0, most);
  for (const std::int64_t id : span_of(given)) made.push_back(static_cast<EntityId>(id));
  return made;
}

void set_poses(Scene& scene, const py::object& ids, const py::object& positions_m, const py::object& quat_wxyz,
               const py::object& quat_xyzw) {
  const std::vector<EntityId> entities = entities_of(scene, ids);
  const std::string wanted = "(" + std::to_string(entities.size()) + ", 3)";
  const Doubles positions =
      doubles(positions_m, "positions_m", {{static_cast<py::ssize_t>(entities.size()), 3}, wanted.c_str()});
  const std::vector<Pose> poses = poses_of(positions, quat_wxyz, quat_xyzw);
  for (const Pose& pose : poses) static_cast<void>(Trajectory(pose));  // refused before anything is moved
  for (std::size_t i = 0; i < poses.size(); ++i) scene.set_pose(entities[i], poses[i]);
}

void bind_entity(py::module_& m) {
  py::class_<Entity>(m, "Entity", "An entity of a scene as it was when it was asked for.")
      .def_readonly("name", &Entity::name)
      .def_property_readonly(
          "mesh", [](const Entity& e) { return e.mesh == kNoMesh ? py::object(py::none()) : py::int_(index(e.mesh)); },
          "The id of its mesh, or None: nothing to see.")
      .def_readonly("motion", &Entity::parent_from_entity, "Its pose over time, in the world or in its parent's frame.")
      .def_property_readonly(
          "scale", [](const Entity& e) { return array_of(e.scale); }, "[3]; a copy.")
      .def_property_readonly(
          "parent",
          [](const Entity& e) { return e.parent == kNoEntity ? py::object(py::none()) : py::int_(index(e.parent)); },
          "The id of the entity it hangs on, or None.")
      .def_readonly("reflectivity", &Entity::reflectivity)
      .def_property_readonly(
          "label",
          [](const Entity& e) { return e.label.empty() ? py::object(py::none()) : py::object(py::str(e.label)); },
          "The name of its label, or None.")
      .def_property_readonly(
          "material",
          [](const Entity& e) { return e.material.empty() ? py::object(py::none()) : py::object(py::str(e.material)); },
          "The name of its material, or None.")
      .def_readonly("groups", &Entity::groups, "The groups it is in; a copy.")
      .def_readonly("part_of_parent", &Entity::part_of_parent, "Whether it is one thing with its parent.")
      .def_readonly("one_sided", &Entity::one_sided, "Whether rays pass through its triangles from behind.")
      .def("__repr__", [](const Entity& e) { return "Entity('" + e.name + "')"; });
}

Label make_label(const std::string& name, const py::object& id, const py::object& color) {
  Label label;
  label.name = name, label.id = whole32(id, "id");
  if (!color.is_none()) {
    const Integers given = integers(color, "color", {{3}, "(3,)"}, 0, 255);
    label.color.emplace();
    for (std::size_t k = 0; k < 3; ++k) label.color->at(k) = static_cast<std::uint8_t>(given.data()[k]);
  }
  return label;
}

py::object color_tuple(const std::array<std::uint8_t, 3>& color) {
  return py::make_tuple(color[0], color[1], color[2]);
}

void add_material(Scene& scene, const std::string& name, const std::optional<float>& reflectivity,
                  const py::object& table, const std::optional<float>& gain, const std::optional<float>& width_rad,
                  const std::optional<std::string>& preset, const py::dict& optics) {
  Material material = preset ? preset_material(name, *preset) : Material{};
  material.name = name, material.reflectivity = reflectivity.value_or(1.0F);
  material.optics = model_of(optics, material.optics);
  if (reflectivity && material.optics.is_clear()) {
    throw InputError("material '" + name +
                     "': reflectivity is not for a surface that passes or mirrors light: give diffuse");
  }
  if (!table.is_none()) {
    material.law = Material::Law::kTable;
    const Doubles given = doubles(table, "table", {{-1, 2}, "(N, 2)"});
    for (py::ssize_t i = 0; i < given.shape(0); ++i) {
      material.table.push_back({static_cast<float>(given.data()[2 * i]), static_cast<float>(given.data()[2 * i + 1])});
    }
  }
  if (gain || width_rad) {
    if (!table.is_none()) throw InputError("material '" + name + "': a table and a gain are both given");
    material.law = Material::Law::kRetro;
    material.gain = gain.value_or(0.0F), material.width_rad = width_rad.value_or(0.0F);
  }
  scene.add_material(std::move(material));
}

void bind_changes(py::class_<Scene, std::shared_ptr<Scene>>& scene) {
  scene
      .def("add_mesh", &add_mesh, "mesh"_a, "triangles"_a = py::none(), "name"_a = "",
           "Adds a Mesh, or vertices [V, 3] (m) with triangles [T, 3]; returns its id.")
      .def("add_entity", &add_entity, "name"_a, "mesh"_a, "pose"_a = py::make_tuple(0, 0, 0), py::kw_only(),
           "scale"_a = 1.0, "parent"_a = py::none(), "reflectivity"_a = 1.0F, "label"_a = py::none(),
           "groups"_a = py::make_tuple(), "part_of_parent"_a = false, "one_sided"_a = false, "material"_a = py::none(),
           "Places a mesh (an id, a name or a Mesh, which is added too; None: only a place for others to hang on);\n"
           "returns the id of the entity.\n\n"
           "pose: a Pose, a position [3] or a Trajectory, in the world or in the parent's frame; scale: a number, or\n"
           "three for x, y, z of the mesh, not 0; parent: an entity by name or id; reflectivity: 0 to 1; label: the\n"
           "name of its class, which gets an id when it is new; groups: names under which a sensor can ignore many at\n"
           "once; part_of_parent: a sensor that ignores the parent ignores it, too; one_sided: rays pass through its\n"
           "triangles from behind. Their front is where their corners run counter-clockwise in the frame of the mesh; "
           "a\n"
           "negative scale mirrors the fronts with the mesh. material: a name of add_material(), whose reflectivity "
           "counts\n"
           "then.")
      .def(
          "add_material", &add_material, "name"_a, py::kw_only(), "reflectivity"_a = py::none(), "table"_a = py::none(),
          "gain"_a = py::none(), "width_rad"_a = py::none(), "preset"_a = py::none(), "optics"_a = py::dict(),
          "Adds what surfaces send back, before the first entity that has it: reflectivity (0 to 1; None: 1) times the "
          "cosine\n"
          "of the angle of incidence; or times a table [N, 2] of angles (rad, ascending) and values; or, with gain "
          "and\n"
          "width_rad, times cos(a) + gain exp(-(a / width)^2): a retro-reflector. preset: \"window_glass\", "
          "\"mirror\",\n"
          "\"still_water\" or \"polished_steel\"; optics: a dict of refractive_index, thickness_m, diffuse, mirror,\n"
          "roughness_rad and opaque, of a surface that light passes or that mirrors it; diffuse then replaces "
          "reflectivity;\n"
          "or water_film_mm, of a wet surface.")
      .def(
          "add_label",
          [](Scene& s, const std::string& name, const py::object& id, const py::object& color) {
            s.add_label(make_label(name, id, color));
          },
          "name"_a, "id"_a, "color"_a = py::none(),
          "Gives a label an id (1 to 65535) and a colour in pictures (red, green, blue; None: chosen by the id), "
          "before\n"
          "the first entity that has it.")
      .def(
          "set_pose",
          [](Scene& s, const py::object& e, const py::object& pose) {
            s.set_pose(entity_of(s, e, "entity"), pose_of(pose, "pose"));
          },
          "entity"_a, "pose"_a, "Places an entity from now on, relative to its parent; ends its keyed motion.")
      .def(
          "set_motion",
          [](Scene& s, const py::object& e, const py::object& motion) {
            s.set_motion(entity_of(s, e, "entity"), trajectory_of(motion, "motion"));
          },
          "entity"_a, "motion"_a, "Moves an entity along a Trajectory from now on, relative to its parent.")
      .def("set_poses", &set_poses, "ids"_a, "positions_m"_a, py::kw_only(), "quat_wxyz"_a = py::none(),
           "quat_xyzw"_a = py::none(),
           "The same for many: ids [K] (or names), positions_m [K, 3], quaternions [K, 4] or none: no rotation.\n"
           "Nothing moves when anything is refused.")
      .def(
          "set_parent",
          [](Scene& s, const py::object& e, const py::object& parent) {
            s.set_parent(entity_of(s, e, "entity"), parent.is_none() ? kNoEntity : entity_of(s, parent, "parent"));
          },
          "entity"_a, "parent"_a, "Hangs an entity on another, or on the world (None).")
      .def(
          "replace_vertices",
          [](Scene& s, const py::object& mesh, const py::object& vertices) {
            s.replace_vertices(mesh_of(s, mesh), vertices_of(vertices, "vertices"));
          },
          "mesh"_a, "vertices"_a,
          "Replaces the vertices [V, 3] (m) of a mesh: as many, and the same triangles.\n"
          "They are relative to Mesh.origin_m.");
}

void bind_labels(py::module_& m, py::class_<Scene, std::shared_ptr<Scene>>& scene) {
  py::class_<Label>(m, "Label", "A class of things, for segmentation: what an id of the channel label stands for.")
      .def(py::init(&make_label), "name"_a, "id"_a, "color"_a = py::none())
      .def_readonly("name", &Label::name)
      .def_readonly("id", &Label::id, "1 to 65535; 0 stands for what has no label.")
      .def_property_readonly(
          "color", [](const Label& l) { return l.color ? color_tuple(*l.color) : py::object(py::none()); },
          "Red, green, blue, or None: chosen by the id.")
      .def_property_readonly(
          "picture_color", [](const Label& l) { return color_tuple(color_of(l)); }, "Its colour in pictures.")
      .def("__repr__", [](const Label& l) { return "Label('" + l.name + "', " + std::to_string(l.id) + ")"; });
  scene
      .def_property_readonly(
          "labels",
          [](const Scene& s) {
            py::list list;
            for (const Label& label : s.labels()) list.append(label);
            return list;
          },
          "The labels, in the order of adding.")
      .def(
          "label_id", [](const Scene& s, const py::object& e) { return s.label_id(entity_of(s, e, "entity")); },
          "entity"_a, "The id of the entity's label; 0: no label.")
      .def(
          "whole_of", [](const Scene& s, const py::object& e) { return index(s.whole_of(entity_of(s, e, "entity"))); },
          "entity"_a, "The entity itself or, of a part, the id of the one that it is a part of.");
}

void bind_reading(py::class_<Scene, std::shared_ptr<Scene>>& scene) {
  scene
      .def(
          "find_entity", [](const Scene& s, const std::string& name) { return index(s.find_entity(name)); }, "name"_a,
          "The id of an entity; an unknown name is refused with the nearest one.")
      .def(
          "world_from_entity",
          [](const Scene& s, const py::object& e, double t) {
            return s.world_from_entity(entity_of(s, e, "entity"), t);
          },
          "entity"_a, "stamp_s"_a = 0.0, "Where an entity is at a time.")
      .def_property_readonly(
          "entities",
          [](const Scene& s) {
            py::list list;
            for (const Entity& entity : s.entities()) list.append(entity);
            return list;
          },
          "The entities by their ids, as they are now.")
      .def_property_readonly(
          "entity_names",
          [](const Scene& s) {
            py::list list;
            for (const Entity& entity : s.entities()) list.append(entity.name);
            return list;
          },
          "Their names by their ids.")
      .def_property_readonly(
          "mesh_names",
          [](const Scene& s) {
            py::list list;
            for (std::size_t i = 0; i < s.meshes().size(); ++i) list.append(s.mesh_name(static_cast<MeshId>(i)));
            return list;
          },
          "The names of meshes by their ids.")
      .def(
          "mesh", [](const Scene& s, const py::object& mesh) { return keep(s.meshes()[index(mesh_of(s, mesh))]); },
          "mesh"_a, "A copy of a mesh, by id or name.")
      .def_property_readonly("moves", &Scene::moves, "Whether any entity moves by itself as time passes.")
      .def_property_readonly("revision", &Scene::revision, "Counts every change.")
      .def(
          "copy", [](const Scene& s) { return std::make_shared<Scene>(s); }, "Another scene that equals this one.")
      .def("__repr__", [](const Scene& s) {
        return "Scene of " + std::to_string(s.meshes().size()) + " meshes, " + std::to_string(s.entities().size()) +
               " entities";
      });
}

/// Matrices [B, 3, 4] or [B, 4, 4].
std::vector<Affine> affines_of(const py::object& value, std::string_view name) {
  const Doubles given = doubles(value, name, {{-1, -1, 4}, "(B, 3, 4) or (B, 4, 4)"});
  if (given.shape(1) != 3 && given.shape(1) != 4) {
    throw InputError(std::string(name) + ": shape " + shape_text(given) + " given, (B, 3, 4) or (B, 4, 4) wanted");
  }
  std::vector<Affine> made(static_cast<std::size_t>(given.shape(0)));
  for (std::size_t b = 0; b < made.size(); ++b) {
    std::memcpy(made[b].m, given.data() + b * static_cast<std::size_t>(given.shape(1)) * 4, sizeof made[b].m);
  }
  return made;
}

py::array_t<float> skin(const py::object& rest, const py::object& weights, const py::object& bones,
                        const py::object& bone_from_rest, const py::object& world_from_bone) {
  const auto rest_m = vertices_of(rest, "rest_m");
  const Floats weight = floats(weights, "weights", {{-1, 4}, "(V, 4)"});
  const Integers bone = integers(bones, "bones", {{-1, 4}, "(V, 4)"}, -1, 0x7fffffff);
  check_lengths(weight, "weights", bone, "bones");
  std::vector<BoneWeights> vertices(static_cast<std::size_t>(weight.shape(0)));
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    for (std::size_t k = 0; k < 4; ++k) {
      vertices[v].weight[k] = weight.data()[4 * v + k];
      vertices[v].bone[k] = static_cast<std::int32_t>(bone.data()[4 * v + k]);
    }
  }
  const auto skinned = skin_vertices(rest_m, vertices, affines_of(bone_from_rest, "bone_from_rest"),
                                     affines_of(world_from_bone, "world_from_bone"));
  py::array_t<float> made({static_cast<py::ssize_t>(skinned.size()), py::ssize_t{3}});
  if (!skinned.empty()) std::memcpy(made.mutable_data(), skinned.data(), skinned.size() * sizeof(skinned[0]));
  return made;
}

}  // namespace

void bind_scene(py::module_& m) {
  bind_mesh(m);
  bind_entity(m);
  py::class_<Scene, std::shared_ptr<Scene>> scene(
      m, "Scene",
      "Meshes and the entities that place them; ids count from 0 in the order of adding. What would break it is\n"
      "refused and changes nothing. A Simulator looks at its scene before every frame, so changes show in the next "
      "one.");
  scene.def(py::init<>());
  bind_changes(scene);
  bind_reading(scene);
  bind_labels(m, scene);
  m.def("skin_vertices", &skin, "rest_m"_a, "weights"_a, "bones"_a, "bone_from_rest"_a, "world_from_bone"_a,
        "Linear blend skinning: rest_m [V, 3], weights [V, 4], bones [V, 4], matrices [B, 3, 4] or [B, 4, 4]; returns\n"
        "float32 [V, 3].");
}

}  // namespace fathom::python
