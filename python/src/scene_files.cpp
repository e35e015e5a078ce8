// SPDX-License-Identifier: MIT
#include <memory>

#include <fathom/core/error.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/run.hpp>

#include "chain.hpp"
#include "simulator.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

using SetupPtr = std::shared_ptr<SceneSetup>;

/// The scene of a setup, as Python's: it keeps the setup.
std::shared_ptr<Scene> scene_of(const SetupPtr& setup) { return {setup, &setup->scene}; }

RunOptions options_of(const py::dict& given) {
  RunOptions options;
  const auto whole_of = [&](const char* key) -> std::optional<std::uint32_t> {
    if (!given.contains(key) || given[key].is_none()) return std::nullopt;
    return whole32(given[key], key);
  };
  options.frames = whole_of("frames");
  options.environment = whole_of("environment"), options.episode = whole_of("episode");
  if (given.contains("seed") && !given["seed"].is_none()) options.seed = seed_of(given["seed"]);
  if (given.contains("bag") && !given["bag"].is_none()) options.bag = py::cast<std::filesystem::path>(given["bag"]);
  const auto isa = given.contains("isa") ? py::cast<std::optional<std::string>>(given["isa"]) : std::nullopt;
  options.compute = compute_of(given.contains("threads") ? py::cast<int>(given["threads"]) : 0, isa);
  if (given.contains("device") && !given["device"].is_none()) {
    options.device = device_named(py::cast<std::string>(given["device"]));
  }
  return options;
}

std::shared_ptr<SimulatorHandle> simulator_of(const SetupPtr& setup, const py::dict& given) {
  return std::make_shared<SimulatorHandle>(scene_of(setup), *setup, options_of(given));
}

py::dict progress_dict(const RunOptions::Progress& progress) {
  py::dict d;
  d["frames_done"] = progress.frames_done, d["frames_total"] = progress.frames_total;
  d["rays_done"] = progress.rays_done;
  d["seconds"] = progress.seconds, d["cast_seconds"] = progress.cast_seconds;
  return d;
}

py::list sensors_list(const std::vector<RunResult::Sensor>& results) {
  py::list sensors;
  for (const RunResult::Sensor& one : results) {
    py::dict sensor, reasons;
    for (std::size_t r = 0; r < one.reasons.size(); ++r)
      reasons[py::str(std::string(kReasonNames[r]))] = one.reasons[r];
    sensor["name"] = one.name, sensor["rays"] = one.rays, sensor["reasons"] = reasons;
    sensor["seconds"] = one.seconds, sensor["rays_per_second"] = one.rays_per_second(), sensor["digest"] = one.digest;
    sensors.append(sensor);
  }
  return sensors;
}

/// Options of a run that stops when a signal came, which `watch` looks for.
RunOptions run_options(const py::dict& given, const std::filesystem::path& out, bool force, bool digest,
                       const py::object& on_progress, SignalWatch& watch) {
  RunOptions options = options_of(given);
  options.out = out, options.force = force, options.digest = digest;
  watch.begin();
  options.should_stop = [&watch] { return watch.should_stop(); };
  if (!on_progress.is_none()) {
    options.on_progress = [&on_progress](const RunOptions::Progress& progress) {
      const py::gil_scoped_acquire acquire;
      on_progress(progress_dict(progress));
    };
  }
  return options;
}

py::dict run(const SetupPtr& setup, const std::filesystem::path& out, bool force, bool digest, const py::dict& given,
             const py::object& on_progress) {
  SignalWatch watch;
  const RunOptions options = run_options(given, out, force, digest, on_progress, watch);
  const SceneSetup now = *setup;  // Python may change its scene while the GIL is released
  RunResult result;
  released([&] { result = run_scene(now, options); });
  py::dict d;
  d["files"] = result.files, d["progress"] = progress_dict(result.progress), d["warnings"] = result.warnings;
  d["sensors"] = sensors_list(result.sensors);
  return d;
}

/// range(first, end) of Python.
NumberRange range_of(const py::object& range, const char* name) {
  const auto part = [&](const char* key) {
    return static_cast<std::uint32_t>(whole(range.attr(key), name, 0, 0xffffffffU));
  };
  if (!py::hasattr(range, "step") || !py::object(range.attr("step")).equal(py::object(py::int_(1)))) {
    throw InputError(std::string(name) + ": " + py::cast<std::string>(py::repr(range)) +
                     " given, a range of Python in steps of 1 wanted");
  }
  return {part("start"), part("stop")};
}

