// SPDX-License-Identifier: MIT
#include <fathom/simulate/environments.hpp>

#include <algorithm>
#include <memory>

#include <fathom/core/error.hpp>

#include "chain.hpp"
#include "frame.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

/// Environments as Python holds them.
class EnvironmentsHandle {
 public:
  EnvironmentsHandle(const std::shared_ptr<Scene>& scene, const py::list& sensors, const py::object& count,
                     const py::object& seed, const py::object& first, int threads, double rate_hz, double start_s,
                     const std::optional<std::string>& isa, const std::string& device, std::uintptr_t cuda_stream,
                     const py::list& entity_ranges)
      : scene_(scene),
        batch_(make(*scene, count, seed, first, compute_of(threads, isa, device, cuda_stream), rate_hz, start_s,
                    ranges_of(entity_ranges))) {
    for (const py::handle spec : sensors) add_sensor(py::cast<py::dict>(spec));
  }

  std::uint32_t add_sensor(const py::dict& spec) {
    const Use use(in_use_, kName);
    SensorSetup setup = sensor_of(spec);
    const Sensor sensor = setup.sensor;
    const SensorId id = batch_.add_sensor(setup.sensor, setup.ranges);
    const std::vector<float> limits = make_pattern(sensor.model).max_range_m;
    sensors_.push_back(
        {sensor.name,
         {batch_.count(), batch_.rows(id), batch_.cols(id), static_cast<std::uint32_t>(sensor.returns.size())},
         *std::max_element(limits.begin(), limits.end()),
         {}});
    return index(id);
  }

  [[nodiscard]] SensorId find(py::handle name_or_id) const {
    if (py::isinstance<py::str>(name_or_id)) {
      std::vector<std::string_view> names;
      for (const Known& known : sensors_) names.push_back(known.name);
      return static_cast<SensorId>(position_of(py::cast<std::string>(name_or_id), names, "sensor"));
    }
    if (sensors_.empty()) throw InputError("sensor: there is no sensor");
    return static_cast<SensorId>(whole(name_or_id, "sensor", 0, sensors_.size() - 1));
  }

  /// The numbers of environments that a call is for; None: all.
  class Numbers {
   public:
    Numbers(const EnvironmentsHandle& handle, py::handle env_ids) {
      if (env_ids.is_none()) {
        size_ = handle.batch_.count();
        return;
      }
      const auto low = static_cast<std::int64_t>(handle.batch_.first());
      const Integers given = integers(env_ids, "env_ids", {{-1}, "(E,)"}, low, low + handle.batch_.count() - 1);
      for (const std::int64_t e : span_of(given)) numbers_.push_back(static_cast<std::uint32_t>(e));
      size_ = numbers_.size(), all_ = false;
    }
    [[nodiscard]] EnvironmentNumbers get() const {
      return all_ ? EnvironmentNumbers{} : EnvironmentNumbers{std::span<const std::uint32_t>(numbers_)};
    }
    [[nodiscard]] py::ssize_t size() const { return static_cast<py::ssize_t>(size_); }
    [[nodiscard]] bool all() const { return all_; }

   private:
    std::vector<std::uint32_t> numbers_;
    std::size_t size_ = 0;
    bool all_ = true;
  };

  void set_entity_poses(const py::object& entities, const py::object& positions_m, const py::object& quat_wxyz,
                        const py::object& quat_xyzw, const py::object& env_ids) {
    const Use use(in_use_, kName);
    const Numbers numbers(*this, env_ids);
    const std::vector<EntityId> ids = entity_list(entities);
    const auto k = static_cast<py::ssize_t>(ids.size());
    const std::string wanted = "(" + std::to_string(numbers.size()) + ", " + std::to_string(k) + ", 3)";
    const Doubles positions =
        doubles(positions_m, "positions_m", {{numbers.size(), k, 3}, wanted.c_str()}, Finite::kNo);
    batch_.set_entity_poses(ids, span_of(positions), rotations(quat_wxyz, quat_xyzw, {numbers.size(), k}),
                            numbers.get());
    kept_ = Doubles();
  }

  void set_sensor_poses(const py::object& sensor, const py::object& positions_m, const py::object& quat_wxyz,
                        const py::object& quat_xyzw, const py::object& env_ids, const std::string& convention) {
    const Use use(in_use_, kName);
    const Numbers numbers(*this, env_ids);
    const std::string wanted = "(" + std::to_string(numbers.size()) + ", 3)";
    const Doubles positions = doubles(positions_m, "positions_m", {{numbers.size(), 3}, wanted.c_str()}, Finite::kNo);
    const std::span<const double> turned = in_convention(rotations(quat_wxyz, quat_xyzw, {numbers.size()}), convention);
    batch_.set_sensor_poses(find(sensor), span_of(positions), turned, numbers.get());
    kept_ = Doubles();
  }

