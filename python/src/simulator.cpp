// SPDX-License-Identifier: MIT
#include "simulator.hpp"

#include <algorithm>

#include <fathom/core/error.hpp>

#include "chain.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

/// Whether two motions are the same.
bool moves_alike(const Trajectory& a, const Trajectory& b) {
  const std::vector<Trajectory::Key>&ka = a.keys(), &kb = b.keys();
  if (ka.size() == 1 && kb.size() == 1) return ka[0].pose == kb[0].pose;
  const auto same = [](const Trajectory::Key& x, const Trajectory::Key& y) {
    return x.stamp_s == y.stamp_s && x.pose == y.pose;
  };
  return a.loops() == b.loops() && std::equal(ka.begin(), ka.end(), kb.begin(), kb.end(), same);
}

}  // namespace

void follow(const Scene& master, Scene& copy, NominalMotions& nominal) {
  for (std::size_t i = 0; i < master.meshes().size(); ++i) {
    const auto id = static_cast<MeshId>(i);
    if (i >= copy.meshes().size()) {
      copy.add_mesh(master.meshes()[i], std::string(master.mesh_name(id)));
    } else if (copy.mesh_version(id) != master.mesh_version(id)) {
      // The copy counts its own changes: it is brought to the same number.
      while (copy.mesh_version(id) != master.mesh_version(id)) copy.replace_vertices(id, master.meshes()[i].vertices_m);
    }
  }
  for (std::size_t i = copy.labels().size(); i < master.labels().size(); ++i) copy.add_label(master.labels()[i]);
  for (std::size_t i = copy.materials().size(); i < master.materials().size(); ++i) {
    copy.add_material(master.materials()[i]);
  }
  const std::size_t known = copy.entities().size();
  for (std::size_t i = known; i < master.entities().size(); ++i) {
    Entity entity = master.entities()[i];
    entity.parent = kNoEntity;
    copy.add_entity(std::move(entity));
  }
  // Parents are all taken away before new ones are given, so that no order of doing so makes a circle.
  std::vector<EntityId> moved;
  for (std::size_t i = 0; i < master.entities().size(); ++i) {
    const auto id = static_cast<EntityId>(i);
    const Trajectory& motion = master.entities()[i].parent_from_entity;
    const auto drawn = nominal.find(static_cast<std::uint32_t>(i));
    if (drawn != nominal.end() && !moves_alike(motion, drawn->second)) nominal.erase(drawn);  // placed anew, as a whole
    const bool as_drawn = nominal.contains(static_cast<std::uint32_t>(i));
    if (!as_drawn && !moves_alike(motion, copy.entities()[i].parent_from_entity)) {
      motion.is_fixed() ? copy.set_pose(id, motion.keys()[0].pose) : copy.set_motion(id, motion);
    }
    if (master.entities()[i].parent == copy.entities()[i].parent) continue;
    copy.set_parent(id, kNoEntity);
    moved.push_back(id);
  }
  for (const EntityId id : moved) copy.set_parent(id, master.entities()[index(id)].parent);
}

SimulatorHandle::SimulatorHandle(std::shared_ptr<Scene> scene, const SceneSetup& setup, RunOptions options)
    : scene_(std::move(scene)),
      watch_(std::make_shared<SignalWatch>()),
      simulator_(
          make_simulator(setup, (
                                    options.should_stop = [watch = watch_] { return watch->should_stop(); }, options))),
      revision_(scene_->revision()) {
  for (const ParameterRange& range : setup.entity_ranges) {
    const EntityId entity = range.entity;
    nominal_.emplace(index(entity), scene_->entities()[index(entity)].parent_from_entity);
  }
  for (const SensorSetup& sensor : setup.sensors) note(sensor.sensor.name);
}

void SimulatorHandle::note(const std::string& name) {
  const auto id = static_cast<SensorId>(sensors_.size());
  const RayPattern::Shape shape = image_shape(simulator_.sensor(id));
  const std::vector<float>& limits = simulator_.pattern(id, 0).max_range_m;
  sensors_.push_back({name,
                      {0, shape.rows, shape.cols, static_cast<std::uint32_t>(simulator_.sensor(id).returns.size())},
                      *std::max_element(limits.begin(), limits.end()),
                      {}});
}

std::uint32_t SimulatorHandle::add_sensor(const py::dict& spec) {
  const Use use(in_use_, "this Simulator");
  SensorSetup setup = sensor_of(spec);
  if (!setup.ranges.empty()) {
    throw InputError("sensor '" + setup.sensor.name +
                     "': a number of it is a range, which is drawn when a Simulator is made: give the sensor to "
                     "Simulator(scene, [sensor])");
  }
  refresh();
  const std::string name = setup.sensor.name;
  const SensorId id = simulator_.add_sensor(std::move(setup.sensor));
  note(name);
  return index(id);
}

void SimulatorHandle::set_noise(py::handle sensor, const py::iterable& chain) {
  const Use use(in_use_, "this Simulator");
  refresh();
  simulator_.set_noise(find(sensor), chain_of(chain));
}

SensorId SimulatorHandle::find(py::handle name_or_id) const {
  if (py::isinstance<py::str>(name_or_id)) {
    std::vector<std::string_view> names;
    for (const Known& known : sensors_) names.push_back(known.name);
    return static_cast<SensorId>(position_of(py::cast<std::string>(name_or_id), names, "sensor"));
  }
  if (sensors_.empty()) throw InputError("sensor: the simulator has no sensor");
  return static_cast<SensorId>(whole(name_or_id, "sensor", 0, sensors_.size() - 1));
}