py::dict run_many(const SetupPtr& setup, const std::filesystem::path& out, const py::object& environments,
                  const py::object& episodes, bool force, bool digest, const py::dict& given,
                  const py::object& on_progress) {
  SignalWatch watch;
  DatasetOptions options;
  options.run = run_options(given, out, force, digest, on_progress, watch);
  options.environments = range_of(environments, "environments"), options.episodes = range_of(episodes, "episodes");
  options.command = py::cast<std::string>(given["command"]);
  const SceneSetup now = *setup;
  DatasetResult result;
  released([&] { result = render_dataset(now, options); });
  std::vector<std::filesystem::path> folders;
  for (std::uint64_t i = 0; i < result.units; ++i) folders.push_back(out / Unit{i}.folder());
  py::dict d;
  d["folders"] = folders, d["files"] = result.files, d["progress"] = progress_dict(result.progress);
  d["warnings"] = result.warnings, d["sensors"] = sensors_list(result.sensors);
  return d;
}

py::dict plan_dict(const RunPlan& plan) {
  py::dict d;
  d["frames"] = plan.frames, d["entities"] = plan.entities, d["meshes"] = plan.meshes, d["triangles"] = plan.triangles;
  d["ranges"] = plan.ranges;
  d["memory_bytes"] = plan.memory_bytes, d["files"] = plan.files(), d["bytes_at_most"] = plan.bytes_at_most();
  py::list sensors;
  for (const RunPlan::Sensor& one : plan.sensors) {
    py::dict sensor;
    sensor["name"] = one.name, sensor["kind"] = one.kind, sensor["preset"] = one.preset;
    sensor["rows"] = one.rows, sensor["cols"] = one.cols;
    py::list outputs;
    for (const RunPlan::Sensor::Output& o : one.outputs)
      outputs.append(py::make_tuple(o.first_file, o.files, o.bytes_at_most));
    sensor["outputs"] = outputs;
    sensors.append(sensor);
  }
  d["sensors"] = sensors;
  return d;
}

}  // namespace

void bind_scene_files(py::module_& m) {
  py::class_<SimulatorHandle, std::shared_ptr<SimulatorHandle>> simulator(m.attr("_Simulator"));
  py::class_<SceneSetup, SetupPtr>(m, "_Setup")
      .def(py::init([](const std::filesystem::path& file, const std::vector<std::string>& overrides) {
             auto setup = std::make_shared<SceneSetup>();
             released([&] { *setup = read_scene_file(file, overrides); });
             return setup;
           }),
           "file"_a, "overrides"_a)
      .def_property_readonly(
          "file", [](const SceneSetup& s) { return s.file; }, "The file that was read.")
      .def_property_readonly("scene", &scene_of, "Its scene.")
      .def_property_readonly("_sensors",
                             [](const SceneSetup& s) {
                               py::list list;
                               for (const SensorSetup& sensor : s.sensors) list.append(sensor_dict(sensor));
                               return list;
                             })
      .def_property_readonly("_entity_ranges", [](const SceneSetup& s) { return ranges_list(s.entity_ranges); })
      .def_property_readonly("_outputs",
                             [](const SceneSetup& s) {
                               py::dict d;
                               for (const SensorSetup& sensor : s.sensors) {
                                 py::list words;
                                 for (const Output& output : sensor.outputs) words.append(output.info().slug);
                                 d[py::str(sensor.sensor.name)] = words;
                               }
                               return d;
                             })
      .def_readonly("frames", &SceneSetup::frames, "How many frames its run has.")
      .def_readonly("rate_hz", &SceneSetup::rate_hz)
      .def_readonly("start_s", &SceneSetup::start_s)
      .def_readonly("seed", &SceneSetup::seed)
      .def_readonly("environment", &SceneSetup::environment)
      .def_readonly("episode", &SceneSetup::episode)
      .def_property_readonly(
          "device", [](const SceneSetup& s) { return to_string(s.device); }, "What renders, unless a call says.")
      .def_readonly("notes", &SceneSetup::notes, "What robots and worlds hold that was not read.")
      .def_property_readonly(
          "inputs", [](const SceneSetup& s) { return s.inputs; }, "Every file that reading it opened.")
      .def_property_readonly(
          "overrides", [](const SceneSetup& s) { return s.overrides; }, "What it was read with in place of its own.")
      .def("_run", &run, "out"_a, "force"_a, "digest"_a, "options"_a, "on_progress"_a)
      .def("_run_many", &run_many, "out"_a, "environments"_a, "episodes"_a, "force"_a, "digest"_a, "options"_a,
           "on_progress"_a)
      .def(
          "_plan", [](const SceneSetup& s, const py::dict& given) { return plan_dict(plan_run(s, options_of(given))); },
          "options"_a);
  simulator.def(py::init(&simulator_of), "setup"_a.none(false), "options"_a);
}

}  // namespace fathom::python