  void set_noise(const py::object& sensor, const py::iterable& chain, const py::object& env_ids) {
    const Use use(in_use_, kName);
    const Numbers numbers(*this, env_ids);
    const NoiseChain made = chain_of(chain);
    const SensorId id = find(sensor);
    if (const auto list = numbers.get()) {
      for (const std::uint32_t e : *list) batch_.set_noise(e, made, id);
    } else {
      for (std::uint32_t e = 0; e < batch_.count(); ++e) batch_.set_noise(batch_.first() + e, made, id);
    }
  }

  void reset(const py::object& env_ids, const py::object& episode) {
    const Use use(in_use_, kName);
    const Numbers numbers(*this, env_ids);
    if (episode.is_none()) return batch_.reset(numbers.get());
    std::vector<std::uint32_t> episodes(static_cast<std::size_t>(numbers.size()));
    if (PyLong_Check(episode.ptr()) != 0) {
      std::fill(episodes.begin(), episodes.end(), whole32(episode, "episode"));
    } else {
      const std::string wanted = "a number or (" + std::to_string(numbers.size()) + ",)";
      const Integers given = integers(episode, "episode", {{numbers.size()}, wanted.c_str()}, 0, 0xffffffff);
      std::copy(given.data(), given.data() + given.size(), episodes.begin());
    }
    batch_.reset(numbers.get(), episodes);
  }

  py::tuple render(const py::object& number, const py::object& sensors, const py::object& channels, const py::dict& out,
                   const py::object& env_ids) {
    const Use use(in_use_, kName);
    const std::uint32_t frame_index = whole32(number, "index");
    const Numbers numbers(*this, env_ids);
    std::vector<Frame*> frames(sensors_.size(), nullptr);
    std::vector<std::shared_ptr<FrameHandle>> handles(sensors_.size());
    std::vector<std::unique_ptr<Use>> uses;
    for (const py::handle sensor : sensors) {
      const SensorId id = find(sensor);
      handles[index(id)] = frame_of(sensors_[index(id)], channels, out, !numbers.all(), uses);
      frames[index(id)] = &handles[index(id)]->frame();
    }
    watch_->begin();
    released([&] { batch_.render(frame_index, frames, numbers.get()); });
    py::list made;
    for (const py::handle sensor : sensors) made.append(handles[index(find(sensor))]);
    return py::tuple(made);
  }

  [[nodiscard]] py::list drawn(const py::object& environment, const py::object& sensor) const {
    const SensorId id = find(sensor);
    return drawn_list(*scene_, batch_.sensor(id).noise, batch_.drawn(whole32(environment, "environment"), id));
  }

  /// [count, ranges], with the ranges as a list of dicts without values.
  [[nodiscard]] py::tuple drawn_values(const py::object& sensor) const {
    const SensorId id = find(sensor);
    const std::span<const double> values = batch_.drawn_values(id);
    const auto cols = static_cast<py::ssize_t>(batch_.ranges(id).size());
    py::array_t<double> made({static_cast<py::ssize_t>(batch_.count()), cols});
    std::copy(values.begin(), values.end(), made.mutable_data());
    return py::make_tuple(drawn_list(*scene_, batch_.sensor(id).noise, names_of(batch_.ranges(id))), made);
  }

  /// The same of the entities.
  [[nodiscard]] py::tuple drawn_entities() const {
    const std::span<const double> values = batch_.entity_drawn_values();
    const auto cols = static_cast<py::ssize_t>(batch_.entity_ranges().size());
    py::array_t<double> made({static_cast<py::ssize_t>(batch_.count()), cols});
    std::copy(values.begin(), values.end(), made.mutable_data());
    return py::make_tuple(drawn_list(*scene_, {}, names_of(batch_.entity_ranges())), made);
  }

  /// Arrays [count].
  [[nodiscard]] py::dict frame_times(const py::object& sensor, const py::object& number) const {
    const std::vector<FrameTime> times = batch_.frame_times(find(sensor), whole32(number, "index"));
    const auto count = static_cast<py::ssize_t>(times.size());
    py::array_t<double> stamp_s(count), delivered_s(count);
    py::array_t<std::int64_t> content(count);
    for (py::ssize_t e = 0; e < count; ++e) {
      const FrameTime& time = times[static_cast<std::size_t>(e)];
      stamp_s.mutable_at(e) = time.stamp_s, delivered_s.mutable_at(e) = time.delivered_s;
      content.mutable_at(e) = time.content;
    }
    py::dict made;
    made["stamp_s"] = stamp_s, made["delivered_s"] = delivered_s, made["content"] = content;
    return made;
  }

