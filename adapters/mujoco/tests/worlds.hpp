// SPDX-License-Identifier: MIT
#pragma once
// Random models of MuJoCo, rays through them, and what fathom and mj_ray say of these.

#include <mujoco/mujoco.h>

#include <fathom/mujoco.hpp>
#include <fathom/simulate/simulator.hpp>

#include "support/expect.hpp"

namespace fathom::test {

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// A model of MJCF text with its data, after mj_forward().
struct MujocoWorld {
  std::unique_ptr<mjModel, FreeModel> model;
  std::unique_ptr<mjData, FreeData> data;
};

inline MujocoWorld make_world(const std::string& mjcf) {
  mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "world.xml", static_cast<int>(mjcf.size()));
  std::copy(mjcf.begin(), mjcf.end(), static_cast<char*>(files.filedata[0]));
  char error[500] = "";
  MujocoWorld world;
  world.model.reset(mj_loadXML("world.xml", &files, error, sizeof error));
  mj_deleteVFS(&files);
  if (world.model == nullptr) throw std::runtime_error(error);
  world.data.reset(mj_makeData(world.model.get()));
  mj_forward(world.model.get(), world.data.get());
  return world;
}

/// The largest depth of an inscribed sphere of `segments` segments below the true one, relative to its radius; the same
/// for a cylinder.
inline double sphere_depth(std::uint32_t segments) { return std::pow(std::sin(std::numbers::pi / segments), 2); }
inline double cylinder_depth(std::uint32_t segments) { return 1.0 - std::cos(std::numbers::pi / segments); }

/// Numbers of a model: the same for the same seed, whatever is asked for.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : engine_(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }

 private:
  std::mt19937 engine_;
};

inline std::string join(const std::vector<double>& values) {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : " ") << values[i];
  return text.str();
}

inline std::string random_quaternion(Numbers& numbers) {
  const std::vector<double> q = {numbers(-1, 1), numbers(-1, 1), numbers(-1, 1), numbers(0.1, 1)};
  return join(q);
}

/// A star of six corners around its origin, which is not its centre of mass; not convex.
inline std::string star_mesh(const std::string& name, Numbers& numbers) {
  std::vector<double> corners;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      for (int k = 0; k < 3; ++k) corners.push_back(k == axis ? sign * numbers(0.2, 0.9) : 0.0);
    }
  }
  return "<mesh name='" + name + "' vertex='" + join(corners) +
         "' face='0 2 4 2 1 4 1 3 4 3 0 4 2 0 5 1 2 5 3 1 5 0 3 5'/>";
}

/// A geom of MJCF of one of MuJoCo's types, half as large as its cell. `deep`: shrinks round geoms to the depth of a
/// mesh of that many segments; 0: does not shrink.
inline std::string geom_text(int type, Numbers& numbers, std::uint32_t deep) {
  const double sphere = deep == 0 ? 1.0 : 1.0 - sphere_depth(deep);
  const double cylinder = deep == 0 ? 1.0 : 1.0 - cylinder_depth(deep);
  const double a = numbers(0.2, 0.6), b = numbers(0.2, 0.6), c = numbers(0.2, 0.6);
  switch (type) {
    case mjGEOM_PLANE:
      return "type='plane' size='" + join({a, b, 1}) + "'";
    case mjGEOM_HFIELD:
      return "type='hfield' hfield='hills'";
    case mjGEOM_SPHERE:
      return "type='sphere' size='" + join({a * sphere}) + "'";
    case mjGEOM_CAPSULE:
      return "type='capsule' size='" + join({a * sphere, b}) + "'";
    case mjGEOM_ELLIPSOID:
      return "type='ellipsoid' size='" + join({a * sphere, b * sphere, c * sphere}) + "'";
    case mjGEOM_CYLINDER:
      return "type='cylinder' size='" + join({a * cylinder, b}) + "'";
    case mjGEOM_BOX:
      return "type='box' size='" + join({a, b, c}) + "'";
    default:
      return "type='mesh' mesh='star" + std::to_string(static_cast<int>(a * 10) % 2) + "'";
  }
}

inline constexpr double kCell = 3.0;  ///< each geom stays inside its cell

