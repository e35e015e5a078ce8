// SPDX-License-Identifier: MIT
#include <fathom/fit/beam.hpp>

#include <algorithm>
#include <memory>

#include <fathom/core/error.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/run.hpp>

#include "beam_values.hpp"

namespace fathom::python {

BeamParameters beam_parameters_of(const py::dict& values) {
  BeamParameters parameters;
  py::dict book, tail;
  const std::vector<FieldInfo> of_tail = describe<HitTail>();
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    const bool is_tail = std::ranges::any_of(of_tail, [&](const FieldInfo& field) { return field.name == name; });
    (is_tail ? tail : book)[key] = value;
  }
  parameters = model_of<BeamParameters>(book);
  parameters.tail = model_of<HitTail>(tail);
  return parameters;
}

py::dict beam_parameters_dict(const BeamParameters& parameters) {
  py::dict values = model_dict(parameters);
  const py::dict tail = model_dict(parameters.tail);
  for (const auto& [key, value] : tail) values[key] = value;
  return values;
}

RayFan fan_of(py::handle rays) {
  if (py::isinstance<SensorModel>(rays)) return RayFan::of(make_pattern(py::cast<SensorModel&>(rays)));
  const py::array given = any_array(rays, "rays");
  if (given.ndim() < 2) {
    return RayFan::planar(span_of(doubles(given, "rays", {{-1}, "(K,) azimuths or (K, 3) directions"})));
  }
  const Floats d = floats(given, "rays", {{-1, 3}, "(K,) azimuths or (K, 3) directions"});
  RayFan fan;
  for (py::ssize_t i = 0; i < d.size(); i += 3) {
    const float x = d.data()[i], y = d.data()[i + 1], z = d.data()[i + 2];
    if (!(std::abs(x * x + y * y + z * z - 1.0F) < 2e-3F)) {
      throw InputError("rays: direction [" + std::to_string(i / 3) + "] is not a unit vector within 0.001");
    }
    fan.x.push_back(x), fan.y.push_back(y), fan.z.push_back(z);
  }
  return fan;
}

std::vector<PlanarPose> planar_poses(py::handle poses, std::string_view name) {
  const Doubles given = doubles(poses, name, {{-1, 3}, "(N, 3): x, y, yaw"});
  std::vector<PlanarPose> made;
  for (py::ssize_t i = 0; i < given.size(); i += 3) {
    made.push_back({given.data()[i], given.data()[i + 1], given.data()[i + 2]});
  }
  return made;
}

py::array_t<double> planar_array(std::span<const PlanarPose> poses) {
  py::array_t<double> made({static_cast<py::ssize_t>(poses.size()), py::ssize_t{3}});
  double* out = made.mutable_data();
  for (const PlanarPose& p : poses) *out++ = p.x_m, *out++ = p.y_m, *out++ = p.yaw_rad;
  return made;
}

BeamData data_of(py::handle readings, py::handle expected, py::handle scan) {
  const py::array given = any_array(readings, "readings"), other = any_array(expected, "expected");
  if (!given.attr("shape").equal(other.attr("shape")) || given.ndim() < 1 || given.ndim() > 2) {
    throw InputError("expected: shape " + shape_text(other) +
                     " given, (K,) or (S, K) as readings wanted, whose shape is " + shape_text(given));
  }
  const Floats z = floats(ravelled(given, "readings"), "readings", {{-1}, "(K,)"}, Finite::kNo);
  const Floats e = floats(ravelled(other, "expected"), "expected", {{-1}, "(K,)"}, Finite::kNo);
  BeamData data;
  data.reading_m.assign(z.data(), z.data() + z.size());
  data.expected_m.assign(e.data(), e.data() + e.size());
  if (!scan.is_none()) {
    const std::string wanted = "(" + std::to_string(z.size()) + ",), a number for each reading,";
    const Integers numbers = integers(ravelled(scan, "scan"), "scan", {{z.size()}, wanted.c_str()}, 0, 0xffffffff);
    for (const std::int64_t n : span_of(numbers)) data.scan.push_back(static_cast<std::uint32_t>(n));
    return data;
  }
  const auto width = static_cast<std::size_t>(given.ndim() == 2 ? given.shape(1) : 1);
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) data.scan.push_back(static_cast<std::uint32_t>(i / width));
  return data;
}