void SimulatorHandle::refresh() {
  if (scene_->revision() == revision_) return;
  follow(*scene_, simulator_.scene(), nominal_);
  revision_ = scene_->revision();
}

Pose SimulatorHandle::world_from_sensor(py::handle sensor, double stamp_s) {
  const Use use(in_use_, "this Simulator");  // a frame being rendered reads the scene that refresh() changes
  const SensorId id = find(sensor);
  refresh();
  return simulator_.world_from_sensor(id, stamp_s);
}

FrameTime SimulatorHandle::frame_time(py::handle sensor, py::handle number) const {
  return simulator_.frame_time(find(sensor), whole32(number, "index"));
}

std::shared_ptr<FrameHandle> SimulatorHandle::render(py::handle sensor, py::handle number, py::handle channels,
                                                     py::handle out) {
  const Use use(in_use_, "this Simulator");
  const SensorId id = find(sensor);
  const std::uint32_t frame_index = whole32(number, "index");
  refresh();
  Known& known = sensors_[index(id)];
  const std::unique_ptr<Use> use_of_out = use_of_frame(out);
  std::shared_ptr<FrameHandle> handle = frame_for(out, channels, known.layout, known.farthest_m, known.pool);
  const std::shared_ptr<Frame> frame = handle->shared();
  watch_->begin();
  released([&] { simulator_.render(id, frame_index, *frame); });
  return handle;
}

namespace {

using SimulatorClass = py::class_<SimulatorHandle, std::shared_ptr<SimulatorHandle>>;

std::shared_ptr<SimulatorHandle> make(const std::shared_ptr<Scene>& scene, const py::list& sensors,
                                      const py::object& seed, const py::object& environment, const py::object& episode,
                                      int threads, double rate_hz, double start_s,
                                      const std::optional<std::string>& isa, const std::string& device,
                                      std::uintptr_t cuda_stream, const py::list& entity_ranges) {
  SceneSetup setup;
  setup.scene = *scene;
  for (const py::handle spec : sensors) setup.sensors.push_back(sensor_of(py::cast<py::dict>(spec)));
  setup.entity_ranges = ranges_of(entity_ranges);
  setup.seed = seed_of(seed);
  setup.environment = whole32(environment, "environment"), setup.episode = whole32(episode, "episode");
  setup.rate_hz = rate_hz, setup.start_s = start_s;
  RunOptions options;
  options.compute = compute_of(threads, isa, device, cuda_stream);
  return std::make_shared<SimulatorHandle>(scene, setup, options);
}

void bind_rendering(SimulatorClass& simulator) {
  simulator
      .def(py::init(&make), "scene"_a.none(false), "sensors"_a, "seed"_a, "environment"_a, "episode"_a, "threads"_a,
           "rate_hz"_a, "start_s"_a, "isa"_a, "device"_a, "cuda_stream"_a, "entity_ranges"_a = py::list())
      .def("_add_sensor", &SimulatorHandle::add_sensor, "spec"_a)
      .def("_set_noise", &SimulatorHandle::set_noise, "sensor"_a, "chain"_a)
      .def("render", &SimulatorHandle::render, "sensor"_a, "index"_a = 0, "channels"_a = py::none(),
           "out"_a = py::none(),
           "Renders frame `index` of a sensor (its name, or what add_sensor() gave).\n\n"
           "channels: names, see fathom.channels(); default: range, hit_sensor and reason. out: a Frame to render\n"
           "into; without it the memory of a frame without references is used again. Releases the GIL. Ctrl-C stops\n"
           "it with KeyboardInterrupt, and the content of the frame is then undefined.");
}

}  // namespace

void bind_simulator(py::module_& m) {
  py::class_<FrameTime>(m, "FrameTime", "The time of one frame of one sensor.")
      .def_readonly("index", &FrameTime::index, "Of the frame.")
      .def_readonly("content", &FrameTime::content, "Of the frame that was measured: `index`, unless it is frozen.")
      .def_readonly("stamp_s", &FrameTime::stamp_s, "When the content was measured, s.")
      .def_readonly("delivered_s", &FrameTime::delivered_s, "When the frame arrives, s; NaN: never.")
      .def_property_readonly("is_frozen", &FrameTime::is_frozen)
      .def_property_readonly("is_dropped", &FrameTime::is_dropped);
  // _Setup gives it a constructor, too.
  SimulatorClass simulator(m, "_Simulator");
  bind_rendering(simulator);
  simulator.def_property_readonly("scene", &SimulatorHandle::scene, "The scene; change it between frames.")
      .def_property_readonly("sensor_names", &SimulatorHandle::sensor_names, "By the numbers of sensors.")
      .def_property_readonly(
          "threads", [](SimulatorHandle& s) { return s.simulator().threads(); }, "How many work at once.")
      .def_property_readonly(
          "seed", [](SimulatorHandle& s) { return s.simulator().options().seed; },
          "The key of all draws: of the run, or of its episode.")
      .def(
          "stamp_s", [](SimulatorHandle& s, const py::object& k) { return s.simulator().stamp_s(whole32(k, "index")); },
          "index"_a, "When a frame of the scene starts, s.")
      .def("frame_time", &SimulatorHandle::frame_time, "sensor"_a, "index"_a,
           "When frame `index` of a sensor is measured and when it arrives, as its Timing says.")
      .def(
          "world_from_sensor",
          [](SimulatorHandle& s, const py::object& sensor, double t) { return s.world_from_sensor(sensor, t); },
          "sensor"_a, "stamp_s"_a = 0.0, "Where a sensor is at a time.")
      .def("_noise", [](SimulatorHandle& s, const py::object& sensor) {
        return chain_list(s.simulator().sensor(s.find(sensor)).noise);
      });
}

}  // namespace fathom::python