  [[nodiscard]] const Environments& batch() const { return batch_; }
  [[nodiscard]] std::vector<std::string> sensor_names() const {
    std::vector<std::string> names;
    for (const Known& known : sensors_) names.push_back(known.name);
    return names;
  }

 private:
  static constexpr const char* kName = "this Environments";
  struct Known {
    std::string name;
    FrameLayout layout;
    double farthest_m;
    FramePool pool;
  };

  static std::vector<ParameterRange::Drawn> names_of(std::span<const ParameterRange> ranges) {
    std::vector<ParameterRange::Drawn> names;
    for (const ParameterRange& r : ranges) names.push_back({r.entry, r.field, r.entity, r.ring, 0.0, r.target});
    return names;
  }

  Environments make(const Scene& scene, const py::object& count, const py::object& seed, const py::object& first,
                    const Compute& compute, double rate_hz, double start_s, std::vector<ParameterRange> entity_ranges) {
    Environments::Options options;
    options.entity_ranges = std::move(entity_ranges);
    options.simulator.seed = seed_of(seed);
    options.simulator.compute = compute;
    options.simulator.rate_hz = rate_hz, options.simulator.start_s = start_s;
    options.simulator.should_stop = [watch = watch_] { return watch->should_stop(); };
    options.count = whole32(count, "count"), options.first = whole32(first, "first");
    return Environments(scene, options);
  }

  std::shared_ptr<FrameHandle> frame_of(Known& known, const py::object& channels, const py::dict& out, bool is_part,
                                        std::vector<std::unique_ptr<Use>>& uses) {
    const py::object given = out.contains(known.name.c_str()) ? py::object(out[known.name.c_str()]) : py::none();
    if (!given.is_none()) {
      if (!py::isinstance<FrameHandle>(given)) throw InputError("out: not a Frame");
      uses.push_back(std::make_unique<Use>(py::cast<FrameHandle&>(given).in_use, "this Frame"));
    }
    FramePool fresh;  // a frame used before would show old rows of the environments that are not rendered
    return frame_for(given, channels, known.layout, known.farthest_m, is_part ? fresh : known.pool);
  }

  [[nodiscard]] std::vector<EntityId> entity_list(const py::object& entities) const {
    std::vector<EntityId> ids;
    if (py::isinstance<py::array>(entities)) {
      const auto most = static_cast<std::int64_t>(scene_->entities().size()) - 1;
      for (const std::int64_t id : span_of(integers(entities, "entities", {{-1}, "(K,)"}, 0, most))) {
        ids.push_back(static_cast<EntityId>(id));
      }
    } else if (!py::isinstance<py::sequence>(entities) || py::isinstance<py::str>(entities)) {
      throw InputError("entities: not a list of names or ids");
    } else {
      for (const py::handle one : entities) ids.push_back(entity_of(*scene_, one, "entities"));
    }
    return ids;
  }

  /// Quaternions [..., 4] as w, x, y, z: a view of quat_wxyz, or a converted copy. Empty: no rotation.
  std::span<const double> rotations(const py::object& quat_wxyz, const py::object& quat_xyzw,
                                    const std::vector<py::ssize_t>& count) {
    py::ssize_t size = 1;
    std::string wanted = "(";
    for (const py::ssize_t n : count) size *= n, wanted += std::to_string(n) + ", ";
    wanted += "4)";
    const auto given_as = [&](const py::object& value, const char* name) {
      return count.size() == 2 ? doubles(value, name, {{count[0], count[1], 4}, wanted.c_str()}, Finite::kNo)
                               : doubles(value, name, {{count[0], 4}, wanted.c_str()}, Finite::kNo);
    };
    if (!quat_wxyz.is_none() && !quat_xyzw.is_none()) {
      throw InputError("quat_xyzw: and quat_wxyz are both given; one is enough");
    }
    if (!quat_wxyz.is_none()) {
      kept_ = given_as(quat_wxyz, "quat_wxyz");
      return span_of(kept_);
    }
    turned_.resize(4 * static_cast<std::size_t>(size));
    if (quat_xyzw.is_none()) {
      for (std::size_t i = 0; i < turned_.size(); ++i) turned_[i] = i % 4 == 0 ? 1.0 : 0.0;
    } else {
      const Doubles given = given_as(quat_xyzw, "quat_xyzw");
      const double* q = given.data();
      for (std::size_t i = 0; i < turned_.size(); i += 4) {
        turned_[i] = q[i + 3], turned_[i + 1] = q[i], turned_[i + 2] = q[i + 1], turned_[i + 3] = q[i + 2];
      }
    }
    return turned_;
  }