namespace {

using namespace py::literals;

/// Poses [N, 3] of x, y, yaw at height 0; or, with quaternions [N, 4], positions [N, 3].
std::vector<Pose> sensor_poses(py::handle poses, py::handle quat_wxyz, py::handle quat_xyzw) {
  if (!quat_wxyz.is_none() || !quat_xyzw.is_none()) {
    return poses_of(doubles(poses, "poses", {{-1, 3}, "(N, 3): positions"}), quat_wxyz, quat_xyzw);
  }
  std::vector<Pose> made;
  for (const PlanarPose& p : planar_poses(poses, "poses")) made.push_back(p.at_height());
  return made;
}

World map_world(const py::object& map, const std::string& unknown, const std::string& precision,
                const std::optional<std::string>& isa) {
  static constexpr std::array<std::string_view, 3> kPrecisions = {"fast", "double", "oracle"};
  GridCasterOptions options;
  options.unknown = word_of<UnknownCells>(unknown, "unknown");
  options.precision = static_cast<GridCasterOptions::Precision>(position_of(precision, kPrecisions, "precision"));
  options.isa = compute_of(0, isa).isa;
  if (py::isinstance<GridMap>(map)) return World::from_map(py::cast<const GridMap&>(map), options);
  return World::from_map(py::cast<std::filesystem::path>(map), options);
}

World scene_world(const Scene& scene, double height_m, const py::object& pose_from_sensor, double stamp_s,
                  const py::object& near_m, int threads) {
  SceneRangesOptions options;
  options.stamp_s = stamp_s;
  options.pose_from_sensor = Pose{{0, 0, height_m}, {}};
  if (!pose_from_sensor.is_none()) options.pose_from_sensor = pose_of(pose_from_sensor, "pose_from_sensor");
  if (!near_m.is_none()) options.near_m = vec3(near_m, "near_m");
  options.compute.threads = threads;
  return World::from_scene(scene, options);
}

py::array_t<float> expected_ranges(const World& world, const py::object& poses, const py::object& rays,
                                   double max_range_m, const py::object& quat_wxyz, const py::object& quat_xyzw) {
  const std::vector<Pose> places = sensor_poses(poses, quat_wxyz, quat_xyzw);
  for (const Pose& pose : places) static_cast<void>(Trajectory(pose));
  const RayFan fan = fan_of(rays);
  if (!(max_range_m > 0.0)) throw InputError("max_range_m: not above 0");
  py::array_t<float> made({static_cast<py::ssize_t>(places.size()), static_cast<py::ssize_t>(fan.size())});
  const std::span<float> out(made.mutable_data(), static_cast<std::size_t>(made.size()));
  released([&] { world.expected().cast(places, fan, max_range_m, out); });
  return made;
}

void bind_world(py::module_& m) {
  py::class_<World>(m, "World", "Expected ranges: what a map or a scene says a ray should measure.")
      .def_static(
          "from_map", &map_world, "map"_a, py::kw_only(), "unknown"_a = "free", "precision"_a = "fast",
          "isa"_a = py::none(),
          "A GridMap, or a map_server YAML file. unknown: rays pass unknown cells ('free'), are stopped as by a\n"
          "wall ('occupied'), or end there without a return ('stop').")
      .def_static("from_scene", &scene_world, "scene"_a, "height_m"_a = 0.0, py::kw_only(),
                  "pose_from_sensor"_a = py::none(), "stamp_s"_a = 0.0, "near_m"_a = py::none(), "threads"_a = 0,
                  "A Scene at stamp_s, for a sensor at height_m above the poses, or at pose_from_sensor of\n"
                  "them.")
      .def("expected", &expected_ranges, "poses"_a, "rays"_a, "max_range_m"_a, py::kw_only(),
           "quat_wxyz"_a = py::none(), "quat_xyzw"_a = py::none(),
           "float32 [N, K], m: the distance along each ray to the first surface, at most max_range_m.\n"
           "poses [N, 3]: x, y, yaw, or positions with quaternions [N, 4]; rays: azimuths [K], directions [K, 3] or a\n"
           "sensor model.")
      .def_property_readonly("floor_m", &World::floor_m, "Ranges below are not resolved: half a cell of a map.")
      .def_property_readonly("cell_m", &World::cell_m, "The size of the cells of a map; 0: no cells.")
      .def_property_readonly(
          "unknown",
          [](const World& w) { return kChoiceWords<UnknownCells>.at(static_cast<std::size_t>(w.unknown())); })
      .def_property_readonly("name", &World::name)
      .def_property_readonly("inputs", [](const World& w) { return w.inputs(); })
      .def_property_readonly("notes", &World::notes, "What fathom does not read of these files, a line each.")
      .def("__repr__",
           [](const World& w) { return "World(" + (w.name().empty() ? "in memory" : "'" + w.name() + "'") + ")"; });
}

/// Scores the scans of one sensor.
class ScorerHandle {
 public:
  ScorerHandle(const BeamModel& model, const World& world, const py::object& rays, std::size_t ray_step, double alpha,
               bool exact, int threads, const std::optional<std::string>& isa)
      : world_(world),
        rays_(fan_of(rays)),
        scorer_(model.parameters, model.sensor, world_, rays_,
                {.ray_step = ray_step, .alpha = alpha, .compute = compute_of(threads, isa), .exact = exact}) {}