/// A world of all types of geoms above an infinite floor: three by three by two cells with a body each. Some hang on a
/// joint, some are welded (`all_move`: none is); groups and alphas differ.
inline std::string random_mjcf(std::uint32_t seed, std::uint32_t deep = 0, bool all_move = false) {
  Numbers numbers(seed);
  std::string assets = star_mesh("star0", numbers) + star_mesh("star1", numbers);
  std::string bodies;
  for (int cell = 0; cell < 18; ++cell) {
    const std::vector<double> place = {kCell * (cell % 3 - 1), kCell * (cell / 3 % 3 - 1), 1.6 + kCell * (cell / 9)};
    // Planes and fields can be attached to the world alone.
    const int type = cell < 8 ? cell : 1 + static_cast<int>(numbers(1, 7));
    const std::string geom = geom_text(type, numbers, deep), turn = random_quaternion(numbers);
    // mj_ray of MuJoCo 2.2.2 meets planes and fields of any group.
    const int group = type <= mjGEOM_HFIELD ? 0 : static_cast<int>(numbers(-1, 8));
    const std::string rgba = numbers(0, 1) < 0.15 ? " rgba='1 1 1 0'" : "";
    const std::string material =
        numbers(0, 1) < 0.3 ? (numbers(0, 1) < 0.4 ? " material='glass'" : " material='wood'") : "";
    const std::string name = numbers(0, 1) < 0.5 ? " name='thing " + std::to_string(cell) + "'" : "";
    const std::string text = "<geom" + name + " group='" + std::to_string(group) + "' " + geom + rgba + material;
    if (type <= mjGEOM_HFIELD) {
      bodies += text + " pos='" + join(place) + "' quat='" + turn + "'/>";
    } else {
      bodies += "<body name='body " + std::to_string(cell) + "' pos='" + join(place) + "' quat='" + turn + "'>" +
                (numbers(0, 1) < (all_move ? 1.0 : 0.5) ? "<freejoint/>" : "") +
                "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>" + text + " pos='0.1 -0.2 0.3' quat='" +
                random_quaternion(numbers) + "'/></body>";
    }
  }
  // As many rows as columns: else mj_ray of MuJoCo 2.2.2 takes walls at the ends of x for as high as other heights.
  return "<mujoco><compiler autolimits='true'/><asset>" + assets +
         "<hfield name='hills' nrow='8' ncol='8' size='1 0.8 0.5 0.3'/><material name='glass' rgba='1 1 1 0'/>"
         "<material name='wood' rgba='1 0.5 0 1'/></asset><worldbody><geom name='floor' type='plane' size='0 0 1'/>" +
         bodies + "</worldbody></mujoco>";
}

/// Models before 2.3 have no heights in MJCF.
inline void raise_hills(mjModel& model, std::uint32_t seed) {
  Numbers numbers(seed);
  for (int i = 0; i < model.nhfielddata; ++i) model.hfield_data[i] = static_cast<float>(numbers(0, 1));
}

/// Rays in single precision, as sensors hold them.
struct Rays {
  std::vector<std::array<float, 3>> origins, directions;
};

/// From all around, the ground from below included.
inline Rays random_rays(std::uint32_t seed, std::size_t count) {
  Numbers numbers(seed ^ 0x9e3779b9U);
  Rays rays;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = numbers(-1, 1), turn = numbers(0, 2 * std::numbers::pi), r = std::sqrt(1 - u * u);
    const std::array<double, 3> out = {r * std::cos(turn), r * std::sin(turn), u};
    std::array<float, 3> origin, direction;
    std::array<double, 3> way;
    for (std::size_t k = 0; k < 3; ++k) {
      origin[k] = static_cast<float>(12.0 * out[k] + (k == 2 ? 0.5 : 0.0));
      way[k] = (k == 2 ? numbers(0, 6) : numbers(-4.5, 4.5)) - double{origin[k]};
    }
    const double length = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    for (std::size_t k = 0; k < 3; ++k) direction[k] = static_cast<float>(way[k] / length);
    rays.origins.push_back(origin);
    rays.directions.push_back(direction);
  }
  return rays;
}

inline RayPattern pattern_of(const Rays& rays) {
  RayPattern pattern;
  pattern.rows = 1, pattern.cols = static_cast<std::uint32_t>(rays.origins.size());
  pattern.min_range_m = {0.0F}, pattern.max_range_m = {1e6F};
  for (std::size_t i = 0; i < rays.origins.size(); ++i) {
    pattern.origin_x.push_back(rays.origins[i][0]), pattern.direction_x.push_back(rays.directions[i][0]);
    pattern.origin_y.push_back(rays.origins[i][1]), pattern.direction_y.push_back(rays.directions[i][1]);
    pattern.origin_z.push_back(rays.origins[i][2]), pattern.direction_z.push_back(rays.directions[i][2]);
  }
  return pattern;
}

inline Frame cast_rays(Scene scene, const Rays& rays) {
  Simulator simulator(std::move(scene), {.compute = {.threads = 1}});
  Sensor sensor;
  sensor.name = "rays";
  sensor.model = pattern_of(rays);
  const SensorId id = simulator.add_sensor(std::move(sensor));
  Frame frame({Channel::kCleanRange, Channel::kEntityId, Channel::kIncidence});
  simulator.render(id, 0, frame);
  return frame;
}

/// The geom that a ray meets, -1 for none, and how far away.
struct RayAnswer {
  int geom = -1;
  double range_m = -1.0;
};

/// What of a model a ray passes through, as mj_ray takes it.
struct RayFilter {
  std::array<mjtByte, mjNGROUP> groups = {1, 1, 1, 1, 1, 1};
  bool statics = true;
  int body = -1;
};

inline RayAnswer ask_mj_ray(const MujocoWorld& world, const Rays& rays, std::size_t i, const RayFilter& filter = {}) {
  mjtNum origin[3], direction[3];
  for (std::size_t k = 0; k < 3; ++k) origin[k] = rays.origins[i][k], direction[k] = rays.directions[i][k];
  RayAnswer answer;
  answer.range_m = mj_ray(world.model.get(), world.data.get(), origin, direction, filter.groups.data(),
                          filter.statics ? 1 : 0, filter.body, &answer.geom);
  return answer;
}

/// How far a range may be from the truth by rounding alone: coordinates up to 24 m, at that angle of incidence.
inline double rounding_m(float incidence_rad) {
  return 24.0 * 0x1p-22 / std::max(std::cos(double{incidence_rad}), 1e-3);
}

}  // namespace fathom::test