  std::span<const double> in_convention(std::span<const double> wxyz, const std::string& convention) {
    const Quaternion axes = convention_axes(convention);
    if (axes == Quaternion{}) return wxyz;
    std::vector<double> made(wxyz.size());
    for (std::size_t i = 0; i < wxyz.size(); i += 4) {
      const Quaternion q = Quaternion{wxyz[i], wxyz[i + 1], wxyz[i + 2], wxyz[i + 3]} * axes;
      made[i] = q.w, made[i + 1] = q.x, made[i + 2] = q.y, made[i + 3] = q.z;
    }
    turned_ = std::move(made);
    return turned_;
  }

  std::shared_ptr<SignalWatch> watch_ = std::make_shared<SignalWatch>();
  std::shared_ptr<Scene> scene_;  // for names
  Environments batch_;
  std::vector<Known> sensors_;
  std::vector<double> turned_;
  Doubles kept_;  // values read during a call
  InUse in_use_;
};

}  // namespace

void bind_environments(py::module_& m) {
  using Handle = EnvironmentsHandle;
  py::class_<Handle>(m, "_Environments")
      .def(py::init<const std::shared_ptr<Scene>&, const py::list&, const py::object&, const py::object&,
                    const py::object&, int, double, double, const std::optional<std::string>&, const std::string&,
                    std::uintptr_t, const py::list&>(),
           "scene"_a.none(false), "sensors"_a, "count"_a, "seed"_a, "first"_a, "threads"_a, "rate_hz"_a, "start_s"_a,
           "isa"_a, "device"_a, "cuda_stream"_a, "entity_ranges"_a = py::list())
      .def("_add_sensor", &Handle::add_sensor, "spec"_a)
      .def("set_entity_poses", &Handle::set_entity_poses, "entities"_a, "positions_m"_a, py::kw_only(),
           "quat_wxyz"_a = py::none(), "quat_xyzw"_a = py::none(), "env_ids"_a = py::none(),
           "Places K entities (names or ids) in E environments, relative to their parents: positions_m [E, K, 3],\n"
           "quaternions [E, K, 4] or none: no rotation. env_ids [E]: which; None: all. Nothing moves when anything is\n"
           "refused.")
      .def("set_sensor_poses", &Handle::set_sensor_poses, "sensor"_a, "positions_m"_a, py::kw_only(),
           "quat_wxyz"_a = py::none(), "quat_xyzw"_a = py::none(), "env_ids"_a = py::none(), "convention"_a = "fathom",
           "Places a sensor in E environments: positions_m [E, 3], quaternions [E, 4] or none. convention: see Pose.")
      .def("_set_noise", &Handle::set_noise, "sensor"_a, "chain"_a, "env_ids"_a)
      .def("reset", &Handle::reset, "env_ids"_a = py::none(), "episode"_a = py::none(),
           "Starts an episode in the environments env_ids [E] (None: all) and draws their parameters: the next one of\n"
           "each, or `episode`, a number or [E].")
      .def("_render", &Handle::render, "index"_a, "sensors"_a, "channels"_a, "out"_a, "env_ids"_a)
      .def("_drawn", &Handle::drawn, "environment"_a, "sensor"_a)
      .def("_drawn_values", &Handle::drawn_values, "sensor"_a)
      .def("_drawn_entities", &Handle::drawn_entities)
      .def_property_readonly(
          "episodes",
          [](const Handle& h) { return copied<std::uint32_t>(h.batch().episodes()).attr("astype")("int64"); },
          "The present episodes, int64 [count]; a copy.")
      .def_property_readonly("count", [](const Handle& h) { return h.batch().count(); })
      .def_property_readonly(
          "first", [](const Handle& h) { return h.batch().first(); }, "The number of the first environment.")
      .def_property_readonly("sensor_names", &Handle::sensor_names, "In the order of their numbers.")
      .def(
          "shape",
          [](const Handle& h, const py::object& sensor) {
            const SensorId id = h.find(sensor);
            return py::make_tuple(h.batch().count(), h.batch().rows(id), h.batch().cols(id));
          },
          "sensor"_a, "(environments, rows, cols) of its frames.")
      .def(
          "frame_times", &Handle::frame_times, "sensor"_a, "index"_a,
          "When frame `index` of a sensor is measured and when it arrives, in each environment: stamp_s and\n"
          "delivered_s, float64 [count], NaN where it is dropped, and content, int64 [count], the number of the frame\n"
          "that was measured: another than `index` where it is frozen.");
}

}  // namespace fathom::python