  py::array_t<double> score(const py::object& poses, const py::object& readings, const py::object& quat_wxyz,
                            const py::object& quat_xyzw) {
    const Use use(in_use_, "this Scorer");
    const std::vector<Pose> places = sensor_poses(poses, quat_wxyz, quat_xyzw);
    const Floats z = readings_of(readings);
    py::array_t<double> made(static_cast<py::ssize_t>(places.size()));
    const std::span<double> out(made.mutable_data(), places.size());
    released([&] { scorer_.score(places, span_of(z), out); });
    return made;
  }

  py::array_t<double> score_expected(const py::object& expected, const py::object& readings) {
    const Use use(in_use_, "this Scorer");
    const auto kept = static_cast<py::ssize_t>(scorer_.kept_rays());
    const std::string wanted = "(N, " + std::to_string(kept) + ")";
    const Floats e = floats(expected, "expected", {{-1, kept}, wanted.c_str()}, Finite::kNo);
    const Floats z = readings_of(readings);
    py::array_t<double> made(e.shape(0));
    const std::span<double> out(made.mutable_data(), static_cast<std::size_t>(made.size()));
    released([&] { scorer_.score_expected(span_of(e), span_of(z), out); });
    return made;
  }

  [[nodiscard]] const ScanScorer& scorer() const { return scorer_; }

 private:
  [[nodiscard]] Floats readings_of(const py::object& readings) const {
    const auto k = static_cast<py::ssize_t>(rays_.size());
    const std::string wanted = "(" + std::to_string(k) + ",)";
    return floats(readings, "readings", {{k}, wanted.c_str()}, Finite::kNo);
  }

  World world_;
  RayFan rays_;
  ScanScorer scorer_;
  InUse in_use_;
};

void bind_beam_model(py::module_& m) {
  py::class_<BeamModel>(m, "_BeamModel")
      .def(py::init([](const py::dict& parameters, const py::dict& sensor, const std::string& unknown) {
             return BeamModel{beam_parameters_of(parameters), model_of<BeamSensor>(sensor),
                              word_of<UnknownCells>(unknown, "unknown")};
           }),
           "parameters"_a, "sensor"_a, "unknown"_a = "free");
}

void bind_scorer(py::module_& m) {
  py::class_<ScorerHandle>(m, "_Scorer")
      .def(py::init<const BeamModel&, const World&, const py::object&, std::size_t, double, bool, int,
                    const std::optional<std::string>&>(),
           "model"_a, "world"_a, "rays"_a, "ray_step"_a, "alpha"_a, "exact"_a, "threads"_a, "isa"_a)
      .def("score", &ScorerHandle::score, "poses"_a, "readings"_a, py::kw_only(), "quat_wxyz"_a = py::none(),
           "quat_xyzw"_a = py::none())
      .def("score_expected", &ScorerHandle::score_expected, "expected"_a, "readings"_a)
      .def_property_readonly("kept_rays", [](const ScorerHandle& s) { return s.scorer().kept_rays(); })
      .def_property_readonly("bytes", [](const ScorerHandle& s) { return s.scorer().bytes(); });
}

/// A function of the density, of numbers or arrays of any shape.
template <auto kFunction>
py::object over(const BeamDensity& d, py::array_t<double> x) {
  return py::vectorize([&d](double at) { return (d.*kFunction)(at); })(std::move(x));
}

void bind_density(py::module_& m) {
  py::class_<BeamDensity>(m, "_Density")
      .def(py::init([](const BeamModel& model, double expected_m) {
             return BeamDensity(model.parameters, model.sensor, expected_m);
           }),
           "model"_a, "expected_m"_a)
      .def("density", &over<&BeamDensity::density>, "z_m"_a, "f(z): per metre below Z, a probability from Z on.")
      .def("log_density", &over<&BeamDensity::log_density>, "z_m"_a)
      .def("cdf", &over<&BeamDensity::cdf>, "z_m"_a, "P(reading <= z).")
      .def("quantile", &over<&BeamDensity::quantile>, "u"_a, "The smallest z with cdf(z) >= u.")
      .def("log_likelihood", &over<&BeamDensity::log_likelihood>, "z_m"_a,
           "What a reading adds to a log-likelihood; 0 where it carries no evidence.")
      .def_property_readonly("mean", &BeamDensity::mean)
      .def_property_readonly("variance", &BeamDensity::variance)
      .def_property_readonly("expected_m", &BeamDensity::expected_m, "z*, with the offset, as clamped.");
}

py::array_t<float> sample(const BeamModel& model, const py::object& expected, const py::object& seed,
                          const py::object& first_scan, const std::string& name) {
  const Floats e = floats(expected, "expected", {{-1, -1}, "(S, K)"}, Finite::kNo);
  const std::uint32_t first = whole32(first_scan, "first_scan");
  py::array_t<float> made({e.shape(0), e.shape(1)});
  const auto rays = static_cast<std::size_t>(e.shape(1));
  for (std::uint32_t scan = 0; scan < static_cast<std::uint32_t>(e.shape(0)); ++scan) {
    sample_scan(model.parameters, model.sensor, beam_key(seed_of(seed), first + scan, name),
                {e.data() + scan * rays, rays}, {made.mutable_data() + scan * rays, rays});
  }
  return made;
}

}  // namespace

void bind_beam(py::module_& m) {
  bind_world(m);
  bind_beam_model(m);
  bind_scorer(m);
  bind_density(m);
  m.def("_sample", &sample, "model"_a, "expected"_a, "seed"_a, "first_scan"_a, "name"_a);
  m.def("_check_beam_parameters", [](const py::dict& values) {
    const auto model = beam_parameters_of(values);
    validate(model);
    return beam_parameters_dict(model);
  });
  m.def("_check_beam_sensor", [](const py::dict& values) {
    const auto model = model_of<BeamSensor>(values);
    validate(model);
    return model_dict(model);
  });
  m.def(
      "even_azimuths_rad", [](std::uint32_t rays, double deg) { return copied<double>(even_azimuths_rad(rays, deg)); },
      "rays"_a, "view_deg"_a, "float64 [rays], rad: spread evenly over a view, its middle straight ahead.");
}

}  // namespace fathom::python
